//! What a machine lacks, and what happens to it during a run.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::json;

use super::suite::{GOOD, Run, Suite};

/// Replays the suite with `compiler`.
fn with_compiler(suite: &Suite, compiler: &str) -> Run {
    let mut command = suite.command(&["check", "--format", "json"]);
    command.env("CXX", compiler);
    suite.finish(command)
}

#[test]
fn what_is_no_compiler_judges_nothing_and_is_named() {
    let suite = Suite::recorded();
    for compiler in [
        "no-such-compiler",
        "/bin/true",
        "/bin/false",
        "cat",
        "/etc/passwd",
        "sleep 1000",
    ] {
        let run = with_compiler(&suite, compiler);
        let row = run.assert_class("add", "UNJUDGED", 3);
        let why = row["why"].as_str().unwrap();
        assert!(why.starts_with("environment"), "{why}");
        let name = compiler.split(' ').next().unwrap();
        assert!(why.contains(name), "{why}");
        assert!(
            run.json()["notes"].to_string().contains(name),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn without_a_compiler_nothing_is_recorded() {
    let suite = Suite::adder();
    suite.completion("add", GOOD);
    let before = suite.committed();
    let folder = suite.home().join("completions");
    let mut command = suite.command(&["record", "--from", folder.to_str().unwrap()]);
    command.env("CXX", "no-such-compiler");
    let run = suite.finish(command);
    run.assert_code(3)
        .assert_says(&["no-such-compiler", "CXX", "nothing was recorded"]);
    assert!(suite.committed() == before, "a file changed");
}

#[test]
fn a_script_around_a_compiler_is_one() {
    let suite = Suite::recorded();
    let wrapper = suite.script("wrapper", "exec g++ \"$@\"");
    with_compiler(&suite, &wrapper).assert_class("add", "STABLE", 0);
}

#[test]
fn a_compiler_that_dies_of_one_unit_only_rejects_it() {
    let suite = Suite::recorded();
    let wrapper = suite.script(
        "picky",
        "if grep -q answer candidate.cpp 2>/dev/null; then kill -9 $$; fi\nexec g++ \"$@\"",
    );
    let run = with_compiler(&suite, &wrapper);
    let row = run.row("add");
    assert_eq!(row["after"], "fail", "{row:#}");
    assert_eq!(
        row["evidence"]["verdict"]["class"], "compile_error",
        "{row:#}"
    );
    assert_eq!(row["class"], "TOOLCHAIN_DRIFT");
    run.assert_code(0);
}

#[test]
fn a_compiler_that_always_dies_judges_nothing() {
    let suite = Suite::recorded();
    let wrapper = suite.script("dead", "kill -9 $$");
    with_compiler(&suite, &wrapper).assert_class("add", "UNJUDGED", 3);
    // One that answers questions, and dies of every unit but the one it is tried with.
    let wrapper = suite.script(
        "sick",
        "if [ -e candidate.cpp ]; then kill -9 $$; fi\nexec g++ \"$@\"",
    );
    let row = with_compiler(&suite, &wrapper).assert_class("add", "UNJUDGED", 3);
    assert!(
        row["why"].as_str().unwrap().starts_with("machine"),
        "{row:#}"
    );
}

#[test]
fn a_compiler_that_fails_once_gets_another_try() {
    let suite = Suite::recorded();
    suite.unconfine();
    for (name, end) in [("exits", "exit 1"), ("dies", "kill -9 $$")] {
        let mark = suite.home().join(format!("{name}.mark"));
        let mark = mark.display();
        let wrapper = suite.script(
            name,
            &format!("if [ -e candidate.cpp ] && mkdir {mark} 2>/dev/null; then {end}; fi\nexec g++ \"$@\""),
        );
        let run = with_compiler(&suite, &wrapper);
        assert!(fs::exists(suite.home().join(format!("{name}.mark"))).unwrap());
        run.assert_class("add", "STABLE", 0);
    }
}

#[test]
fn what_the_fixture_or_the_flags_need_and_is_not_here_is_the_environment() {
    let fixture = "#include <no/such/header.hpp>\nint main() {}\n";
    for (fixture, flags, named) in [
        (fixture, json!([]), "no/such/header.hpp"),
        (
            "int main() {}\n",
            json!(["-lno-such-library"]),
            "no-such-library",
        ),
        (
            "int main() {}\n",
            json!(["-fno-such-flag-anywhere"]),
            "no-such-flag",
        ),
        ("int main() {}\n", json!(["-fuse-ld=nosuch"]), "nosuch"),
    ] {
        let suite = Suite::adder();
        suite.write("goldens/fixtures/f.cpp", fixture);
        suite.case("add", &json!({"compile_flags": flags}));
        suite.completion("add", GOOD);
        let row = suite.grade("add").assert_class("add", "environment", 3);
        let told = format!("{} {}", row["why"], row["evidence"]["diagnostics"]);
        assert!(told.contains(named), "{row:#}");
    }
}

#[test]
fn a_workspace_that_cannot_be_used_is_told_and_left_alone() {
    let suite = Suite::recorded();
    let folder = suite.root().join(".driftgate");
    let check = |words: &[&str]| {
        let run = suite.run(&["check"]);
        run.assert_code(2).assert_says(words);
        assert_eq!(run.stdout, "");
    };
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "mine").unwrap();
    check(&[".driftgate", "not a folder"]);
    assert_eq!(fs::read(&folder).unwrap(), b"mine");

    fs::remove_file(&folder).unwrap();
    let elsewhere = suite.home().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &folder).unwrap();
    check(&[".driftgate", "link"]);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);

    // No mode binds root; a folder in the place of a file does.
    fs::remove_file(&folder).unwrap();
    for taken in ["lock", "scratch"] {
        fs::create_dir_all(folder.join(taken)).unwrap();
        check(&[".driftgate"]);
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("store"), "mine").unwrap();
    let run = suite.run(&["check", "--store"]);
    run.assert_code(2).assert_says(&[".driftgate/store"]);
    assert_eq!(fs::read(folder.join("store")).unwrap(), b"mine");
}

