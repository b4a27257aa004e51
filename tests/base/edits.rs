//! One branch each: what an edit is called, and what it cannot hide behind.

use serde_json::json;

use super::repo::{GRADER, Repo, words};
use super::suite::{GOOD, WRONG};

const NOTHING: [&str; 0] = [];

#[test]
fn nothing_moved_is_stable() {
    let repo = Repo::new();
    let run = repo.check();
    let row = run.assert_class("blank", "STABLE", 0);
    assert_eq!(words(&row, "moved"), NOTHING);
    assert_eq!(row["after"], "fail");
    let base = run.json()["base"].as_str().unwrap().to_owned();
    assert_eq!(base, repo.git(&["rev-parse", "main"]));
    assert_eq!(
        run.json()["head"],
        repo.git(&["rev-parse", "work"]).as_str()
    );
}

#[test]
fn a_grader_edit_is_proven_on_the_bases_inputs_and_hides_behind_nothing() {
    let repo = Repo::new();
    repo.edit_grader();
    let run = repo.check();
    let row = run.assert_class("blank", "GRADER_DRIFT", 1);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("fail"), &json!("pass"))
    );
    assert_eq!(words(&row, "moved"), ["grader"]);
    assert_eq!(words(&row, "also"), NOTHING);
    assert_eq!(row["at"]["path"], GRADER);
    // What the old grader held against it, and the new one forgives.
    let forgiven = row["evidence"]["stdout_before"]["diff"].as_str().unwrap();
    assert!(forgiven.contains("-42"), "{forgiven}");
    let told = repo.suite.run(&["check", "--base", "main"]);
    let told = &told.stdout;
    assert!(told.contains("held against it before\n"), "{told}");
    let other = run.row("plain");
    assert_eq!(other["class"], "STABLE");
    assert_eq!(words(&other, "moved"), ["grader"]);

    repo.edit("goldens/fixtures/b.cpp", "#include", "// edited\n#include");
    let row = repo.assert_blank("GRADER_DRIFT", 1);
    assert_eq!(words(&row, "also"), ["CASE_DRIFT"]);
    assert_eq!(words(&row, "moved"), ["case", "grader"]);

    // A new completion beside it changes nothing of that.
    repo.suite.completion("blank", WRONG);
    repo.suite.record();
    let row = repo.assert_blank("GRADER_DRIFT", 1);
    assert_eq!(words(&row, "also"), ["MODEL_DRIFT", "CASE_DRIFT"]);
}

#[test]
fn an_edited_case_is_reviewed_with_the_verdict_it_changes() {
    let repo = Repo::new();
    repo.edit("goldens/fixtures/b.cpp", "#include", "// edited\n#include");
    let row = repo.assert_blank("CASE_DRIFT", 0);
    assert_eq!(row["level"], "review");
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("fail"), &json!("fail"))
    );

    repo.branch();
    repo.edit("goldens/cases/blank.json", "42 \\n", "42\\n");
    let row = repo.assert_blank("CASE_DRIFT", 0);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("fail"), &json!("pass"))
    );

    repo.branch();
    repo.suite
        .write("goldens/prompts/p.md", "Answer with 43.\n");
    let run = repo.check();
    run.assert_class("blank", "CASE_DRIFT", 0);
    run.assert_class("plain", "CASE_DRIFT", 0);
}

#[test]
fn what_changes_no_meaning_moves_nothing() {
    let repo = Repo::new();
    let case = repo.suite.read("goldens/cases/blank.json");
    let case: serde_json::Value = serde_json::from_str(&case).unwrap();
    let fields = case.as_object().unwrap().iter().rev();
    let fields: Vec<_> = fields
        .map(|(name, value)| format!("\t{name:?} :{value}"))
        .collect();
    let reversed = format!("{{\n{}}}", fields.join(",\r\n"));
    repo.suite.write("goldens/cases/blank.json", reversed);
    repo.suite.write(
        GRADER,
        "# as it always was\nstdout: exact\nnewlines: exact\ntrim: none\nkind: io_match\n",
    );
    let row = repo.assert_blank("STABLE", 0);
    assert_eq!(words(&row, "moved"), NOTHING);

    repo.suite.remove(GRADER);
    let row = repo.assert_blank("STABLE", 0);
    assert_eq!(words(&row, "moved"), NOTHING);
}

#[test]
fn a_grader_setting_without_effect_is_stable_and_said() {
    let repo = Repo::new();
    repo.edit(GRADER, "trim: none", "newlines: normalize");
    let row = repo.assert_blank("STABLE", 0);
    assert_eq!(words(&row, "moved"), ["grader"]);
}

