//! Headers and consumers against a base: what was dirty before, what is new, what is gone.

use serde_json::{Value, json};

use super::repo::Repo;
use super::suite::Suite;

const LIST: &str = "goldens/headers/public_headers.txt";
const DIRTY: &str = "#pragma once\nstruct Dirty { std::string name; };\n";
const DIRTY_BEFORE: &str = "known_dirty";

/// A repository with the headers `clean.hpp` and `dirty.hpp`, of which nothing is listed yet.
fn unlisted() -> Repo {
    let suite = Suite::empty();
    suite.write("include/clean.hpp", "#pragma once\nint clean();\n");
    suite.write("include/dirty.hpp", DIRTY);
    let repo = Repo::of(suite);
    repo.commit("base");
    repo.branch();
    repo
}

/// The same with both listed at the base.
fn listed() -> Repo {
    let repo = unlisted();
    list(&repo, &["clean", "dirty"]);
    repo.merge("list them");
    repo.branch();
    repo
}

fn list(repo: &Repo, names: &[&str]) {
    let lines = names.iter().map(|name| format!("include/{name}.hpp\n"));
    repo.suite.write(LIST, lines.collect::<String>());
}

fn class(row: &Value) -> (&str, &str) {
    (
        row["class"].as_str().unwrap(),
        row["level"].as_str().unwrap(),
    )
}

#[test]
fn a_header_that_was_dirty_before_may_stay_so() {
    let repo = listed();
    let run = repo.check();
    run.assert_code(0);
    let row = run.row("include/dirty.hpp");
    assert_eq!(class(&row), (DIRTY_BEFORE, "review"), "{row:#}");
    assert_eq!(row["evidence"]["class"], "missing_declaration");
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("fail"), &json!("fail"))
    );
    // Without a base nothing is known to have been dirty.
    let alone = repo.suite.report(&["check"]);
    alone.assert_class("include/dirty.hpp", "missing_declaration", 1);
}

#[test]
fn the_change_that_first_lists_headers_inherits_their_faults() {
    let repo = unlisted();
    list(&repo, &["clean", "dirty"]);
    let run = repo.check();
    run.assert_class("include/dirty.hpp", DIRTY_BEFORE, 0);
}

#[test]
fn a_moved_line_is_no_new_fault() {
    let repo = listed();
    let below = format!("// one line more\n// and another\n{DIRTY}");
    repo.suite.write("include/dirty.hpp", below);
    repo.check()
        .assert_class("include/dirty.hpp", DIRTY_BEFORE, 0);
}

#[test]
fn a_new_fault_is_not_forgiven() {
    for (name, text) in [
        // The header was clean.
        ("clean", "#pragma once\nstd::vector<int> clean();\n"),
        // It was dirty in another way.
        (
            "dirty",
            "#pragma once\n#include \"none.hpp\"\nstd::string dirty();\n",
        ),
        ("dirty", "#pragma once\nstd::vector<int> dirty();\n"),
        // It was not there.
        ("fresh", DIRTY),
    ] {
        let repo = listed();
        list(&repo, &["clean", "dirty", "fresh"]);
        repo.suite.write("include/fresh.hpp", "#pragma once\n");
        repo.suite.write(&format!("include/{name}.hpp"), text);
        let run = repo.check();
        run.assert_code(1);
        let row = run.row(&format!("include/{name}.hpp"));
        assert_eq!(row["level"], "fail", "{name}: {row:#}");
    }
}

#[test]
fn a_fault_that_the_change_puts_into_another_header_is_its_own() {
    let repo = listed();
    repo.suite
        .write("include/clean.hpp", "#pragma once\n#include \"part.hpp\"\n");
    repo.suite
        .write("include/part.hpp", "#pragma once\nstd::string part();\n");
    repo.check()
        .assert_class("include/clean.hpp", "missing_declaration", 1);
}

