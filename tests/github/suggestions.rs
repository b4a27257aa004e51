//! A missing include on a pull request: suggested once, applied with one button, and gone.

use serde_json::{Value, json};

use super::fake::{BOT, Fake};
use super::hostile::{event, publishing, report_of};
use super::job::Job;
use super::repo::Repo;
use super::server::Answer;
use super::suite::Suite;

const LIST: &str = "goldens/headers/public_headers.txt";
const FRESH: &str = "include/fresh.hpp";
const LACKING: &str = "#pragma once\n\nstruct Fresh {\n    std::string name;\n};\n";

/// A job on a pull request that brings these headers, checked out as the merge. What there was
/// before it is one long header that is clean.
fn bringing(headers: &[(&str, &str)]) -> Job {
    let suite = Suite::empty();
    let lines: String = (0..20).map(|n| format!("int clean_{n}();\n")).collect();
    suite.write("include/clean.hpp", format!("#pragma once\n{lines}"));
    suite.write(LIST, "include/clean.hpp\n");
    let repo = Repo::of(suite);
    repo.commit("base");
    repo.branch();
    let job = Job::of(repo, Fake::start());
    push(&job, |repo| {
        let mut list = repo.suite.read(LIST);
        for (path, text) in headers {
            repo.suite.write(path, text);
            list.push_str(&format!("{path}\n"));
        }
        repo.suite.write(LIST, list);
    });
    job
}

/// Pushes an edit to the pull request, and checks its merge out.
fn push(job: &Job, edit: impl FnOnce(&Repo)) {
    job.repo.git(&["checkout", "--quiet", "--force", "work"]);
    edit(&job.repo);
    job.repo.commit("push");
    job.check_out_merge();
    job.open_pull();
}

/// The comments on lines, and how many reviews they came with.
fn reviewed(job: &Job) -> (Vec<Value>, u32) {
    job.fake.valid_requests();
    job.fake
        .with(|state| (state.reviews.comments.clone(), state.reviews.posted))
}

#[track_caller]
fn only(job: &Job) -> Value {
    let (mut comments, _) = reviewed(job);
    assert_eq!(comments.len(), 1, "{comments:#?}");
    comments.remove(0)
}

/// What GitHub makes of the file when the button is pressed.
fn apply(job: &Job, comment: &Value) {
    let body = comment["body"].as_str().unwrap();
    let (_, block) = body.split_once("```suggestion\n").unwrap();
    let (text, rest) = block.rsplit_once("\n```").unwrap();
    assert_eq!(rest, "\n", "{body}");
    let path = comment["path"].as_str().unwrap();
    let line = usize::try_from(comment["line"].as_u64().unwrap()).unwrap();
    let before = job.repo.git(&["show", &format!("work:{path}")]);
    let mut lines: Vec<&str> = before.lines().collect();
    lines[line - 1] = text;
    let after = lines.join("\n") + "\n";
    push(job, |repo| {
        repo.suite.write(path, after);
    });
}

#[test]
fn the_button_makes_the_header_compile_and_then_it_is_gone() {
    let job = bringing(&[(FRESH, LACKING)]);
    job.ci().assert_code(1);
    let requests = job.fake.valid_requests();
    let reviews = requests
        .iter()
        .filter(|request| request.contains(" pulls/2/"));
    let expected = [
        "GET pulls/2/comments",
        "POST pulls/2/reviews",
        "GET pulls/2/comments",
    ];
    assert_eq!(reviews.collect::<Vec<_>>(), expected);
    let comment = only(&job);
    assert_eq!(
        (&comment["path"], &comment["line"]),
        (&json!(FRESH), &json!(1))
    );
    let body = comment["body"].as_str().unwrap();
    assert!(
        body.ends_with("```suggestion\n#pragma once\n#include <string>\n```\n"),
        "{body}"
    );
    apply(&job, &comment);
    job.ci().assert_code(0);
    assert_eq!(reviewed(&job), (Vec::new(), 1));
}

#[test]
fn five_pushes_leave_one_suggestion_where_it_can_be_applied() {
    let job = bringing(&[(FRESH, LACKING)]);
    for n in 0..5 {
        job.ci().assert_code(1);
        assert_eq!(reviewed(&job).1, 1);
        push(&job, |repo| {
            repo.suite.write(FRESH, format!("{LACKING}// {n}\n"));
        });
    }
    let first = only(&job);
    // Its line is another one now, so that the button would undo that.
    push(&job, |repo| {
        repo.edit(FRESH, "#pragma once", "#pragma once // and no more");
    });
    job.ci().assert_code(1);
    let second = only(&job);
    assert_ne!(first["id"], second["id"]);
    assert_eq!(reviewed(&job).1, 2);
    apply(&job, &second);
    job.ci().assert_code(0);
    assert_eq!(reviewed(&job).0.len(), 0);
}