#[test]
fn a_cassette_edited_by_hand_is_tampering() {
    let repo = Repo::new();
    let pass = json!({"status": "pass", "class": "match"});
    repo.edit_cassette("blank", |cassette| {
        cassette["verdicts"]["io_match"] = pass.clone();
    });
    let row = repo.assert_blank("TAMPERED", 1);
    assert_eq!(row["at"]["path"], "goldens/cassettes/blank.json");

    // Nor does a grader edit behind it go unnamed, or make it right.
    repo.edit_grader();
    let row = repo.assert_blank("TAMPERED", 1);
    assert_eq!(words(&row, "also"), ["GRADER_DRIFT"]);

    repo.branch();
    repo.suite
        .write("goldens/cassettes/blank.out", format!("{GOOD}// more\n"));
    repo.assert_blank("TAMPERED", 1);
    // Recording the very bytes makes them a new completion like any other.
    repo.suite.completion("blank", format!("{GOOD}// more\n"));
    repo.suite.record();
    repo.assert_blank("RERECORDED", 0);

    repo.branch();
    let zeros = "0".repeat(64);
    repo.edit_cassette("blank", |cassette| {
        cassette["hashes"]["prompt"] = json!(zeros);
    });
    repo.assert_blank("TAMPERED", 1);
}

#[test]
fn what_is_gone_is_named() {
    let repo = Repo::new();
    repo.suite.remove("goldens/cases/blank.json");
    let row = repo.assert_blank("REMOVED", 0);
    assert_eq!(
        (&row["level"], &row["grader"]),
        (&json!("review"), &json!("io_match"))
    );

    // What is left is judged; with nothing left nothing was.
    repo.suite.remove("goldens/cases/plain.json");
    let row = repo.assert_blank("REMOVED", 3);
    assert_eq!(row["level"], "incomplete");
    repo.suite.remove("driftgate.yml");
    repo.assert_blank("REMOVED", 3);

    repo.branch();
    repo.suite.remove("goldens/cassettes/blank.json");
    repo.suite.remove("goldens/cassettes/blank.out");
    repo.assert_blank("UNJUDGED", 3);

    // Under another name the case is gone and there is one that nobody recorded.
    repo.branch();
    repo.suite.remove("goldens/cases/blank.json");
    let renamed = json!({"fixture": "fixtures/b.cpp", "expect": {"stdout": "42 \n"}});
    repo.suite.case("renamed", &renamed);
    let run = repo.check();
    run.assert_class("blank", "REMOVED", 3);
    run.assert_class("renamed", "UNJUDGED", 3);
    repo.suite.remove("goldens/cassettes/blank.json");
    repo.suite.remove("goldens/cassettes/blank.out");
    repo.suite.completion("renamed", GOOD);
    repo.suite.record();
    let run = repo.check();
    run.assert_class("blank", "REMOVED", 0);
    run.assert_class("renamed", "NEW", 0);
}

#[test]
fn a_new_completion_is_told_by_its_verdict() {
    let repo = Repo::new();
    repo.suite.completion("plain", format!("{GOOD}// again\n"));
    repo.suite.record();
    let row = repo.check().assert_class("plain", "RERECORDED", 0);
    assert_eq!(
        (&row["level"], words(&row, "moved")),
        (&json!("ok"), vec!["completion"])
    );

    repo.suite.completion("plain", WRONG);
    repo.suite.record();
    let row = repo.check().assert_class("plain", "MODEL_DRIFT", 0);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("pass"), &json!("fail"))
    );

    // A verdict that head does not replay to is not believed.
    let pass = json!({"status": "pass", "class": "match"});
    repo.edit_cassette("plain", |cassette| {
        cassette["verdicts"]["io_match"] = pass.clone();
    });
    let row = repo.check().assert_class("plain", "TAMPERED", 1);
    assert_eq!(words(&row, "also"), ["MODEL_DRIFT"]);
}

#[test]
fn a_drift_merged_without_accept_fails_nobody_after_it() {
    let repo = Repo::new();
    repo.edit("goldens/fixtures/f.cpp", "#include", "// edited\n#include");
    repo.edit("goldens/cases/blank.json", "42 \\n", "42\\n");
    repo.merge("an edit of the cases");
    repo.branch();
    repo.suite.write("README", "unrelated\n");
    let run = repo.check();
    // The verdict of one is proven unchanged; that of the other changed before the base.
    let row = run.assert_class("plain", "STABLE", 0);
    assert_eq!(row["inherited"], false);
    let row = run.assert_class("blank", "CASE_DRIFT", 0);
    assert_eq!(
        (&row["inherited"], &row["level"]),
        (&json!(true), &json!("review"))
    );
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("fail"), &json!("pass"))
    );
    // Not even where such drift fails the build.
    repo.suite.write("driftgate.yml", "fail_on: [CASE_DRIFT]\n");
    repo.assert_blank("CASE_DRIFT", 0);
    // What head itself moves is another matter.
    repo.edit_grader();
    repo.edit("goldens/cases/blank.json", "42\\n", "42 \\n");
    repo.assert_blank("CASE_DRIFT", 1);
}

#[test]
fn a_grader_drift_merged_without_accept_is_inherited() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.merge("an edit of the grader");
    repo.branch();
    let row = repo.assert_blank("GRADER_DRIFT", 0);
    assert_eq!(
        (&row["inherited"], &row["level"]),
        (&json!(true), &json!("review"))
    );
    // Taking it back is a grader edit of this branch.
    repo.edit(GRADER, "trim: trailing", "trim: none");
    let row = repo.assert_blank("GRADER_DRIFT", 1);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("pass"), &json!("fail"))
    );
}
