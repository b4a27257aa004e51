//! What supervision and sandbox cost a step.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use driftgate::model::observation::Ended;
use driftgate::model::step::{Profile, Program, Step};
use driftgate::run::environment;
use driftgate::run::executor::Executor;
use driftgate::run::scratch::RunScratch;

use super::crowds::spec;

/// The middle of what `run` takes, of many times.
fn median(mut run: impl FnMut(u32)) -> Duration {
    let mut times: Vec<_> = (0..200)
        .map(|nth| {
            let start = Instant::now();
            run(nth);
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

#[test]
#[ignore = "a measurement: with `--release`, on a machine that does nothing else"]
#[expect(clippy::print_stdout, reason = "a person reads it")]
fn what_a_step_costs() {
    let bare = median(|_| assert!(Command::new("/bin/true").status().unwrap().success()));
    println!("bare {bare:?}");
    let executor = |sandboxed: bool| {
        let blobs = tempfile::tempdir().unwrap();
        let executor = Executor::new(
            RunScratch::new().unwrap(),
            blobs.path().to_owned(),
            environment::search_path(),
        );
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_driftgate"));
        let executor = executor.unwrap().with_supervisor(binary);
        match sandboxed {
            true => executor.sandboxed(&[]),
            false => executor,
        }
    };
    for sandboxed in [false, true] {
        let executor = executor(sandboxed);
        for profile in [Profile::Candidate, Profile::Compile] {
            let program = Program::Tool(vec!["/bin/true".to_owned()]);
            let mut spec = spec(program, profile);
            let took = median(|nth| {
                spec.nth = nth;
                assert_eq!(executor.run(&Step::new(spec.clone())).ended, Ended::Exit(0));
            });
            let over = took.saturating_sub(bare);
            println!("sandboxed {sandboxed} {profile:?}: {took:?}, over bare {over:?}");
        }
    }
}
