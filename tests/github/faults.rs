//! Whatever GitHub answers: the verdict and the exit code stay, and what is missing is said.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use serde_json::json;

use super::fake::{Fake, Reply, TOKEN};
use super::hostile::{event, green, publishing, report};
use super::job::Job;
use super::server::Answer;

const TARGET: &str = "pull_request_target";

#[test]
fn the_verdict_is_the_same_with_the_api_up_read_only_and_down() {
    let job = Job::drifting(Fake::start());
    let payload = job.pull_payload(false);
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let mut verdicts = Vec::new();
    for state in ["up", "read-only", "down"] {
        if state == "read-only" {
            job.fake
                .with(|state| state.lacks.extend(["checks", "pull_requests"]));
        }
        let (mut command, number) =
            job.command(("pull_request", &payload), &["ci", "--report", "r.json"]);
        if state == "down" {
            command.env("GITHUB_API_URL", format!("http://{closed}"));
        }
        let run = job.repo.suite.finish(command);
        let step = job.came_to(number, run);
        step.assert_code(1);
        let written: serde_json::Value =
            serde_json::from_str(&job.repo.suite.read("r.json")).unwrap();
        let rows = written["experiments"][0]["rows"].as_array().unwrap().iter();
        let rows: Vec<_> = rows
            .map(|row| {
                (
                    row["id"].clone(),
                    row["class"].clone(),
                    row["level"].clone(),
                )
            })
            .collect();
        let outputs = step.outputs.clone();
        let said = step.run.stderr.contains("no check run");
        assert_eq!(said, state != "up", "{}", step.run.stderr);
        verdicts.push((rows, outputs, step.summary.contains("GRADER_DRIFT")));
    }
    assert!(
        verdicts.iter().all(|verdict| *verdict == verdicts[0]),
        "{verdicts:#?}"
    );
    assert!(verdicts[0].2);
}

#[test]
fn a_token_that_is_missing_or_expired_is_said() {
    let (job, path) = publishing(&report(1));
    for (token, said) in [
        ("", "GITHUB_TOKEN is not set"),
        ("ghs_expired", "the token is not valid or has expired"),
        ("a\nb", "characters that no token has"),
    ] {
        let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
        command.env("GITHUB_TOKEN", token);
        let run = job.repo.suite.finish(command);
        let step = job.came_to(number, run);
        step.assert_code(1).assert_says(said);
        assert_eq!(step.shown.len(), 1, "{token}");
        assert!(step.summary.contains("TAMPERED"), "{}", step.summary);
    }
}

#[test]
fn an_address_that_is_none_is_said() {
    let (job, path) = publishing(&report(1));
    for url in [
        "github.example",
        "file:///etc/passwd",
        "https://",
        "http://a b",
        "/api/v3",
    ] {
        let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
        command.env("GITHUB_API_URL", url);
        let run = job.repo.suite.finish(command);
        let step = job.came_to(number, run);
        step.assert_code(1).assert_says("GITHUB_API_URL");
    }
}

#[test]
fn a_check_run_that_is_refused_takes_nothing_with_it() {
    for (status, said) in [
        (403, "no check run: the token may not do this"),
        (404, "no check run: the API answers 404"),
        (410, "no check run: the API answers 410"),
        (501, "no check run: the API answers 501"),
    ] {
        let (job, path) = publishing(&report(1));
        job.fake
            .fault("POST check-runs", 9, Some(Answer::refusal(status, "no")));
        let step = job.step((TARGET, &event()), &["publish", &path]);
        step.assert_code(1).assert_says(said);
        assert_eq!(
            (step.shown.len(), job.fake.bodies().len()),
            (1, 1),
            "{status}"
        );
        job.fake.valid_requests();
    }
}

