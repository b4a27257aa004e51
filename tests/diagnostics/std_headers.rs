//! The table of standard names against the library of g++.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use driftgate::diagnostics::std_names::{self, Spelling};

use crate::tools::Folder;

/// A unit for each header: it includes that one only and uses what the table says it declares.
fn units() -> Vec<(String, String)> {
    let mut units: BTreeMap<&str, String> = BTreeMap::new();
    for (at, (spelling, name, header)) in std_names::all().enumerate() {
        let unit = units
            .entry(header)
            .or_insert_with(|| format!("#include <{header}>\n"));
        let line = match spelling {
            Spelling::Std => format!("namespace n{at} {{ using std::{name}; }}"),
            Spelling::StdOrGlobal => {
                format!(
                    "namespace n{at} {{ using std::{name}; }} namespace g{at} {{ using ::{name}; }}"
                )
            }
            Spelling::Macro => format!("#ifndef {name}\n#error {name}\n#endif"),
            Spelling::Namespace => format!("namespace n{at} = std::{name};"),
        };
        writeln!(unit, "{line}").unwrap();
    }
    let named = units.into_iter();
    named
        .map(|(header, unit)| (header.to_owned(), unit))
        .collect()
}

#[test]
fn every_name_is_declared_by_its_header_alone() {
    let folder = Folder::with(&[]);
    let units = units();
    assert!(units.len() > 50);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((header, unit)) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                    folder.write(&format!("{header}.cpp"), unit);
                    folder.make(&format!("g++ -std=c++17 -fsyntax-only {header}.cpp"));
                }
            });
        }
    });
}
