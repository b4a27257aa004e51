//! What a compiler says of a header, as far as it names something: labels, and where to look for
//! what would repair it. Never a reason for a class.

use std::collections::BTreeSet;

use crate::diagnostics::compiler_text::{
    self, Diagnostic, Place, Severity, innermost_user_frame, suggested_include, unknown_name,
};
use crate::graders::compare::printable;
use crate::model::header::Header;
use crate::model::source_tree::from_checkout;

/// How many names are looked for.
const MOST_NAMES: usize = 8;

/// The errors of one compile.
pub(super) struct Complaints {
    diagnostics: Vec<Diagnostic>,
    /// The names that are unknown, each once, first ones first.
    pub(super) names: Vec<Name>,
}

/// A name that a header uses and that the compiler does not know enough of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The name alone; empty where the compiler names only the header that is needed.
    pub(super) name: String,
    /// The namespace that was asked for it.
    pub(super) within: Option<String>,
    /// The standard header that the compiler suggests.
    pub(super) suggested: Option<String>,
    /// Where it is used: path from the root, line.
    pub(super) place: Option<(String, u32)>,
}

impl Name {
    /// The name as a person writes it.
    pub(super) fn qualified(&self) -> String {
        match &self.within {
            Some(within) => format!("{within}::{}", self.name),
            None => self.name.clone(),
        }
    }
}

impl Complaints {
    pub(super) fn read(stderr: &[u8], header: &Header) -> Self {
        let diagnostics = compiler_text::parse(stderr);
        let mut names: Vec<Name> = Vec::new();
        for (index, one) in diagnostics.iter().enumerate() {
            let notes = diagnostics.get(index + 1..).unwrap_or_default();
            let notes = notes
                .iter()
                .take_while(|note| note.severity == Severity::Note);
            let name = one.severity.is_error().then(|| name_of(one, notes, header));
            if let Some(name) = name.flatten()
                && names.len() < MOST_NAMES
                && !names
                    .iter()
                    .any(|known| known.qualified() == name.qualified())
            {
                names.push(name);
            }
        }
        Self { diagnostics, names }
    }

    /// What the first error names.
    pub(super) fn name(&self) -> Option<&Name> {
        self.names.first().filter(|name| !name.name.is_empty())
    }

    /// The first error's message, short and without numbers of lines.
    pub(super) fn first_message(&self) -> Option<String> {
        self.errors().next().map(|first| short(&first.message))
    }

    /// What all errors say, wherever they are, at most `most` of it.
    pub(super) fn messages(&self, most: usize) -> Vec<String> {
        let said = self.errors().map(|one| without_folders(&one.message));
        let said: BTreeSet<String> = said.map(|message| short(&message)).collect();
        said.into_iter().take(most).collect()
    }

    /// The same for the end of a sentence.
    pub(super) fn said(&self) -> String {
        let message = self.first_message();
        message.map(|text| format!(": {text}")).unwrap_or_default()
    }

    /// Where the first error that matters is: path from the root, line.
    pub(super) fn place(&self) -> Option<(String, u32)> {
        let is_ours = |path: &str| from_checkout(path).is_some();
        let place = innermost_user_frame(&self.diagnostics, is_ours)?;
        located(place)
    }

    /// How the place of the first error was reached: `path:line` of the checkout, inner first.
    pub(super) fn included_from(&self) -> Vec<String> {
        const SHOWN: usize = 5;
        let chain = self.errors().next().map(|error| &error.included_from);
        let places = chain.into_iter().flat_map(|chain| chain.iter());
        let ours = places.filter_map(located);
        ours.take(SHOWN).map(|place| shown(&place)).collect()
    }

    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|one| one.severity.is_error())
    }
}