#[test]
fn annotations_that_are_refused_leave_the_check_run_standing() {
    let (job, path) = publishing(&report(120));
    job.fake.fault(
        "POST check-runs",
        1,
        Some(Answer::refusal(422, "Invalid request.")),
    );
    let step = job.step((TARGET, &event()), &["publish", &path]);
    step.assert_code(1)
        .assert_says("120 annotations are not on the check run");
    assert_eq!(job.fake.with(|state| state.checks.len()), 1);
    // Ten, and one that counts the rest.
    assert_eq!(step.shown.len(), 11);

    // Refused in the middle, the rest is said in the log, and the conclusion stands.
    let (job, path) = publishing(&report(120));
    job.fake.fault(
        "PATCH check-runs",
        1,
        Some(Answer::refusal(422, "Invalid request.")),
    );
    job.step((TARGET, &event()), &["publish", &path])
        .assert_code(1)
        .assert_says("70 annotations are not on the check run");
    assert_eq!(
        job.fake.with(|state| state.checks[0]["conclusion"].clone()),
        "failure"
    );
    job.fake.valid_requests();
}

#[test]
fn an_answer_of_5xx_or_none_is_asked_for_again() {
    for answer in [
        Some(Answer::refusal(500, "")),
        Some(Answer::refusal(502, "")),
        None,
    ] {
        let (job, path) = publishing(&report(1));
        job.fake.fault("POST check-runs", 1, answer);
        let step = job.step((TARGET, &event()), &["publish", &path]);
        step.assert_code(1);
        assert_eq!(step.run.stderr, "");
        assert_eq!(job.fake.with(|state| state.checks.len()), 1);
        job.fake.valid_requests();
    }
}

#[test]
fn a_limit_that_says_how_long_is_waited_for() {
    let (job, path) = publishing(&report(1));
    let limit =
        Answer::refusal(403, "You have exceeded a secondary rate limit.").with("retry-after", 1);
    job.fake.fault("POST issues/2/comments", 2, Some(limit));
    let step = job.step((TARGET, &event()), &["publish", &path]);
    step.assert_code(1);
    assert_eq!((step.run.stderr.as_str(), job.fake.bodies().len()), ("", 1));
}

#[test]
fn comments_that_are_refused_or_not_wanted_leave_the_check_run() {
    for (fault, said) in [
        (
            Answer::refusal(403, "Unable to create comment because issue is locked."),
            "no comment: the token may not do this",
        ),
        (
            Answer::refusal(410, "Issues are disabled for this repo"),
            "no comment: the API answers 410",
        ),
        (
            Answer::refusal(422, "Validation Failed"),
            "no comment: the API answers 422",
        ),
    ] {
        let (job, path) = publishing(&report(1));
        job.fake.fault("POST issues", 1, Some(fault));
        job.step((TARGET, &event()), &["publish", &path])
            .assert_code(1)
            .assert_says(said);
        assert_eq!(job.fake.with(|state| state.checks.len()), 1);
    }
    let (job, path) = publishing(&report(1));
    let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
    command
        .env("DRIFTGATE_COMMENT", "false")
        .env("DRIFTGATE_NAME", "other gate");
    let run = job.repo.suite.finish(command);
    job.came_to(number, run).assert_code(1);
    assert_eq!(job.fake.bodies().len(), 0);
    assert_eq!(
        job.fake.with(|state| state.checks[0]["name"].clone()),
        "other gate"
    );
}

#[test]
fn a_comment_deleted_meanwhile_is_made_again_and_duplicates_go() {
    let (job, path) = publishing(&report(1));
    let publish = || {
        let step = job.step((TARGET, &event()), &["publish", &path]);
        step.assert_code(1);
        assert_eq!(step.run.stderr, "");
    };
    publish();
    job.fake.with(|state| state.delete_once_listed = true);
    publish();
    assert_eq!(job.fake.bodies().len(), 1);
    // What an old race left behind.
    let first = job.fake.with(|state| state.comments[0]["id"].clone());
    let body = job.fake.bodies().remove(0);
    job.fake.with(|state| {
        state.comment(super::fake::BOT, &body);
        state.comment(super::fake::BOT, &body);
    });
    publish();
    assert_eq!(
        job.fake.with(|state| state
            .comments
            .iter()
            .map(|c| c["id"].clone())
            .collect::<Vec<_>>()),
        [first]
    );
    job.fake.valid_requests();
}

#[test]
fn whoever_the_token_belongs_to_has_one_comment() {
    for (token, login) in [
        ("github_pat_x", "a-person"),
        ("ghs_of_an_app", "our-app[bot]"),
    ] {
        let (job, path) = publishing(&report(1));
        job.fake.with(|state| state.writer = Some(login));
        for _ in 0..2 {
            let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
            command.env("GITHUB_TOKEN", token);
            let run = job.repo.suite.finish(command);
            job.came_to(number, run).assert_code(1);
            assert_eq!(job.fake.bodies().len(), 1, "{login}");
        }
    }
    assert!(TOKEN.starts_with("ghs_"));
}

