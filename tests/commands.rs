//! `diff`, `explain`, `schema`, `doctor` and Markdown through the real binary, on small suites.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test starts processes and fails by panicking"
)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

const FIXTURE: &str =
    "#include <stdio.h>\nint answer();\nint main() { printf(\"%d\\n\", answer()); }\n";
const GOOD: &str = "int answer() { return 42; }\n";

/// A suite with the case `add`, in a folder of its own with its own temporary folder.
struct Suite(TempDir);

/// What a run printed, and its exit code.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    #[track_caller]
    fn assert_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl Suite {
    fn empty() -> Self {
        let suite = Self(tempfile::tempdir().unwrap());
        fs::create_dir(suite.0.path().join("tmp")).unwrap();
        suite.write("driftgate.yml", "");
        suite
    }

    /// With a recorded completion that passes.
    fn recorded() -> Self {
        let suite = Self::empty();
        suite.write("goldens/fixtures/f.cpp", FIXTURE);
        suite.write("goldens/prompts/p.md", "Answer with 42.\n");
        suite.case("42\n");
        suite.record(GOOD);
        suite
    }

    fn case(&self, stdout: &str) {
        let case = json!({
            "id": "add", "prompt_file": "prompts/p.md", "fixture": "fixtures/f.cpp",
            "compile_flags": ["-Wall"], "expect": {"stdout": stdout},
        });
        self.write("goldens/cases/add.json", &case.to_string());
    }

    fn record(&self, completion: &str) {
        self.write("completions/add.txt", completion);
        let folder = self.root().join("completions");
        self.run(&["record", "--from", folder.to_str().unwrap()]);
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "g++")
    }

    fn run_with(&self, args: &[&str], compiler: &str) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_driftgate"))
            .args(args)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", self.0.path().join("tmp"))
            .env("CXX", compiler)
            .current_dir(self.root())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Replays into a report file of this name, whatever the outcome.
    fn report(&self, name: &str) -> Value {
        self.run(&["replay", "--report", name]);
        serde_json::from_str(&fs::read_to_string(self.root().join(name)).unwrap()).unwrap()
    }
}

fn class_of(run: &Run) -> String {
    let class = &run.json()["experiments"][0]["rows"][0]["class"];
    class.as_str().unwrap().to_owned()
}

#[test]
fn two_reports_of_one_tree_differ_in_nothing() {
    let suite = Suite::recorded();
    suite.report("a.json");
    suite.report("b.json");
    let run = suite.run(&["diff", "a.json", "b.json", "--format", "json"]);
    assert_eq!(class_of(&run.assert_code(0)), "STABLE");
}

#[test]
fn a_difference_is_attributed_to_the_input_that_moved() {
    let suite = Suite::recorded();
    let before = suite.report("a.json");
    // Another grader: only blanks at the end still count as a difference.
    suite.write(
        "goldens/cases/add.json",
        &fs::read_to_string(suite.root().join("goldens/cases/add.json")).unwrap(),
    );
    suite.write(
        "goldens/graders/io_match.yaml",
        "kind: io_match\ntrim: all\n",
    );
    suite.report("grader.json");
    let run = suite
        .run(&["diff", "a.json", "grader.json", "--format", "json"])
        .assert_code(0);
    assert_eq!(class_of(&run), "STABLE");
    assert_eq!(
        run.json()["experiments"][0]["rows"][0]["moved"],
        json!(["grader"])
    );
    fs::remove_file(suite.root().join("goldens/graders/io_match.yaml")).unwrap();

    suite.record("int answer() { return 41; }\n");
    suite.report("model.json");
    let run = suite
        .run(&["diff", "a.json", "model.json", "--format", "json"])
        .assert_code(0);
    assert_eq!(class_of(&run), "MODEL_DRIFT");
    assert_eq!(run.json()["toolchain"], before["toolchain"]);

    suite.case("41\n");
    suite.report("case.json");
    let run = suite
        .run(&["diff", "model.json", "case.json", "--format", "json"])
        .assert_code(0);
    assert_eq!(class_of(&run), "CASE_DRIFT");
}

