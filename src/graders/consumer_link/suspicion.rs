//! What the objects of two units hint at: the same name, and not the same body.

use std::collections::BTreeSet;

use crate::diagnostics::cpp_tokens::{Kind, tokens};
use crate::diagnostics::symbols::{Symbols, demangled};
use crate::model::consumer::Consumer;

/// The qualified names of what the library has in COMDAT groups whose bodies differ between
/// `units`, or within one that is an archive. Honest units differ in what the standard library
/// gives them; that is left out.
pub(super) fn disagreements(consumer: &Consumer, units: &[&Symbols]) -> BTreeSet<String> {
    let mut raw: BTreeSet<&str> = BTreeSet::new();
    for (at, unit) in units.iter().enumerate() {
        let own = unit.comdats.iter().filter(|(_, bodies)| bodies.len() > 1);
        raw.extend(own.map(|(name, _)| name.as_str()));
        let others = units.iter().skip(at + 1);
        raw.extend(others.flat_map(|other| unit.disagreements(other)));
    }
    if raw.is_empty() {
        return BTreeSet::new();
    }
    let published = identifiers(consumer);
    let names = raw.into_iter().map(|raw| qualified(&demangled(raw)));
    names
        .filter(|name| is_of_project(name, &published))
        .collect()
}

fn is_of_project(name: &str, published: &BTreeSet<String>) -> bool {
    const FOREIGN: &[&str] = &["std", "__gnu_cxx", "__cxxabiv1", "main"];
    let mut parts = name.split("::");
    let is_ours = |part: &str| !FOREIGN.contains(&part) && published.contains(part);
    parts.next().is_some_and(is_ours)
}

/// Every identifier in published headers.
fn identifiers(consumer: &Consumer) -> BTreeSet<String> {
    let texts = consumer.published.files().values();
    texts
        .flat_map(|text| tokens(&text.bytes))
        .filter(|token| token.kind == Kind::Identifier)
        .filter_map(|token| token.identifier().map(str::to_owned))
        .collect()
}

/// The qualified name in a demangled declaration: no return type, arguments or parameters.
pub(super) fn qualified(declaration: &str) -> String {
    let mut depth = 0_usize;
    let mut name = String::new();
    for (at, c) in declaration.char_indices() {
        let rest = declaration.get(at..).unwrap_or_default();
        if depth == 0 && rest.starts_with("operator") {
            // Its own `(`, `<` and blanks are part of the name.
            let from = if rest.starts_with("operator()") {
                10
            } else {
                8
            };
            let end = rest.get(from..).and_then(|rest| rest.find('('));
            name += end.and_then(|end| rest.get(..from + end)).unwrap_or(rest);
            break;
        }
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && rest.starts_with("(anonymous") => return String::new(),
            '(' if depth == 0 => break,
            ' ' if depth == 0 => name.clear(),
            c if depth == 0 => name.push(c),
            _ => {}
        }
    }
    spaceless(&name)
}

/// `name` as it is compared: parsers and demanglers space operators in their own ways.
pub(super) fn spaceless(name: &str) -> String {
    name.chars().filter(|c| *c != ' ').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_has_a_qualified_name() {
        for (declaration, name) in [
            ("demo::pick(int)", "demo::pick"),
            ("int demo::pick<int>(int)", "demo::pick"),
            (
                "demo::Box<std::pair<int, int> >::get() const",
                "demo::Box::get",
            ),
            ("std::vector<demo::A>::size() const", "std::vector::size"),
            ("vtable for demo::V", "demo::V"),
            ("demo::operator<(demo::A, demo::A)", "demo::operator<"),
            ("demo::F::operator()(int)", "demo::F::operator()"),
            ("demo::F::operator bool() const", "demo::F::operatorbool"),
            ("(anonymous namespace)::f()", ""),
            ("demo::count", "demo::count"),
            ("", ""),
        ] {
            assert_eq!(qualified(declaration), name, "{declaration}");
        }
    }
}