#[test]
fn a_missing_temporary_folder_is_told() {
    let suite = Suite::recorded();
    let missing = suite.home().join("no-such-folder");
    let mut command = suite.command(&["check"]);
    command.env("TMPDIR", &missing);
    let run = suite.finish(command);
    run.assert_code(2)
        .assert_says(&[missing.to_str().unwrap(), "TMPDIR"]);
}

/// Runs driftgate with a temporary folder of `size`, in mount namespace of its own.
fn on_a_small_disk(suite: &Suite, size: &str, args: &str) -> Run {
    let namespace = if rustix::process::geteuid().is_root() {
        "-m"
    } else {
        "-rm"
    };
    let script = format!(
        "mount -t tmpfs -o size={size} small {} || exit 99; exec {} {args}",
        suite.tmp().display(),
        suite.binary().display()
    );
    let plain = suite.command(&[]);
    let mut command = std::process::Command::new("unshare");
    command.args([namespace, "sh", "-c", &script]).env_clear();
    for (name, value) in plain.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.current_dir(suite.root());
    let run = suite.finish(command);
    assert_ne!(
        run.status.code(),
        Some(99),
        "needs root or user namespaces: {}",
        run.stderr
    );
    run
}

#[test]
fn a_full_disk_rejects_no_candidate() {
    let suite = Suite::adder();
    suite.case("a-broken", &json!({}));
    suite.completion("a-broken", "#error no\n");
    // Each leaves a binary of its own behind, until the disk is full.
    for number in 10..34 {
        let id = format!("b{number}");
        suite.case(&id, &json!({}));
        suite.completion(&id, format!("{GOOD}int other = {number};\n"));
    }
    // This one needs more room than a trivial unit does.
    let table = "1000000,".repeat(20_000);
    suite.completion("add", format!("{GOOD}int table[] = {{{table}}};\n"));
    suite.record();
    for size in ["8k", "300k"] {
        let run = on_a_small_disk(&suite, size, "check --jobs 1 --format json");
        for row in run.rows() {
            let class = row["class"].as_str().unwrap();
            assert!(["STABLE", "UNJUDGED"].contains(&class), "{size}: {row:#}");
        }
        run.assert_code(3);
    }
}

#[test]
fn a_second_run_in_a_checkout_is_sent_away_and_the_first_goes_on() {
    let suite = Suite::program("#include <unistd.h>\nint main() { for (;;) pause(); }\n");
    let path = suite.completion_path("c").display().to_string();
    let first = suite.start(suite.command(&[
        "grade",
        "--case",
        "c",
        "--candidate",
        &path,
        "--format",
        "json",
    ]));
    suite.wait_for_candidate();
    let second = suite.start(suite.command(&["check"])).wait();
    let pid = first.pid().as_raw_pid().to_string();
    second.assert_code(2).assert_says(&[
        "lock",
        "another driftgate run",
        &pid,
        "driftgate grade",
        "wait for it",
    ]);
    first.wait().assert_class("c", "hang", 1);
    suite.assert_nothing_left();
}

