//! Headers and consumers of a small checkout: what is printed, what is left out, what is refused.

use serde_json::{Value, json};

use super::suite::{GOOD, Suite};

const LIST: &str = "goldens/headers/public_headers.txt";

/// A library of one function with a listed header, a consumer, and a known-bad twin of each.
fn library() -> Suite {
    let suite = Suite::empty();
    suite.write("include/lib.hpp", "#pragma once\nint twice(int);\n");
    suite.write("include/bad.hpp", "#pragma once\nstd::string bad();\n");
    suite.write(
        "src/lib.cpp",
        "#include \"lib.hpp\"\nint twice(int x) { return 2 * x; }\n",
    );
    suite.write("src/none.cpp", "#include \"lib.hpp\"\n");
    suite.write(
        "use/main.cpp",
        "#include <lib.hpp>\n#include <cstdio>\nint main() { std::printf(\"%d\\n\", twice(2)); }\n",
    );
    suite.write(
        LIST,
        "include/lib.hpp\ninclude/bad.hpp # driftgate: expect missing_declaration\n",
    );
    consumer(&suite, "use", &json!({}));
    let bad = json!({"archive_sources": ["src/none.cpp"], "expect_class": "link_undefined"});
    consumer(&suite, "use.bad", &bad);
    suite
}

fn consumer(suite: &Suite, id: &str, changes: &Value) {
    let mut consumer = json!({
        "id": id, "public_header": "include/lib.hpp", "archive_sources": ["src/lib.cpp"],
        "consumer": "use/main.cpp", "expect_stdout": "4\n",
    });
    for (field, value) in changes.as_object().unwrap() {
        consumer[field] = value.clone();
    }
    suite.write(
        &format!("goldens/consumers/{id}.json"),
        consumer.to_string(),
    );
}

fn lane<'a>(report: &'a Value, name: &str) -> Option<&'a Value> {
    let mut lanes = report["experiments"].as_array().unwrap().iter();
    lanes.find(|lane| lane["name"] == name)
}

#[test]
fn both_lanes_hold_every_row_against_what_is_expected_of_it() {
    let suite = library();
    let run = suite.report(&["check"]);
    run.assert_code(0);
    for (id, class) in [
        ("include/lib.hpp", "clean"),
        ("include/bad.hpp", "missing_declaration"),
        ("use", "pass"),
        ("use.bad", "link_undefined"),
    ] {
        let row = run.row(id);
        assert_eq!(
            (&row["class"], &row["level"]),
            (&json!(class), &json!("ok")),
            "{row:#}"
        );
    }
    let report = run.json();
    let headers = lane(&report, "standalone_header").unwrap();
    assert_eq!(headers["checked"], 2);
    assert_eq!(headers["extra"]["decision"]["merge"], "eligible");
}

#[test]
fn records_of_headers_have_the_words_they_always_had() {
    let suite = library();
    let run = suite.run(&["check", "--format", "records"]);
    let lines: Vec<_> = run.stdout.lines().collect();
    let bad = "case=include/bad.hpp header=include/bad.hpp lane=standalone_tu status=pass \
               class=missing_declaration";
    assert!(lines.contains(&bad), "{lines:?}");
    let used = "case=use lane=consumer_link grader=consumer_link status=pass class=pass after=pass";
    assert!(lines.contains(&used), "{lines:?}");
}

#[test]
fn a_seed_that_shows_another_fault_is_incomplete() {
    let suite = library();
    consumer(
        &suite,
        "use.bad",
        &json!({"expect_class": "link_undefined"}),
    );
    suite.write(
        LIST,
        "include/lib.hpp # driftgate: expect not_reincludable\n",
    );
    let run = suite.report(&["check"]);
    run.assert_code(3);
    for id in ["use.bad", "include/lib.hpp"] {
        assert_eq!(run.row(id)["level"], "incomplete", "{:#}", run.row(id));
    }
}

#[test]
fn grade_runs_both_on_what_should_pass() {
    let suite = library();
    let run = suite.report(&["grade"]);
    run.assert_code(0);
    let ids: Vec<_> = run.rows().iter().map(|row| row["id"].clone()).collect();
    assert_eq!(ids, ["use", "include/lib.hpp"]);
    let told = suite.run(&["grade", "--json"]);
    let graders = told.json()["graders"].clone();
    assert_eq!(graders["consumer_link"]["class"], "pass");
    assert_eq!(graders["standalone_header"]["status"], "pass");
    assert!(
        suite
            .read(".driftgate/runs/1/grade.json")
            .contains("\"id\": \"use\"")
    );
}

#[test]
fn a_list_that_lists_nothing_is_not_green() {
    for (path, text) in [
        (LIST, "# nothing yet\n"),
        (
            "driftgate.yml",
            "standalone_header: {headers: ['include/*.hxx']}\n",
        ),
    ] {
        let suite = Suite::recorded();
        suite.write("include/lib.hpp", "");
        suite.write(path, text);
        let run = suite.report(&["check"]);
        run.assert_code(3);
        let report = run.json();
        let lane = lane(&report, "standalone_header").unwrap();
        assert_eq!(lane["rows"][0]["class"], "incomplete", "{lane:#}");
        assert!(
            lane["rows"][0]["why"]
                .as_str()
                .unwrap()
                .contains("no public header")
        );
    }
}

