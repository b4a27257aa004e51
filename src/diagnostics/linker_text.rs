//! What GNU ld (bfd), gold, lld and mold print when they cannot link, in the locale `C`.
//!
//! Each has words of its own, and two lie by leaving out: lld and mold accept archives in any
//! order. A link that fails is explained by symbol tables ([`super::symbols`]); this is the label,
//! and says which names to look for. `-Wl,--no-demangle` makes all four print raw names.

mod wording;

use super::text_lines::lines;
use wording::{complaint, object_of, strip_linker};

/// How many findings of one text are kept: its first ones.
pub const MOST_FINDINGS: usize = 1000;

/// What a linker complains about. The order is that of [`worst`]: what says nothing about the code
/// outranks the symbols that are missing because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The linker was killed, or had no memory or space.
    Machine,
    /// There is no library of that name.
    LibraryNotFound,
    /// A file cannot be opened, to be read or written.
    CannotOpen,
    /// A file is no object or archive for this machine, or an archive without an index.
    WrongFormat,
    /// Code that cannot stand where it would be linked to: not compiled for a PIE, or too far.
    Relocation,
    /// Two objects define the same symbol.
    MultipleDefinition,
    /// No object defines the symbol.
    UndefinedSymbol,
    /// An error in other words.
    Other,
}

/// One complaint of a linker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub kind: Kind,
    /// The symbol, raw or demangled as it was printed.
    pub symbol: Option<String>,
    /// The object that wants the symbol or defines it again, with its archive as `a.a(b.o)`; the
    /// library, without `-l`, or the file that the linker cannot use.
    pub object: Option<String>,
    /// The object that defined the symbol before.
    pub other: Option<String>,
}

/// What to show first.
#[must_use]
pub fn worst(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().min_by_key(|finding| finding.kind)
}

/// The complaints in what a linker printed, in its order, each once. Warnings and the summaries of
/// compiler drivers are passed over.
#[must_use]
pub fn parse(text: &[u8]) -> Vec<Finding> {
    let mut reader = Reader::default();
    for line in lines(text) {
        reader.line(&line);
    }
    reader.close();
    reader.findings
}

/// What has been read.
#[derive(Default)]
struct Reader {
    findings: Vec<Finding>,
    /// The finding that `>>>` lines and the like still add to.
    open: Option<Finding>,
    /// The object that bfd's next lines are about.
    object: Option<String>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(detail) = line.strip_prefix(">>> ") {
            self.detail(detail);
            return;
        }
        let text = strip_linker(line);
        // Old versions write a capital.
        let headings = [": in function `", ": In function `"];
        if let Some((object, _)) = headings.iter().find_map(|words| text.split_once(words)) {
            self.object = Some(object.to_owned());
            return;
        }
        if self.is_earlier_definition(text) {
            return;
        }
        if text.trim_start() == "^ unknown linker script token" {
            // Mold's second line: the first one is no more than the file and what it holds.
            if let Some(open) = self.open.as_mut() {
                open.kind = Kind::WrongFormat;
            }
            return;
        }
        let Some(mut finding) = complaint(line, text) else {
            return;
        };
        let may_want = matches!(
            finding.kind,
            Kind::UndefinedSymbol | Kind::MultipleDefinition | Kind::Relocation
        );
        // On the lines that follow its heading, bfd names the source in the object's place.
        let is_bfd = text.contains(" `") && object_of(text).is_none();
        if may_want && is_bfd {
            finding.object = self.object.clone().or(finding.object);
        }
        self.close();
        self.open = Some(finding);
    }

    /// Gold and old bfd say on a line of its own where a symbol was defined first.
    fn is_earlier_definition(&mut self, text: &str) -> bool {
        let ends = [": previous definition here", ": first defined here"];
        let place = ends.iter().find_map(|end| text.strip_suffix(end));
        let is_multiple = |open: &&mut Finding| open.kind == Kind::MultipleDefinition;
        match (place, self.open.as_mut().filter(is_multiple)) {
            (Some(place), Some(open)) if open.other.is_none() && !text.contains('`') => {
                open.other = Some(object_of(place).unwrap_or(place).to_owned());
                true
            }
            _ => false,
        }
    }

    /// A line of lld or mold that says more about the finding before it.
    fn detail(&mut self, detail: &str) {
        let Some(open) = self.open.as_mut() else {
            return;
        };
        // Mold forgets an end of line before the next `>>>`.
        let detail = detail.split(">>>").next().unwrap_or_default().trim();
        let place = ["referenced by ", "defined at ", "defined in "];
        let place = place.iter().find_map(|start| detail.strip_prefix(start));
        let (place, archive) = match place.unwrap_or(detail).split_once(" in archive ") {
            Some((place, archive)) => (place, Some(archive)),
            None => (place.unwrap_or(detail), None),
        };
        let Some(object) = object_of(place) else {
            return;
        };
        let object = match archive {
            Some(archive) => format!("{archive}({object})"),
            None => object.to_owned(),
        };
        if open.kind != Kind::MultipleDefinition {
            open.object.get_or_insert(object);
        } else if open.other.is_none() {
            open.other = Some(object);
        } else {
            open.object.get_or_insert(object);
        }
    }

    fn close(&mut self) {
        let Some(finding) = self.open.take() else {
            return;
        };
        // An address sanitizer's twin of a symbol that is there twice anyway.
        let symbol = finding.symbol.as_deref().unwrap_or_default();
        let is_twin = symbol.starts_with("__odr_asan.");
        if !is_twin && self.findings.len() < MOST_FINDINGS && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }
}

#[cfg(test)]
mod tests;
