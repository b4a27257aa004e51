//! What the machine brings: headers outside the suite, and the work that a run costs.

use std::fs;

use serde_json::{Value, json};

use super::repo::{GRADER, Repo, words};
use super::suite::{Run, Suite};

const NUMBER: &str = "#define NUMBER 42\n";

/// A suite whose fixture prints what `<number.h>` says. The header lies outside the suite; the
/// case finds it with `flags`.
fn reading_a_header(flags: impl Fn(&Suite) -> Value) -> Suite {
    let suite = Suite::adder();
    let headers = suite.home().join("headers");
    fs::create_dir(&headers).unwrap();
    let granted = format!("sandbox: {{read: ['{}']}}\n", headers.display());
    suite.write("driftgate.yml", granted);
    suite.write(
        "goldens/fixtures/f.cpp",
        "#include <stdio.h>\n#include <number.h>\nint answer();\nint main() { printf(\"%d\\n\", NUMBER - 42 + answer()); }\n",
    );
    suite.case("add", &json!({"compile_flags": flags(&suite)}));
    suite.completion("add", super::suite::GOOD);
    suite
}

fn write_header(suite: &Suite, text: &str) {
    fs::write(suite.home().join("headers/number.h"), text).unwrap();
}

fn isystem(suite: &Suite) -> String {
    suite.home().join("headers").display().to_string()
}

/// The header says something else than when it was recorded.
fn assert_toolchain_drift(run: &Run) {
    let row = run.assert_class("add", "TOOLCHAIN_DRIFT", 0);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("pass"), &json!("fail"))
    );
    assert_eq!(row["level"], "review");
    assert!(words(&row, "moved").contains(&"system"), "{row:#}");
}

#[test]
fn a_header_outside_the_suite_is_the_toolchains() {
    let suite = reading_a_header(|suite| json!(["-isystem", isystem(suite)]));
    write_header(&suite, NUMBER);
    suite.record();
    let repo = Repo::of(suite);
    repo.commit("base");
    repo.branch();
    let row = repo.check().assert_class("add", "STABLE", 0);
    assert_eq!(words(&row, "moved").len(), 0);
    write_header(&repo.suite, "#define NUMBER 43\n");
    assert_toolchain_drift(&repo.check());
    assert_toolchain_drift(&repo.suite.report(&["check"]));
    // The new verdict can be accepted, like any that was reviewed.
    repo.accept("the header was wrong");
    let row = repo.check().assert_class("add", "TOOLCHAIN_DRIFT", 0);
    assert_eq!(row["explained"], true);
    // Another header and the same verdict is no drift.
    repo.branch();
    write_header(&repo.suite, "#define NUMBER (40 + 2)\n");
    let row = repo.check().assert_class("add", "STABLE", 0);
    assert_eq!(words(&row, "moved"), ["system"]);
}

#[test]
fn a_header_that_the_compiler_finds_by_itself_is_the_toolchains_too() {
    let suite = reading_a_header(|_| json!([]));
    write_header(&suite, NUMBER);
    let wrapper = suite.script(
        "c++",
        &format!("exec g++ -isystem '{}' \"$@\"", isystem(&suite)),
    );
    let run = |repo: &Repo, args: &[&str]| {
        let mut command = repo.suite.command(&[args, &["--format", "json"]].concat());
        command.env("CXX", &wrapper);
        repo.suite.finish(command)
    };
    let repo = Repo::of(suite);
    let folder = repo.suite.home().join("completions").display().to_string();
    run(&repo, &["record", "--from", &folder]).assert_code(0);
    repo.commit("base");
    repo.branch();
    run(&repo, &["check", "--base", "main"]).assert_class("add", "STABLE", 0);
    write_header(&repo.suite, "#define NUMBER 43\n");
    assert_toolchain_drift(&run(&repo, &["check", "--base", "main"]));
    // A grader edit beside it is named for what it does, which is nothing.
    repo.suite.write(GRADER, "kind: io_match\ntrim: all\n");
    let row = run(&repo, &["check", "--base", "main"]).assert_class("add", "TOOLCHAIN_DRIFT", 0);
    assert!(words(&row, "moved").contains(&"grader"), "{row:#}");
}

