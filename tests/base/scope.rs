//! What a change can reach, by the files it touches; everything is judged all the same.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::repo::{GRADER, Repo, words};
use super::suite::{Run, Suite};

/// What a lane of the report says of its scope.
#[track_caller]
fn scope(run: &Run, lane: &str) -> Value {
    let report = run.json();
    let lanes = report["experiments"].as_array().unwrap();
    let lane = lanes.iter().find(|found| found["name"] == lane);
    lane.unwrap()["extra"]["scope"].clone()
}

/// `affected of of`, and `path: ids` of each reason.
#[track_caller]
fn told(run: &Run) -> (String, Vec<String>) {
    let scope = scope(run, "replay");
    let reasons = scope["reasons"].as_array().unwrap().iter();
    let reasons = reasons.map(|reason| {
        let ids = match reason["reaches"].as_str() {
            Some(all) => all.to_owned(),
            None => words(reason, "reaches").join(" "),
        };
        format!("{}: {ids}", reason["path"].as_str().unwrap())
    });
    let counts = format!("{} of {}", scope["affected"], scope["of"]);
    (counts, reasons.collect())
}

fn nothing() -> (String, Vec<String>) {
    ("0 of 2".to_owned(), Vec::new())
}

/// Moves the suite into the folder `deep` of its repository, whose top it returns.
fn deepened(repo: &Repo) -> PathBuf {
    let top = repo.suite.root();
    fs::create_dir(top.join("deep")).unwrap();
    for name in ["goldens", "driftgate.yml"] {
        if top.join(name).exists() {
            fs::rename(top.join(name), top.join("deep").join(name)).unwrap();
        }
    }
    top
}

#[test]
fn what_nothing_reads_reaches_nothing_and_everything_is_judged() {
    let repo = Repo::new();
    repo.suite.write("README.md", "read me\n");
    let run = repo.check();
    run.assert_code(0);
    assert_eq!(told(&run), nothing());
    let rows = run.rows();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row["executed"] == true), "{rows:#?}");
    let counts = |run: &Run| {
        let scope = scope(run, "replay");
        (scope["executed"].clone(), scope["stored"].clone())
    };
    assert_eq!(counts(&run), (json!(2), json!(0)));
    // What is stored is judged anew and costs no process.
    let again = ["check", "--base", "main", "--store"];
    repo.suite.report(&again).assert_code(0);
    let run = repo.suite.report(&again);
    assert_eq!(counts(&run), (json!(0), json!(2)));
    assert_eq!(run.rows().len(), 2);
    let shown = repo.suite.run(&again);
    let line = "scope: the change reaches 0 of 2 cases; 2 from the store\n";
    assert!(shown.stdout.contains(line), "{}", shown.stdout);
}

#[test]
fn a_case_and_what_it_names_reach_that_case_and_a_grader_all_that_use_it() {
    let repo = Repo::new();
    repo.edit("goldens/fixtures/b.cpp", "// another", "// the other");
    let one = (
        "1 of 2".to_owned(),
        vec!["goldens/fixtures/b.cpp: blank".to_owned()],
    );
    assert_eq!(told(&repo.check()), one);

    repo.branch();
    repo.edit("goldens/cases/plain.json", "-Wall", "-Wextra");
    let run = repo.check();
    let expected = (
        "1 of 2".to_owned(),
        vec!["goldens/cases/plain.json: plain".to_owned()],
    );
    assert_eq!(told(&run), expected);

    repo.branch();
    repo.edit_grader();
    let run = repo.check();
    run.assert_class("blank", "GRADER_DRIFT", 1);
    assert_eq!(
        told(&run),
        ("2 of 2".to_owned(), vec![format!("{GRADER}: all")])
    );
    assert_eq!(scope(&run, "replay")["reasons"][0]["as"], "grader io_match");
    assert_eq!(scope(&run, "replay")["unreached"], json!([]));
}

#[test]
fn a_case_that_is_gone_is_reached_by_its_file() {
    let repo = Repo::new();
    repo.suite.remove("goldens/cases/plain.json");
    let run = repo.check();
    run.assert_class("plain", "REMOVED", 0);
    let reasons = vec!["goldens/cases/plain.json: plain".to_owned()];
    assert_eq!(told(&run), ("1 of 2".to_owned(), reasons));
}

