//! What two preprocessed units make of the same definition. The one-definition rule wants the same
//! tokens in both; where a macro of one unit gives others, the tokens prove what a linker does not
//! see.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::cpp_tokens::Token;
use super::declarations::{Declarator, Event, Head, walk, without_attributes};
use super::linemarkers::{Located, located};

/// How many definitions within definitions are read; deeper ones are part of those around them.
const MOST_NESTED: usize = 16;

/// What is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionKind {
    /// A class, struct, union or enum.
    Type,
    /// A function or a member function.
    Function,
}

/// The definitions of a unit that stand in project files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// Those that cannot be told apart by name and parameters, in the unit's order.
    all: BTreeMap<Key, Vec<Body>>,
}

/// What makes two definitions the same one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    file: Arc<str>,
    name: String,
    kind: DefinitionKind,
    /// What tells overloads apart, as far as tokens can.
    parameters: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Body {
    /// Two hashes of the tokens.
    digest: (u64, u64),
    line: u32,
}

/// A definition that two units make differently.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Differing {
    /// The qualified name, with arguments where it is a specialisation.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The line it starts on in the first unit.
    pub line: u32,
    /// What it is.
    pub kind: DefinitionKind,
}

impl Definitions {
    /// The definitions in the files of `text`, a preprocessed unit, that `is_project` names.
    /// Definitions that only their own unit sees, which may differ, are left out.
    #[must_use]
    pub fn read(text: &[u8], is_project: impl Fn(&str) -> bool) -> Self {
        let tokens: Vec<_> = located(text).filter(|one| is_project(&one.file)).collect();
        let mut reader = Reader {
            tokens: &tokens,
            frames: Vec::new(),
            found: Self::default(),
        };
        walk(&tokens, |event| reader.event(event));
        reader.found
    }

    /// How many definitions there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.all.values().map(Vec::len).sum()
    }
}

/// The definitions that both units have and make differently, by file and name. What only one of
/// them has is no difference.
#[must_use]
pub fn differing(a: &Definitions, b: &Definitions) -> Vec<Differing> {
    let mut found = Vec::new();
    for (key, bodies) in &a.all {
        let Some(others) = b.all.get(key) else {
            continue;
        };
        found.extend(
            lines_differing(bodies, others)
                .into_iter()
                .map(|line| Differing {
                    name: key.name.clone(),
                    file: key.file.to_string(),
                    line,
                    kind: key.kind,
                }),
        );
    }
    found
}

/// The lines of those of `bodies` that `others` make differently.
fn lines_differing(bodies: &[Body], others: &[Body]) -> Vec<u32> {
    if bodies.len() == others.len() {
        let pairs = bodies.iter().zip(others);
        let differ = pairs.filter(|(one, other)| one.digest != other.digest);
        return differ.map(|(one, _)| one.line).collect();
    }
    // One unit has some that the other has not: only what both sides have alone says anything.
    let alone = |some: &[Body], all: &[Body]| -> Vec<u32> {
        let mut left: BTreeMap<(u64, u64), usize> = BTreeMap::new();
        for one in all {
            *left.entry(one.digest).or_default() += 1;
        }
        let is_alone = |one: &&Body| match left.get_mut(&one.digest) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        some.iter().filter(is_alone).map(|one| one.line).collect()
    };
    let found = alone(bodies, others);
    if alone(others, bodies).is_empty() {
        return Vec::new();
    }
    found
}

/// Something open.
struct Frame {
    /// What it adds to names.
    parts: Vec<String>,
    /// Whether what is in it is seen by its own unit alone, or has no name to be known by.
    is_hidden: bool,
    /// Where a definition starts, and what it is.
    definition: Option<(usize, Key)>,
}

struct Reader<'t, 'a> {
    tokens: &'t [Located<'a>],
    frames: Vec<Frame>,
    found: Definitions,
}

impl Reader<'_, '_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Open { head, from, .. } => {
                let frame = self.frame(head, from);
                self.frames.push(frame);
            }
            Event::Close { at } => {
                let frame = self.frames.pop();
                if let Some((from, key)) = frame.and_then(|frame| frame.definition) {
                    self.record(from, at, key);
                }
            }
            Event::End { .. } => {}
        }
    }

    fn frame(&self, head: Head, from: usize) -> Frame {
        let within_class = self
            .frames
            .last()
            .is_some_and(|frame| frame.definition.is_some());
        let (parts, is_hidden, kind, parameters) = match head {
            Head::Namespace { parts, .. } => {
                let is_hidden = parts.is_empty();
                let parts = parts.into_iter().map(|(name, _)| name).collect();
                return Frame {
                    parts,
                    is_hidden,
                    definition: None,
                };
            }
            Head::Type(head) => match head.name {
                Some(name) => {
                    let mut parts = name.parts;
                    if let Some(last) = parts.last_mut() {
                        last.push_str(&name.arguments);
                    }
                    (parts, false, Some(DefinitionKind::Type), String::new())
                }
                None => (Vec::new(), true, None, String::new()),
            },
            Head::Declarator(declarator) => {
                let is_own = declarator.is_static && !within_class;
                let (parts, parameters) = function(declarator);
                (parts, is_own, Some(DefinitionKind::Function), parameters)
            }
            Head::Linkage | Head::Alias { .. } | Head::Other => {
                (Vec::new(), false, None, String::new())
            }
        };
        let is_seen = !is_hidden
            && self.frames.len() < MOST_NESTED
            && !self.frames.iter().any(|frame| frame.is_hidden);
        let definition = kind.filter(|_| is_seen).and_then(|kind| {
            let file = Arc::clone(&self.tokens.get(from)?.file);
            let around = self.frames.iter().flat_map(|frame| &frame.parts);
            let name: Vec<_> = around.chain(&parts).map(String::as_str).collect();
            let key = Key {
                file,
                name: name.join("::"),
                kind,
                parameters,
            };
            Some((from, key))
        });
        Frame {
            parts,
            is_hidden,
            definition,
        }
    }

    fn record(&mut self, from: usize, at: usize, key: Key) {
        let tokens = self.tokens.get(from..=at).unwrap_or_default();
        let line = tokens.first().map_or(0, |one| one.line);
        let kept = without_attributes(tokens);
        let body = Body {
            digest: digest(kept.iter().map(|(token, _)| *token)),
            line,
        };
        self.found.all.entry(key).or_default().push(body);
    }
}

/// The parts of a function's name and its parameters.
fn function(declarator: Declarator) -> (Vec<String>, String) {
    let mut parts = declarator.name.parts;
    if let Some(last) = parts.last_mut() {
        last.push_str(&declarator.name.arguments);
    }
    (parts, declarator.parameters.unwrap_or_default())
}

fn digest<'t, 'a: 't>(tokens: impl Iterator<Item = &'t Token<'a>>) -> (u64, u64) {
    let mut first = DefaultHasher::new();
    let mut second = DefaultHasher::new();
    1_u8.hash(&mut second);
    for token in tokens {
        token.text.hash(&mut first);
        token.text.hash(&mut second);
    }
    (first.finish(), second.finish())
}

#[cfg(test)]
mod tests;