#[test]
fn a_pull_request_that_moved_on_keeps_the_comment_of_its_new_head() {
    let (job, path) = publishing(&green());
    job.fake
        .with(|state| state.pulls[0]["head"]["sha"] = json!("3".repeat(40)));
    let step = job.step((TARGET, &event()), &["publish", &path]);
    step.assert_code(0).assert_says("has moved on to 3333");
    assert_eq!(job.fake.bodies().len(), 0);
    // The check run belongs to the commit that was judged.
    let check = job.fake.with(|state| state.checks[0].clone());
    assert_eq!(
        (&check["head_sha"], &check["conclusion"]),
        (&json!("2".repeat(40)), &json!("success"))
    );
}

#[test]
fn a_diff_that_is_too_large_is_read_file_by_file() {
    let (job, path) = publishing(&report(1));
    job.fake.with(|state| {
        state.diff = None;
        // 3,001 files, of which the API lists 3,000; some without a patch, some renamed.
        state.files = (0..3001)
            .map(|n| match n % 3 {
                0 => json!({"filename": format!("{n}"), "status": "added"}),
                1 => json!({"filename": format!("{n}"), "status": "renamed", "previous_filename": "x"}),
                _ => json!({"filename": format!("{n}"), "status": "modified", "patch": "@@ -1 +1 @@\n-a\n+b"}),
            })
            .collect();
    });
    let step = job.step((TARGET, &event()), &["publish", &path]);
    step.assert_code(1);
    assert_eq!(step.run.stderr, "");
    let pages = job
        .fake
        .valid_requests()
        .iter()
        .filter(|request| request.ends_with("files"))
        .count();
    assert_eq!(pages, 30);
}

#[test]
fn a_repository_that_was_renamed_is_followed() {
    let (job, path) = publishing(&report(1));
    let there = format!(
        "{}/repos/{}/check-runs",
        job.fake.url,
        super::fake::REPOSITORY
    );
    job.fake.fault(
        "POST check-runs",
        1,
        Some(Answer::refusal(307, "Moved").with("location", there)),
    );
    job.step((TARGET, &event()), &["publish", &path])
        .assert_code(1);
    assert_eq!(job.fake.with(|state| state.checks.len()), 1);
    job.fake.valid_requests();
}

#[test]
fn a_proxy_is_used_where_the_environment_names_one() {
    let (job, path) = publishing(&report(1));
    let proxy = super::proxy::start();
    for (no_proxy, used) in [("", true), ("127.0.0.1", false)] {
        let before = proxy.connections();
        let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
        command
            .env("HTTP_PROXY", &proxy.url)
            .env("NO_PROXY", no_proxy);
        let run = job.repo.suite.finish(command);
        let step = job.came_to(number, run);
        step.assert_code(1);
        assert_eq!(step.run.stderr, "");
        assert_eq!(proxy.connections() > before, used, "NO_PROXY={no_proxy}");
    }
    assert_eq!(job.fake.with(|state| state.checks.len()), 2);
}

#[test]
fn a_repository_that_is_none_is_said_before_anything_is_asked() {
    let (job, path) = publishing(&report(1));
    for name in [
        "a", "a/b/c", "../..", "a/..", "/b", "a/", "a b/c", "a/b\n", "a/b?x", "a/b#x", "a/%2e%2e",
    ] {
        let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
        command.env("GITHUB_REPOSITORY", name);
        let run = job.repo.suite.finish(command);
        let step = job.came_to(number, run);
        step.assert_code(1)
            .assert_says("GITHUB_REPOSITORY is not `owner/name`");
        assert!(step.summary.contains("TAMPERED"), "{name}");
    }
    assert_eq!(job.fake.valid_requests(), [""; 0]);
}

