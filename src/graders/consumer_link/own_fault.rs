//! A consumer that does not compile though the public headers do: does the header say too little,
//! or is it the consumer?

use crate::diagnostics::compiler_text::{self, Diagnostic, unknown_name};
use crate::diagnostics::cpp_tokens::{Kind, tokens};
use crate::diagnostics::symbols::Symbols;
use crate::model::observation::Observation;
use crate::model::source_tree::CHECKOUT;
use crate::model::verdict::Verdict;

use super::classes::{CONSUMER_ERROR, MISSING_DECLARATION};
use super::flow::{Flow, Known};
use super::library::LibraryObjects;
use super::recipe::{CONSUMER, Recipe};
use super::tables;
use super::verdicts::{short, with_compiler_text};

/// The verdict on the consumer, which the compiler refused in `answer`.
pub(super) fn judge(
    recipe: &Recipe,
    known: &mut Known<'_>,
    answer: &Observation,
    libraries: &[LibraryObjects],
) -> Flow<Verdict> {
    let archive = tables::of_library(recipe, known, libraries)?;
    let diagnostics = compiler_text::parse(&answer.stderr);
    let needed = Needed::by(&diagnostics);
    let found = match needed.filter(|needed| needed.is_of_library(recipe, &archive)) {
        Some(needed) => {
            let name = short(&needed.name);
            let detail = match needed.lack {
                Lack::Name => format!("the public header does not declare `{name}`"),
                Lack::Fit => format!("the public header declares `{name}` in another way"),
            };
            let defines = tables::defines_name(&archive, &needed.name);
            let archive = if defines {
                "defines it"
            } else {
                "does not define it"
            };
            Verdict::of(&MISSING_DECLARATION, detail)
                .with("name", name)
                .with("archive", archive)
        }
        None => Verdict::of(
            &CONSUMER_ERROR,
            "the consumer does not compile, and the public header is not the reason",
        ),
    };
    Ok(with_compiler_text(found, &recipe.consumer, answer))
}

/// How a name fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    /// Nothing declares it.
    Name,
    /// What is declared does not fit how it is used.
    Fit,
}

/// What the consumer needs of somebody.
#[derive(Clone, Debug)]
struct Needed {
    name: String,
    within: Option<String>,
    lack: Lack,
    /// Whether the compiler shows a declaration in a published header for it.
    is_shown_in_header: bool,
}

impl Needed {
    /// What the first error is about, if it stands in the consumer's own files.
    fn by(diagnostics: &[Diagnostic]) -> Option<Self> {
        let first = diagnostics.iter().position(|one| one.severity.is_error())?;
        let (error, rest) = diagnostics.get(first..)?.split_first()?;
        let is_below = |path: &str, folder: &str| {
            let path = path.strip_prefix("./").unwrap_or(path);
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let place = error.place.as_ref()?;
        if !is_below(&place.path, CONSUMER) {
            return None;
        }
        let mut notes = rest.iter().take_while(|one| !one.severity.is_error());
        let is_shown_in_header = notes.any(|note| {
            note.place
                .as_ref()
                .is_some_and(|place| is_below(&place.path, CHECKOUT))
        });
        if let Some(unknown) = unknown_name(&error.message) {
            return Some(Self {
                name: unknown.name.to_owned(),
                within: unknown.within.map(str::to_owned),
                lack: Lack::Name,
                is_shown_in_header,
            });
        }
        let (name, within, lack) = member(&error.message).or_else(|| misfit(&error.message))?;
        Some(Self {
            name,
            within,
            lack,
            is_shown_in_header,
        })
    }

    fn is_of_library(&self, recipe: &Recipe, archive: &Symbols) -> bool {
        let is_published = |name: &str| mentions(recipe, name);
        match (self.lack, &self.within) {
            (Lack::Name, None) => !declares(recipe, &self.name),
            (Lack::Name, Some(within)) => {
                let top = top_of(within);
                tables::defines_name(archive, &self.name) || (top != "std" && is_published(top))
            }
            (Lack::Fit, _) => {
                self.is_shown_in_header
                    || (tables::defines_name(archive, &self.name) && is_published(&self.name))
            }
        }
    }
}

fn top_of(scope: &str) -> &str {
    let scope = scope.trim_start_matches("::");
    scope.split("::").next().unwrap_or(scope)
}

/// Whether a published header names `name` at all.
pub(super) fn mentions(recipe: &Recipe, name: &str) -> bool {
    let mut texts = recipe.consumer.published.files().values();
    texts.any(|text| {
        tokens(&text.bytes).any(|token| token.kind == Kind::Identifier && token.is(name))
    })
}

/// Whether the consumer's own files name `name` on the left of what could declare it: a type before
/// it, or `#define`. Its own mistakes with its own names are its own.
pub(super) fn declares(recipe: &Recipe, name: &str) -> bool {
    recipe.consumer.files.values().any(|text| {
        let tokens: Vec<_> = tokens(&text.bytes).collect();
        tokens.windows(3).any(|window| match window {
            [before, this, after] => {
                let is_type = before.kind == Kind::Identifier
                    && ![
                        "return",
                        "throw",
                        "new",
                        "delete",
                        "case",
                        "else",
                        "co_return",
                    ]
                    .iter()
                    .any(|word| before.is(word));
                let ends = ["=", ";", "{", "(", "[", ",", ")"];
                let is_declared = ends.iter().any(|end| after.is(end));
                this.is(name) && is_type && is_declared
            }
            _ => false,
        })
    })
}

/// A member that a class lacks, with the class.
fn member(message: &str) -> Option<(String, Option<String>, Lack)> {
    let quoted = quoted(message);
    let (class, member) = if message.contains("' has no member named '") {
        (quoted.first()?, quoted.get(1)?)
    } else if message.starts_with("no member named '") {
        (quoted.get(1)?, quoted.first()?)
    } else {
        return None;
    };
    let class = ["class ", "struct ", "union ", "const ", "volatile "]
        .iter()
        .fold(class.as_str(), |class, word| {
            class.strip_prefix(word).unwrap_or(class)
        });
    Some((member.clone(), Some(class.to_owned()), Lack::Name))
}

/// A function that is there and does not fit.
fn misfit(message: &str) -> Option<(String, Option<String>, Lack)> {
    const WORDS: &[&str] = &[
        "no matching function for call to",
        "no matching member function for call to",
        "no matching constructor for initialization of",
        "too many arguments to function",
        "too few arguments to function",
        "cannot convert '",
    ];
    if message.starts_with("too many arguments to function call")
        || message.starts_with("too few arguments to function call")
    {
        return Some((String::new(), None, Lack::Fit));
    }
    WORDS.iter().find(|words| message.starts_with(**words))?;
    let quoted = quoted(message);
    let declaration = quoted.first()?;
    let head = declaration.split('(').next()?;
    let name = head.rsplit([':', ' ', '*', '&']).next()?;
    Some((name.to_owned(), None, Lack::Fit))
}

/// What stands in quotes.
fn quoted(message: &str) -> Vec<String> {
    message
        .split('\'')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}
