//! Which standard names a header uses without a header that guarantees them: what compiles only
//! because this standard library includes more than it must. Advice, and so rather too little.

mod guarantees;

use std::collections::{BTreeMap, BTreeSet};

use super::cpp_tokens::{Kind, Token, tokens};
use super::includes::mentions;
use super::std_names::{all, header_of};
use guarantees::{both, comes_with_all, guarantees};

/// How many names of a header are reported: the first ones.
pub const MOST_LEANING: usize = 200;

/// A standard name that nothing guarantees where it is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaning {
    /// The name as it is used: `std::vector`, `uint32_t`.
    pub name: String,
    /// The header to include, without brackets.
    pub header: String,
    /// The line of its first use.
    pub line: u32,
}

/// The standard names that `header` uses and nothing it includes guarantees, in the order of their
/// first uses. `includes` says whether the header or a project header that it reaches includes a
/// standard header directly. A header that asks what there is to include, includes what a macro
/// names or imports modules says nothing.
#[must_use]
pub fn leaning(header: &[u8], includes: impl Fn(&str) -> bool) -> Vec<Leaning> {
    let all_tokens: Vec<_> = tokens(header).collect();
    let asks = |token: &Token<'_>| {
        let word = token.identifier().unwrap_or_default();
        word.starts_with("__has_") || matches!(word, "import" | "module")
    };
    if all_tokens.iter().any(asks) || mentions(header).is_opaque || includes("bits/stdc++.h") {
        return Vec::new();
    }
    let declared = declared(&all_tokens);
    let code: Vec<_> = all_tokens
        .iter()
        .filter(|token| !token.is_directive)
        .collect();
    let has_any = standard_headers().flat_map(both).any(|one| includes(&one));
    let mut seen = BTreeSet::new();
    let mut known = BTreeMap::new();
    let mut found = Vec::new();
    for at in 0..code.len() {
        let Some(used) = used(&code, at).filter(|used| !declared.contains(used.simple)) else {
            continue;
        };
        if !seen.insert(used.name.clone()) {
            continue;
        }
        let is_guaranteed = guarantees(used.simple, used.header)
            .any(|one| *known.entry(one.clone()).or_insert_with(|| includes(&one)));
        if !(is_guaranteed || has_any && comes_with_all(used.simple, used.header)) {
            found.push(Leaning {
                name: used.name,
                header: used.header.to_owned(),
                line: code.get(at).map_or(0, |token| token.line),
            });
        }
    }
    found.truncate(MOST_LEANING);
    found
}

/// Every header of C++ in the table of names.
fn standard_headers() -> impl Iterator<Item = &'static str> {
    let headers: BTreeSet<_> = all().map(|(_, _, header)| header).collect();
    headers.into_iter()
}

/// A use of a standard name.
struct Used<'t> {
    /// As it is reported.
    name: String,
    /// Its last part.
    simple: &'t str,
    header: &'static str,
}

/// The standard name that starts at `at`.
fn used<'t>(code: &[&'t Token<'_>], at: usize) -> Option<Used<'t>> {
    let word = code.get(at)?.identifier()?;
    let before = at.checked_sub(1).and_then(|before| code.get(before));
    let is_punctuated = |text: &str| before.is_some_and(|token| token.is(text));
    if is_punctuated(".") || is_punctuated("->") || is_punctuated("~") {
        return None;
    }
    if is_punctuated("::") {
        // `::std::x` is standard, `a::std::x` and `T<int>::size_t` are not.
        let outer = at.checked_sub(2).and_then(|outer| code.get(outer));
        let ends_name = |token: &&Token<'_>| token.identifier().is_some() || token.is(">");
        if outer.is_some_and(|token| ends_name(token) && !is_keyword(token)) {
            return None;
        }
    }
    if word == "std" {
        return qualified(code, at);
    }
    let is_called = code.get(at + 1).is_some_and(|token| token.is("("));
    let header = unqualified(word, is_called)?;
    Some(Used {
        name: word.to_owned(),
        simple: word,
        header,
    })
}

/// Whether a word can stand before `::` without being its left side.
fn is_keyword(token: &Token<'_>) -> bool {
    let word = token.identifier();
    matches!(
        word,
        Some("const" | "return" | "typename" | "new" | "static" | "inline" | "constexpr")
    )
}

/// `std::name` or `std::inner::name`.
fn qualified<'t>(code: &[&'t Token<'_>], at: usize) -> Option<Used<'t>> {
    let part = |place: usize| {
        let is_qualified = code.get(place.checked_sub(1)?)?.is("::");
        code.get(place)?.identifier().filter(|_| is_qualified)
    };
    let first = part(at + 2)?;
    if let Some(second) = part(at + 4) {
        let within = format!("std::{first}");
        if let Some(header) = header_of(second, Some(&within)) {
            return Some(Used {
                name: format!("{within}::{second}"),
                simple: second,
                header,
            });
        }
    }
    Some(Used {
        name: format!("std::{first}"),
        simple: first,
        header: header_of(first, Some("std"))?,
    })
}

/// The header of a name of C or a macro. Of C's functions, only those that hardly any project has
/// one of its own of: `time` and `remove` are names of members everywhere.
fn unqualified(word: &str, is_called: bool) -> Option<&'static str> {
    let header = header_of(word, None)?;
    let is_shouted = word.len() > 2 && word.bytes().all(|byte| !byte.is_ascii_lowercase());
    let is_distinct = ["mem", "str", "wcs"]
        .iter()
        .any(|start| word.starts_with(start));
    let is_meant = word.ends_with("_t") || is_shouted || is_called && is_distinct;
    is_meant.then_some(header)
}

/// The names that a header declares or defines itself, by any of the ways to do so.
fn declared<'t>(tokens: &'t [Token<'_>]) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    let mut in_typedef = false;
    for at in 0..tokens.len() {
        let Some(token) = tokens.get(at) else {
            continue;
        };
        in_typedef = (in_typedef || token.is("typedef")) && !token.is(";");
        let Some(word) = token.identifier() else {
            continue;
        };
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let before = before.filter(|before| before.kind != Kind::Header);
        let next = tokens.get(at + 1);
        let next_is = |text: &str| next.is_some_and(|next| next.is(text));
        let keyword = before
            .and_then(|before| before.identifier())
            .unwrap_or_default();
        let is_declared = match keyword {
            "class" | "struct" | "union" | "enum" | "define" | "concept" => true,
            "using" => next_is("="),
            "" => false,
            // A type before a name and a parenthesis behind it declare a function.
            "return" | "else" | "case" | "throw" | "do" | "co_return" | "and" | "or" | "not" => {
                false
            }
            _ => next_is("("),
        };
        let is_pointer = before.is_some_and(|one| one.is("*") || one.is("&") || one.is(">"));
        let ends_typedef = in_typedef && (next_is(";") || next_is(")") || next_is("["));
        if is_declared || ends_typedef || is_pointer && next_is("(") && keyword.is_empty() {
            found.insert(word);
        }
    }
    found
}

#[cfg(test)]
mod tests;