#[test]
fn blanks_around_a_token_are_not_part_of_it() {
    let (job, path) = publishing(&report(1));
    let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
    command.env("GITHUB_TOKEN", format!(" {TOKEN}\r\n"));
    let run = job.repo.suite.finish(command);
    let step = job.came_to(number, run);
    step.assert_code(1);
    assert_eq!(step.run.stderr, "");
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for() {
    let (job, path) = publishing(&report(1));
    let pipe = job.repo.suite.home().join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    for (variable, code, said) in [
        ("GITHUB_OUTPUT", 1, "the outputs cannot be written: is no"),
        (
            "GITHUB_STEP_SUMMARY",
            1,
            "the summary cannot be written: is no",
        ),
        ("GITHUB_EVENT_PATH", 2, "cannot be read: is no regular file"),
    ] {
        // With nobody at its other end, and with somebody who never writes.
        for is_held in [false, true] {
            let held = || std::fs::File::options().read(true).write(true).open(&pipe);
            let _held = is_held.then(|| held().unwrap());
            let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
            command.env(variable, &pipe);
            let run = job.repo.suite.finish(command);
            job.came_to(number, run).assert_code(code).assert_says(said);
        }
    }
    // Where nobody wants them, as before.
    let (mut command, number) = job.command((TARGET, &event()), &["publish", &path]);
    command
        .env("GITHUB_OUTPUT", "/dev/null")
        .env("GITHUB_STEP_SUMMARY", "/dev/full");
    let run = job.repo.suite.finish(command);
    let step = job.came_to(number, run);
    step.assert_code(1)
        .assert_says("the summary cannot be written: No space left on device");
    assert!(!step.run.stderr.contains("outputs"), "{}", step.run.stderr);
}

#[test]
fn a_diff_that_is_none_is_not_taken_for_no_change() {
    let job = Job::drifting(Fake::start());
    let whole = job.fake.with(|state| state.diff.clone().unwrap());
    // Neither is an empty list of files, which stands in for a diff that is too large.
    let diffs = ["", "<html>Sign in</html>\n", &whole[..whole.len() - 20]].map(Some);
    for diff in diffs.into_iter().chain([None]) {
        job.fake.with(|state| state.diff = diff.map(str::to_owned));
        job.ci()
            .assert_code(1)
            .assert_says("git's diff stands in for it: what the API sent is no whole diff");
        let check = job.fake.with(|state| state.checks.pop().unwrap());
        let annotation = &check["output"]["annotations"][0];
        let place = (&annotation["path"], &annotation["start_line"]);
        assert_eq!(place, (&json!("goldens/graders/io_match.yaml"), &json!(2)));
    }
}

#[test]
fn a_branch_that_is_deleted_gets_no_check_run() {
    let (job, _) = publishing(&report(1));
    for digits in [40, 64] {
        let mut push = super::job::payload("push");
        push["ref"] = json!("refs/heads/master");
        push["repository"]["default_branch"] = json!("master");
        push["before"] = json!("1".repeat(digits));
        push["after"] = json!("0".repeat(digits));
        job.step(("push", &push), &["ci"]);
        assert_eq!(job.fake.valid_requests(), [""; 0]);
    }
}

/// A step of `args` that gets `signal` while GitHub does not answer `of`; it must end with `code`.
fn interrupted(
    job: &Job,
    (event, args): ((&str, &serde_json::Value), &[&str]),
    of: &'static str,
    (signal, code): (Signal, i32),
) -> super::job::Step {
    job.fake.reply(of, 9, Reply::Silence);
    let (command, number) = job.command(event, args);
    let run = job.repo.suite.start(command);
    let is_asked = || {
        job.fake
            .with(|state| state.faults.iter().any(|fault| fault.times < 9))
    };
    let start = Instant::now();
    while !is_asked() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let start = Instant::now();
    kill_process(run.pid(), signal).unwrap();
    let run = run.wait();
    assert!(start.elapsed() < Duration::from_secs(10));
    let step = job.came_to(number, run);
    step.assert_code(code)
        .assert_says("interrupted while publishing");
    step
}

#[test]
fn a_signal_ends_publishing_and_what_was_judged_stays() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let (job, path) = publishing(&report(1));
        let what = ((TARGET, &event()), &["publish", &path][..]);
        let step = interrupted(&job, what, "GET", (signal, code));
        step.assert_says("no check run: publishing was interrupted");
        assert!(step.summary.contains("TAMPERED"), "{}", step.summary);
    }
    let job = Job::drifting(Fake::start());
    let payload = job.pull_payload(false);
    let what = (
        ("pull_request", &payload),
        &["ci", "--report", "r.json"][..],
    );
    let step = interrupted(&job, what, "POST check-runs", (Signal::TERM, 143));
    step.assert_says("no comment: publishing was interrupted");
    assert_eq!(step.outputs["outcome"], "fail");
    assert!(job.repo.suite.read("r.json").contains("GRADER_DRIFT"));
    // What reached no check run is said in the log.
    assert_eq!(step.shown.len(), 1);
    job.repo.suite.assert_nothing_left();
}

