//! Probes that show what a failing header leans on: it compiles with that in front of it.

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::graders::build::Steps;
use crate::graders::compare::printable;
use crate::model::header::Header;
use crate::model::inquiry::Next;
use crate::model::step::Step;
use crate::model::tree_path::include_name;

use super::complaints::{Complaints, Name, words};
use super::standard_library;
use super::suggestion::{self, Suggestion};
use super::units::{Dialect, Ran, Unit, Units, include};

/// How many other headers are tried.
const MOST_OTHERS: usize = 16;
/// How many of them are tried with the standard headers that are known to be missing.
const MOST_TRIED_WITH_STANDARD: usize = 6;
/// How many of them are tried one by one where they do not go together.
const MOST_ALONE: usize = 8;
const STANDARD: &str = "standard library";

/// What repairs a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repair {
    /// Whether the standard library is part of it.
    pub(super) standard: bool,
    /// The other headers: one, if one is enough.
    pub(super) headers: Vec<Other>,
    /// The includes that would do the same, if they are known.
    pub(super) suggestion: Option<Suggestion>,
}

/// Another public header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Other {
    /// Its path from the root.
    pub(super) path: String,
    /// What stands in `#include "..."`.
    pub(super) name: String,
}

impl Repair {
    pub(super) fn as_json(&self) -> Value {
        let standard = self.standard.then(|| STANDARD.to_owned());
        let headers = self.headers.iter();
        let headers = headers.map(|other| printable(other.path.as_bytes()));
        json!(standard.into_iter().chain(headers).collect::<Vec<_>>())
    }

    /// What must stand in front, for a sentence.
    pub(super) fn in_words(&self) -> String {
        let project = match self.headers.as_slice() {
            [] => None,
            [one] => Some(printable(one.path.as_bytes())),
            _ => Some("other headers of the project".to_owned()),
        };
        let standard = self.standard.then(|| "the standard library".to_owned());
        let all: Vec<_> = standard.into_iter().chain(project).collect();
        all.join(" and ")
    }
}

/// The probes of one header that failed.
pub(super) struct Probes<'a> {
    pub(super) header: &'a Header,
    pub(super) units: &'a Units,
    pub(super) dialect: Dialect,
    /// Whether the header may be included by C too: it is told what both languages have.
    pub(super) serves_c: bool,
    /// What was said of the header alone.
    pub(super) complaints: &'a Complaints,
    /// What [`Probes::mentioning`] found, kept between rounds.
    pub(super) mentioned: &'a Mentioned,
}

/// The headers that mention some names.
pub(super) type Mentioned = OnceLock<(Vec<String>, Arc<[Other]>)>;

/// The result of a probe, or how the machine got in its way.
pub(super) type Probed<T> = Result<T, String>;

/// What became of the header behind the whole standard library.
enum Behind {
    Compiles(Repair),
    /// It does not compile, for want of these names.
    Refused(Vec<Name>),
}

/// The result of a probe, or what it asks for, or how the machine got in its way.
macro_rules! settled {
    ($next:expr) => {
        match done!($next) {
            Ok(done) => done,
            Err(why) => return Next::Done(Err(why)),
        }
    };
}