#[test]
fn a_grader_that_judges_otherwise_fails_the_build() {
    let suite = Suite::recorded();
    suite.record("int answer() { return 42; } \n#include <cstdio>\nstruct P { ~P() { std::printf(\" \"); } } p;\n");
    suite.report("strict.json");
    suite.write(
        "goldens/graders/io_match.yaml",
        "kind: io_match\ntrim: all\n",
    );
    suite.report("lenient.json");
    let run = suite
        .run(&["diff", "strict.json", "lenient.json", "--format", "json"])
        .assert_code(1);
    assert_eq!(class_of(&run), "GRADER_DRIFT");
    assert_eq!(run.json()["command"], "diff");
}

#[test]
fn grader_rows_are_compared_too() {
    let suite = Suite::recorded();
    suite.run(&["grade", "--report", "a.json"]);
    suite.write("goldens/prompts/p.md", "Answer with 43.\n");
    suite.run(&["grade", "--report", "b.json"]);
    let run = suite
        .run(&["diff", "a.json", "b.json", "--format", "json"])
        .assert_code(0);
    assert_eq!(class_of(&run), "CASE_DRIFT");
    let lane = &run.json()["experiments"][0]["rows"][0]["evidence"]["lane"];
    assert_eq!(lane, "io_match");
}

#[test]
fn fail_on_raises_what_it_names_also_from_the_configuration() {
    let suite = Suite::recorded();
    suite.report("a.json");
    suite.write("goldens/prompts/p.md", "Answer with 43.\n");
    suite.report("b.json");
    suite.run(&["diff", "a.json", "b.json"]).assert_code(0);
    suite
        .run(&["diff", "a.json", "b.json", "--fail-on", "CASE_DRIFT"])
        .assert_code(1);
    suite
        .run(&["diff", "a.json", "b.json", "--fail-on", "diff/CASE_DRIFT"])
        .assert_code(1);
    suite
        .run(&["diff", "a.json", "b.json", "--fail-on", "replay/CASE_DRIFT"])
        .assert_code(0);
    suite
        .run(&["diff", "a.json", "b.json", "--fail-on", "CASE_DRFT"])
        .assert_code(2);
    suite.write("driftgate.yml", "fail_on: [CASE_DRIFT]\n");
    suite.run(&["diff", "a.json", "b.json"]).assert_code(1);
}

