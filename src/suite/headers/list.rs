//! The list that people commit: a header a line, with marks behind some.

use super::{CLEAN, GRADER, LIST, Loader, at, expectable};
use crate::model::row::At;
use crate::suite::nearest;
use crate::suite::source_trees::normal;

/// What people say of one header.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) at: At,
    pub(super) once_only: bool,
    pub(super) expect_class: String,
    pub(super) is_c: bool,
}

impl Declared {
    /// A header declared at `at`, of which nothing is said.
    pub(super) fn plain(at: At) -> Self {
        Self {
            at,
            once_only: false,
            expect_class: CLEAN.to_owned(),
            is_c: false,
        }
    }
}

impl Loader<'_> {
    /// Reads the list; says where it begins, if there is one.
    pub(super) fn list(&mut self) -> Option<At> {
        let bytes = match self.tree.read_text(LIST) {
            Ok(bytes) => bytes?,
            Err(error) => {
                self.errors.push(error);
                return Some(at(LIST, 1));
            }
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let hint = "expected one path of a header a line";
            self.refuse(&at(LIST, 1), "is no text in UTF-8", hint);
            return Some(at(LIST, 1));
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, number) in text.lines().zip(1..) {
            self.line(line, &at(LIST, number));
        }
        Some(at(LIST, 1))
    }

    fn line(&mut self, line: &str, at: &At) {
        let (path, comment) = parts(line);
        let path = path.trim();
        let marks = comment.trim().strip_prefix("driftgate:").map(str::trim);
        if path.is_empty() {
            if marks.is_some() {
                let hint = "write the mark behind the header on its line";
                self.refuse(at, "a mark of driftgate belongs to no header", hint);
            }
            return;
        }
        let path = match normal(path) {
            Ok(path) => path,
            Err(problem) => {
                let problem = format!("`{}` {problem}", path.escape_debug());
                return self.refuse(at, problem, "paths are relative to the root");
            }
        };
        let mut declared = Declared::plain(at.clone());
        for mark in marks.into_iter().flat_map(|marks| marks.split(',')) {
            self.mark(mark.trim(), &mut declared);
        }
        if let Some(first) = self.declared.insert(path.clone(), declared) {
            let problem = format!("`{path}` is listed in line {} too", first.at.line);
            self.refuse(at, problem, "keep one of the lines");
        }
    }

    fn mark(&mut self, mark: &str, declared: &mut Declared) {
        let words: Vec<&str> = mark.split_whitespace().collect();
        match words.as_slice() {
            ["not-reincludable"] => declared.once_only = true,
            ["c"] => declared.is_c = true,
            ["expect", class] => {
                let names = expectable(GRADER);
                if names.contains(class) {
                    (*class).clone_into(&mut declared.expect_class);
                } else {
                    let hint = nearest::hint(class, &names);
                    let problem = format!("`{}` is no class of a header", class.escape_debug());
                    self.refuse(&declared.at.clone(), problem, &hint);
                }
            }
            _ => {
                let problem = format!("`{}` is no mark of a header", mark.escape_debug());
                let hint = "known: `not-reincludable`, `c`, `expect CLASS`; several are separated \
                            by commas";
                self.refuse(&declared.at.clone(), problem, hint);
            }
        }
    }
}

/// What stands before and behind the `#` of a comment, which follows a blank or nothing: in a path
/// it is a letter like others.
fn parts(line: &str) -> (&str, &str) {
    let begins = |at: &usize| {
        let before = line.get(..*at).unwrap_or_default();
        before.is_empty() || before.ends_with([' ', '\t', '\u{feff}'])
    };
    let comment = line.match_indices('#').map(|(at, _)| at).find(begins);
    match comment.and_then(|at| line.split_at_checked(at)) {
        Some((path, comment)) => (path, comment.trim_start_matches('#')),
        None => (line, ""),
    }
}
