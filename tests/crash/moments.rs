//! A suite of a dozen cases, and the moments at which its runs are killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use super::suite::{GOOD, Run, Suite, WRONG};

/// How many cases there are.
pub(super) const CASES: usize = 12;
/// A user that is not us.
pub(super) const OTHER: u32 = 54_321;
/// How long what a killed run started may live on. It is killed at once; the rest is a machine
/// under load.
const SHORT: Duration = Duration::from_secs(20);

/// The id of a case.
pub(super) fn id(number: usize) -> String {
    format!("case-{number:02}")
}

/// A suite of [`CASES`] cases of which no two make the same program, recorded: every third is wrong.
pub(super) fn dozen() -> Suite {
    let suite = Suite::empty();
    for number in 0..CASES {
        let fixture = format!("fixtures/f{number}.cpp");
        let source = format!(
            "#include <stdio.h>\nint answer();\nint number = {number};\nint main() {{ printf(\"%d\\n\", answer()); }}\n"
        );
        suite.write(&format!("goldens/{fixture}"), source);
        suite.case(&id(number), &json!({ "fixture": fixture }));
        suite.completion(&id(number), completion(number, ""));
    }
    suite.record();
    suite
}

/// The completion of a case, with `more` behind it.
pub(super) fn completion(number: usize, more: &str) -> String {
    let source = if number.is_multiple_of(3) {
        WRONG
    } else {
        GOOD
    };
    format!("{source}{more}")
}

/// The number in the environment variable `name`.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// At how many moments a run is killed.
pub(super) fn count(default: usize) -> usize {
    number("DRIFTGATE_CRASHES").map_or(default, |count| usize::try_from(count).unwrap())
}

/// Random parts of a whole, one in each of `count` equal stretches, so that all of it is covered.
pub(super) fn parts(count: usize) -> Vec<f64> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seed = number("DRIFTGATE_SEED").unwrap_or(u64::from(now.unwrap().subsec_nanos()));
    eprintln!("DRIFTGATE_SEED={seed}");
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut parts = Vec::new();
    for stretch in 0..count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let within = f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX);
        parts.push(
            (f64::from(u32::try_from(stretch).unwrap()) + within)
                / f64::from(u32::try_from(count).unwrap()),
        );
    }
    parts
}

/// Kills a run of `args` when `after` has passed, and waits until nothing of it runs any more.
/// `None` if it was done before.
pub(super) fn kill_after(suite: &Suite, args: &[&str], after: Duration) -> Option<Duration> {
    kill_once(suite, args, || true, after)
}

/// The same, when `after` has passed since `ready` was first true.
pub(super) fn kill_once(
    suite: &Suite,
    args: &[&str],
    ready: impl Fn() -> bool,
    after: Duration,
) -> Option<Duration> {
    let started = suite.start(suite.command(args));
    while !ready() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(after);
    let _ = kill_process(started.pid(), Signal::KILL);
    let killed_at = Instant::now();
    let run = started.wait();
    while !suite.running().is_empty() {
        assert!(
            killed_at.elapsed() < SHORT,
            "still running: {:?}",
            suite.running()
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    run.status.code().is_none().then(|| killed_at.elapsed())
}

/// What is the same in every run: all of a row but the seconds, and whether it was executed.
pub(super) fn verdicts(run: &Run) -> Vec<Value> {
    let mut rows = run.rows();
    for row in &mut rows {
        row["seconds"] = Value::Null;
        row["executed"] = Value::Null;
    }
    rows
}

/// Writes `files` and removes all others that are committed.
pub(super) fn restore(suite: &Suite, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for path in suite
        .committed()
        .keys()
        .filter(|path| !files.contains_key(*path))
    {
        fs::remove_file(path).unwrap();
    }
    for (path, bytes) in files {
        fs::write(path, bytes).unwrap();
    }
}

/// Nothing that was on the way to its place is left anywhere.
pub(super) fn assert_no_litter(suite: &Suite) {
    let mut open = vec![suite.home().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(
                !name.starts_with(".driftgate-") && name != ".new",
                "{}",
                path.display()
            );
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    assert!(!unfinished(suite).exists());
}

/// The files at any depth under `folder`.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    // A run may be removing them.
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// What an interrupted run leaves of its steps.
pub(super) fn unfinished(suite: &Suite) -> PathBuf {
    suite.root().join(".driftgate/unfinished")
}
