//! Which lines of head a change touched, as a diff tells: where a finding is shown to a reviewer.

mod reader;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::text::is_plain;

/// The lines that a change added or rewrote, by path from the repository's root.
///
/// A file without a readable patch (binary, too large, a pure rename) is unknown, which is not
/// the same as untouched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    files: BTreeMap<String, Lines>,
    /// Whether the end of the diff was not what a diff ends with.
    is_cut: bool,
    /// The folder that the paths asked about are relative to: empty, or with a last `/`.
    folder: String,
}

/// What is known of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lines {
    /// Nothing but that it is part of the change.
    Unknown,
    /// Everything.
    Known(Touched),
}

/// The lines of a file that a change touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Touched {
    /// Added or rewritten lines, sorted, not overlapping.
    added: Vec<RangeInclusive<u32>>,
    /// The line that stands where the first lines were taken out, from 1.
    removed_at: Option<u32>,
    /// The lines of head that the diff shows, touched or around one that is; those that are
    /// plain text.
    shown: BTreeMap<u32, String>,
}

impl ChangedLines {
    /// Reads a unified diff as `git diff` and GitHub's `.diff` media type write it: any bytes.
    /// What cannot be read makes a file unknown. Paths that are no UTF-8 have U+FFFD for what is
    /// not, as GitHub's JSON has.
    #[must_use]
    pub fn parse(diff: &[u8]) -> Self {
        reader::read(diff)
    }

    /// From the path and the `patch` of each item of `GET /repos/{o}/{r}/pulls/{n}/files`.
    #[must_use]
    pub fn from_files(files: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        Self::default().with_files(files)
    }

    /// The same with these files too. One that is known already, and told otherwise here, is
    /// unknown.
    #[must_use]
    pub fn with_files(mut self, files: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let lines = |patch: Option<String>| match patch {
            Some(patch) => reader::hunks(patch.as_bytes()),
            None => Lines::Unknown,
        };
        for (path, patch) in files {
            self.add(path, lines(patch));
        }
        self
    }

    /// The same, where there may be more files than were told.
    #[must_use]
    pub fn cut_off(self) -> Self {
        Self {
            is_cut: true,
            ..self
        }
    }

    /// The same, asked about paths from `folder`, where the suite lies inside the repository.
    #[must_use]
    pub fn seen_from(self, folder: &str) -> Self {
        let folder = match folder.trim_matches('/') {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        Self { folder, ..self }
    }

    /// The path from the repository's root of a path from the suite's.
    #[must_use]
    pub fn in_repository(&self, path: &str) -> String {
        format!("{}{path}", self.folder)
    }

    /// The same without the text of any line: of a diff that leads elsewhere than to what a
    /// reviewer is shown.
    #[must_use]
    pub fn without_text(mut self) -> Self {
        for lines in self.files.values_mut() {
            if let Lines::Known(touched) = lines {
                touched.shown.clear();
            }
        }
        self
    }

    /// The text of the line `line`, from 1, of the suite's file `path`, if the diff shows it and
    /// it is plain text that ends with a newline alone: there a reviewer may suggest another.
    #[must_use]
    pub fn text(&self, path: &str, line: u32) -> Option<&str> {
        match self.files.get(&self.in_repository(path))? {
            Lines::Unknown => None,
            Lines::Known(touched) => touched.shown.get(&line).map(String::as_str),
        }
    }

    /// Whether the change added or rewrote the line `line`, from 1, of the suite's file `path`;
    /// `None` where that is unknown.
    #[must_use]
    pub fn touches(&self, path: &str, line: u32) -> Option<bool> {
        match self.files.get(&self.in_repository(path)) {
            Some(Lines::Unknown) => None,
            Some(Lines::Known(touched)) => {
                Some(touched.added.iter().any(|range| range.contains(&line)))
            }
            None => self.is_complete().then_some(false),
        }
    }

    /// The first line of head, from 1, that the change added or rewrote in the suite's file
    /// `path`; where it only took lines out, the one that stands there now. `None` where there is
    /// no such line, or it is unknown.
    #[must_use]
    pub fn first_line(&self, path: &str) -> Option<u32> {
        match self.files.get(&self.in_repository(path))? {
            Lines::Unknown => None,
            Lines::Known(touched) => {
                let first = touched.added.first().map(|range| *range.start());
                first.or(touched.removed_at)
            }
        }
    }

    /// Every file of the change from the repository's root, sorted: also deleted ones, and the
    /// old names of renamed ones that the diff tells.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether everything is known of every file.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let known = |lines: &Lines| *lines != Lines::Unknown;
        !self.is_cut && self.files.values().all(known)
    }

    /// Whether there may be more than was read: an end within a file, or text that is no diff.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Notes what is known of a file. Two that are told apart only by bytes that are no UTF-8,
    /// or one told twice, are unknown.
    fn add(&mut self, path: String, lines: Lines) {
        match self.files.entry(path) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(lines);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                if *entry.get() != lines {
                    entry.insert(Lines::Unknown);
                }
            }
        }
    }
}

impl Touched {
    /// Notes the next line of head as added or rewritten.
    fn add(&mut self, line: u32) {
        match self.added.last_mut() {
            Some(last) if line == last.end().saturating_add(1) => *last = *last.start()..=line,
            Some(_) | None => self.added.push(line..=line),
        }
    }

    /// Notes the text of a line of head.
    fn show(&mut self, line: u32, text: &[u8]) {
        if let Ok(text) = str::from_utf8(text)
            && is_plain(text)
        {
            self.shown.insert(line, text.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