/// What an error names, by itself or in its notes.
fn name_of<'a>(
    error: &'a Diagnostic,
    notes: impl Iterator<Item = &'a Diagnostic>,
    header: &Header,
) -> Option<Name> {
    let messages = std::iter::once(error)
        .chain(notes)
        .map(|one| one.message.as_str());
    let suggested = messages.filter_map(needed).next().map(str::to_owned);
    let is_ours = |path: &str| from_checkout(path).is_some();
    let place = innermost_user_frame(std::slice::from_ref(error), is_ours);
    let source = place.and_then(|place| line_of(place, header));
    let (name, within) = match (unknown_name(&error.message), source) {
        (Some(unknown), Some(source)) if unknown.name == "std" => member_of_std(&source, place)?,
        (Some(unknown), _) => (unknown.name.to_owned(), unknown.within.map(str::to_owned)),
        (None, Some(source)) if error.message.starts_with("expected class") => {
            (base_class(&source, place)?, None)
        }
        (None, _) => {
            suggested.as_ref()?;
            (String::new(), None)
        }
    };
    Some(Name {
        name,
        within,
        suggested,
        place: place.and_then(located),
    })
}

/// The standard header that a message asks for. Gcc does not say what placement new needs.
fn needed(message: &str) -> Option<&str> {
    let is_placement_new = message.starts_with("no matching function for call to 'operator new(");
    suggested_include(message).or(is_placement_new.then_some("new"))
}

/// The text of the line that `place` is on.
fn line_of(place: &Place, header: &Header) -> Option<String> {
    let text = header.tree.get(&from_checkout(&place.path)?)?;
    let index = usize::try_from(place.line.checked_sub(1)?).ok()?;
    let line = text.bytes.split(|byte| *byte == b'\n').nth(index)?;
    Some(String::from_utf8_lossy(line.get(..line.len().min(4096))?).into_owned())
}

/// What stands behind `std::` where nothing of `std` is known: clang complains about `std`.
fn member_of_std(source: &str, place: Option<&Place>) -> Option<(String, Option<String>)> {
    let column = usize::try_from(place?.column?).ok()?.checked_sub(1)?;
    let member = source.get(column..)?.strip_prefix("std")?.trim_start();
    let member = member.strip_prefix("::")?.trim_start();
    let name: String = member.chars().take_while(|c| is_word(*c)).collect();
    (!name.is_empty()).then(|| (name, Some("std".to_owned())))
}

/// The unknown class that something derives from: gcc points behind it, clang at it.
fn base_class(source: &str, place: Option<&Place>) -> Option<String> {
    let column = usize::try_from(place?.column?).ok()?.checked_sub(1)?;
    let (before, at) = source.split_at_checked(column)?;
    let word = |text: &str| -> String { text.chars().take_while(|c| is_word(*c)).collect() };
    let at = word(at);
    let reversed: String = before.trim_end().chars().rev().collect();
    let before: String = word(&reversed).chars().rev().collect();
    [at, before].into_iter().find(|word| !word.is_empty())
}

/// The place as path from the root and line, if it is in the checkout.
pub(super) fn located(place: &Place) -> Option<(String, u32)> {
    Some((from_checkout(&place.path)?, place.line))
}

/// `path:line`
pub(super) fn shown((path, line): &(String, u32)) -> String {
    format!("{}:{line}", printable(path.as_bytes()))
}

/// Whether `word` stands in `text`, not as a part of a longer word.
pub(super) fn mentions(text: &[u8], word: &str) -> bool {
    words(text).any(|(_, found)| found == word.as_bytes())
}