#[test]
fn a_header_that_was_missing_when_recorded_makes_the_verdict_new() {
    let suite = reading_a_header(|suite| json!(["-isystem", isystem(suite)]));
    suite.record();
    assert_eq!(
        suite.cassette("add")["verdicts"]["io_match"],
        json!({"status": "unjudged", "class": "environment"})
    );
    let repo = Repo::of(suite);
    repo.commit("base");
    repo.branch();
    repo.check().assert_class("add", "UNJUDGED", 3);
    write_header(&repo.suite, NUMBER);
    let row = repo.check().assert_class("add", "NEW", 0);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("unjudged"), &json!("pass"))
    );
}

/// A compiler that notes every unit it compiles, and how many it noted so far.
struct Counted {
    repo: Repo,
    wrapper: String,
}

impl Counted {
    fn new() -> Self {
        let repo = Repo::new();
        repo.suite.unconfine();
        let log = repo.suite.home().join("log");
        let body = format!(
            "case \" $* \" in *\" candidate.cpp \"*) echo \"$*\" >> '{}';; esac\nexec g++ \"$@\"",
            log.display()
        );
        let wrapper = repo.suite.script("counting", &body);
        let counted = Self { repo, wrapper };
        // Fills the store.
        counted.check().assert_code(0);
        assert_eq!(counted.compiled(), 2);
        counted
    }

    /// Checks with a store.
    fn check(&self) -> Run {
        self.repo.commit("work");
        let args = ["check", "--base", "main", "--store", "--format", "json"];
        let mut command = self.repo.suite.command(&args);
        command.env("CXX", &self.wrapper);
        self.repo.suite.finish(command)
    }

    /// How many units were compiled since the last time.
    fn compiled(&self) -> usize {
        let log = self.repo.suite.home().join("log");
        let text = fs::read_to_string(&log).unwrap_or_default();
        fs::write(log, "").unwrap();
        text.lines().count()
    }
}

#[test]
fn with_a_store_only_what_moved_is_compiled_and_run() {
    let counted = Counted::new();
    let executed = |run: &Run, id: &str| run.row(id)["executed"].clone();
    let run = counted.check();
    assert_eq!(counted.compiled(), 0);
    assert_eq!(
        (executed(&run, "plain"), executed(&run, "blank")),
        (json!(false), json!(false))
    );

    counted.repo.edit_grader();
    let run = counted.check();
    run.assert_class("blank", "GRADER_DRIFT", 1);
    assert_eq!(counted.compiled(), 0);
    assert_eq!(
        (executed(&run, "plain"), executed(&run, "blank")),
        (json!(false), json!(false))
    );

    counted.repo.branch();
    counted
        .repo
        .edit("goldens/fixtures/b.cpp", "#include", "// edited\n#include");
    let run = counted.check();
    run.assert_class("blank", "CASE_DRIFT", 0);
    assert_eq!(counted.compiled(), 1);
    assert_eq!(
        (executed(&run, "plain"), executed(&run, "blank")),
        (json!(false), json!(true))
    );
}

#[test]
fn without_a_store_stops_with_the_same_inputs_are_compiled_once() {
    let counted = Counted::new();
    let check = || {
        counted.repo.commit("work");
        let mut command = counted
            .repo
            .suite
            .command(&["check", "--base", "main", "--format", "json"]);
        command.env("CXX", &counted.wrapper);
        counted.repo.suite.finish(command)
    };
    check().assert_code(0);
    assert_eq!(counted.compiled(), 2);
    counted.repo.edit_grader();
    check().assert_code(1);
    assert_eq!(counted.compiled(), 2);
}