#[test]
fn a_request_that_is_sent_elsewhere_is_refused() {
    let elsewhere = Fake::start();
    let there = format!("{}/repos/{}/x", elsewhere.url, super::fake::REPOSITORY);
    for location in [
        there.as_str(),
        "foo",
        "//evil.example/x",
        "http://localhost/x",
    ] {
        let (job, path) = publishing(&report(1));
        for of in ["POST check-runs", "POST issues/2/comments"] {
            let moved = Answer::refusal(307, "Moved").with("location", location);
            job.fake.fault(of, 1, Some(moved));
        }
        let said = format!("sends the request on to `{location}`");
        job.step((TARGET, &event()), &["publish", &path])
            .assert_code(1)
            .assert_says(&format!("no check run: the API {said}"))
            .assert_says(&format!("no comment: the API {said}"));
        job.fake.valid_requests();
    }
    elsewhere.with(|state| assert!(state.requests.is_empty()));
}

#[test]
fn a_repository_that_was_renamed_is_followed_by_its_path() {
    for prefix in ["", "/api/v3"] {
        let (mut job, path) = publishing(&report(1));
        let old = std::mem::replace(&mut job.fake, Fake::at(prefix));
        old.with(|old| {
            job.fake.with(|new| {
                new.pulls = std::mem::take(&mut old.pulls);
                new.diff = old.diff.take();
            });
        });
        let there = format!("{prefix}/repos/{}/check-runs", super::fake::REPOSITORY);
        let moved = Answer::refusal(308, "Moved").with("location", there);
        job.fake.fault("POST check-runs", 1, Some(moved.clone()));
        let step = job.step((TARGET, &event()), &["publish", &path]);
        step.assert_code(1);
        assert_eq!(step.run.stderr, "");
        assert_eq!(job.fake.with(|state| state.checks.len()), 1);
        // One that leads to itself is not followed for ever, and not asked for again.
        job.fake.fault("POST check-runs", 99, Some(moved));
        job.step((TARGET, &event()), &["publish", &path])
            .assert_code(1)
            .assert_says("no check run: the API sends the request on without end");
    }
}

#[test]
fn an_answer_in_an_encoding_that_nobody_asked_for_is_said() {
    let (job, path) = publishing(&report(1));
    let encoded = Answer::json(201, &json!({"id": 1})).with("content-encoding", "gzip");
    job.fake.fault("POST check-runs", 1, Some(encoded));
    job.step((TARGET, &event()), &["publish", &path])
        .assert_code(1)
        .assert_says("no check run: the answer is encoded as `gzip`, which was not asked for");
    job.fake.with(|state| {
        let all = |(_, request): &(Instant, super::server::Request)| {
            request.header("accept-encoding") == "identity"
        };
        assert!(state.requests.iter().all(all));
    });
}

#[test]
fn an_answer_that_is_lost_leaves_one_comment_and_the_newest_check_run() {
    let (job, path) = publishing(&report(1));
    job.fake.reply("POST", 2, Reply::Lose);
    let step = job.step((TARGET, &event()), &["publish", &path]);
    step.assert_code(1);
    assert_eq!(step.run.stderr, "");
    assert_eq!(job.fake.bodies().len(), 1);
    // The second of one name on one commit is the one that GitHub shows.
    let checks = job.fake.with(|state| state.checks.clone());
    assert_eq!(checks.last().unwrap()["conclusion"], "failure");

    let (job, path) = publishing(&report(1));
    job.fake.reply("POST issues/2/comments", 2, Reply::Lose);
    job.step((TARGET, &event()), &["publish", &path])
        .assert_code(1);
    assert_eq!(job.fake.bodies().len(), 1);
    job.fake.valid_requests();
}