/// The words of `text`, and where each begins.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let ends = |byte: &u8| !is_word(char::from(*byte));
    let mut start = 0;
    text.split(ends).filter_map(move |word| {
        let at = start;
        start += word.len() + 1;
        (!word.is_empty()).then_some((at, word))
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A message for people, short and without numbers of lines.
fn short(message: &str) -> String {
    let shown = printable(message.as_bytes());
    without_lines(&shown).chars().take(200).collect()
}

/// The text with only the last part of what may be a path.
fn without_folders(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || "'\"`<>()[]{},;:=*".contains(c);
    let words = text.split_inclusive(ends);
    let last = |word: &str| -> String {
        let behind = word.trim_end_matches(ends).rfind('/').map(|at| at + 1);
        let behind = behind.filter(|at| word.get(*at..).is_some_and(begins_a_name));
        let last = behind.and_then(|at| word.get(at..));
        last.unwrap_or(word).to_owned()
    };
    words.map(last).collect()
}

fn begins_a_name(text: &str) -> bool {
    text.starts_with(|c: char| c == '.' || c == '_' || c.is_alphanumeric())
}

/// The text without `:line` and `:line:column` behind what may be a path.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(':');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        let ends = !rest.starts_with(|c: char| is_word(c));
        if number.is_empty() || !ends {
            out.push(':');
            out.push_str(part);
        } else {
            out.push_str(rest);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_compiler_leads_into_the_checkout_or_is_not_ours() {
        for (path, ours) in [
            ("checkout/include/a.h", Some("include/a.h")),
            ("./checkout/include/a.h", Some("include/a.h")),
            ("checkout/include/sub/../a.h", Some("include/a.h")),
            ("checkout", None),
            ("checkout/../unit/unit.cpp", None),
            ("../checkout/a.h", None),
            ("unit/unit.cpp", None),
            ("/usr/include/checkout/a.h", None),
            ("<built-in>", None),
        ] {
            assert_eq!(from_checkout(path).as_deref(), ours, "{path}");
        }
    }

    #[test]
    fn a_word_is_not_found_in_a_longer_one() {
        assert!(mentions(b"struct Thing;", "Thing"));
        assert!(mentions(b"Thing", "Thing"));
        for text in ["Things", "aThing", "Thing_", "", "Thin"] {
            assert!(!mentions(text.as_bytes(), "Thing"), "{text}");
        }
        assert!(!mentions(b"any text", ""));
    }

    #[test]
    fn a_message_is_the_same_after_its_line_moves() {
        assert_eq!(
            without_lines("'(lambda at a.h:3:12)' and std::x<1>::y"),
            "'(lambda at a.h)' and std::x<1>::y"
        );
    }

    #[test]
    fn a_path_in_a_message_is_its_last_part() {
        for (text, expected) in [
            (
                "'(lambda at checkout/in/a.h:3:12)'",
                "'(lambda at a.h:3:12)'",
            ),
            ("/usr/include/x.h: not found", "x.h: not found"),
            (
                "invalid operands to binary /",
                "invalid operands to binary /",
            ),
            ("no 'operator/' in 'a / b'", "no 'operator/' in 'a / b'"),
            ("no 'operator/=' here", "no 'operator/=' here"),
        ] {
            assert_eq!(without_folders(text), expected);
        }
    }

    #[test]
    fn all_messages_are_told_once_in_order_and_without_places() {
        let long = "x".repeat(300);
        let said = format!(
            "checkout/a.h:9:1: error: zeta\ncheckout/a.h:1:1: error: '(lambda at checkout/a.h:3:12)'\n\
             checkout/a.h:2:1: warning: careful\ncheckout/a.h:7:4: error: zeta\n\
             checkout/a.h:8:4: error: {long}\n"
        );
        let complaints = Complaints {
            diagnostics: compiler_text::parse(said.as_bytes()),
            names: Vec::new(),
        };
        let (lambda, cut) = ("'(lambda at a.h)'", "x".repeat(200));
        assert_eq!(complaints.messages(50), [lambda, &cut, "zeta"]);
        assert_eq!(complaints.messages(1), [lambda]);
    }

    #[test]
    fn what_stands_at_a_column_names_what_the_message_does_not() {
        let place = |column| Place {
            path: String::new(),
            line: 1,
            column: Some(column),
        };
        let of_std = member_of_std("  std::string f();", Some(&place(3)));
        assert_eq!(of_std, Some(("string".to_owned(), Some("std".to_owned()))));
        let line = "struct A : Base {};";
        assert_eq!(base_class(line, Some(&place(17))).as_deref(), Some("Base"));
        assert_eq!(base_class(line, Some(&place(12))).as_deref(), Some("Base"));
        assert_eq!(base_class("", Some(&place(40))), None);
    }
}