impl Probes<'_> {
    /// What repairs the header, if something does: the standard headers that are known to declare
    /// what is unknown, the whole standard library, other headers of the project, or both. What
    /// cannot be of the standard library is looked for in the project first, which costs less.
    pub(super) fn next(&self, seen: &Steps) -> Next<Step, Probed<Option<Repair>>> {
        if let Some(suggestion) = done!(suggestion::tried(seen, self, None)) {
            return Next::Done(Ok(Some(Repair {
                standard: true,
                headers: Vec::new(),
                suggestion: Some(suggestion),
            })));
        }
        let names = &self.complaints.names;
        if names.is_empty() || suggestion::are_standard(names, self) {
            let left = match settled!(self.behind_standard(seen)) {
                Behind::Compiles(repair) => return Next::Done(Ok(Some(repair))),
                Behind::Refused(left) => left,
            };
            let names = if left.is_empty() { names } else { &left };
            let others = settled!(
                self.units
                    .clean(seen, self.dialect, &self.mentioning(names))
            );
            return self.behind_others(seen, &[false, true], others);
        }
        let others = settled!(
            self.units
                .clean(seen, self.dialect, &self.mentioning(names))
        );
        if let Some(repair) = settled!(self.behind_others(seen, &[false], others.clone())) {
            return Next::Done(Ok(Some(repair)));
        }
        if let Behind::Compiles(repair) = settled!(self.behind_standard(seen)) {
            return Next::Done(Ok(Some(repair)));
        }
        self.behind_others(seen, &[true], others)
    }

    fn behind_standard(&self, seen: &Steps) -> Next<Step, Probed<Behind>> {
        let prelude = standard_library::prelude(self.dialect);
        let unit = self.units.behind_standard(self.dialect, &prelude);
        Next::Done(match done!(self.units.run(seen, &unit)) {
            Ran::Machine(why) => Err(why),
            Ran::Accepted(_) => Ok(Behind::Compiles(Repair {
                standard: true,
                headers: Vec::new(),
                suggestion: suggestion::offered(self),
            })),
            Ran::Refused(said) => {
                let left = Complaints::read(&said.stderr, self.header).names;
                Ok(Behind::Refused(left))
            }
            Ran::Bomb(_) => Ok(Behind::Refused(Vec::new())),
        })
    }

    /// Whether `others` repair the header, without or with the standard library.
    fn behind_others(
        &self,
        seen: &Steps,
        with_standard: &[bool],
        others: Vec<Other>,
    ) -> Next<Step, Probed<Option<Repair>>> {
        if others.is_empty() {
            return Next::Done(Ok(None));
        }
        for standard in with_standard.iter().copied() {
            match done!(self.units.run(seen, &self.behind(standard, &others))) {
                Ran::Machine(why) => return Next::Done(Err(why)),
                Ran::Accepted(_) => return self.narrowed_repair(seen, standard, others),
                Ran::Refused(_) | Ran::Bomb(_) => {}
            }
            // Headers that are clean alone need not go together.
            if let Some(one) = settled!(self.one_of(seen, standard, &others)) {
                return self.narrowed_repair(seen, standard, vec![one]);
            }
        }
        Next::Done(Ok(None))
    }

    /// The first of `others` that repairs the header by itself, without or with the standard
    /// library.
    fn one_of(
        &self,
        seen: &Steps,
        standard: bool,
        others: &[Other],
    ) -> Next<Step, Probed<Option<Other>>> {
        if others.len() < 2 {
            return Next::Done(Ok(None));
        }
        for other in others.iter().take(MOST_ALONE) {
            let unit = self.behind(standard, std::slice::from_ref(other));
            if settled!(self.units.compiles(seen, &unit)).is_none() {
                return Next::Done(Ok(Some(other.clone())));
            }
        }
        Next::Done(Ok(None))
    }

    /// The least of `others`, and of the standard library if `standard`, that repairs the header.
    /// A header that declares what is unknown is looked for before one that happens to include
    /// all that is missing, a standard header too.
    fn narrowed_repair(
        &self,
        seen: &Steps,
        standard: bool,
        others: Vec<Other>,
    ) -> Next<Step, Probed<Option<Repair>>> {
        for other in others.iter().take(MOST_TRIED_WITH_STANDARD) {
            if let Some(suggestion) = settled!(suggestion::with_standard(seen, self, other)) {
                return Next::Done(Ok(Some(Repair {
                    standard: suggestion.names_standard(),
                    headers: vec![other.clone()],
                    suggestion: Some(suggestion),
                })));
            }
        }
        let headers = settled!(self.narrowed(seen, standard, others));
        let suggestion = match headers.as_slice() {
            [one] => done!(suggestion::tried(seen, self, Some(one))),
            _ => None,
        };
        Next::Done(Ok(Some(Repair {
            standard,
            headers,
            suggestion,
        })))
    }

    /// The first of `others` that is enough, else all.
    fn narrowed(
        &self,
        seen: &Steps,
        standard: bool,
        others: Vec<Other>,
    ) -> Next<Step, Probed<Vec<Other>>> {
        if others.len() > 1 {
            for other in &others {
                let one = std::slice::from_ref(other);
                let unit = self.behind(standard, one);
                if settled!(self.units.compiles(seen, &unit)).is_none() {
                    return Next::Done(Ok(one.to_vec()));
                }
            }
        }
        Next::Done(Ok(others))
    }

    fn behind(&self, standard: bool, others: &[Other]) -> Unit {
        let mut prelude = String::new();
        if standard {
            prelude.push_str(&standard_library::prelude(self.dialect));
        }
        prelude.extend(others.iter().map(|other| include(&other.name)));
        self.units.behind(self.dialect, &prelude)
    }

    /// The other public headers that mention one of `names`, those that seem to declare it first.
    fn mentioning(&self, names: &[Name]) -> Arc<[Other]> {
        let names: Vec<String> = names.iter().map(|name| name.name.clone()).collect();
        let read = |(known, others): &(Vec<String>, Arc<[Other]>)| {
            (*known == names).then(|| Arc::clone(others))
        };
        let others = || others(self.header, &names);
        // Every round of the inquiry asks this again, and the tree may be large.
        let first = self.mentioned.get_or_init(|| (names.clone(), others()));
        read(first).unwrap_or_else(others)
    }
}