#[test]
fn without_a_base_there_is_no_scope() {
    let repo = Repo::new();
    let run = repo.suite.report(&["check"]);
    assert_eq!(scope(&run, "replay"), Value::Null);
    repo.suite.write("goldens/cases/plain.json", "{");
    repo.merge("break the base");
    repo.branch();
    repo.git(&[
        "checkout",
        "--quiet",
        "main~1",
        "--",
        "goldens/cases/plain.json",
    ]);
    assert_eq!(scope(&repo.check(), "replay"), Value::Null);
}

#[test]
fn a_red_row_that_the_change_cannot_reach_says_so() {
    let repo = Repo::new();
    // An earlier change broke it; this one does not touch it.
    repo.edit(
        "goldens/fixtures/b.cpp",
        "// another",
        "#error no\n// another",
    );
    repo.merge("break a fixture");
    repo.branch();
    repo.suite.write("README.md", "read me\n");
    repo.commit("work");
    let run = repo.suite.report(&["check", "--base", "main"]);
    let row = run.row("blank");
    assert_ne!(row["level"], "ok", "{row:#}");
    assert_eq!(told(&run), nothing());
    assert_eq!(scope(&run, "replay")["unreached"], json!(["blank"]));
    for format in ["text", "markdown"] {
        let shown = repo
            .suite
            .run(&["check", "--base", "main", "--format", format]);
        assert_eq!(shown.status.code(), run.status.code());
        let said = "nothing in this change reaches it";
        assert!(shown.stdout.contains(said), "{}", shown.stdout);
    }
}

#[test]
fn a_file_is_found_through_a_link_and_a_root_in_a_folder() {
    let suite = Suite::recorded();
    let repo = Repo::of(suite);
    let top = deepened(&repo);
    let prompt = top.join("deep/goldens/prompts/p.md");
    fs::create_dir(top.join("deep/goldens/shared")).unwrap();
    fs::rename(&prompt, top.join("deep/goldens/shared/p.md")).unwrap();
    std::os::unix::fs::symlink("../shared/p.md", &prompt).unwrap();
    repo.commit("base");
    repo.branch();
    let check = || {
        repo.commit("work");
        repo.suite
            .report(&["check", "--base", "main", "--root", "deep"])
    };
    repo.suite
        .write("goldens/prompts/p.md", "not of this suite\n");
    let counts = |run: &Run| told(run).0;
    assert_eq!(counts(&check()), "0 of 1");
    repo.suite
        .write("deep/goldens/shared/p.md", "Answer with 43.\n");
    let run = check();
    let reasons = vec!["goldens/prompts/p.md: add".to_owned()];
    assert_eq!(told(&run), ("1 of 1".to_owned(), reasons));
}

/// Makes `link` lead to `to` instead.
fn relink(repo: &Repo, link: &str, to: &str) {
    let link = repo.suite.root().join(link);
    if link.is_symlink() {
        fs::remove_file(&link).unwrap();
    }
    std::os::unix::fs::symlink(to, link).unwrap();
}

/// `path as what` of what reaches everything in `lane`.
#[track_caller]
fn reaches_all(run: &Run, lane: &str) -> Vec<String> {
    let scope = scope(run, lane);
    assert_eq!(scope["affected"], scope["of"], "{scope:#}");
    let reasons = scope["reasons"].as_array().unwrap().iter();
    let all = reasons.filter(|reason| reason["reaches"] == "all");
    let told = all.map(|reason| {
        let word = |field: &str| reason[field].as_str().unwrap().to_owned();
        format!("{} as {}", word("path"), word("as"))
    });
    told.collect()
}

const HEADERS: &str = "standalone_header: {headers: ['include/**/*.hpp'], include: [include]}\n";

#[test]
fn every_link_on_the_way_reaches_what_is_behind_it() {
    let repo = Repo::new();
    repo.suite.write("driftgate.yml", HEADERS);
    repo.suite.write("v1/a.hpp", "#pragma once\n");
    repo.suite.write("v2/a.hpp", "#pragma once\n#error no\n");
    relink(&repo, "current", "v1");
    relink(&repo, "include", "current");
    repo.merge("headers behind links");
    repo.branch();
    relink(&repo, "current", "v2");
    let run = repo.check();
    run.assert_code(1);
    for lane in ["replay", "standalone_header"] {
        assert_eq!(reaches_all(&run, lane), ["current as link"]);
    }
    // One that is new and that git does not track yet.
    repo.branch();
    relink(&repo, "docs", "v1");
    let run = repo.suite.report(&["check", "--base", "main"]);
    assert_eq!(reaches_all(&run, "replay"), ["docs as link"]);
}

