//! More processes than a step may have. The limit is lowered for these tests: a crowd that sleeps
//! has at most sixty, and one that burns at most some hundreds for a moment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use driftgate::model::digest::Digest;
use driftgate::model::observation::{Ended, Observation, Resource};
use driftgate::model::step::{Content, Limits, Profile, Program, Step, StepSpec};
use driftgate::run::environment;
use driftgate::run::executor::Executor;
use driftgate::run::scratch::RunScratch;

use super::host::OTHER;

/// Threads that a step may have here.
const FEW: u64 = 20;

/// Tells the test that it was started again, as another user.
const AGAIN: &str = "DRIFTGATE_TEST_AGAIN";

pub(super) fn spec(program: Program, profile: Profile) -> StepSpec {
    let limits = Limits {
        cpu: Duration::from_secs(30),
        wall: Duration::from_secs(60),
        output: 1 << 16,
        flood_ends: true,
    };
    StepSpec::bare(program, profile, limits)
}

/// The program whose `main` does `body`.
fn compiled(executor: &Executor, body: &str) -> Digest {
    let source = format!("#include <thread>\n#include <unistd.h>\nint main() {{ {body} }}\n");
    let compiler = vec!["c++".to_owned()];
    let mut spec = spec(Program::Tool(compiler), Profile::Compile);
    spec.args = ["-pthread", "u.cpp", "-o", "p"].map(str::to_owned).into();
    let source = Content::from(source.as_str());
    spec.inputs = BTreeMap::from([("u.cpp".to_owned(), source)]);
    spec.outputs = BTreeSet::from(["p".to_owned()]);
    let made = executor.run(&Step::new(spec));
    assert!(made.succeeded(), "{made:?}");
    made.outputs["p"]
}

/// What becomes of a program that does `body` where few threads are allowed.
fn run(body: &str) -> Observation {
    let blobs = tempfile::tempdir().unwrap();
    let binary = PathBuf::from(std::env::var_os(AGAIN).unwrap_or_default());
    let binary = match binary.as_os_str().is_empty() {
        true => PathBuf::from(env!("CARGO_BIN_EXE_driftgate")),
        false => binary,
    };
    let executor = Executor::new(
        RunScratch::new().unwrap(),
        blobs.path().to_owned(),
        environment::search_path(),
    );
    let executor = executor.unwrap().with_supervisor(binary);
    let executor = executor.sandboxed(&[]).with_threads(FEW);
    assert!(executor.isolation().unwrap().is_full());
    let program = compiled(&executor, body);
    let mut spec = spec(Program::Input("candidate".to_owned()), Profile::Candidate);
    spec.inputs = BTreeMap::from([("candidate".to_owned(), Content::Output(program))]);
    let start = Instant::now();
    let seen = executor.run(&Step::new(spec));
    assert!(start.elapsed() < Duration::from_secs(20), "{seen:?}");
    seen
}

/// A program that does `body` is ended as a flood of processes.
#[track_caller]
fn is_flood(body: &str) {
    let seen = run(body);
    let flood = Ended::ResourceLimit(Resource::Processes);
    assert_eq!(seen.ended, flood, "{body}: {seen:?}");
}

/// Nothing runs below our folder.
fn assert_silence() {
    let within = fs::canonicalize(environment::temp_dir()).unwrap();
    for entry in fs::read_dir("/proc").unwrap() {
        let place = fs::read_link(entry.unwrap().path().join("exe")).unwrap_or_default();
        let left = place.starts_with(&within) && place.to_string_lossy().contains("candidate");
        assert!(!left, "{} lives", place.display());
    }
}

/// Runs `check` in a folder of its own as us, and as another user if we are root. `name` is that
/// of the test.
fn as_everybody(name: &str, check: impl Fn()) {
    if std::env::var_os(AGAIN).is_some() {
        check();
        assert_silence();
        return;
    }
    check();
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = tempfile::Builder::new()
        .prefix("crowds-")
        .tempdir()
        .unwrap();
    let hold = |from: &Path, name: &str| {
        let to = home.path().join(name);
        fs::copy(from, &to).unwrap();
        to
    };
    let test = hold(&std::env::current_exe().unwrap(), "test");
    let binary = hold(Path::new(env!("CARGO_BIN_EXE_driftgate")), "driftgate");
    let tmp = home.path().join("tmp");
    fs::create_dir(&tmp).unwrap();
    let other = OTHER.to_string();
    for path in [home.path(), &tmp] {
        std::os::unix::fs::chown(path, Some(OTHER), Some(OTHER)).unwrap();
    }
    let output = Command::new("setpriv")
        .args(["--reuid", &other, "--regid", &other, "--clear-groups"])
        .arg(test)
        .args([&format!("crowds::{name}"), "--exact", "--nocapture"])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("TMPDIR", &tmp)
        .env(AGAIN, binary)
        .current_dir(home.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{complained}"
    );
}

#[test]
fn a_crowd_is_a_process_flood() {
    as_everybody("a_crowd_is_a_process_flood", || {
        // All from one, or each from the one before, in sessions of their own.
        for body in [
            "for (int i = 0; i < 50; i++) if (fork() == 0) { setsid(); for (;;) pause(); } for (;;) pause();",
            "for (int i = 0; i < 50; i++) { if (fork() != 0) for (;;) pause(); setsid(); } for (;;) pause();",
        ] {
            is_flood(body);
        }
    });
}

#[test]
fn a_bomb_that_burns_is_ended_while_it_grows() {
    as_everybody("a_bomb_that_burns_is_ended_while_it_grows", || {
        // What the kernel lets it have bounds it: a few hundred where it is counted together with
        // all that its user runs.
        for body in [
            "for (;;) fork();",
            "for (;;) { fork(); setsid(); }",
            "for (;;) if (fork() == 0) { setsid(); if (fork()) _exit(0); }",
        ] {
            is_flood(body);
        }
    });
}

#[test]
fn a_crowd_of_threads_is_one_too() {
    as_everybody("a_crowd_of_threads_is_one_too", || {
        is_flood(
            "try { for (int i = 0; i < 50; i++) std::thread([] { for (;;) pause(); }).detach(); } catch (...) {} for (;;) pause();",
        );
    });
}

#[test]
fn as_many_as_are_allowed_are_none() {
    as_everybody("as_many_as_are_allowed_are_none", || {
        let seen = run(
            "for (int i = 0; i < 15; i++) if (fork() == 0) { usleep(200000); _exit(0); } usleep(300000);",
        );
        assert_eq!(seen.ended, Ended::Exit(0), "{seen:?}");
    });
}
