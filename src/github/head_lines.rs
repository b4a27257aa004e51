//! From the lines of the merge that is checked out to those of the commit that a check run is on:
//! where the target branch moved the same file, they are others.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::model::changed_lines::ChangedLines;
use crate::model::class::Level;
use crate::model::line_map::LineMap;
use crate::model::report::Report;
use crate::model::row::Row;
use crate::run::git::Repository;

/// The most bytes of a file whose lines are looked for: the time that takes grows faster than
/// the file does.
const MOST_BYTES: usize = 1 << 20;

/// The files that have other lines in the checkout than at the head of a change.
#[derive(Clone, Debug, Default)]
pub struct HeadLines {
    /// By path from the repository's root; `None` where the lines are not known.
    files: BTreeMap<String, Option<LineMap>>,
}

impl HeadLines {
    /// For the places of what is not ok in `report`, from the repository's root, if `head` is
    /// another commit than the one checked out. `head` is fetched if it is not here.
    ///
    /// # Errors
    /// What git says when `head` cannot be had: then the lines are those of the checkout.
    pub fn find(report: &Report, repository: &Repository, head: &str) -> io::Result<Self> {
        let shown = shown_files(report);
        let Some(merge) = repository.commit().filter(|merge| merge != head) else {
            return Ok(Self::default());
        };
        if shown.is_empty() {
            return Ok(Self::default());
        }
        repository.bring(head)?;
        let differing = repository.differing(&merge, head)?;
        let both = shown.intersection(&differing);
        let map = |path: &String| {
            let content = |commit| repository.content(commit, path, MOST_BYTES);
            let map = content(&merge)
                .zip(content(head))
                .map(|(merge, head)| LineMap::between(&merge, &head));
            (path.clone(), map)
        };
        Ok(Self {
            files: both.map(map).collect(),
        })
    }

    /// Moves the places of `report` to the lines of head. In a file whose lines there are not
    /// known, or that is not there, the first one stands for all.
    pub fn apply(&self, report: &mut Report) {
        each_place(report, |path, line| {
            if let Some(map) = self.files.get(path.as_str()) {
                *line = map.as_ref().map_or(1, |map| map.line(*line));
            }
        });
    }

    /// `changed`, told of the checkout, without what it says of files with other lines at head.
    #[must_use]
    pub fn known(&self, changed: ChangedLines) -> ChangedLines {
        let unknown = self.files.keys().map(|path| (path.clone(), None));
        changed.with_files(unknown)
    }
}

/// Changes every place of `report`, path and line: where rows point at, and what they would edit.
pub fn each_place(report: &mut Report, mut change: impl FnMut(&mut String, &mut u32)) {
    let lanes = report.experiments.iter_mut();
    for row in lanes.flat_map(|lane| &mut lane.rows) {
        if let Some(at) = &mut row.at {
            change(&mut at.path, &mut at.line);
        }
        change_edit(row, &mut change);
    }
}

fn change_edit(row: &mut Row, change: &mut impl FnMut(&mut String, &mut u32)) -> Option<()> {
    let edit = row.evidence.get_mut("suggestion")?.as_object_mut()?;
    let mut path = edit.get("path")?.as_str()?.to_owned();
    let mut line = u32::try_from(edit.get("line")?.as_u64()?).ok()?;
    change(&mut path, &mut line);
    edit.insert("path".to_owned(), path.into());
    edit.insert("line".to_owned(), line.into());
    Some(())
}

fn shown_files(report: &Report) -> BTreeSet<String> {
    let rows = report.experiments.iter().flat_map(|lane| &lane.rows);
    let shown = rows.filter(|row| row.level != Level::Ok);
    shown
        .filter_map(|row| Some(row.at.as_ref()?.path.clone()))
        .collect()
}
