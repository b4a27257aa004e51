//! What moved, told from a cassette alone.

use serde_json::{Value, json};

use super::suite::{GOOD, Suite, WRONG};

fn moved(row: &Value) -> Vec<&str> {
    let moved = row["moved"].as_array().unwrap();
    moved.iter().map(|input| input.as_str().unwrap()).collect()
}

#[test]
fn nothing_moved_is_stable() {
    let suite = Suite::recorded();
    let before = suite.committed();
    let row = suite.report(&["check"]).assert_class("add", "STABLE", 0);
    assert_eq!(moved(&row), [""; 0]);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("pass"), &json!("pass"))
    );
    assert!(suite.committed() == before, "a file changed");
}

#[test]
fn a_recorded_failure_that_stays_one_is_stable() {
    let suite = Suite::adder();
    suite.completion("add", WRONG);
    suite.record();
    let row = suite.report(&["check"]).assert_class("add", "STABLE", 0);
    assert_eq!(row["after"], "fail");
}

#[test]
fn an_edited_output_is_tampering() {
    let suite = Suite::recorded();
    suite.write("goldens/cassettes/add.out", format!("{GOOD}\n"));
    let row = suite.report(&["check"]).assert_class("add", "TAMPERED", 1);
    assert_eq!(row["at"]["path"], "goldens/cassettes/add.json");
    assert!(row["next"].as_str().unwrap().contains("Restore"), "{row:#}");
}

#[test]
fn a_status_that_contradicts_its_class_is_tampering() {
    for (recorded, verdict) in [
        (GOOD, json!({"status": "fail", "class": "match"})),
        (WRONG, json!({"status": "pass", "class": "stdout_differs"})),
        (WRONG, json!({"status": "pass", "class": "nonsense"})),
    ] {
        let suite = Suite::adder();
        suite.completion("add", recorded);
        suite.record();
        let mut cassette = suite.cassette("add");
        cassette["verdicts"]["io_match"] = verdict;
        suite.write("goldens/cassettes/add.json", format!("{cassette:#}\n"));
        suite.report(&["check"]).assert_class("add", "TAMPERED", 1);
    }
}

#[test]
fn an_edited_fixture_is_case_drift_and_fails_only_if_asked_to() {
    let suite = Suite::recorded();
    let fixture = suite.read("goldens/fixtures/f.cpp");
    suite.write("goldens/fixtures/f.cpp", format!("// edited\n{fixture}"));
    let row = suite
        .report(&["check"])
        .assert_class("add", "CASE_DRIFT", 0);
    assert_eq!(row["level"], "review");
    assert_eq!(moved(&row), ["case"]);
    let run = suite.report(&["check", "--fail-on", "CASE_DRIFT"]);
    let row = run.assert_class("add", "CASE_DRIFT", 1);
    assert_eq!(row["level"], "fail");
    suite.write("driftgate.yml", "fail_on: [replay/CASE_DRIFT]\n");
    suite
        .report(&["check"])
        .assert_class("add", "CASE_DRIFT", 1);
}

#[test]
fn each_part_of_a_case_is_part_of_its_drift() {
    let suite = Suite::recorded();
    let is_case_drift = |what: &str| {
        let row = suite
            .report(&["check"])
            .assert_class("add", "CASE_DRIFT", 0);
        assert!(moved(&row).contains(&"case"), "{what}: {row:#}");
    };
    for changes in [
        json!({"expect": {"stdout": "43\n"}}),
        json!({"stdin": "x"}),
        json!({"args": ["x"]}),
        json!({"timeout_s": 11}),
        json!({"compile_flags": ["-Wall", "-Werror", "-O1"]}),
    ] {
        suite.case("add", &changes);
        is_case_drift(&changes.to_string());
    }
    suite.case("add", &json!({}));
    suite.write("goldens/prompts/p.md", "Answer with 43.\n");
    is_case_drift("prompt");
}

#[test]
fn reformatted_and_reordered_json_is_no_drift() {
    let suite = Suite::recorded();
    suite.write(
        "goldens/cases/add.json",
        "{\"expect\": {\"stdout\":\"4\\u0032\\n\",\r\n\"exit_code\":0},\"fixture\":\"fixtures/f.cpp\",\n\
         \"compile_flags\":[ \"-Wall\",\"-Werror\" ],\"prompt_file\":\"prompts/p.md\",\"id\":\"add\",\"stdin\":\"\"}",
    );
    let row = suite.report(&["check"]).assert_class("add", "STABLE", 0);
    assert_eq!(moved(&row), [""; 0]);
}

#[test]
fn a_grader_file_that_spells_out_the_defaults_moves_nothing() {
    let suite = Suite::recorded();
    suite.write(
        "goldens/graders/io_match.yaml",
        "kind: io_match\ntrim: none\nnewlines: exact\nstdout: exact\n",
    );
    let row = suite.report(&["check"]).assert_class("add", "STABLE", 0);
    assert_eq!(moved(&row), [""; 0]);
}

#[test]
fn a_grader_that_flips_a_verdict_is_told_from_one_that_flips_none() {
    let suite = Suite::recorded();
    suite.case("blank", &json!({"expect": {"stdout": "42 \n"}}));
    suite.completion("blank", GOOD);
    suite.record();
    suite.write(
        "goldens/graders/io_match.yaml",
        "kind: io_match\ntrim: trailing\n",
    );
    let run = suite.report(&["check"]);
    let row = run.assert_class("blank", "GRADER_DRIFT", 1);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("fail"), &json!("pass"))
    );
    assert_eq!(moved(&row), ["grader"]);
    assert_eq!(row["at"]["path"], "goldens/graders/io_match.yaml");
    let row = run.assert_class("add", "STABLE", 1);
    assert_eq!(moved(&row), ["grader"]);
}