#[test]
fn diff_needs_neither_suite_nor_compiler_and_leaves_nothing() {
    let suite = Suite::recorded();
    suite.report("a.json");
    let elsewhere = Suite::empty();
    let report = suite.root().join("a.json");
    let report = report.to_str().unwrap();
    elsewhere
        .run_with(
            &["diff", report, report, "--report", "d.json"],
            "no-such-compiler",
        )
        .assert_code(0);
    let names: Vec<_> = fs::read_dir(elsewhere.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    // Its own report is one, too.
    elsewhere.run(&["diff", "d.json", "d.json"]).assert_code(0);
}

#[test]
fn what_is_no_report_is_refused_with_its_name() {
    let suite = Suite::recorded();
    let mut report = suite.report("a.json");
    for (text, word) in [
        (String::new(), "empty"),
        ("[1]".to_owned(), "bad.json"),
        (
            "{\"schema\": \"driftgate/report/2\"}".to_owned(),
            "driftgate/report/1",
        ),
        (
            fs::read_to_string(suite.root().join("driftgate.yml")).unwrap(),
            "empty",
        ),
    ] {
        suite.write("bad.json", &text);
        let run = suite.run(&["diff", "bad.json", "none.json"]).assert_code(2);
        for word in [word, "bad.json", "none.json"] {
            assert!(run.stderr.contains(word), "{word}: {}", run.stderr);
        }
        assert_eq!(run.stdout, "");
    }
    report["experiments"][0]["rows"][0]["level"] = json!("fail");
    suite.write("edited.json", &report.to_string());
    let run = suite.run(&["diff", "a.json", "edited.json"]).assert_code(2);
    assert!(
        run.stderr.contains("edited.json: experiments[0].outcome"),
        "{}",
        run.stderr
    );
}

#[test]
fn markdown_lists_what_is_not_ok_with_its_evidence() {
    let suite = Suite::recorded();
    let run = suite.run(&["check", "--format", "markdown"]).assert_code(0);
    assert!(
        run.stdout
            .starts_with("## \u{2705} driftgate check: pass\n"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("| Level |"), "{}", run.stdout);
    let wrong = suite.root().join("wrong.txt");
    fs::write(&wrong, "int answer() { return 41; }\n").unwrap();
    let wrong = wrong.to_str().unwrap();
    let args = [
        "grade",
        "--case",
        "add",
        "--candidate",
        wrong,
        "--format",
        "markdown",
    ];
    let run = suite.run(&args).assert_code(1);
    for part in [
        "## \u{274c} driftgate grade: fail",
        "| **fail** | `stdout_differs` | `add` by `io_match` | fail |",
        "<details>",
        "```diff\n-42\n+41\n```",
        "driftgate grade --case add",
    ] {
        assert!(run.stdout.contains(part), "{part} not in\n{}", run.stdout);
    }
}

#[test]
fn explain_knows_every_class_in_any_case_of_letters() {
    let suite = Suite::empty();
    for name in ["GRADER_DRIFT", "grader_drift", "Replay/Grader_Drift"] {
        let run = suite.run(&["explain", name]).assert_code(0);
        for word in ["GRADER_DRIFT", "level    fail", "meaning  ", "next     "] {
            assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
        }
    }
    let all = suite
        .run(&["explain", "--format", "json"])
        .assert_code(0)
        .json();
    let all = all["classes"].as_array().unwrap().clone();
    assert!(all.len() > 20);
    for class in all {
        let name = format!(
            "{}/{}",
            class["owner"].as_str().unwrap(),
            class["class"].as_str().unwrap()
        );
        let one = suite
            .run(&["explain", &name, "--format", "json"])
            .assert_code(0)
            .json();
        assert_eq!(one["classes"], json!([class]));
    }
    let list = suite.run(&["explain"]).assert_code(0).stdout;
    assert!(
        list.contains("io_match\n") && list.contains("stdout_differs"),
        "{list}"
    );
}

#[test]
fn an_unknown_class_is_told_the_nearest_one() {
    let suite = Suite::empty();
    let run = suite.run(&["explain", "GRADR_DRIFT"]).assert_code(2);
    assert!(
        run.stderr.contains("The nearest is `GRADER_DRIFT`"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "");
    suite
        .run(&["explain", "NEW", "--format", "records"])
        .assert_code(2);
    suite
        .run(&["explain", "NEW", "--report", "r.json"])
        .assert_code(2);
}

#[test]
fn schema_prints_one_document_and_refuses_other_names() {
    let suite = Suite::empty();
    for name in [
        "config",
        "case",
        "cassette",
        "grader",
        "quarantine",
        "report",
    ] {
        let schema = suite.run(&["schema", name]).assert_code(0).json();
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
    }
    let run = suite.run(&["schema", "cofnig"]).assert_code(2);
    for word in ["did you mean `config`?", "cassette", "report"] {
        assert!(run.stderr.contains(word), "{}", run.stderr);
    }
}

#[test]
fn doctor_says_what_the_machine_can_do() {
    let suite = Suite::recorded();
    let run = suite.run(&["doctor"]).assert_code(0);
    for word in [
        "identity",
        "sandbox",
        "kernel",
        "temp",
        "cores",
        "1 case, 1 recorded",
        "PASS",
    ] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    let seen = suite
        .run(&["doctor", "--format", "json"])
        .assert_code(0)
        .json();
    assert_eq!(seen["can_check"], json!(true));
    assert_eq!(seen["suite"]["contents"]["cases"], json!(1));
    let report = suite.report("a.json");
    assert_eq!(seen["compiler"]["hash"], report["toolchain"]["hash"]);
}

#[test]
fn doctor_without_a_compiler_says_why_and_is_no_pass() {
    let suite = Suite::empty();
    let run = suite
        .run_with(&["doctor"], "no-such-compiler")
        .assert_code(3);
    assert!(
        run.stdout
            .contains("`no-such-compiler` is not a program here"),
        "{}",
        run.stdout
    );
    let seen = suite
        .run_with(&["doctor", "--format", "json"], "no-such-compiler")
        .assert_code(3);
    assert_eq!(seen.json()["can_check"], json!(false));
}

#[test]
fn doctor_names_the_faults_of_a_suite_and_judges_the_machine_alone() {
    let suite = Suite::empty();
    suite.write("driftgate.yml", "repeat: {k: 0}\nshuffle: {budget: 0}\n");
    let run = suite.run(&["doctor"]).assert_code(0);
    assert!(
        run.stdout.contains("2 faults; the first: driftgate.yml:1"),
        "{}",
        run.stdout
    );
}