/// The other public headers that are there, by path.
pub(super) fn all_others(header: &Header) -> Vec<Other> {
    let others = header.public.iter().filter(|path| **path != header.path);
    others
        .filter(|path| header.tree.get(path).is_some())
        .filter_map(|path| {
            let name = name_of(path, &header.include)?;
            let path = path.clone();
            Some(Other { path, name })
        })
        .collect()
}

/// The other headers that mention one of `names`, those that seem to declare it first.
fn others(header: &Header, names: &[String]) -> Arc<[Other]> {
    let mut found: Vec<(bool, Other)> = Vec::new();
    for other in all_others(header) {
        let Some(text) = header.tree.get(&other.path) else {
            continue;
        };
        let is_name = |word: &[u8]| names.iter().any(|name| name.as_bytes() == word);
        let mut places = words(&text.bytes)
            .filter(|(_, word)| is_name(word))
            .peekable();
        if places.peek().is_some() {
            found.push((!places.any(|(at, _)| is_declared(&text.bytes, at)), other));
        }
    }
    found.sort_by(|(one, a), (two, b)| (one, &a.path).cmp(&(two, &b.path)));
    let others = found.into_iter().map(|(_, other)| other);
    others.take(MOST_OTHERS).collect()
}

/// Whether the word at `at` seems to be declared there: a label for the order of probes.
fn is_declared(text: &[u8], at: usize) -> bool {
    const WORDS: [&[u8]; 8] = [
        b"struct",
        b"class",
        b"union",
        b"enum",
        b"define",
        b"namespace",
        b"using",
        b"concept",
    ];
    let before = text.get(..at).unwrap_or_default().trim_ascii_end();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = before.iter().rev().take_while(|byte| is_word(byte)).count();
    let (_, word) = before.split_at(before.len() - length);
    WORDS.contains(&word)
}

/// How the file at `path` is included: its path from the longest include folder that holds it.
fn name_of(path: &str, folders: &[String]) -> Option<String> {
    let name = include_name(path, folders)?;
    let writable = !name.contains(['\n', '\r', '\0', '"']);
    writable.then(|| name.to_owned())
}
