//! Suites of consumers, and what a check says of each.

use serde_json::{Value, json};

use super::suite::Suite;

pub(super) const COMPILERS: [&str; 2] = ["g++", "clang++"];

/// A library in a folder of its own with a stranger's program, and what must be said of the two.
#[derive(Clone)]
pub(super) struct Consumer {
    /// The consumer's id and the name of its folder.
    pub(super) id: &'static str,
    /// The first below `include/` is the public header, those of the archive lie directly in
    /// `src/`, and `main.cpp` is the consumer.
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) link: &'static [&'static str],
    pub(super) stdout: &'static str,
    /// Any of these.
    pub(super) classes: &'static [&'static str],
    /// A word in the evidence.
    pub(super) says: &'static str,
}

impl Consumer {
    /// Writes its files, once more under another id.
    pub(super) fn write(&self, suite: &Suite, id: &str, link: &[&str]) {
        let path = |file: &str| format!("{id}/{file}");
        for (file, text) in self.files {
            suite.write(&path(file), text);
        }
        let files = || self.files.iter().map(|(file, _)| *file);
        let header = files().find(|file| file.starts_with("include/")).unwrap();
        let sources: Vec<_> = files()
            .filter(|file| file.starts_with("src/") && file.ends_with(".cpp"))
            .map(path)
            .collect();
        let consumer = json!({
            "id": id, "public_header": path(header), "archive_sources": sources,
            "consumer": path("main.cpp"), "include": [path("include")], "link": link,
            "expect_stdout": self.stdout, "expect_exit": 0, "forbid_consumer_decls": ["lib"],
        });
        suite.write(
            &format!("goldens/consumers/{id}.json"),
            consumer.to_string(),
        );
    }

    #[track_caller]
    pub(super) fn assert_row(&self, rows: &[Value], id: &str, compiler: &str) {
        assert_row(rows, id, compiler, self.classes, self.says);
    }
}

/// The rows of one lane of a check with this compiler.
#[track_caller]
pub(super) fn rows(suite: &Suite, lane: &str, compiler: &str) -> Vec<Value> {
    let mut command = suite.command(&["check", "--format", "json"]);
    command.env("CXX", compiler);
    let report = suite.finish(command).json();
    let lanes = report["experiments"].as_array().unwrap();
    let found = lanes.iter().find(|one| one["name"] == lane);
    let found = found.unwrap_or_else(|| panic!("no lane {lane}: {report:#}"));
    found["rows"].as_array().unwrap().clone()
}

/// There is one row `id`; it has one of these classes, and evidence with this word.
#[track_caller]
pub(super) fn assert_row(rows: &[Value], id: &str, compiler: &str, classes: &[&str], says: &str) {
    let mut found = rows.iter().filter(|row| row["id"] == id);
    let row = found.next().unwrap_or_else(|| panic!("no row {id}"));
    assert!(found.next().is_none(), "two rows {id}");
    let class = row["class"].as_str().unwrap();
    assert!(
        classes.contains(&class),
        "{id} with {compiler}: {class}, not {classes:?}\n{row:#}"
    );
    let evidence = row["evidence"].to_string();
    assert!(
        evidence.contains(says),
        "{id} with {compiler}: no `{says}` in its evidence\n{row:#}"
    );
}

/// Checks a suite of these consumers with each compiler.
#[track_caller]
pub(super) fn assert_consumers(config: &str, consumers: &[Consumer]) {
    let suite = Suite::empty();
    suite.write("driftgate.yml", config);
    for consumer in consumers {
        consumer.write(&suite, consumer.id, consumer.link);
    }
    for compiler in COMPILERS {
        let rows = rows(&suite, "consumer_link", compiler);
        assert_eq!(rows.len(), consumers.len(), "{rows:#?}");
        for consumer in consumers {
            consumer.assert_row(&rows, consumer.id, compiler);
        }
    }
}
