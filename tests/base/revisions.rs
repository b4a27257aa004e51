//! Which revision is compared with, and what is said where there is none.

use serde_json::json;

use super::repo::{GRADER, Repo};
use super::suite::Suite;

#[test]
fn the_merge_base_is_compared_with_and_not_the_tip() {
    let repo = Repo::new();
    let base = repo.git(&["rev-parse", "main"]);
    // The base's branch moves on, in the very grader.
    repo.edit_grader();
    repo.merge("later on main");
    repo.git(&["checkout", "--quiet", "--force", "-B", "work", &base]);
    let run = repo.check();
    run.assert_class("blank", "STABLE", 0);
    assert_eq!(run.json()["base"], base.as_str());
}

#[test]
fn the_upstream_branch_is_the_base_unless_one_is_named() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.commit("work");
    assert_eq!(repo.suite.report(&["check"]).json()["base"], json!(null));
    repo.git(&["branch", "--quiet", "--set-upstream-to=main"]);
    let run = repo.suite.report(&["check"]);
    run.assert_class("blank", "GRADER_DRIFT", 1);
    assert_eq!(
        run.json()["base"],
        repo.git(&["rev-parse", "main"]).as_str()
    );
}

#[test]
fn a_detached_head_has_a_base_too() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.commit("work");
    repo.git(&["checkout", "--quiet", "--detach"]);
    let run = repo.suite.report(&["check", "--base", "main"]);
    run.assert_class("blank", "GRADER_DRIFT", 1);
}

#[test]
fn what_is_no_revision_is_refused_by_name() {
    let repo = Repo::new();
    for revision in [
        "no-such-branch",
        "0123456789",
        "",
        "main..work",
        ":/",
        "HEAD:goldens",
    ] {
        let run = repo.suite.run(&["check", "--base", revision]);
        run.assert_code(2).assert_says(&["--base", revision]);
    }
    let target = repo.suite.home().join("x");
    for revision in [
        format!("--output={}", target.display()),
        "--help".into(),
        "-x".into(),
    ] {
        let run = repo.suite.run(&["check", &format!("--base={revision}")]);
        run.assert_code(2).assert_says(&["--base", &revision]);
        assert!(!target.exists());
    }
}

#[test]
fn a_history_of_its_own_has_no_base() {
    let repo = Repo::new();
    repo.git(&["checkout", "--quiet", "--orphan", "other"]);
    repo.commit("unrelated");
    let run = repo.suite.run(&["check", "--base", "main"]);
    run.assert_code(2)
        .assert_says(&["--base", "`main`", "no common ancestor"]);
}

#[test]
fn a_shallow_clone_says_what_to_fetch() {
    let repo = Repo::new();
    repo.suite.write("README", "x\n");
    repo.commit("work");
    let clone = repo.suite.home().join("clone");
    let url = format!("file://{}", repo.suite.root().display());
    let to = clone.to_str().unwrap();
    repo.git(&["clone", "--quiet", "--depth=1", "--branch=work", &url, to]);
    let base = repo.git(&["rev-parse", "main"]);
    let check = |revision: &str| repo.suite.run(&["check", "--root", to, "--base", revision]);
    for revision in [base.as_str(), "main"] {
        let run = check(revision);
        run.assert_code(3)
            .assert_says(&["shallow", "git fetch", revision]);
    }
    // A tip without the history between it and HEAD is no better.
    repo.git_in(
        &clone,
        &["fetch", "--quiet", "--depth=1", "origin", "main:main"],
    );
    check("main")
        .assert_code(3)
        .assert_says(&["shallow", "git fetch"]);
    repo.git_in(&clone, &["fetch", "--quiet", "--unshallow", "origin"]);
    check("main").assert_code(0);
}

#[test]
fn without_git_a_base_is_refused_and_none_is_needed() {
    let suite = Suite::recorded();
    suite.run(&["check"]).assert_code(0);
    let run = suite.run(&["check", "--base", "main"]);
    run.assert_code(2)
        .assert_says(&["--base", "no git checkout"]);
    // The same where there is a checkout and no git.
    let repo = Repo::new();
    let mut command = repo.suite.command(&["check", "--base", "main"]);
    let tools = repo.suite.home().join("tools");
    std::fs::create_dir(&tools).unwrap();
    command.env("PATH", &tools).env("CXX", "/usr/bin/g++");
    repo.suite
        .finish(command)
        .assert_code(2)
        .assert_says(&["--base", "no git checkout"]);
}

#[test]
fn a_repository_without_a_commit_has_no_head_and_no_base() {
    let repo = Repo::unborn();
    let run = repo.suite.report(&["check"]);
    run.assert_class("blank", "STABLE", 0);
    assert_eq!(
        (&run.json()["base"], &run.json()["head"]),
        (&json!(null), &json!(null))
    );
    for revision in ["main", "HEAD"] {
        let run = repo.suite.run(&["check", "--base", revision]);
        run.assert_code(2).assert_says(&["--base", revision]);
    }
}

#[test]
fn a_base_without_the_suite_has_no_verdicts() {
    let repo = Repo::unborn();
    repo.git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "before the suite",
    ]);
    repo.git(&["checkout", "--quiet", "-b", "work"]);
    let run = repo.check();
    run.assert_class("blank", "NEW", 0);
    run.assert_class("plain", "NEW", 0);
    // New cassettes must say what head replays to.
    repo.edit_cassette("blank", |cassette| {
        cassette["verdicts"]["io_match"] = json!({"status": "pass", "class": "match"});
    });
    repo.assert_blank("TAMPERED", 1);
}

#[test]
fn a_broken_base_is_said_and_head_is_judged() {
    let repo = Repo::new();
    repo.suite
        .write("goldens/cases/broken.json", "{ not json\n");
    repo.merge("broken");
    repo.git(&["checkout", "--quiet", "-B", "work"]);
    repo.suite.remove("goldens/cases/broken.json");
    let run = repo.check();
    run.assert_class("blank", "STABLE", 0);
    let notes = run.json()["notes"].to_string();
    assert!(
        notes.contains("the suite at the base") && notes.contains("broken.json"),
        "{notes}"
    );
    repo.edit_grader();
    repo.assert_blank("GRADER_DRIFT", 1);
}

#[test]
fn a_cassette_left_in_conflict_is_refused_by_line() {
    let repo = Repo::new();
    let path = "goldens/cassettes/blank.json";
    let text = repo.suite.read(path);
    let (first, rest) = text.split_once('\n').unwrap();
    let conflict = format!("{first}\n<<<<<<< HEAD\n{rest}=======\n{rest}>>>>>>> work\n");
    repo.suite.write(path, conflict);
    let run = repo.suite.run(&["check", "--base", "main"]);
    run.assert_code(2)
        .assert_says(&["goldens/cassettes/blank.json:2", "conflict"]);
}

#[test]
fn a_grader_file_that_only_one_side_has_is_that_sides_grader() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.merge("with a file");
    repo.branch();
    repo.suite.remove(GRADER);
    // Without a file the defaults hold, under which the verdict is another one.
    let row = repo.assert_blank("GRADER_DRIFT", 1);
    assert_eq!(
        (&row["before"], &row["after"]),
        (&json!("pass"), &json!("fail"))
    );
}
