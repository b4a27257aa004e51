//! How the base is read: as git would check it out, and without a trace in the user's checkout.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::repo::{Repo, words};
use super::suite::Suite;

/// All that git and a user could see of the checkout.
fn traces(repo: &Repo) -> (Vec<String>, BTreeMap<PathBuf, Vec<u8>>) {
    let said = [
        repo.git(&[
            "--no-optional-locks",
            "status",
            "--porcelain=v2",
            "--branch",
            "--show-stash",
        ]),
        repo.git(&["worktree", "list", "--porcelain"]),
        repo.git(&["stash", "list"]),
        repo.git(&["for-each-ref"]),
        repo.git(&["reflog"]),
    ];
    // The files of `.git`, the index among them, byte by byte.
    (said.into(), repo.suite.committed())
}

#[test]
fn reading_the_base_leaves_no_trace() {
    let repo = Repo::new();
    repo.suite.write("stashed.txt", "x\n");
    repo.git(&["add", "--all"]);
    repo.git(&["stash", "--quiet"]);
    repo.edit_grader();
    repo.commit("work");
    repo.edit("goldens/fixtures/b.cpp", "#include", "// staged\n#include");
    repo.git(&["add", "--all"]);
    repo.edit("goldens/fixtures/b.cpp", "staged", "not staged");
    repo.suite.write("untracked.txt", "x\n");
    let before = traces(&repo);
    let run = repo.suite.report(&["check", "--base", "main"]);
    run.assert_class("blank", "GRADER_DRIFT", 1);
    let head = run.json()["head"].as_str().unwrap().to_owned();
    assert_eq!(head, format!("{}-dirty", repo.git(&["rev-parse", "HEAD"])));
    let after = traces(&repo);
    assert_eq!(before.0, after.0);
    for (path, bytes) in &before.1 {
        assert_eq!(after.1.get(path), Some(bytes), "{} changed", path.display());
    }
    assert_eq!(before.1.len(), after.1.len(), "a file was added");
}

#[test]
fn a_root_in_a_folder_of_a_larger_repository_is_compared_with_that_folder() {
    let suite = Suite::recorded();
    let repo = Repo::of(suite);
    // The suite moves one folder down; at the top lies something that is none.
    let top = repo.suite.root();
    fs::create_dir_all(top.join("deep/ly")).unwrap();
    for name in ["goldens", "driftgate.yml"] {
        fs::rename(top.join(name), top.join("deep/ly").join(name)).unwrap();
    }
    repo.suite
        .write("goldens/cases/other.json", "not a suite\n");
    repo.suite.write("driftgate.yml", "not: a config\n");
    repo.commit("base");
    repo.branch();
    let check = || {
        repo.commit("work");
        let root = top.join("deep/ly");
        let root = root.to_str().unwrap();
        repo.suite
            .report(&["check", "--base", "main", "--root", root])
    };
    let run = check();
    run.assert_class("add", "STABLE", 0);
    repo.suite.write(
        "deep/ly/goldens/graders/io_match.yaml",
        "kind: io_match\ntrim: all\n",
    );
    let row = check().assert_class("add", "STABLE", 0);
    assert_eq!(words(&row, "moved"), ["grader"]);
    // A change elsewhere in the repository does not make this root dirty.
    repo.suite.write("elsewhere.txt", "x\n");
    let root = top.join("deep/ly");
    let root = root.to_str().unwrap();
    let run = repo
        .suite
        .report(&["check", "--base", "main", "--root", root]);
    assert_eq!(
        run.json()["head"],
        repo.git(&["rev-parse", "HEAD"]).as_str()
    );
}

