//! Changes that were meant: the reason in sight, and what only looks like one.

use serde_json::{Value, json};

use super::repo::{GRADER, Repo, words};
use super::suite::{GOOD, WRONG};

const REASON: &str = "the spec says that trailing blanks do not count";

/// What `blank` says after its edit was accepted.
fn assert_explained(repo: &Repo, class: &str) -> Value {
    let row = repo.assert_blank(class, 0);
    assert_eq!(
        (&row["explained"], &row["level"]),
        (&json!(true), &json!("review"))
    );
    row
}

#[test]
fn an_accepted_grader_edit_may_merge_with_its_reason_in_sight() {
    let repo = Repo::new();
    repo.edit_grader();
    let before = repo.suite.cassette("blank");
    repo.accept(REASON).assert_class("blank", "ACCEPTED", 0);
    let row = assert_explained(&repo, "GRADER_DRIFT");
    assert!(row["why"].as_str().unwrap().contains(REASON), "{row:#}");
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("fail"), &json!("pass"))
    );
    let accepted = &repo.suite.cassette("blank")["accepted"][0];
    assert_eq!(accepted["reason"], REASON);
    assert_eq!(accepted["from"]["hashes"], before["hashes"]);
    assert_eq!(accepted["from"]["verdicts"], before["verdicts"]);
    let plain = repo.check().row("plain");
    assert_eq!(
        (&plain["class"], &plain["explained"]),
        (&json!("STABLE"), &json!(false))
    );

    // A second thought on the same branch stands on top of the first.
    repo.edit(GRADER, "trim: trailing", "trim: all");
    repo.accept("leading ones neither")
        .assert_class("blank", "ACCEPTED", 0);
    let row = assert_explained(&repo, "GRADER_DRIFT");
    assert!(
        row["why"].as_str().unwrap().contains("leading ones"),
        "{row:#}"
    );
    let accepted = repo.suite.cassette("blank")["accepted"].clone();
    assert_eq!(accepted.as_array().unwrap().len(), 2);

    // Once merged it is history, and nothing is left to explain.
    repo.merge("merged");
    repo.branch();
    let row = repo.assert_blank("STABLE", 0);
    assert_eq!(
        (&row["explained"], words(&row, "moved").len()),
        (&json!(false), 0)
    );
}

#[test]
fn a_reason_by_hand_over_another_verdict_is_tampering() {
    let repo = Repo::new();
    repo.edit_cassette("blank", |cassette| {
        let from = json!({"hashes": cassette["hashes"], "verdicts": cassette["verdicts"]});
        cassette["accepted"] = json!([{"reason": "r", "at": "2026-11-02T00:00:00Z", "from": from}]);
        cassette["verdicts"]["io_match"] = json!({"status": "pass", "class": "match"});
    });
    let row = repo.assert_blank("TAMPERED", 1);
    assert_eq!(row["explained"], false);
    // Accepting what head really says leaves nothing of it.
    repo.accept("restored");
    let row = repo.assert_blank("STABLE", 0);
    assert_eq!(row["after"], "fail");
}

#[test]
fn a_reason_given_before_the_base_moved_on_is_stale_until_given_again() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.accept(REASON);
    let ours = repo.suite.cassette("blank");
    // Meanwhile somebody else's edit is accepted and merged.
    repo.git(&["stash", "--quiet"]);
    repo.edit(GRADER, "trim: none", "trim: none\nnewlines: normalize");
    repo.accept("line ends do not count")
        .assert_class("blank", "ACCEPTED", 0);
    repo.merge("theirs");
    repo.branch();
    // Both edits, and both reasons, as one merges them by hand.
    repo.edit_grader();
    repo.edit_cassette("blank", |cassette| {
        let accepted = cassette["accepted"].as_array_mut().unwrap();
        accepted.extend(ours["accepted"].as_array().unwrap().iter().cloned());
        cassette["verdicts"] = ours["verdicts"].clone();
    });
    let row = repo.assert_blank("STALE_ACCEPT", 1);
    assert_eq!(words(&row, "also"), ["GRADER_DRIFT"]);
    assert!(row["next"].as_str().unwrap().contains("accept"), "{row:#}");

    repo.accept(REASON).assert_class("blank", "ACCEPTED", 0);
    let row = assert_explained(&repo, "GRADER_DRIFT");
    assert!(row["why"].as_str().unwrap().contains(REASON), "{row:#}");
    let cassette = repo.suite.cassette("blank");
    let reasons: Vec<_> = cassette["accepted"].as_array().unwrap().iter().collect();
    assert_eq!(reasons.len(), 2, "{reasons:#?}");
    assert_eq!(reasons[0]["reason"], "line ends do not count");
}

