//! What gcc and clang print about a unit, in the locale `C` and without colours.
//!
//! The text is a label and nothing more: who writes a source chooses most of what is printed about
//! it, down to whole lines. Classes come from phases and probes; this says what to show for them.

mod complaint;
mod headline;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use complaint::{Lack, UnknownName, missing_include, suggested_include, unknown_name};

use super::text_lines::lines;
use headline::{Headline, frame, is_scope, place_of};

/// How many errors of one text are kept: its first ones.
pub const MOST_ERRORS: usize = 1000;
/// How many warnings and notes of one text are kept, apart from errors: its first ones.
pub const MOST_REMARKS: usize = 2000;
/// How many places of one chain of includes or instantiations are kept: the innermost ones. Both
/// compilers stop at 200 nested includes.
pub const MOST_PLACES: usize = 256;

/// How bad a diagnostic is, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The compiler stopped there, or broke.
    Fatal,
    /// The unit does not compile. A warning that a flag made an error is one.
    Error,
    /// A warning.
    Warning,
    /// Belongs to the diagnostic before it.
    Note,
}

impl Severity {
    /// Whether the unit does not compile because of it.
    #[must_use]
    pub fn is_error(self) -> bool {
        match self {
            Self::Fatal | Self::Error => true,
            Self::Warning | Self::Note => false,
        }
    }
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file as the compiler names it: clang writes `./a.h` where gcc writes `a.h`.
    pub path: String,
    /// From 1; 0 where the compiler says so.
    pub line: u32,
    /// From 1, in bytes. Includes have none.
    pub column: Option<u32>,
}

/// One line of a compiler that says `error:`, `warning:` or `note:`, with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is, if it is about a place.
    pub place: Option<Place>,
    /// Who says so where there is no place: `cc1plus`, `g++`, `clang`, `<command-line>`.
    pub speaker: Option<String>,
    /// What is said, without severity and flag.
    pub message: String,
    /// The option that governs it, as `-Wname` even where it was made an error, or `-fpermissive`.
    pub flag: Option<String>,
    /// Through which includes the place was reached, innermost first. The compilers print that
    /// once for diagnostics in the same file; it is repeated here.
    pub included_from: Arc<[Place]>,
    /// What led there by instantiation of templates, constant evaluation or inlining, innermost
    /// first.
    pub instantiated_from: Arc<[Place]>,
}

impl Diagnostic {
    /// The file that an `#include` in a source names and that is not there. The compiler says the
    /// same words of a missing source and of a missing `-include` file; those are not meant.
    #[must_use]
    pub fn missing_include(&self) -> Option<&str> {
        let path = &self.place.as_ref()?.path;
        let in_source = !matches!(
            path.as_str(),
            "<built-in>" | "<command-line>" | "<command line>"
        );
        let is_error = self.severity.is_error() && in_source;
        missing_include(&self.message).filter(|_| is_error)
    }

    /// Whether the compiler was stopped by the machine: no memory, no space, killed, a library of
    /// its own missing. A source that makes the compiler need much is not told apart.
    #[must_use]
    pub fn blames_machine(&self) -> bool {
        const WORDS: &[&str] = &[
            "out of memory",
            "memory exhausted",
            "Cannot allocate memory",
            "No space left on device",
            "Killed signal terminated program",
            "loading shared libraries",
            "unable to execute command: Killed",
        ];
        self.is_of_the_driver(WORDS)
    }

    /// Whether the compiler's driver says that the compiler proper was ended by a signal, or broke.
    #[must_use]
    pub fn says_crashed(&self) -> bool {
        self.is_of_the_driver(&["signal terminated program", "frontend command failed"])
    }

    /// Whether the compiler's driver says that the compiler proper used up its CPU time.
    #[must_use]
    pub fn says_out_of_time(&self) -> bool {
        self.is_of_the_driver(&["CPU time limit exceeded"])
    }

    /// Whether it is an error of no source, with one of `words`.
    fn is_of_the_driver(&self, words: &[&str]) -> bool {
        self.place.is_none()
            && self.severity.is_error()
            && words.iter().any(|words| self.message.contains(words))
    }

    /// Where it is, what led there and what included it: inner places first.
    fn frames(&self) -> impl Iterator<Item = &Place> {
        let place = self.place.iter();
        place
            .chain(self.instantiated_from.iter())
            .chain(self.included_from.iter())
    }
}

/// The innermost place of the first error that has one in a file of ours. An error inside a
/// standard header leads to the line of ours that instantiated or included it.
pub fn innermost_user_frame(
    diagnostics: &[Diagnostic],
    is_ours: impl Fn(&str) -> bool,
) -> Option<&Place> {
    let errors = diagnostics.iter().filter(|one| one.severity.is_error());
    errors
        .flat_map(Diagnostic::frames)
        .find(|place| is_ours(&place.path))
}