#[test]
fn what_somebody_answered_stays_and_what_others_wrote_is_theirs() {
    let job = bringing(&[(FRESH, LACKING)]);
    job.ci().assert_code(1);
    let comment = only(&job);
    job.fake.with(|state| {
        state.reviews.answer(&comment["id"]);
        for (id, login, body) in [
            (1, "stranger", comment["body"].clone()),
            (2, BOT, json!(format!("I saw {}", comment["body"]))),
        ] {
            let mut other = comment.clone();
            (other["id"], other["user"]["login"], other["body"]) = (json!(id), json!(login), body);
            state.reviews.comments.push(other);
        }
    });
    push(&job, |repo| {
        repo.edit(FRESH, "#pragma once", "#pragma once // moved");
    });
    job.ci().assert_code(1);
    push(&job, |repo| {
        repo.edit(FRESH, "// moved", "\n#include <string>");
    });
    job.ci().assert_code(0);
    let (comments, posted) = reviewed(&job);
    assert_eq!((comments.len(), posted), (4, 1), "{comments:#?}");
}

#[test]
fn a_run_that_did_not_judge_takes_nothing_for_repaired() {
    let job = bringing(&[(FRESH, LACKING)]);
    job.ci().assert_code(1);
    push(&job, |repo| {
        repo.suite.write("goldens/cases/broken.json", "{");
    });
    job.ci().assert_code(2);
    only(&job);
}

#[test]
fn two_jobs_at_once_leave_one_suggestion() {
    let job = bringing(&[(FRESH, LACKING)]);
    job.fake
        .with(|state| state.reviews.posted_by_another = true);
    job.ci().assert_code(1);
    only(&job);
}

#[test]
fn an_app_of_ones_own_knows_its_suggestions_again() {
    let job = bringing(&[(FRESH, LACKING)]);
    job.fake.with(|state| state.writer = Some("our-app[bot]"));
    job.ci().assert_code(1);
    push(&job, |repo| {
        repo.suite.write("other.txt", "x");
    });
    job.ci().assert_code(1);
    assert_eq!(reviewed(&job).1, 1);
    only(&job);
}

#[test]
fn a_line_that_cannot_be_suggested_as_it_is_gets_none() {
    let with_cr = LACKING.replace('\n', "\r\n");
    let bidi = LACKING.replace("once", "once // \u{202e}x\u{202c}");
    let marked = LACKING.replace("once", "once // <!-- driftgate/suggestion/driftgate/0 -->");
    let command = LACKING.replace("once", "once // ##[add-mask]x");
    let job = bringing(&[
        ("include/cr.hpp", &with_cr),
        ("include/bidi.hpp", &bidi),
        ("include/marked.hpp", &marked),
        ("include/command.hpp", &command),
    ]);
    let step = job.step(
        ("pull_request", &job.pull_payload(false)),
        &["ci", "--report", "r.json"],
    );
    step.assert_code(1);
    let report: Value = serde_json::from_str(&job.repo.suite.read("r.json")).unwrap();
    let lane = &report["experiments"][0];
    assert_eq!(lane["summary"]["missing_declaration"], 4, "{lane:#}");
    assert_eq!(reviewed(&job), (Vec::new(), 0));
}

#[test]
fn a_fault_far_from_the_includes_is_not_suggested_where_the_diff_does_not_reach() {
    let job = bringing(&[]);
    push(&job, |repo| {
        repo.edit("include/clean.hpp", "int clean_15", "std::string clean_15");
    });
    job.ci().assert_code(1);
    assert_eq!(reviewed(&job), (Vec::new(), 0));
}

#[test]
fn lines_that_the_target_branch_moved_are_found_again() {
    let job = bringing(&[]);
    push(&job, |repo| {
        let above = "#pragma once\nstd::string added();";
        repo.edit("include/clean.hpp", "#pragma once", above);
    });
    // What is judged is the merge, and there the guard stands one line further down.
    job.repo.git(&["checkout", "--quiet", "main"]);
    let main = format!("// licence\n{}", job.repo.suite.read("include/clean.hpp"));
    job.repo.suite.write("include/clean.hpp", main);
    job.repo.commit("a licence");
    job.check_out_merge();
    job.open_pull();
    job.ci().assert_code(1);
    let suggestion = only(&job);
    assert_eq!(suggestion["line"], 1);
    let body = suggestion["body"].as_str().unwrap();
    assert!(body.contains("#pragma once\n#include <string>"), "{body}");
}

#[test]
fn a_suggestion_that_is_still_needed_outlives_a_diff_that_cannot_be_read_and_another_fault() {
    let job = bringing(&[(FRESH, LACKING)]);
    job.ci().assert_code(1);
    let posted = only(&job)["id"].clone();
    job.fake.with(|state| {
        state.diff = None;
        state.files = vec![json!({"filename": FRESH, "status": "added"})];
    });
    job.ci().assert_code(1);
    assert_eq!(only(&job)["id"], posted);
    push(&job, |repo| repo.edit(FRESH, "};", "}"));
    job.ci().assert_code(1);
    assert_eq!(only(&job)["id"], posted);
    push(&job, |repo| {
        repo.suite
            .write(FRESH, LACKING.replace("std::string", "int"));
    });
    job.ci().assert_code(0);
    assert_eq!(reviewed(&job).0, Vec::<Value>::new());
}

