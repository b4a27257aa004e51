//! The policy of base and head: what is tolerated, what fails, and who may say so.

use serde_json::{Value, json};

use super::repo::{Repo, day, entry, lane, words};

#[test]
fn a_flaky_case_is_tolerated_on_a_branch_and_nowhere_else() {
    let repo = Repo::flaky();
    let row = repo.check().assert_class("c", "NONDETERMINISTIC", 1);
    assert_eq!(row["quarantined"], false);
    repo.suite.write("quarantine.yaml", entry("c", 0, 20));
    let run = repo.check();
    run.assert_code(0);
    let row = lane(&run, "replay").remove(0);
    assert_eq!(row["class"], "NONDETERMINISTIC");
    assert_eq!(
        (&row["level"], &row["quarantined"]),
        (&json!("review"), &json!(true))
    );
    assert_eq!(lane(&run, "quarantine")[0]["class"], "QUARANTINE_ACTIVE");
    let weakened = lane(&run, "policy").remove(0);
    assert_eq!(
        (&weakened["id"], &weakened["class"]),
        (&json!("quarantine/c"), &json!("GATE_WEAKENED"))
    );

    let level = |run: &super::suite::Run| lane(run, "replay").remove(0)["level"].clone();
    repo.git(&["checkout", "--quiet", "--detach"]);
    let run = repo.suite.report(&["check", "--base", "main"]);
    assert_eq!((level(&run), run.status.code()), (json!("fail"), Some(1)));
    repo.git(&["checkout", "--quiet", "-B", "main"]);
    let run = repo.suite.report(&["check"]);
    assert_eq!((level(&run), run.status.code()), (json!("fail"), Some(1)));
    let named = repo.git(&["symbolic-ref", "HEAD"]);
    assert_eq!(named, "refs/heads/main");
}

#[test]
fn a_quarantine_hides_no_grader_drift() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.suite.write("quarantine.yaml", entry("blank", 0, 20));
    repo.suite.write("driftgate.yml", "fail_on: []\n");
    let run = repo.check();
    run.assert_code(1);
    let row = &lane(&run, "replay")[0];
    assert_eq!(
        (&row["class"], &row["level"]),
        (&json!("GRADER_DRIFT"), &json!("fail"))
    );
    assert_eq!(row["quarantined"], true);
}

#[test]
fn an_entry_that_is_over_fails_and_one_about_no_case_is_named() {
    let repo = Repo::new();
    let entries = format!(
        "# tolerated\n{}{}",
        entry("blank", -20, -1),
        entry("nobody", 0, 1)
    );
    repo.suite.write("quarantine.yaml", entries);
    let run = repo.check();
    run.assert_code(1);
    let rows = lane(&run, "quarantine");
    let told = |row: &Value| (row["class"].clone(), row["at"]["line"].clone());
    assert_eq!(told(&rows[0]), (json!("QUARANTINE_EXPIRED"), json!(2)));
    assert_eq!(told(&rows[1]), (json!("QUARANTINE_GONE"), json!(3)));
    // The last day still counts.
    repo.suite.write("quarantine.yaml", entry("blank", -20, 0));
    let run = repo.check();
    run.assert_code(0);
    assert_eq!(lane(&run, "quarantine")[0]["class"], "QUARANTINE_ACTIVE");
    // A selection of cases makes none of them go away.
    let run = repo
        .suite
        .report(&["check", "--base", "main", "--case", "plain"]);
    run.assert_code(0);
    assert_eq!(lane(&run, "quarantine")[0]["class"], "QUARANTINE_ACTIVE");
}

#[test]
fn an_entry_that_says_too_little_or_too_much_is_refused_by_line() {
    let repo = Repo::new();
    let good = entry("blank", 0, 20);
    let many: String = (0..21).map(|n| entry(&format!("c{n}"), 0, 1)).collect();
    for (text, words) in [
        (
            good.replace("owner: o, ", ""),
            vec!["quarantine.yaml:1", "owner"],
        ),
        (
            good.replace("reason: r", "reason: ' '"),
            vec!["quarantine.yaml:1", "reason"],
        ),
        (
            good.replace(&day(20), "2026-02-30"),
            vec!["quarantine.yaml:1", "YYYY-MM-DD"],
        ),
        (
            good.replace(&day(20), "tomorrow"),
            vec!["quarantine.yaml:1", "YYYY-MM-DD"],
        ),
        (entry("blank", 1, 0), vec!["quarantine.yaml:1", "before"]),
        (
            format!("\n{}", entry("blank", 0, 31)),
            vec!["quarantine.yaml:2", "31 days", "max_days"],
        ),
        (many, vec!["21 entries", "max_entries"]),
        (good.repeat(2), vec!["quarantine.yaml:2", "twice"]),
    ] {
        repo.suite.write("quarantine.yaml", text);
        let run = repo.suite.report(&["check", "--base", "main"]);
        run.assert_code(2).assert_says(&words);
    }
    // The base's limits hold for the branch that loosens them.
    repo.suite.write("quarantine.yaml", entry("blank", 0, 31));
    repo.suite
        .write("driftgate.yml", "quarantine: {max_days: 90}\n");
    repo.check().assert_code(2).assert_says(&["max_days"]);
}