#[test]
fn a_link_to_a_folder_reaches_the_consumer_that_includes_through_it() {
    let repo = Repo::new();
    let consumer = json!({"id": "u", "public_header": "include/a.hpp", "consumer": "use/m.cpp"});
    repo.suite
        .write("goldens/consumers/u.json", consumer.to_string());
    repo.suite.write("include/a.hpp", "#pragma once\n");
    let source = "#include <a.hpp>\n#include \"../other/o.h\"\nint main() { return 0; }\n";
    repo.suite.write("use/m.cpp", source);
    repo.suite.write("p1/o.h", "\n");
    repo.suite.write("p2/keep", "\n");
    relink(&repo, "other", "p2");
    repo.merge("a consumer");
    repo.branch();
    relink(&repo, "other", "p1");
    let run = repo.check();
    assert_eq!(scope(&run, "consumer_link")["affected"], 1);
    assert_eq!(scope(&run, "consumer_link")["unreached"], json!([]));
}

#[test]
fn a_submodule_that_git_is_told_to_ignore_reaches_everything() {
    let repo = Repo::new();
    let library = repo.suite.home().join("library");
    fs::create_dir(&library).unwrap();
    repo.git_in(&library, &["init", "--quiet", "--initial-branch=main"]);
    fs::write(library.join("a.hpp"), "#pragma once\n").unwrap();
    repo.git_in(&library, &["add", "--all"]);
    repo.git_in(&library, &["commit", "--quiet", "-m", "good"]);
    repo.suite.write("driftgate.yml", HEADERS);
    let from = library.display().to_string();
    repo.git(&["submodule", "--quiet", "add", &from, "include/third"]);
    let ignore = "submodule.include/third.ignore";
    repo.git(&["config", "--file", ".gitmodules", ignore, "all"]);
    repo.merge("a submodule");
    repo.branch();
    let inner = repo.suite.root().join("include/third");
    fs::write(inner.join("a.hpp"), "#pragma once\n#error no\n").unwrap();
    let run = repo.suite.report(&["check", "--base", "main"]);
    run.assert_code(1);
    let lane = "standalone_header";
    assert!(reaches_all(&run, lane).contains(&"include/third as submodule".to_owned()));
    repo.git_in(&inner, &["commit", "--quiet", "--all", "-m", "bad"]);
    repo.git(&["add", "--force", "include/third"]);
    let run = repo.check();
    run.assert_code(1);
    assert!(reaches_all(&run, lane).contains(&"include/third as submodule".to_owned()));
}

#[test]
fn attributes_above_a_root_in_a_folder_reach_everything() {
    let repo = Repo::of(Suite::recorded());
    deepened(&repo);
    repo.suite.write("lib/p.md", "Answer.\n");
    relink(&repo, "deep/goldens/prompts/more.md", "../../../lib/p.md");
    repo.commit("base");
    repo.branch();
    let check = || {
        repo.commit("work");
        repo.suite
            .report(&["check", "--base", "main", "--root", "deep"])
    };
    repo.suite.write("other/.gitattributes", "* text\n");
    assert_eq!(told(&check()).0, "0 of 1");
    repo.suite.write(".gitattributes", "*.hpp text\n");
    let all = ["../.gitattributes as attributes of git"];
    assert_eq!(reaches_all(&check(), "replay"), all);
}

#[test]
fn a_report_with_a_scope_reads_back() {
    let repo = Repo::new();
    repo.edit_grader();
    repo.commit("work");
    let file = repo.suite.home().join("report.json");
    let path = file.display().to_string();
    let run = repo
        .suite
        .run(&["check", "--base", "main", "--report", &path]);
    run.assert_code(1);
    let same = repo.suite.report(&["diff", &path, &path]);
    assert!(same.rows().iter().all(|row| row["class"] == "STABLE"));
}