#[test]
fn two_runs_in_two_checkouts_do_not_meet() {
    let suites = [Suite::recorded(), Suite::recorded()];
    let started: Vec<_> = suites
        .iter()
        .map(|suite| suite.start(suite.command(&["check", "--format", "json"])))
        .collect();
    for run in started {
        run.wait().assert_class("add", "STABLE", 0);
    }
    for suite in &suites {
        suite.assert_nothing_left();
    }
}

/// A run whose only candidate sleeps and left a daemon behind, interrupted by `interrupt`.
fn interrupted(interrupt: impl FnOnce(Pid), code: i32) {
    let suite = sleeper();
    let before = suite.committed();
    let path = suite.completion_path("c").display().to_string();
    let report = suite.home().join("report.json");
    let mut command = suite.command(&[
        "grade",
        "--case",
        "c",
        "--candidate",
        &path,
        "--report",
        report.to_str().unwrap(),
    ]);
    command.process_group(0);
    let started = suite.start(command);
    suite.wait_for_candidate();
    interrupt(started.pid());
    let run = started.wait();
    run.assert_code(code)
        .assert_says(&["interrupted", "--resume"]);
    assert_eq!(run.stdout, "");
    assert!(!report.exists(), "there is no report of half a run");
    suite.assert_nothing_left();
    assert!(suite.committed() == before, "a file changed");
    // The checkout is free again.
    suite.run(&["check"]).assert_code(3);
}

/// Sleeps for an hour, with a child that does too and ignores being asked to end.
fn sleeper() -> Suite {
    let suite = Suite::program(
        "#include <signal.h>\n#include <unistd.h>\nint main() {\n\
         if (fork() == 0) { setsid(); signal(SIGTERM, SIG_IGN); }\nsleep(3600); }\n",
    );
    let text = suite.read("goldens/cases/c.json");
    suite.write(
        "goldens/cases/c.json",
        text.replace("\"timeout_s\": 1", "\"timeout_s\": 100"),
    );
    suite
}

#[test]
fn an_interrupt_ends_the_run_with_130_and_leaves_nothing() {
    interrupted(|pid| kill_process(pid, Signal::INT).unwrap(), 130);
}

#[test]
fn an_interrupt_of_the_whole_group_does_too() {
    interrupted(|pid| kill_process_group(pid, Signal::INT).unwrap(), 130);
}

#[test]
fn a_wish_to_terminate_ends_the_run_with_143() {
    interrupted(|pid| kill_process(pid, Signal::TERM).unwrap(), 143);
}

#[test]
fn an_interrupted_recording_keeps_what_was_finished() {
    let suite = sleeper();
    suite.write("goldens/fixtures/f.cpp", "");
    let changes = json!({"expect": {"exit_code": 0}, "compile_flags": []});
    suite.case("quick", &changes);
    suite.completion("quick", "int main() { return 0; }\n");
    let from = suite.home().join("completions").display().to_string();
    let started = suite.start(suite.command(&["record", "--jobs", "2", "--from", &from]));
    suite.wait_for_candidate();
    let cassette = suite.root().join("goldens/cassettes/quick.json");
    while !cassette.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    kill_process(started.pid(), Signal::INT).unwrap();
    started.wait().assert_code(130);
    suite.assert_nothing_left();
    let replayed = suite.report(&["replay", "--case", "quick"]);
    assert_eq!(replayed.assert_code(0).row("quick")["class"], "STABLE");
}

#[test]
fn a_killed_run_leaves_no_process_and_the_next_one_cleans_up_and_completes() {
    let suite = sleeper();
    let path = suite.completion_path("c").display().to_string();
    let started = suite.start(suite.command(&["grade", "--case", "c", "--candidate", &path]));
    suite.wait_for_candidate();
    kill_process(started.pid(), Signal::KILL).unwrap();
    assert_eq!(started.wait().status.code(), None);
    suite.wait_for_silence();
    suite.completion("c", "#include <stdio.h>\nint main() { puts(\"ok\"); }\n");
    suite.grade("c").assert_class("c", "match", 0);
}

#[test]
fn a_closed_standard_input_and_a_full_standard_error_change_nothing() {
    let suite = Suite::recorded();
    let mut command = suite.command(&["check", "--format", "json"]);
    command.stdout(std::process::Stdio::piped()).stderr(
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap(),
    );
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    suite.assert_nothing_left();
}