#[test]
fn a_verdict_that_hangs_on_an_address_is_nondeterministic_at_least_once_in_twenty() {
    let suite = Suite::program("");
    suite.completion(
        "c",
        "#include <stdio.h>\n#include <stdint.h>\nint main() { int x = 0; puts(\"ok\"); return ((uintptr_t)&x >> 12) & 1; }\n",
    );
    suite.record();
    let mut flips = 0;
    for replay in 0..20 {
        if flips > 0 && replay > 3 {
            break;
        }
        let run = suite.report(&["replay"]);
        match run.row("c")["class"].as_str().unwrap() {
            "STABLE" => run.assert_code(0),
            "NONDETERMINISTIC" => {
                flips += 1;
                run.assert_code(1)
            }
            other => panic!("{other}: {}", run.stdout),
        };
    }
    assert!(flips > 0, "an address bit was the same twenty times");
}

#[test]
fn another_compiler_with_the_same_verdict_is_stable_and_said() {
    let clang = std::path::Path::new("/usr/bin/clang++");
    assert!(
        clang.exists(),
        "this test needs clang++: install the package `clang`"
    );
    let suite = Suite::recorded();
    let mut command = suite.command(&["check", "--format", "json"]);
    command.env("CXX", clang);
    let run = suite.finish(command);
    let row = run.assert_class("add", "STABLE", 0);
    assert!(moved(&row).contains(&"toolchain"), "{row:#}");
    assert!(!moved(&row).contains(&"case"), "{row:#}");
    let notes = run.json()["notes"].to_string();
    assert!(notes.contains("toolchain"), "{notes}");
}

#[test]
fn another_compiler_with_another_verdict_is_toolchain_drift() {
    let clang = std::path::Path::new("/usr/bin/clang++");
    assert!(
        clang.exists(),
        "this test needs clang++: install the package `clang`"
    );
    let suite = Suite::adder();
    suite.completion(
        "add",
        "#ifdef __clang__\nint answer() { return 41; }\n#else\nint answer() { return 42; }\n#endif\n",
    );
    let folder = suite.home().join("completions");
    let mut command = suite.command(&["record", "--from", folder.to_str().unwrap()]);
    command.env("CXX", "g++");
    suite.finish(command).assert_code(0);
    let mut command = suite.command(&["check", "--format", "json"]);
    command.env("CXX", clang);
    let row = suite
        .finish(command)
        .assert_class("add", "TOOLCHAIN_DRIFT", 0);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("pass"), &json!("fail"))
    );
    assert_eq!(row["level"], "review");
}

#[test]
fn a_case_without_a_recording_is_unjudged_and_says_to_record() {
    let suite = Suite::recorded();
    suite.case("new", &json!({}));
    let run = suite.report(&["check"]);
    let row = run.assert_class("new", "UNJUDGED", 3);
    assert!(
        row["next"].as_str().unwrap().contains("driftgate record"),
        "{row:#}"
    );
    assert_eq!(run.row("add")["class"], "STABLE");
}

#[test]
fn recording_the_same_bytes_twice_leaves_every_byte_alone() {
    let suite = Suite::recorded();
    let before = suite.committed();
    let folder = suite.home().join("completions").display().to_string();
    let run = suite.report(&["record", "--from", &folder]);
    let row = run.assert_class("add", "UNCHANGED", 0);
    assert!(row["why"].as_str().unwrap().contains("accept"), "{row:#}");
    assert!(suite.committed() == before, "a file changed");
}

#[test]
fn recording_other_bytes_rewrites_the_cassette() {
    let suite = Suite::recorded();
    suite.completion("add", WRONG);
    suite.record();
    assert_eq!(suite.read("goldens/cassettes/add.out"), WRONG);
    let cassette = suite.cassette("add");
    assert_eq!(
        cassette["verdicts"]["io_match"],
        json!({"status": "fail", "class": "stdout_differs"})
    );
    suite.report(&["check"]).assert_class("add", "STABLE", 0);
}

#[test]
fn a_recorded_unjudged_verdict_is_no_baseline() {
    let suite = Suite::recorded();
    let mut cassette = suite.cassette("add");
    cassette["verdicts"]["io_match"] = json!({"status": "unjudged", "class": "machine"});
    suite.write("goldens/cassettes/add.json", format!("{cassette:#}\n"));
    let row = suite.report(&["check"]).assert_class("add", "NEW", 0);
    assert_eq!(row["before"], "unjudged");
}

#[test]
fn grade_takes_what_was_recorded_as_a_pass() {
    let suite = Suite::recorded();
    suite.case("bad", &json!({}));
    suite.completion("bad", WRONG);
    suite.record();
    let run = suite.report(&["grade"]);
    run.assert_class("add", "match", 0);
    assert_eq!(run.rows().len(), 1);
    suite.write(
        "goldens/fixtures/f.cpp",
        "int answer();\nint main() { return answer(); }\n",
    );
    suite
        .report(&["grade"])
        .assert_class("add", "exit_differs", 1);
}