#[test]
fn protected_files_are_named_when_a_change_touches_them() {
    let repo = Repo::new();
    repo.merge("base");
    repo.branch();
    let notes = || repo.check().json()["notes"].to_string();
    assert!(!notes().contains("protected"), "{}", notes());
    repo.suite.write("notes.txt", "nobody minds\n");
    assert!(!notes().contains("protected"), "{}", notes());
    repo.edit_grader();
    repo.suite.write("goldens/prompts/new.md", "untracked\n");
    let notes = notes();
    for touched in ["goldens/graders/io_match.yaml", "goldens/prompts/new.md"] {
        assert!(notes.contains(touched), "{notes}");
    }
    assert!(!notes.contains("notes.txt"), "{notes}");
}

#[test]
fn a_branch_cannot_loosen_what_it_is_held_to() {
    let repo = Repo::new();
    repo.suite.write("driftgate.yml", "fail_on: [CASE_DRIFT]\n");
    repo.merge("stricter");
    repo.branch();
    repo.suite.write("driftgate.yml", "fail_on: []\n");
    repo.edit("goldens/fixtures/b.cpp", "#include", "// edited\n#include");
    let run = repo.check();
    run.assert_code(1);
    let row = run.row("blank");
    assert_eq!(
        (&row["class"], &row["level"]),
        (&json!("CASE_DRIFT"), &json!("fail"))
    );
    let weakened = run.row("fail_on/CASE_DRIFT");
    assert_eq!(
        (&weakened["class"], &weakened["level"]),
        (&json!("GATE_WEAKENED"), &json!("review"))
    );
    // Nor does a stronger word in front of it.
    let recorded = "int answer() { return 42; }\n// again\n";
    repo.suite.completion("blank", recorded);
    repo.suite.completion("plain", recorded);
    repo.edit("goldens/fixtures/b.cpp", "answer())", "answer() + 1)");
    repo.edit("goldens/cases/blank.json", "42 \\n", "42\\n");
    repo.suite
        .completion("blank", "int answer() { return 41; }\n");
    repo.suite.record();
    let row = repo.assert_blank("MODEL_DRIFT", 1);
    assert_eq!(
        (words(&row, "also"), &row["level"]),
        (vec!["CASE_DRIFT"], &json!("fail"))
    );
}

#[test]
fn a_branch_may_be_stricter_at_once() {
    let repo = Repo::new();
    repo.suite.write("driftgate.yml", "fail_on: [CASE_DRIFT]\n");
    repo.edit("goldens/fixtures/b.cpp", "#include", "// edited\n#include");
    let run = repo.check();
    run.assert_class("blank", "CASE_DRIFT", 1);
    assert_eq!(lane(&run, "policy").len(), 0);
}

#[test]
fn a_touched_workflow_is_named_also_above_the_root() {
    let repo = Repo::new();
    repo.suite
        .write(".github/workflows/gate.yml", "name: gate\n");
    let named = |run: &super::suite::Run| run.json()["notes"].to_string();
    let touched = named(&repo.check());
    assert!(touched.contains(".github/workflows/gate.yml"), "{touched}");

    let repo = Repo::new();
    let evals = |args: &[&str]| {
        let all = [&["--root", "evals", "--base", "main"], args].concat();
        repo.suite.report(&all)
    };
    repo.git(&["mv", "goldens", "evals-goldens"]);
    repo.suite.write("evals/driftgate.yml", "");
    repo.git(&["mv", "evals-goldens", "evals/goldens"]);
    repo.merge("a suite below the top");
    repo.suite
        .write(".github/workflows/gate.yml", "name: gate\n");
    repo.suite.write("elsewhere.txt", "not ours\n");
    repo.commit("edit");
    let touched = named(&evals(&["check"]));
    assert!(touched.contains(".github/workflows/gate.yml"), "{touched}");
    assert!(!touched.contains("elsewhere"), "{touched}");
}