#[test]
fn a_mended_header_is_clean_and_stays_so() {
    let repo = listed();
    repo.edit(
        "include/dirty.hpp",
        "#pragma once",
        "#pragma once\n#include <string>",
    );
    repo.check().assert_class("include/dirty.hpp", "clean", 0);
    repo.merge("mended");
    repo.branch();
    repo.edit("include/dirty.hpp", "#include <string>\n", "");
    repo.check()
        .assert_class("include/dirty.hpp", "missing_declaration", 1);
}

#[test]
fn a_header_that_is_generated_is_taken_to_be_unchanged() {
    let repo = unlisted();
    repo.suite.write(".gitignore", ".driftgate/\nbuild/\n");
    let config = "standalone_header: {include: [include, build], headers: ['include/*.hpp']}\n";
    repo.suite.write("driftgate.yml", config);
    let uses = "#pragma once\n#include \"made.h\"\n#if MADE\nstd::string made();\n#endif\n";
    repo.suite.write("include/dirty.hpp", uses);
    repo.merge("generate a header");
    repo.branch();
    repo.suite.write("build/made.h", "#define MADE 1\n");
    repo.check()
        .assert_class("include/dirty.hpp", DIRTY_BEFORE, 0);
}

#[test]
fn what_is_no_longer_looked_at_is_gone_in_its_own_lane() {
    let repo = with_consumer();
    repo.suite.remove(LIST);
    repo.suite.remove("goldens/consumers/use.json");
    let run = repo.check();
    let report = run.json();
    for (lane, id) in [
        ("standalone_header", "include/lib.hpp"),
        ("consumer_link", "use"),
    ] {
        let lanes = report["experiments"].as_array().unwrap();
        let found = lanes.iter().find(|one| one["name"] == lane).unwrap();
        assert_eq!(found["rows"][0]["id"], id, "{found:#}");
        assert_eq!(found["rows"][0]["class"], "REMOVED", "{found:#}");
    }
}

/// A library of one function with a consumer and a listed header.
fn with_consumer() -> Repo {
    let suite = Suite::empty();
    suite.write("include/lib.hpp", "#pragma once\nint twice(int);\n");
    suite.write(
        "src/lib.cpp",
        "#include \"lib.hpp\"\nint twice(int x) { return 2 * x; }\n",
    );
    suite.write(
        "use/main.cpp",
        "#include <lib.hpp>\nint main() { return twice(2); }\n",
    );
    suite.write(LIST, "include/lib.hpp\n");
    let consumer = json!({
        "id": "use", "public_header": "include/lib.hpp", "archive_sources": ["src/lib.cpp"],
        "consumer": "use/main.cpp", "expect_exit": 4, "expect_stdout": "",
    });
    suite.write("goldens/consumers/use.json", consumer.to_string());
    let repo = Repo::of(suite);
    repo.commit("base");
    repo.branch();
    repo
}

#[test]
fn what_a_change_asks_less_of_is_named() {
    let repo = with_consumer();
    repo.edit(
        "goldens/consumers/use.json",
        "\"expect_exit\":4",
        "\"expect_exit\":5",
    );
    repo.edit("src/lib.cpp", "2 * x", "2 * x + 1");
    repo.suite
        .write(LIST, "include/lib.hpp # driftgate: not-reincludable\n");
    let run = repo.check();
    run.assert_code(0);
    for (id, word) in [
        ("consumer_link/use", "expect_exit"),
        ("standalone_header/include/lib.hpp", "included twice"),
    ] {
        let row = run.row(id);
        assert_eq!(row["class"], "GATE_WEAKENED", "{row:#}");
        assert!(row["why"].as_str().unwrap().contains(word), "{row:#}");
    }
}

#[test]
fn a_missing_system_header_is_the_changes_own_where_it_touched_the_source() {
    let lacks = "#include <no_such_system_header.h>\n";
    let repo = with_consumer();
    let source = repo.suite.read("src/lib.cpp");
    repo.suite.write("src/lib.cpp", format!("{lacks}{source}"));
    repo.check().assert_class("use", "candidate_build_error", 1);
    repo.merge("it was there before");
    repo.branch();
    repo.suite.write("readme.txt", "another change\n");
    repo.check().assert_class("use", "environment", 3);
}
