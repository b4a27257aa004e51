//! What a run prints and writes.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use super::suite::{GOOD, Suite, WRONG};

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// One row that is stable, one that is unjudged, one that drifted.
fn mixed() -> Suite {
    let suite = Suite::recorded();
    suite.case("blank", &json!({"expect": {"stdout": "42 \n"}}));
    suite.completion("blank", GOOD);
    suite.case("wrong/one", &json!({}));
    fs::create_dir_all(suite.home().join("completions/wrong")).unwrap();
    suite.completion("wrong/one", WRONG);
    suite.record();
    suite.case("new", &json!({}));
    suite.write(
        "goldens/graders/io_match.yaml",
        "kind: io_match\ntrim: trailing\n",
    );
    suite
}

#[test]
fn two_runs_report_the_same_but_for_the_seconds() {
    let suite = mixed();
    let report = || {
        let mut report = suite.report(&["check"]).json();
        for row in report["experiments"][0]["rows"].as_array_mut().unwrap() {
            assert!(row["seconds"].is_number());
            row["seconds"] = Value::Null;
        }
        report
    };
    assert_eq!(report(), report());
}

#[test]
fn the_records_are_one_greppable_line_a_row() {
    let suite = mixed();
    let run = suite.run(&["check", "--format", "records"]);
    run.assert_code(1);
    let expected = "\
case=add lane=replay grader=io_match status=pass class=STABLE before=pass after=pass
case=blank lane=replay grader=io_match status=fail class=GRADER_DRIFT before=fail after=pass
case=new lane=replay grader=io_match status=unjudged class=UNJUDGED
case=wrong/one lane=replay grader=io_match status=pass class=STABLE before=fail after=fail
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn the_printed_report_is_the_written_one() {
    let suite = mixed();
    let path = suite.home().join("report.json");
    let run = suite.report(&["check", "--report", path.to_str().unwrap()]);
    run.assert_code(1);
    assert_eq!(fs::read_to_string(path).unwrap(), run.stdout);
}

#[test]
fn a_report_is_written_for_pass_fail_and_incomplete_and_kept_on_errors() {
    for (suite, code, outcome) in [
        (Suite::recorded(), 0, "pass"),
        (mixed(), 1, "fail"),
        (Suite::adder(), 3, "incomplete"),
    ] {
        let path = suite.home().join("report.json");
        let args = ["check", "--report", path.to_str().unwrap()];
        suite.run(&args).assert_code(code);
        let bytes = fs::read(&path).unwrap();
        let report: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(report["outcome"], outcome);
        suite.write("driftgate.yml", "nonsense: 1\n");
        suite.run(&args).assert_code(2);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn the_report_has_the_keys_of_the_contract_and_notes() {
    let report = mixed().report(&["check"]).json();
    let set = |keys: &[&'static str]| keys.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(
        keys(&report),
        set(&[
            "schema",
            "driftgate",
            "command",
            "outcome",
            "base",
            "head",
            "toolchain",
            "sandbox",
            "experiments",
            "notes",
        ])
    );
    assert_eq!(report["schema"], "driftgate/report/1");
    assert_eq!(keys(&report["toolchain"]), set(&["version", "hash"]));
    assert_eq!(keys(&report["sandbox"]), set(&["level", "why"]));
    let lane = &report["experiments"][0];
    assert_eq!(
        keys(lane),
        set(&["name", "outcome", "checked", "summary", "rows", "extra"])
    );
    assert_eq!(lane["checked"], 4);
    assert_eq!(
        lane["summary"],
        json!({"GRADER_DRIFT": 1, "STABLE": 2, "UNJUDGED": 1})
    );
    for row in lane["rows"].as_array().unwrap() {
        assert_eq!(
            keys(row),
            set(&[
                "id",
                "grader",
                "class",
                "level",
                "before",
                "after",
                "moved",
                "also",
                "path",
                "hashes",
                "explained",
                "inherited",
                "quarantined",
                "executed",
                "seconds",
                "at",
                "why",
                "next",
                "repro",
                "evidence",
            ])
        );
        for step in row["path"].as_array().unwrap() {
            assert_eq!(keys(step), set(&["axis", "status", "class"]));
        }
    }
}

#[test]
fn colour_is_never_written_where_nobody_asked_for_it() {
    let suite = Suite::recorded();
    let escapes = |args: &[&str], no_color: Option<&str>| {
        let mut command = suite.command(args);
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        let run = suite.finish(command);
        run.assert_code(0);
        assert!(!run.stderr.contains('\x1b'), "{:?}", run.stderr);
        run.stdout.contains('\x1b')
    };
    assert!(!escapes(&["check"], None), "a file is no terminal");
    assert!(!escapes(&["check"], Some("1")));
    assert!(!escapes(&["check", "--color", "never"], None));
    assert!(escapes(&["check", "--color", "always"], None));
    // What is typed counts more than what the environment wishes.
    assert!(escapes(&["check", "--color", "always"], Some("1")));
    assert!(!escapes(
        &["check", "--color", "always", "--format", "json"],
        None
    ));
}

#[test]
fn the_table_lists_failures_first_with_what_to_do() {
    let run = mixed().run(&["check"]);
    run.assert_code(1);
    let place = |text: &str| {
        run.stdout
            .find(text)
            .unwrap_or_else(|| panic!("no {text}\n{}", run.stdout))
    };
    let (fail, unjudged) = (place("GRADER_DRIFT  blank"), place("UNJUDGED      new"));
    assert!(
        fail < unjudged && unjudged < place("STABLE        add"),
        "{}",
        run.stdout
    );
    place("at    goldens/graders/io_match.yaml:1");
    place("next  ");
    place("FAIL: 1 fail, 1 incomplete, 2 ok");
}

#[test]
fn quiet_leaves_standard_error_empty_and_the_result_alone() {
    let suite = Suite::recorded();
    let loud = suite.run(&["check"]);
    let quiet = suite.run(&["check", "--quiet"]);
    assert_eq!(quiet.stderr, "");
    assert_eq!(quiet.stdout, loud.stdout);
}

#[test]
fn every_run_adds_a_line_to_the_ledger_and_mends_the_one_a_crash_tore() {
    const LEDGER: &str = ".driftgate/ledger/runs.jsonl";
    let suite = mixed();
    let lines = || -> Vec<Value> {
        let text = suite.read(LEDGER);
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    };
    suite.run(&["check"]).assert_code(1);
    suite.run(&["replay", "--case", "add"]).assert_code(0);
    let told: Vec<_> = lines()
        .iter()
        .map(|line| (line["outcome"].clone(), line["checked"].clone()))
        .collect();
    assert_eq!(told, [(json!("fail"), json!(4)), (json!("pass"), json!(1))]);
    assert_eq!(lines()[0]["lanes"]["replay"]["GRADER_DRIFT"], 1);
    assert_eq!(lines()[1]["selected"], true);

    let whole = suite.read(LEDGER);
    suite.write(LEDGER, &whole[..whole.len() - 20]);
    let run = suite.run(&["replay", "--case", "add"]);
    run.assert_code(0).assert_says(&["torn line"]);
    assert_eq!(lines().len(), 2);

    // It is none of the verdict's business.
    suite.remove(LEDGER);
    fs::create_dir(suite.root().join(LEDGER)).unwrap();
    let run = suite.run(&["replay", "--case", "add"]);
    run.assert_code(0)
        .assert_says(&["the ledger is not written"]);
}

#[test]
fn grade_prints_one_verdict_a_grader_for_other_programs() {
    let suite = Suite::adder();
    for (completion, status, class, code) in [
        (GOOD, "pass", "match", 0),
        (WRONG, "fail", "stdout_differs", 1),
        ("#error no\n", "fail", "compile_error", 1),
    ] {
        suite.completion("add", completion);
        let path = suite.completion_path("add").display().to_string();
        let run = suite.run(&["grade", "--json", "--case", "add", "--candidate", &path]);
        run.assert_code(code);
        let printed = run.json();
        assert_eq!(keys(&printed), BTreeSet::from(["graders"]));
        let verdict = &printed["graders"]["io_match"];
        assert_eq!(keys(verdict), BTreeSet::from(["class", "detail", "status"]));
        assert_eq!(
            (&verdict["status"], &verdict["class"]),
            (&json!(status), &json!(class))
        );
    }
}

#[test]
fn a_reader_that_leaves_early_does_not_change_the_exit_code() {
    for (suite, code) in [(Suite::recorded(), 0), (mixed(), 1)] {
        for format in ["text", "json"] {
            let mut command = suite.command(&["check", "--format", format]);
            let mut child = command
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            drop(child.stdout.take());
            assert_eq!(child.wait().unwrap().code(), Some(code), "{format}");
            suite.assert_nothing_left();
        }
    }
}

#[test]
fn git_sees_nothing_of_a_run() {
    let suite = Suite::recorded();
    assert_eq!(
        fs::read_to_string(suite.root().join(".driftgate/.gitignore")).unwrap(),
        "*\n"
    );
}