#[test]
fn a_run_of_some_cases_leaves_suggestions_alone() {
    let job = bringing(&[(FRESH, LACKING)]);
    job.ci().assert_code(1);
    let event = job.pull_payload(false);
    let args = ["ci", "--case", "include/clean.hpp"];
    job.step(("pull_request", &event), &args).assert_code(0);
    only(&job);
}

#[test]
fn a_suite_in_a_folder_names_files_from_the_top() {
    let suite = Suite::empty();
    suite.write("sub/driftgate.yml", "");
    suite.write("sub/include/a.hpp", "#pragma once\n");
    suite.write(&format!("sub/{LIST}"), "include/a.hpp\n");
    let repo = Repo::of(suite);
    repo.commit("base");
    repo.branch();
    let job = Job::of(repo, Fake::start());
    push(&job, |repo| {
        repo.suite.write("sub/include/a.hpp", LACKING);
    });
    let payload = job.pull_payload(false);
    job.step(("pull_request", &payload), &["ci", "--root", "sub"])
        .assert_code(1);
    assert_eq!(only(&job)["path"], "sub/include/a.hpp");
    let comment = job.fake.bodies().remove(0);
    let check = format!(
        "driftgate check --base {} --root sub",
        job.commit_of("main")
    );
    for command in [check.as_str(), "--case include/a.hpp --root sub"] {
        assert!(comment.contains(command), "{comment}");
    }
}

#[test]
fn a_refusal_is_said_and_changes_nothing_else() {
    let job = bringing(&[(FRESH, LACKING)]);
    for (of, status, said) in [
        (
            "POST pulls/2/reviews",
            403,
            "no suggestions: the token may not do this",
        ),
        (
            "POST pulls/2/reviews",
            422,
            "no suggestions: the API answers 422",
        ),
        (
            "GET pulls/2/comments",
            404,
            "no suggestions: the API answers 404",
        ),
    ] {
        job.fake.fault(of, 1, Some(Answer::refusal(status, "no")));
        let step = job.ci();
        step.assert_code(1).assert_says(said);
        assert!(step.summary.contains("no suggestions"), "{}", step.summary);
        assert_eq!(reviewed(&job), (Vec::new(), 0));
    }
    job.ci().assert_code(1);
    let comment = only(&job);
    push(&job, |repo| {
        repo.edit(FRESH, "once\n", "once\n#include <string>\n");
    });
    let refused = Some(Answer::refusal(403, "no"));
    job.fake.fault("DELETE pulls/comments", 1, refused);
    job.ci()
        .assert_code(0)
        .assert_says("suggestions that serve no more are left: the token may not do this");
    assert_eq!(only(&job)["id"], comment["id"]);
}

#[test]
fn without_the_comment_there_is_no_review_and_beyond_twenty_no_more() {
    let job = bringing(&[(FRESH, LACKING)]);
    let payload = job.pull_payload(false);
    job.step(("pull_request", &payload), &["ci", "--comment", "false"])
        .assert_code(1);
    assert_eq!(reviewed(&job), (Vec::new(), 0));
    job.ci().assert_code(1);
    let comment = only(&job);
    job.fake.with(|state| {
        state.reviews.comments.clear();
        let body = comment["body"].as_str().unwrap();
        let (start, rest) = body.split_once(" -->").unwrap();
        for n in 0..20 {
            let mut other = comment.clone();
            other["id"] = json!(n);
            other["body"] = json!(format!("{start}{n} -->{rest}"));
            state.reviews.comments.push(other);
            state.reviews.answer(&json!(n));
        }
    });
    job.ci()
        .assert_code(1)
        .assert_says("1 more suggestions are not made: a pull request gets 20 at a time");
    assert_eq!(reviewed(&job).1, 1);
}

#[test]
fn a_report_that_somebody_else_made_suggests_nothing() {
    let row = json!({
        "id": FRESH, "grader": "standalone_header", "class": "missing_declaration", "level": "fail",
        "before": null, "after": "fail", "at": {"path": FRESH, "line": 2}, "why": "it lacks one",
        "next": "look", "repro": "driftgate check", "evidence": {"suggestion": {
            "path": FRESH, "line": 2, "text": "#include <evil.h>\n", "header": "evil.h", "proven": true,
            "between": ["#pragma once", null],
        }},
    });
    let mut report = report_of(&[row]);
    report["experiments"][0]["name"] = json!("standalone_header");
    let (job, path) = publishing(&report);
    job.fake.with(|state| {
        state.diff = Some(format!(
            "--- /dev/null\n+++ b/{FRESH}\n@@ -0,0 +1 @@\n+#pragma once\n"
        ));
    });
    job.step(("pull_request_target", &event()), &["publish", &path])
        .assert_code(1);
    let requests = job.fake.valid_requests();
    assert!(job.fake.bodies()[0].contains("evil.h"));
    assert!(
        !requests.iter().any(|request| request.contains("pulls/2/")),
        "{requests:?}"
    );
}
