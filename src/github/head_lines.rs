//! From the lines of the merge that is checked out to those of the commit that a check run is on:
//! where the target branch moved the same file, they are others.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::model::changed_lines::ChangedLines;
use crate::model::class::Level;
use crate::model::line_map::LineMap;
use crate::model::report::Report;
use crate::model::row::At;
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
        for at in places(report) {
            if let Some(map) = self.files.get(&at.path) {
                at.line = map.as_ref().map_or(1, |map| map.line(at.line));
            }
        }
    }

    /// `changed`, told of the checkout, without what it says of files with other lines at head.
    #[must_use]
    pub fn known(&self, changed: ChangedLines) -> ChangedLines {
        let unknown = self.files.keys().map(|path| (path.clone(), None));
        changed.with_files(unknown)
    }
}

/// Every place of `report`.
pub fn places(report: &mut Report) -> impl Iterator<Item = &mut At> {
    let lanes = report.experiments.iter_mut();
    lanes
        .flat_map(|lane| &mut lane.rows)
        .filter_map(|row| row.at.as_mut())
}

fn shown_files(report: &Report) -> BTreeSet<String> {
    let rows = report.experiments.iter().flat_map(|lane| &lane.rows);
    let shown = rows.filter(|row| row.level != Level::Ok);
    shown
        .filter_map(|row| Some(row.at.as_ref()?.path.clone()))
        .collect()
}