#[test]
fn a_revert_of_an_accepted_edit_is_no_tampering_and_can_be_accepted() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.accept(REASON);
    repo.merge("accepted");
    repo.git(&["revert", "--no-edit", "HEAD"]);
    let row = repo.assert_blank("GRADER_DRIFT", 1);
    assert_eq!(row["explained"], false);
    repo.accept("it broke the others")
        .assert_class("blank", "ACCEPTED", 0);
    assert_explained(&repo, "GRADER_DRIFT");

    // The cassette alone set back, under the grader that moved on, changes no verdict.
    repo.branch();
    let path = "goldens/cassettes/blank.json";
    repo.git(&["checkout", "--quiet", "HEAD~1", "--", path]);
    repo.assert_blank("STABLE", 0);
}

#[test]
fn a_grader_edit_beside_a_new_completion_can_be_accepted() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.suite.completion("blank", WRONG);
    repo.suite.record();
    let row = repo.assert_blank("GRADER_DRIFT", 1);
    assert_eq!(words(&row, "also"), ["MODEL_DRIFT"]);
    repo.accept(REASON).assert_class("blank", "ACCEPTED", 0);
    assert_explained(&repo, "GRADER_DRIFT");
    // A new completion alone needs no reason.
    repo.branch();
    repo.suite.completion("blank", format!("{GOOD}// again\n"));
    repo.suite.record();
    repo.accept(REASON).assert_class("blank", "KEPT", 0);
}

#[test]
fn nothing_to_accept_leaves_every_byte_alone() {
    let repo = Repo::new();
    let before = repo.suite.committed();
    repo.accept(REASON).assert_class("blank", "KEPT", 0);
    assert!(repo.suite.committed() == before, "a file changed");
}

#[test]
fn a_dirty_tree_is_accepted_as_it_stands() {
    let repo = Repo::new();
    repo.suite.write("notes.txt", "not committed\n");
    repo.edit_grader();
    let run = repo.accept(REASON);
    run.assert_class("blank", "ACCEPTED", 0);
    let head = run.json()["head"].as_str().unwrap().to_owned();
    assert!(head.ends_with("-dirty"), "{head}");
    let changed = repo.git(&["status", "--porcelain", "--untracked-files=all"]);
    let changed: Vec<_> = changed.lines().map(|line| line[2..].trim()).collect();
    let cassettes = [
        "goldens/cassettes/blank.json",
        "goldens/cassettes/plain.json",
    ];
    assert_eq!(changed, [cassettes[0], cassettes[1], GRADER, "notes.txt"]);
    let run = repo.suite.report(&["check", "--base", "main"]);
    let row = run.assert_class("blank", "GRADER_DRIFT", 0);
    assert_eq!(row["explained"], true);
}

#[test]
fn a_completion_that_never_saw_the_fixture_is_stale_until_it_is_recorded() {
    let repo = Repo::new();
    repo.edit("goldens/fixtures/b.cpp", "#include", "// edited\n#include");
    repo.suite.write("driftgate.yml", "fail_on: [CASE_DRIFT]\n");
    repo.assert_blank("CASE_DRIFT", 1);
    repo.accept("only a comment")
        .assert_class("blank", "ACCEPTED", 0);
    assert_eq!(repo.suite.cassette("blank")["stale"], json!(["fixture"]));
    let row = assert_explained(&repo, "CASE_DRIFT");
    assert!(
        row["why"].as_str().unwrap().contains("only a comment"),
        "{row:#}"
    );
    // Recording the same bytes says that the completion was made for it after all.
    let accepted = repo.suite.cassette("blank");
    repo.suite.record();
    let recorded = repo.suite.cassette("blank");
    assert_eq!(recorded.get("stale"), None);
    assert_eq!(recorded["accepted"], accepted["accepted"]);
    assert_explained(&repo, "CASE_DRIFT");
}

#[test]
fn a_grader_the_cassette_has_no_verdict_for_is_new_until_accepted() {
    let repo = Repo::new();
    repo.suite.write(
        "goldens/graders/lenient.yaml",
        "kind: io_match\ntrim: all\n",
    );
    let both = json!({
        "fixture": "fixtures/b.cpp", "expect": {"stdout": "42 \n"}, "graders": ["io_match", "lenient"],
    });
    repo.suite.case("blank", &both);
    let run = repo.check();
    run.assert_code(0);
    let class = |rows: &[Value], grader: &str| {
        let row = rows
            .iter()
            .find(|row| row["id"] == "blank" && row["grader"] == grader);
        row.unwrap()["class"].as_str().unwrap().to_owned()
    };
    assert_eq!(class(&run.rows(), "io_match"), "STABLE");
    assert_eq!(class(&run.rows(), "lenient"), "NEW");
    repo.accept("a second opinion");
    let verdicts = &repo.suite.cassette("blank")["verdicts"];
    assert_eq!(
        verdicts["lenient"],
        json!({"status": "pass", "class": "match"})
    );
    let run = repo.check();
    run.assert_code(0);
    assert_eq!(class(&run.rows(), "lenient"), "NEW");
}
