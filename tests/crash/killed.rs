//! A replay that is killed.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::moments::{self, CASES, OTHER};
use super::suite::{Run, Suite};

/// The number in a sentence that begins with `before`.
fn number_after(text: &str, before: &str) -> Option<usize> {
    let rest = &text[text.find(before)? + before.len()..];
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// How many steps `run` says it did not run again.
#[track_caller]
fn reused(run: &Run) -> usize {
    let notes = run.json()["notes"].to_string();
    if run.stderr.contains("no interrupted run is there") {
        assert!(notes.contains("no interrupted run is there"), "{notes}");
        return 0;
    }
    let found = number_after(&run.stderr, "continuing a run that had finished ");
    let reused = number_after(&notes, "resumed: ");
    let (Some(found), Some(reused)) = (found, reused) else {
        panic!(
            "nothing is said of what was reused: {notes}\n{}",
            run.stderr
        );
    };
    assert!(reused > 0 && reused <= found, "{reused} of {found}");
    reused
}

/// What became of one that was killed.
struct Round {
    /// How many steps were not run again.
    reused: usize,
    /// After what time nothing of it ran any more; `None` if it was done before.
    silence: Option<Duration>,
    /// Whether its report was out.
    has_report: bool,
}

/// A replay that is killed again and again.
struct Replays {
    suite: Suite,
    args: Vec<String>,
    report: PathBuf,
    undisturbed: Run,
    /// How long that took.
    whole: Duration,
}

impl Replays {
    fn of(suite: Suite) -> Self {
        let report = suite.home().join("report.json");
        let args = ["replay", "--format", "json", "--report"].map(str::to_owned);
        let args = [&args[..], &[report.display().to_string()]].concat();
        let started = Instant::now();
        let undisturbed = suite.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        undisturbed.assert_code(0);
        Self {
            whole: started.elapsed(),
            suite,
            args,
            report,
            undisturbed,
        }
    }

    /// Kills one with `kill`, looks at what it left, and continues it.
    fn round(&self, kill: impl FnOnce(&Suite, &[&str]) -> Option<Duration>) -> Round {
        let args: Vec<_> = self.args.iter().map(String::as_str).collect();
        let before = self.suite.committed();
        let _ = fs::remove_file(&self.report);
        let silence = kill(&self.suite, &args);
        assert!(self.suite.committed() == before, "a file changed");
        let report = fs::read(&self.report);
        if let Ok(bytes) = &report {
            let report: Value = serde_json::from_slice(bytes).unwrap();
            assert_eq!(report["experiments"][0]["checked"], CASES);
        }
        let run = self.suite.run(&[&args[..], &["--resume"]].concat());
        run.assert_code(0);
        assert_eq!(
            moments::verdicts(&run),
            moments::verdicts(&self.undisturbed)
        );
        moments::assert_no_litter(&self.suite);
        assert!(self.suite.committed() == before, "a file changed");
        let reused = reused(&run);
        eprintln!("{silence:?} until silence, {reused} steps reused");
        Round {
            reused,
            silence,
            has_report: report.is_ok(),
        }
    }

    /// Kills one at `count` moments of its whole duration.
    fn are_continued(&self, count: usize) {
        // A little longer than the run, so that its last moments are among them.
        let rounds = moments::parts(count).into_iter().map(|part| {
            let after = self.whole.mul_f64(part * 1.02);
            eprint!("killed at {part:.3}: ");
            self.round(|suite, args| moments::kill_after(suite, args, after))
        });
        let rounds: Vec<_> = rounds.collect();
        let killed = rounds
            .iter()
            .filter(|round| round.silence.is_some())
            .count();
        let steps: usize = rounds.iter().map(|round| round.reused).sum();
        let longest = rounds.iter().filter_map(|round| round.silence).max();
        eprintln!(
            "{killed} of {count} killed within {:?}; {steps} steps reused; silence after {longest:?} at most",
            self.whole
        );
        assert!(killed * 2 > count && steps > 0);
    }
}

#[test]
fn a_replay_that_is_killed_at_any_moment_is_continued() {
    Replays::of(moments::dozen()).are_continued(moments::count(10));
}

#[test]
fn so_is_that_of_another_user() {
    if rustix::process::geteuid().is_root() {
        let suite = moments::dozen();
        suite.belongs_to(OTHER);
        Replays::of(suite).are_continued(moments::count(3));
    }
}

#[test]
fn a_replay_that_is_killed_while_it_reports_runs_nothing_again() {
    let replays = Replays::of(moments::dozen());
    for part in moments::parts(moments::count(4)) {
        let suite = &replays.suite;
        let observations = moments::unfinished(suite).join("observations");
        let runs = suite.root().join(".driftgate/runs");
        let last = || {
            let entries = fs::read_dir(&runs).unwrap().flatten();
            let numbers =
                entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
            numbers.max()
        };
        let before = last();
        // A compile and a run each; or the run was faster than we look.
        let all_ran = || moments::files(&observations).len() >= 2 * CASES || last() > before;
        let after = Duration::from_millis(40).mul_f64(part);
        let round = replays.round(|suite, args| moments::kill_once(suite, args, all_ran, after));
        // One whose report is out has nothing to continue, and forgets it.
        assert!(
            round.reused == 2 * CASES || round.has_report,
            "{}",
            round.reused
        );
    }
}
