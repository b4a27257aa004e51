//! Links and submodules: what a path leads to at the base is what it led to then.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::repo::{Repo, lane};
use super::suite::{Run, Suite};

const LIST: &str = "goldens/headers/public_headers.txt";
const CLEAN: &str = "#pragma once\ninline int f() { return 1; }\n";
const BROKEN: &str = "#pragma once\ninline std::string f() { return {}; }\n";

/// Loosens the grader, and writes its new verdict into the cassette by hand.
fn tamper(repo: &Repo) {
    repo.edit_grader();
    repo.edit_cassette("blank", |cassette| {
        cassette["verdicts"]["io_match"] = json!({"status": "pass", "class": "match"});
    });
}

fn link(repo: &Repo, target: &str, path: &str) {
    let path = repo.suite.root().join(path);
    let _ = fs::remove_file(&path);
    symlink(target, path).unwrap();
}

#[test]
fn a_link_in_the_goldens_hides_no_base() {
    let repo = Repo::new();
    repo.git(&["mv", "goldens/prompts/p.md", "p.md"]);
    link(&repo, "../../p.md", "goldens/prompts/p.md");
    repo.merge("a prompt that lies elsewhere");
    repo.assert_blank("STABLE", 0);
    tamper(&repo);
    let run = repo.check();
    run.assert_code(1);
    assert!(
        run.json()["notes"]
            .as_array()
            .unwrap()
            .iter()
            .all(|note| { !note.as_str().unwrap().contains("cannot be read") })
    );
}

#[test]
fn a_submodule_in_the_goldens_hides_no_base() {
    let repo = Repo::new();
    let other = Repo::of(Suite::empty());
    for name in ["b.cpp", "f.cpp"] {
        let text = repo.suite.read(&format!("goldens/fixtures/{name}"));
        other.suite.write(name, text);
    }
    other.commit("fixtures");
    repo.git(&["rm", "-r", "--quiet", "goldens/fixtures"]);
    let from = other.suite.root();
    let add = [
        "submodule",
        "--quiet",
        "add",
        from.to_str().unwrap(),
        "goldens/fixtures",
    ];
    repo.git(&add);
    repo.merge("fixtures of their own");
    repo.assert_blank("STABLE", 0);
    tamper(&repo);
    repo.check().assert_code(1);
    // Where it is not checked out there is no base to be had, and no green.
    repo.branch();
    repo.git(&[
        "submodule",
        "--quiet",
        "deinit",
        "--force",
        "goldens/fixtures",
    ]);
    fs::remove_dir_all(repo.suite.root().join(".git/modules")).unwrap();
    let fixtures = repo.suite.root().join("goldens/fixtures");
    fs::remove_dir_all(&fixtures).unwrap();
    repo.git(&["rm", "--quiet", "--cached", "goldens/fixtures"]);
    for name in ["b.cpp", "f.cpp"] {
        repo.suite
            .write(&format!("goldens/fixtures/{name}"), other.suite.read(name));
    }
    tamper(&repo);
    repo.check()
        .assert_code(3)
        .assert_says(&["needs submodules"]);
}

/// A repository that lists `include/a.hpp`, whose content `make` has put there.
fn headers(make: impl FnOnce(&Repo)) -> Repo {
    let suite = Suite::empty();
    suite.write(LIST, "include/a.hpp\n");
    let repo = Repo::of(suite);
    make(&repo);
    repo.commit("base");
    repo.branch();
    let run = repo.check();
    run.assert_code(0);
    repo
}

#[track_caller]
fn assert_broken(run: &Run) {
    run.assert_code(1);
    let row = &lane(run, "standalone_header")[0];
    assert_eq!(row["level"], "fail", "{row:#}");
}

#[test]
fn a_header_behind_a_link_that_the_change_breaks_was_not_dirty_before() {
    let both = |repo: &Repo| {
        repo.suite.write("v1/a.hpp", CLEAN);
        repo.suite.write("v2/a.hpp", BROKEN);
    };
    let repo = headers(|repo| {
        both(repo);
        link(repo, "v1", "include");
    });
    repo.suite.write("v1/a.hpp", BROKEN);
    assert_broken(&repo.check());
    repo.branch();
    link(&repo, "v2", "include");
    assert_broken(&repo.check());

    let repo = headers(|repo| {
        both(repo);
        link(repo, "v1", "current");
        link(repo, "current", "include");
    });
    link(&repo, "v2", "current");
    assert_broken(&repo.check());

    // A link that git does not know.
    let repo = headers(|repo| {
        both(repo);
        repo.suite.write(".gitignore", ".driftgate/\n/include\n");
        link(repo, "v1", "include");
    });
    repo.suite.write("v1/a.hpp", BROKEN);
    assert_broken(&repo.check());
}

#[test]
fn a_header_behind_a_link_that_was_dirty_before_may_stay_so() {
    let suite = Suite::empty();
    suite.write("v1/a.hpp", BROKEN);
    let repo = Repo::of(suite);
    link(&repo, "v1", "include");
    repo.commit("base");
    repo.branch();
    repo.suite.write(LIST, "include/a.hpp\n");
    let run = repo.check();
    run.assert_code(0);
    assert_eq!(lane(&run, "standalone_header")[0]["class"], "known_dirty");
}

#[test]
fn the_base_is_asked_what_the_base_asks() {
    let config = |flags: &str| format!("standalone_header:\n  flags: [{flags}]\n");
    let repo = headers(|repo| {
        repo.suite
            .write("include/a.hpp", "#pragma once\n#include <third.hpp>\n");
        repo.suite.write("third/third.hpp", "#pragma once\n");
        repo.suite
            .write("driftgate.yml", config("-std=c++20, -Ithird"));
    });
    repo.suite.write("driftgate.yml", config("-std=c++20"));
    assert_broken(&repo.check());

    let repo = headers(|repo| repo.suite.write("include/a.hpp", CLEAN));
    let template = "goldens/headers/probe_include__a.hpp.cpp.in";
    repo.suite.write(
        template,
        "#include \"HEADER_PATH\"\nint g() { return missing(); }\n",
    );
    assert_broken(&repo.check());
}
