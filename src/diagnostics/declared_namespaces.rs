//! Whether a consumer declares what its library should: names in the library's namespaces.
//!
//! Using such a name is what a consumer is for. Declaring one hides that the library's headers do
//! not, or replaces what they declare.

use std::collections::BTreeMap;

use super::declarations::{Declarator, Event, Head, Name, TypeHead, walk};
use super::linemarkers::Located;

/// How many declarations are reported: the first ones.
pub const MOST_DECLARED: usize = 1000;

/// How many parts a name behind an alias may have.
const MOST_PARTS: usize = 64;

/// How many scopes around a namespace are looked at; in deeper ones nothing is found. Compilers take
/// 256 unless they are told otherwise.
const MOST_SCOPES: usize = 256;

/// A declaration in a namespace, or class, where it must not be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declared {
    /// The forbidden namespace, without `::` around it.
    pub namespace: String,
    /// What is declared: a namespace that is opened and not empty, or the qualified name of what is
    /// declared in one from outside.
    pub name: String,
    /// Its line in its file.
    pub line: u32,
}

/// Every place where `tokens`, a consumer's own after preprocessing, declare something in one of
/// the namespaces `forbid`, written as `a`, `a::`, `::a` or `a::b`. An opened namespace is reported
/// once, not each thing in it.
#[must_use]
pub fn declared(tokens: &[Located<'_>], forbid: &[String]) -> Vec<Declared> {
    let parts = |one: &String| -> Vec<String> {
        let parts = one.split("::").map(str::trim);
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let forbid: Vec<_> = forbid
        .iter()
        .map(parts)
        .filter(|parts| !parts.is_empty())
        .collect();
    let mut search = Search {
        tokens,
        forbid,
        scopes: Vec::new(),
        aliases: BTreeMap::new(),
        found: Vec::new(),
    };
    walk(tokens, |event| search.event(event));
    search.found.truncate(MOST_DECLARED);
    search.found
}

/// A part of a path of namespaces.
#[derive(Clone, Debug)]
struct Part {
    name: String,
    /// Whether what is in it is seen from outside as if it were not there.
    is_transparent: bool,
}

enum Scope {
    /// How many parts it adds, and whether it has been reported.
    Namespace { parts: Vec<Part>, is_reported: bool },
    /// A class or a body, where nothing is declared for a namespace.
    Closed,
}

struct Search<'t, 'a> {
    tokens: &'t [Located<'a>],
    forbid: Vec<Vec<String>>,
    scopes: Vec<Scope>,
    aliases: BTreeMap<String, Vec<String>>,
    found: Vec<Declared>,
}

impl Search<'_, '_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Open { head, at, .. } => {
                let scope = match head {
                    Head::Namespace { parts, line } => self.namespace(parts, line, at),
                    Head::Linkage => Scope::Namespace {
                        parts: Vec::new(),
                        is_reported: false,
                    },
                    Head::Type(_) | Head::Declarator(_) | Head::Alias { .. } | Head::Other => {
                        self.declaration(head);
                        Scope::Closed
                    }
                };
                self.scopes.push(scope);
            }
            Event::Close { .. } => {
                self.scopes.pop();
            }
            Event::End { head } => self.declaration(head),
        }
    }

    /// The path of the scope that is read.
    fn path(&self) -> impl Iterator<Item = &Part> {
        self.scopes.iter().flat_map(|scope| match scope {
            Scope::Namespace { parts, .. } => parts.as_slice(),
            Scope::Closed => &[],
        })
    }

    fn namespace(&mut self, names: Vec<(String, bool)>, line: u32, at: usize) -> Scope {
        if self.scopes.len() >= MOST_SCOPES {
            return Scope::Closed;
        }
        let mut parts: Vec<_> = names
            .into_iter()
            .map(|(name, is_transparent)| Part {
                name,
                is_transparent,
            })
            .collect();
        if parts.is_empty() {
            parts.push(Part {
                name: "(anonymous)".to_owned(),
                is_transparent: true,
            });
        }
        let is_empty = self.tokens.get(at + 1).is_some_and(|one| one.token.is("}"));
        let path: Vec<_> = self.path().chain(&parts).collect();
        let forbidden = self.covering(&path, true).filter(|_| !is_empty);
        let name = path
            .iter()
            .map(|part| part.name.as_str())
            .collect::<Vec<_>>()
            .join("::");
        let is_reported = forbidden.is_some();
        if !self.is_reported() {
            self.report(forbidden, name, line);
        }
        Scope::Namespace { parts, is_reported }
    }

    fn is_reported(&self) -> bool {
        let is_reported = |scope: &Scope| {
            matches!(
                scope,
                Scope::Namespace {
                    is_reported: true,
                    ..
                }
            )
        };
        self.scopes.iter().any(is_reported)
    }

    fn report(&mut self, namespace: Option<String>, name: String, line: u32) {
        let declared = namespace.map(|namespace| Declared {
            namespace,
            name,
            line,
        });
        self.found.extend(declared);
    }

    /// The forbidden namespace that holds `path`, or is it where `or_equal` is set.
    fn covering(&self, path: &[&Part], or_equal: bool) -> Option<String> {
        let covers = |forbidden: &&Vec<String>| {
            let mut wanted = forbidden.as_slice();
            let mut rest = path;
            while let ([name, names @ ..], [part, parts @ ..]) = (wanted, rest) {
                if part.name == *name {
                    wanted = names;
                } else if !part.is_transparent {
                    return false;
                }
                rest = parts;
            }
            wanted.is_empty() && (or_equal || !rest.is_empty())
        };
        let found = self.forbid.iter().find(covers)?;
        Some(found.join("::"))
    }

    fn declaration(&mut self, head: Head) {
        let is_closed = self
            .scopes
            .iter()
            .any(|scope| matches!(scope, Scope::Closed));
        if is_closed || self.is_reported() {
            return;
        }
        match head {
            Head::Alias { name, target } => {
                let target = self.resolved(&target);
                if target.len() <= MOST_PARTS {
                    self.aliases.insert(name, target);
                }
            }
            Head::Type(TypeHead {
                name: Some(name),
                is_specialized,
                is_defined,
                ..
            }) => {
                // Without either, `struct a::b` declares nothing.
                if is_defined || is_specialized || name.parts.len() == 1 {
                    self.name(&name, true);
                }
            }
            Head::Declarator(declarator) => {
                if declarator.has_type || is_member_without_type(&declarator) {
                    self.name(&declarator.name, false);
                }
            }
            Head::Type(_) | Head::Namespace { .. } | Head::Linkage | Head::Other => {}
        }
    }

    fn resolved(&self, name: &Name) -> Vec<String> {
        let (first, rest) = match name.parts.split_first() {
            Some((first, rest)) if !name.is_global => (first, rest),
            _ => return name.parts.clone(),
        };
        let first = self
            .aliases
            .get(first)
            .cloned()
            .unwrap_or_else(|| vec![first.clone()]);
        [first.as_slice(), rest].concat()
    }

    fn name(&mut self, name: &Name, or_equal: bool) {
        // An alias stands for what others declared: it qualifies, and is not declared by it.
        let names = if name.parts.len() > 1 {
            self.resolved(name)
        } else {
            name.parts.clone()
        };
        let own: Vec<_> = names
            .into_iter()
            .map(|name| Part {
                name,
                is_transparent: false,
            })
            .collect();
        let scope = self.path().filter(|_| !name.is_global);
        let path: Vec<_> = scope.chain(&own).collect();
        let forbidden = self.covering(&path, or_equal);
        self.report(forbidden, name.joined(), name.line);
    }
}

/// Whether this is a constructor, a destructor or a conversion, qualified: `a::S::S()`.
fn is_member_without_type(declarator: &Declarator) -> bool {
    match declarator.name.parts.as_slice() {
        [.., class, last] => {
            let is_special = last.starts_with('~') || last.starts_with("operator ");
            (class == last || is_special) && declarator.parameters.is_some()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