/// The diagnostics in what a compiler printed, in its order. Lines of a linker, quoted source and
/// summaries are passed over.
#[must_use]
pub fn parse(text: &[u8]) -> Vec<Diagnostic> {
    let mut reader = Reader::default();
    let mut lines = lines(text).peekable();
    while let Some(line) = lines.next() {
        let is_source = lines.peek().is_some_and(|next| points_at_source(next));
        if !is_source && !points_at_source(&line) {
            reader.line(&line);
        }
    }
    reader.diagnostics
}

/// Whether a line is the one with `^~~~` under a line of source.
fn points_at_source(line: &str) -> bool {
    line.contains(['^', '~']) && line.chars().all(|c| " \t|^~".contains(c))
}

/// What has been read, and what the next diagnostic will need of it.
#[derive(Default)]
struct Reader {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    /// Includes announced for the next diagnostic, innermost first.
    includes: Vec<Place>,
    /// Instantiations announced for the next diagnostic, innermost first.
    frames: Vec<Place>,
    /// Whether the function or scope has changed since the last diagnostic.
    moved: bool,
    /// How each file was last reached.
    reached: BTreeMap<String, Arc<[Place]>>,
    /// Where the last diagnostic that is no note stands among the kept ones.
    last: Option<usize>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(place) = line.strip_prefix("In file included from ") {
            // Clang begins every line like this, outermost first; gcc only the innermost one.
            if let Some(place) = place_of(place.trim_end_matches([',', ':'])) {
                self.includes.insert(0, place);
                self.includes.truncate(MOST_PLACES);
            }
        } else if let Some(place) = continued_include(line).filter(|_| !self.includes.is_empty()) {
            if self.includes.len() < MOST_PLACES {
                self.includes.push(place);
            }
        } else if let Some(headline) = Headline::read(line) {
            self.diagnostic(headline);
        } else if let Some(place) = frame(line) {
            if self.frames.len() < MOST_PLACES {
                self.frames.push(place);
            }
        } else if is_scope(line) {
            self.moved = true;
            self.frames.clear();
        }
    }

    fn diagnostic(&mut self, headline: Headline) {
        let included_from = self.includes_of(headline.place.as_ref());
        let instantiated_from = self.frames_of(&headline);
        let is_note = headline.severity == Severity::Note;
        if is_note && headline.is_instantiation() {
            self.led_there(headline.place.as_ref());
        }
        let errors = self.errors;
        let has_room = if headline.severity.is_error() {
            self.errors += 1;
            errors < MOST_ERRORS
        } else {
            self.diagnostics.len() - errors.min(MOST_ERRORS) < MOST_REMARKS
        };
        if !is_note {
            self.moved = false;
            self.last = has_room.then_some(self.diagnostics.len());
        }
        if has_room {
            self.diagnostics.push(Diagnostic {
                severity: headline.severity,
                place: headline.place,
                speaker: headline.speaker,
                message: headline.message,
                flag: headline.flag,
                included_from,
                instantiated_from,
            });
        }
    }

    /// How the file of `place` was reached: as just announced, or as before.
    fn includes_of(&mut self, place: Option<&Place>) -> Arc<[Place]> {
        let announced = std::mem::take(&mut self.includes);
        let Some(place) = place else {
            return Arc::default();
        };
        if announced.is_empty() {
            return self.reached.get(&place.path).cloned().unwrap_or_default();
        }
        let chain: Arc<[Place]> = announced.into();
        self.reached.insert(place.path.clone(), Arc::clone(&chain));
        chain
    }

    /// What instantiated the place: as just announced, or, as gcc says it once, as for the
    /// diagnostic before it in the same scope.
    fn frames_of(&mut self, headline: &Headline) -> Arc<[Place]> {
        if !self.frames.is_empty() {
            return std::mem::take(&mut self.frames).into();
        }
        let last = self.last.and_then(|last| self.diagnostics.get(last));
        let path = |place: &Option<Place>| place.as_ref().map(|place| place.path.clone());
        match last {
            Some(last)
                if headline.severity != Severity::Note
                    && !self.moved
                    && path(&last.place) == path(&headline.place) =>
            {
                Arc::clone(&last.instantiated_from)
            }
            _ => Arc::default(),
        }
    }

    /// Adds a place from a note of clang to the diagnostic that it belongs to.
    fn led_there(&mut self, place: Option<&Place>) {
        let last = self.last.and_then(|last| self.diagnostics.get_mut(last));
        if let (Some(last), Some(place)) = (last, place)
            && last.instantiated_from.len() < MOST_PLACES
        {
            let known = last.instantiated_from.iter();
            last.instantiated_from = known.chain([place]).cloned().collect();
        }
    }
}

/// The place in a line by which gcc goes on with the includes.
fn continued_include(line: &str) -> Option<Place> {
    let place = line.strip_prefix("    ")?.trim_start();
    place_of(place.strip_prefix("from ")?.trim_end_matches([',', ':']))
}

#[cfg(test)]
mod tests;