#[test]
fn a_submodule_beside_the_goldens_is_in_nobodys_way() {
    let repo = Repo::new();
    let other = repo.suite.home().join("other");
    fs::create_dir(&other).unwrap();
    repo.git_in(&other, &["init", "--quiet", "--initial-branch=main"]);
    repo.git_in(&other, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
    repo.git(&[
        "submodule",
        "--quiet",
        "add",
        other.to_str().unwrap(),
        "third_party/other",
    ]);
    repo.git(&["config", "submodule.recurse", "true"]);
    repo.merge("with a submodule");
    repo.branch();
    repo.edit_grader();
    repo.assert_blank("GRADER_DRIFT", 1);
}

#[test]
fn what_git_converts_is_compared_as_it_lies_in_the_tree() {
    // Line ends by an attribute at the top, which lies outside of the goldens.
    let repo = Repo::unborn();
    repo.suite.write(
        ".gitattributes",
        "*.cpp text eol=crlf\n*.md text eol=crlf\n*.out text eol=crlf\n",
    );
    repo.commit("base");
    repo.git(&["rm", "--quiet", "-r", "--cached", "."]);
    repo.git(&["reset", "--quiet", "--hard"]);
    assert!(repo.suite.read("goldens/fixtures/b.cpp").contains("\r\n"));
    repo.suite
        .completion("plain", repo.suite.read("goldens/cassettes/plain.out"));
    repo.suite
        .completion("blank", repo.suite.read("goldens/cassettes/blank.out"));
    repo.suite.record();
    repo.commit("recorded as it lies here");
    repo.branch();
    let run = repo.check();
    for id in ["plain", "blank"] {
        let row = run.assert_class(id, "STABLE", 0);
        assert_eq!(words(&row, "moved").len(), 0, "{row:#}");
    }
}

#[test]
fn a_filter_of_the_users_own_applies_to_the_base_as_well() {
    let repo = Repo::unborn();
    let smudge = repo.suite.script("smudge", "sed 's/@NAME@/answer/g'");
    let clean = repo.suite.script("clean", "sed 's/answer/@NAME@/g'");
    repo.git(&["config", "filter.name.smudge", &smudge]);
    repo.git(&["config", "filter.name.clean", &clean]);
    repo.suite
        .write("goldens/fixtures/.gitattributes", "*.cpp filter=name\n");
    repo.commit("base");
    repo.branch();
    assert!(
        repo.git(&["show", "main:goldens/fixtures/b.cpp"])
            .contains("@NAME@")
    );
    let run = repo.check();
    let row = run.assert_class("blank", "STABLE", 0);
    assert_eq!(words(&row, "moved").len(), 0, "{row:#}");
    assert_eq!(
        run.json()["head"],
        repo.git(&["rev-parse", "HEAD"]).as_str()
    );
}

#[test]
fn nothing_of_the_users_is_started() {
    let repo = Repo::new();
    let mark = repo.suite.home().join("mark");
    let body = format!("echo \"$0\" >> '{}'", mark.display());
    for hook in [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-auto-gc",
    ] {
        let script = repo.suite.script(hook, &body);
        fs::copy(script, repo.suite.root().join(".git/hooks").join(hook)).unwrap();
    }
    repo.edit_grader();
    repo.commit("work");
    let monitor = repo.suite.script("monitor", &body);
    repo.git(&["config", "core.fsmonitor", &monitor]);
    repo.git(&["config", "diff.external", &monitor]);
    repo.git(&["config", "core.pager", &monitor]);
    let _ = fs::remove_file(&mark);
    let run = repo.suite.report(&["check", "--base", "main"]);
    run.assert_class("blank", "GRADER_DRIFT", 1);
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());
}

#[test]
fn where_the_environment_points_git_to_is_ignored() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.commit("work");
    let other = repo.suite.home().join("other");
    fs::create_dir(&other).unwrap();
    repo.git_in(&other, &["init", "--quiet", "--initial-branch=main"]);
    repo.git_in(&other, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
    let folder = other.join(".git").display().to_string();
    let index = other.join("index").display().to_string();
    for (name, value) in [
        ("GIT_DIR", folder.as_str()),
        ("GIT_INDEX_FILE", &index),
        ("GIT_WORK_TREE", &index),
        ("GIT_COMMON_DIR", &folder),
        ("GIT_OBJECT_DIRECTORY", &folder),
        ("GIT_NAMESPACE", "x"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_ICASE_PATHSPECS", "1"),
        ("GIT_TRACE", "1"),
    ] {
        let mut command = repo
            .suite
            .command(&["check", "--base", "main", "--format", "json"]);
        command.env(name, value);
        let run = repo.suite.finish(command);
        run.assert_class("blank", "GRADER_DRIFT", 1);
        assert!(!PathBuf::from(&index).exists(), "{name}");
    }
}

#[test]
fn a_worktree_and_a_sparse_checkout_have_a_base() {
    let repo = Repo::new();
    let tree = repo.suite.home().join("tree");
    let to = tree.to_str().unwrap();
    repo.git(&["worktree", "add", "--quiet", to, "-b", "beside"]);
    let check = || {
        repo.suite
            .report(&["check", "--base", "main", "--root", to])
    };
    check().assert_class("blank", "STABLE", 0);
    fs::write(
        tree.join("goldens/graders/io_match.yaml"),
        "kind: io_match\ntrim: all\n",
    )
    .unwrap();
    check().assert_class("blank", "GRADER_DRIFT", 1);
    // A sparse checkout still has everything of the suite at the base.
    repo.git(&[
        "sparse-checkout",
        "set",
        "--no-cone",
        "/*",
        "!/goldens/graders",
    ]);
    let row = repo.suite.report(&["check", "--base", "main"]);
    let row = row.assert_class("blank", "STABLE", 0);
    assert_eq!(words(&row, "moved").len(), 0);
}