#[test]
fn a_header_or_a_consumer_is_picked_by_its_id() {
    let suite = library();
    for (glob, expected) in [
        ("include/lib.hpp", vec!["include/lib.hpp"]),
        ("use*", vec!["use", "use.bad"]),
    ] {
        let run = suite.report(&["check", "--case", glob]);
        run.assert_code(0);
        let ids: Vec<_> = run.rows().iter().map(|row| row["id"].clone()).collect();
        assert_eq!(ids, expected);
    }
    suite
        .run(&["check", "--case", "include/lob.hpp"])
        .assert_code(2)
        .assert_says(&["no case matches `include/lob.hpp`", "include/lib.hpp"]);
}

#[test]
fn a_checkout_without_a_compiler_is_judged_by_nobody() {
    let suite = library();
    for compiler in ["no-such-compiler", "true", "false"] {
        let mut command = suite.command(&["check", "--format", "json"]);
        command.env("CXX", compiler);
        let run = suite.finish(command);
        run.assert_code(3);
        assert!(
            run.rows().iter().all(|row| row["level"] == "incomplete"),
            "{compiler}: {}",
            run.stdout
        );
    }
}

#[test]
fn a_case_cannot_name_a_grader_of_the_tree() {
    let suite = Suite::adder();
    suite.case("add", &json!({"graders": ["consumer_link"]}));
    suite.completion("add", GOOD);
    suite
        .run(&["check"])
        .assert_code(2)
        .assert_says(&["there is no grader `consumer_link`"]);
    let suite = Suite::recorded();
    suite.write("goldens/graders/alone.yaml", "kind: standalone_header\n");
    suite.run(&["check"]).assert_code(2).assert_says(&[
        "goldens/graders/alone.yaml:1:1: kind: `standalone_header` judges the tree",
        "driftgate.yml",
    ]);
}

#[test]
fn nothing_is_written_into_the_checkout() {
    let suite = library();
    let before = suite.committed();
    suite.run(&["check"]).assert_code(0);
    assert_eq!(suite.committed(), before);
}

#[test]
fn flags_may_name_folders_of_the_checkout() {
    let suite = library();
    suite.write(
        "third/party/dep.h",
        "#define DEP 1\nint unused_parameter(int a, int b = 2);\n",
    );
    suite.write(
        "include/lib.hpp",
        "#pragma once\n#include <dep.h>\nint twice(int);\n",
    );
    suite.write(
        "driftgate.yml",
        "standalone_header: {flags: [-std=c++20, -isystem, third/party]}\n\
         consumer_link: {flags: [-std=c++20, -Ithird/party]}\n",
    );
    suite.remove("goldens/consumers/use.json");
    let run = suite.report(&["check", "--case", "include/lib.hpp"]);
    run.assert_class("include/lib.hpp", "clean", 0);
}

#[test]
fn a_header_that_fails_behind_another_one_is_found_by_the_sweep_alone() {
    let suite = library();
    // Both define the same helper behind guards of their own.
    for name in ["one", "two"] {
        let text = format!("#ifndef {name}_h\n#define {name}_h\nstruct shared {{}};\n#endif\n");
        suite.write(&format!("include/{name}.h"), text);
    }
    suite.write(LIST, "include/one.h\ninclude/two.h\ninclude/lib.hpp\n");
    let pick = ["check", "--case", "include/*"];
    suite.report(&pick).assert_code(0);
    let run = suite.report(&[pick.as_slice(), &["--pairs"]].concat());
    run.assert_code(1);
    for (id, behind) in [
        ("include/one.h", "include/two.h"),
        ("include/two.h", "include/one.h"),
    ] {
        let row = run.row(id);
        assert_eq!(row["class"], "other_compile_error", "{row:#}");
        assert_eq!(row["evidence"]["behind"], behind, "{row:#}");
    }
    assert_eq!(run.row("include/lib.hpp")["class"], "clean");
}

#[test]
fn a_prelude_among_the_flags_is_left_out_and_said() {
    let suite = library();
    suite.write("include/prelude.h", "#include <string>\n");
    suite.write(
        "driftgate.yml",
        "standalone_header: {flags: [-std=c++20, -include, prelude.h]}\n",
    );
    let run = suite.report(&["check"]);
    run.assert_class("include/bad.hpp", "missing_declaration", 0);
    let notes = run.json()["notes"].to_string();
    assert!(notes.contains("-include prelude.h"), "{notes}");
}

#[test]
fn what_the_store_knows_is_not_executed_again() {
    let suite = library();
    for executed in [true, false] {
        let run = suite.report(&["check", "--store"]);
        run.assert_code(0);
        for id in ["include/lib.hpp", "include/bad.hpp", "use", "use.bad"] {
            assert_eq!(run.row(id)["executed"], executed, "{id}");
        }
    }
}
