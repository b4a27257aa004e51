//! Which standard header declares a name. A label for a fix, as compilers suggest one: what proves
//! that a header was missing is a compile with it.

mod table;

use table::{C_NAMES, MACROS, NAMES, NAMESPACES};

/// The header, without brackets, that declares `name`, which the source looked for in the
/// namespace `within`, or without a qualification. A name of `std` alone is not found unqualified:
/// it is more likely one of the source's own.
#[must_use]
pub fn header_of(name: &str, within: Option<&str>) -> Option<&'static str> {
    let within = within.map(|within| within.strip_prefix("::").unwrap_or(within));
    match within {
        None => find(C_NAMES, name)
            .or_else(|| find(MACROS, name))
            // What a compiler calls unknown in `std::chrono::seconds` is at times `std` itself.
            .or_else(|| name.starts_with("std::").then(|| qualified(name)).flatten()),
        Some("std") => find(NAMES, name)
            .or_else(|| find(C_NAMES, name))
            .or_else(|| find(NAMESPACES, name)),
        Some(within) => {
            let inner = within.strip_prefix("std::")?;
            find(NAMES, &format!("{inner}::{name}"))
        }
    }
}

fn qualified(name: &str) -> Option<&'static str> {
    let (within, name) = name.rsplit_once("::")?;
    header_of(name, Some(within))
}

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let at = table
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()?;
    table.get(at).map(|(_, header)| *header)
}

/// Every name with its header, as `std::name`, `name` or, for macros and names of C, both ways.
pub fn all() -> impl Iterator<Item = (Spelling, &'static str, &'static str)> {
    let tables = [
        (Spelling::Std, NAMES),
        (Spelling::StdOrGlobal, C_NAMES),
        (Spelling::Macro, MACROS),
        (Spelling::Namespace, NAMESPACES),
    ];
    tables.into_iter().flat_map(|(spelling, table)| {
        table
            .iter()
            .map(move |(name, header)| (spelling, *name, *header))
    })
}

/// How a source writes a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Qualified with `std::`.
    Std,
    /// With `std::` or, as in C, without.
    StdOrGlobal,
    /// A macro, which no namespace holds.
    Macro,
    /// A namespace in `std`.
    Namespace,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_name_nothing_twice() {
        for table in [NAMES, C_NAMES, MACROS, NAMESPACES] {
            for pair in table.windows(2) {
                assert!(pair[0].0 < pair[1].0, "{pair:?}");
            }
        }
        assert!(all().count() >= 150);
    }

    #[test]
    fn every_name_is_found_where_it_is_looked_for() {
        for (spelling, name, header) in all() {
            let (within, last) = name.rsplit_once("::").unwrap_or(("", name));
            let within = format!("std::{within}");
            let within = within.trim_end_matches(':');
            let in_std = header_of(last, Some(within));
            let bare = header_of(last, None);
            match spelling {
                Spelling::Std | Spelling::Namespace => {
                    assert_eq!(in_std, Some(header), "{name}");
                    assert_eq!(
                        header_of(&format!("std::{name}"), None),
                        Some(header),
                        "{name}"
                    );
                }
                Spelling::StdOrGlobal => assert_eq!((in_std, bare), (Some(header), Some(header))),
                Spelling::Macro => assert_eq!((in_std, bare), (None, Some(header))),
            }
        }
    }

    #[test]
    fn a_name_of_somebody_else_has_no_header() {
        for (name, within) in [
            ("vector", None),
            ("vector", Some("lib")),
            ("seconds", Some("std")),
            ("vectr", Some("std")),
            ("", None),
            ("std", None),
            ("std::", None),
        ] {
            assert_eq!(header_of(name, within), None, "{name} in {within:?}");
        }
    }
}
