//! Steps run through the real binary, each as hostile as a candidate can be without a sandbox.
//! Every test that claims a process is gone has first seen that it was there.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use driftgate::model::digest::Digest;
use driftgate::model::observation::{Ended, Observation};
use driftgate::model::step::{Content, Limits, Profile, Program, Step, StepSpec};
use driftgate::run::executor::Executor;
use driftgate::run::scratch::RunScratch;
use driftgate::run::{clock, environment, interrupt};

/// The variable that marks every process a test starts, through all its descendants.
const MARK: &str = "DRIFTGATE_TEST_MARK";

/// The variable that gives a helper process its mark, spelt backwards: the helper itself is not
/// to be found by it.
const BACKWARDS: &str = "DRIFTGATE_TEST_MARK_BACKWARDS";

const LONG: Duration = Duration::from_secs(60);

/// An executor with the folder its outputs are in.
struct Bench {
    executor: Executor,
    blobs: tempfile::TempDir,
}

fn bench() -> Bench {
    let blobs = tempfile::tempdir().unwrap();
    let executor = Executor::new(
        RunScratch::new().unwrap(),
        blobs.path().to_owned(),
        "/usr/bin:/bin:/opt/compilers".to_owned(),
    )
    .unwrap()
    .with_supervisor(PathBuf::from(env!("CARGO_BIN_EXE_driftgate")));
    Bench { executor, blobs }
}

/// A text no other process on the machine carries.
fn fresh_mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let now = clock::timestamp();
    format!(
        "mark-{}-{}-{now}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

fn spec(program: Program, mark: &str) -> StepSpec {
    let limits = Limits {
        cpu: LONG,
        wall: LONG,
        output: 1 << 20,
        flood_ends: true,
    };
    StepSpec {
        env: BTreeMap::from([(MARK.to_owned(), mark.to_owned())]),
        ..StepSpec::bare(program, Profile::Candidate, limits)
    }
}

fn sh(script: &str, mark: &str) -> StepSpec {
    let argv = ["/bin/sh", "-c", script].map(str::to_owned);
    spec(Program::Tool(argv.into()), mark)
}

/// Runs `script` with generous limits.
fn run(script: &str) -> Observation {
    bench().executor.run(&Step::new(sh(script, &fresh_mark())))
}

/// The processes that carry `mark` in their environment or arguments.
fn marked(mark: &str) -> Vec<String> {
    let holds = |bytes: Vec<u8>| {
        bytes
            .windows(mark.len())
            .any(|window| window == mark.as_bytes())
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name()?.to_str()?.to_owned();
            name.parse::<u32>().ok()?;
            let found = ["environ", "cmdline"]
                .iter()
                .any(|file| fs::read(path.join(file)).is_ok_and(&holds));
            found.then_some(name)
        })
        .collect()
}

/// Waits until `done`, and fails after a generous while.
fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let start = clock::now_monotonic();
    while !done() {
        assert!(start.elapsed() < LONG, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap().trim()
}

/// The process numbers on standard output: at least `least`, so that none of them being alive
/// says something.
fn printed_numbers(observation: &Observation, least: usize) -> Vec<String> {
    let numbers: Vec<_> = text(&observation.stdout)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    assert!(numbers.len() >= least, "{observation:?}");
    assert!(
        numbers.iter().all(|number| number.parse::<u32>().is_ok()),
        "{numbers:?}"
    );
    numbers
}

fn assert_dead(numbers: &[String]) {
    for number in numbers {
        assert!(
            !Path::new("/proc").join(number).exists(),
            "process {number} lives"
        );
    }
}

#[test]
fn an_exit_code_is_reported() {
    for code in [0, 1, 3, 255] {
        assert_eq!(run(&format!("exit {code}")).ended, Ended::Exit(code));
    }
}

#[test]
fn a_signal_is_reported() {
    for signal in [6, 9, 11, 13, 15, 24] {
        assert_eq!(
            run(&format!("kill -{signal} $$; sleep 5")).ended,
            Ended::Signal(signal)
        );
    }
}

#[test]
fn both_streams_are_kept_to_the_byte() {
    let seen = run(r"printf 'a\000\377\376\n'; printf '\200b' >&2; exit 4");
    assert_eq!(seen.ended, Ended::Exit(4));
    assert_eq!(seen.stdout, b"a\0\xff\xfe\n");
    assert_eq!(seen.stderr, b"\x80b");
    assert!(!seen.truncated);
}

#[test]
fn bytes_written_just_before_the_end_are_not_lost() {
    let bench = bench();
    for nth in 0..40 {
        let mut spec = sh(
            "head -c 60000 /dev/zero; printf end; head -c 50000 /dev/zero >&2",
            "m",
        );
        spec.nth = nth;
        let seen = bench.executor.run(&Step::new(spec));
        assert_eq!(seen.ended, Ended::Exit(0));
        assert_eq!((seen.stdout.len(), seen.stderr.len()), (60_003, 50_000));
        assert!(seen.stdout.ends_with(b"end"));
    }
}

#[test]
fn standard_input_is_given_or_empty() {
    let mut given = sh("cat", "m");
    given.stdin = Content::from("some\ntext");
    assert_eq!(
        bench().executor.run(&Step::new(given)).stdout,
        b"some\ntext"
    );
    let empty = run("cat; echo done");
    assert_eq!(
        (empty.ended, empty.stdout.as_slice()),
        (Ended::Exit(0), b"done\n".as_slice())
    );
}

#[test]
fn a_flood_ends_the_process_at_the_limit() {
    for stream in ["", " >&2"] {
        let mark = fresh_mark();
        let mut spec = sh(
            &format!("head -c 104857600 /dev/zero{stream}; sleep 300"),
            &mark,
        );
        spec.limits.output = 1000;
        let seen = bench().executor.run(&Step::new(spec));
        assert_eq!(seen.ended, Ended::OutputLimit);
        assert!(seen.truncated);
        assert_eq!(seen.stdout.len().max(seen.stderr.len()), 1000);
        assert_eq!(marked(&mark), Vec::<String>::new());
    }
}

#[test]
fn a_flood_that_ends_by_itself_is_one_all_the_same() {
    let mut spec = sh("printf 12345", "m");
    spec.limits.output = 4;
    let seen = bench().executor.run(&Step::new(spec.clone()));
    assert_eq!(
        (seen.ended, seen.stdout.as_slice()),
        (Ended::OutputLimit, b"1234".as_slice())
    );
    spec.limits.output = 5;
    let seen = bench().executor.run(&Step::new(spec));
    assert_eq!(
        (seen.ended, seen.stdout.as_slice()),
        (Ended::Exit(0), b"12345".as_slice())
    );
}

#[test]
fn output_beyond_the_limit_is_dropped_where_floods_are_allowed() {
    let mut spec = sh("head -c 104857600 /dev/zero; exit 7", "m");
    spec.limits.flood_ends = false;
    let seen = bench().executor.run(&Step::new(spec));
    assert_eq!(seen.ended, Ended::Exit(7));
    assert!(seen.truncated);
    assert_eq!(seen.stdout.len(), 1 << 20);
}

#[test]
fn a_busy_loop_ends_at_the_cpu_limit() {
    let mark = fresh_mark();
    let mut spec = sh("while :; do :; done", &mark);
    spec.limits.cpu = Duration::from_secs(1);
    let seen = bench().executor.run(&Step::new(spec));
    assert_eq!(seen.ended, Ended::CpuLimit);
    assert!(seen.cpu >= Duration::from_secs(1), "{seen:?}");
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn cpu_time_is_summed_over_children_living_reaped_and_orphaned() {
    for script in [
        // Living: no process alone reaches the limit.
        "for i in 1 2 3 4; do (while :; do :; done) & done; wait",
        // Reaped: each is short.
        "while :; do (i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done); done",
        // Orphaned: the child itself only sleeps.
        "((while :; do :; done) & (while :; do :; done) &) & sleep 300",
    ] {
        let mark = fresh_mark();
        let mut spec = sh(script, &mark);
        spec.limits.cpu = Duration::from_secs(1);
        let seen = bench().executor.run(&Step::new(spec));
        assert_eq!(seen.ended, Ended::CpuLimit, "{script}");
        assert_eq!(marked(&mark), Vec::<String>::new(), "{script}");
    }
}

#[test]
fn a_crowd_cannot_hide_its_cpu_time_in_fractions_of_a_tick() {
    let mark = fresh_mark();
    // Each lives on after a few milliseconds of work, too few for most clocks to show.
    let short = "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; exec sleep 300";
    let script = format!("n=0; while [ $n -lt 200 ]; do ({short}) & n=$((n+1)); done; wait");
    let mut spec = sh(&script, &mark);
    spec.limits.cpu = Duration::from_millis(300);
    spec.limits.wall = LONG / 2;
    let seen = bench().executor.run(&Step::new(spec));
    assert_eq!(seen.ended, Ended::CpuLimit, "{seen:?}");
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn a_sleep_ends_at_the_wall_limit() {
    let mark = fresh_mark();
    let mut spec = sh("echo $$; sleep 300; :", &mark);
    spec.limits.wall = Duration::from_millis(400);
    let seen = bench().executor.run(&Step::new(spec));
    assert!(matches!(seen.ended, Ended::WallLimit { .. }), "{seen:?}");
    assert!(seen.wall >= Duration::from_millis(400));
    assert_dead(&printed_numbers(&seen, 1));
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn a_process_that_ignores_sigterm_is_killed() {
    let mark = fresh_mark();
    let mut spec = sh(
        "trap '' TERM INT HUP; echo $$; while :; do sleep 1; done",
        &mark,
    );
    spec.limits.wall = Duration::from_millis(400);
    let seen = bench().executor.run(&Step::new(spec));
    assert!(matches!(seen.ended, Ended::WallLimit { .. }), "{seen:?}");
    assert_dead(&printed_numbers(&seen, 1));
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn a_process_that_answers_sigterm_may_clean_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cleaned");
    let script = format!(
        "trap 'echo once >> {}; exit' TERM; while :; do :; done",
        file.display()
    );
    // On a busy machine the time that it is given may pass before it runs at all.
    let cleaned = (0..5).any(|nth| {
        let mut spec = sh(&script, "m");
        spec.nth = nth;
        spec.limits.wall = Duration::from_millis(400);
        let seen = bench().executor.run(&Step::new(spec));
        assert!(matches!(seen.ended, Ended::WallLimit { .. }), "{seen:?}");
        file.exists()
    });
    assert!(cleaned);
    assert_eq!(fs::read(&file).unwrap(), b"once\n");
}

#[test]
fn what_a_process_leaves_running_is_counted_and_killed() {
    let mark = fresh_mark();
    let script = "sleep 300 & echo $!; (trap '' TERM; exec sleep 300) & echo $!; exit 3";
    let seen = bench().executor.run(&Step::new(sh(script, &mark)));
    assert_eq!(seen.ended, Ended::Exit(3));
    assert_eq!(seen.leftovers, 2);
    assert_dead(&printed_numbers(&seen, 2));
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn a_daemon_in_a_session_of_its_own_is_killed() {
    let mark = fresh_mark();
    let script =
        "setsid sh -c 'sh -c \"echo \\$\\$; exec sleep 300\" & exit 0' & wait; exec sleep 0.2";
    let seen = bench().executor.run(&Step::new(sh(script, &mark)));
    assert_eq!(seen.ended, Ended::Exit(0));
    assert_eq!(seen.leftovers, 1);
    assert_dead(&printed_numbers(&seen, 1));
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn a_stopped_process_is_killed() {
    let mark = fresh_mark();
    let script = "sleep 300 & echo $!; kill -STOP $!; kill -STOP $$; :";
    let mut spec = sh(script, &mark);
    spec.limits.wall = Duration::from_millis(400);
    let seen = bench().executor.run(&Step::new(spec));
    assert!(matches!(seen.ended, Ended::WallLimit { .. }), "{seen:?}");
    assert_dead(&printed_numbers(&seen, 1));
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn a_grandchild_that_holds_or_floods_the_pipe_changes_nothing() {
    for grandchild in ["sleep 300", "while :; do echo flood; sleep 0.05; done"] {
        let mark = fresh_mark();
        let script = format!("echo first; sh -c '{grandchild}' & exit 5");
        let start = clock::now_monotonic();
        let seen = bench().executor.run(&Step::new(sh(&script, &mark)));
        assert_eq!(seen.ended, Ended::Exit(5), "{grandchild}");
        assert!(seen.stdout.starts_with(b"first\n"));
        assert!(seen.leftovers >= 1, "{grandchild}");
        assert!(start.elapsed() < LONG / 2);
        assert_eq!(marked(&mark), Vec::<String>::new());
    }
}

#[test]
fn a_crowd_that_keeps_forking_is_ended() {
    let mark = fresh_mark();
    // Every one of them starts two more whenever it is told to end, up to a bound.
    let script = r#"
        f() { [ $1 -gt 3 ] && exec sleep 300; trap "f $(($1+1)) & f $(($1+1)) &" TERM; while :; do sleep 0.01; done; }
        for i in 1 2 3 4 5; do f 0 & done; n=0; while [ $n -lt 30 ]; do sleep 300 & n=$((n+1)); done; wait"#;
    let mut spec = sh(script, &mark);
    spec.limits.wall = Duration::from_secs(1);
    let seen = bench().executor.run(&Step::new(spec));
    assert!(matches!(seen.ended, Ended::WallLimit { .. }), "{seen:?}");
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn what_cannot_start_is_not_started() {
    let bench = bench();
    let mut absent_input = spec(Program::Input("absent".to_owned()), "m");
    let mut folder = spec(Program::Tool(vec!["/tmp".to_owned()]), "m");
    folder.args.push("x".to_owned());
    let mut outside = sh("exit 0", "m");
    outside
        .inputs
        .insert("../outside".to_owned(), Content::from("x"));
    let mut never_made = sh("exit 0", "m");
    never_made
        .inputs
        .insert("a".to_owned(), Content::Output(Digest::of(b"never made")));
    absent_input.nth = 1;
    for spec in [
        spec(Program::Tool(vec!["/no/such/program".to_owned()]), "m"),
        spec(Program::Tool(vec!["no-such-program".to_owned()]), "m"),
        spec(Program::Tool(Vec::new()), "m"),
        spec(Program::Tool(vec!["/bin/sh\0".to_owned()]), "m"),
        folder,
        absent_input,
        outside,
        never_made,
    ] {
        let seen = bench.executor.run(&Step::new(spec.clone()));
        assert!(
            matches!(&seen.ended, Ended::NotStarted(why) if why.contains("cannot")),
            "{spec:?} {seen:?}"
        );
    }
    assert!(!bench.executor.scratch().join("outside").exists());
}

#[test]
fn a_supervisor_that_is_none_is_not_started_or_lost() {
    for (binary, started) in [
        ("/no/such/binary", false),
        ("/bin/true", true),
        ("/bin/echo", true),
    ] {
        let bench = bench();
        let executor = bench.executor.with_supervisor(PathBuf::from(binary));
        let seen = executor.run(&Step::new(sh("exit 0", "m")));
        let lost = started && matches!(seen.ended, Ended::Lost(_));
        assert!(
            lost || matches!(seen.ended, Ended::NotStarted(_)),
            "{binary}: {seen:?}"
        );
    }
}

#[test]
fn cancelling_interrupts_every_step_and_leaves_nothing() {
    let bench = Arc::new(bench());
    let mark = fresh_mark();
    let script = "trap '' TERM; (setsid sleep 300) & sleep 300 & wait; sleep 300";
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3)
            .map(|nth| {
                let mut spec = sh(script, &mark);
                spec.nth = nth;
                let bench = Arc::clone(&bench);
                scope.spawn(move || bench.executor.run(&Step::new(spec)))
            })
            .collect();
        wait_for("all processes of three steps", || marked(&mark).len() >= 9);
        bench.executor.cancel();
        for run in runs {
            assert_eq!(run.join().unwrap().ended, Ended::Interrupted);
        }
    });
    assert_eq!(marked(&mark), Vec::<String>::new());
    let later = bench.executor.run(&Step::new(sh("exit 0", "m")));
    assert_eq!(later.ended, Ended::Interrupted);
    let left: Vec<_> = fs::read_dir(bench.executor.scratch()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn cancelling_at_any_moment_leaves_nothing() {
    for delay in 0..30 {
        let bench = bench();
        let mark = fresh_mark();
        let ended = std::thread::scope(|scope| {
            let run = scope.spawn(|| bench.executor.run(&Step::new(sh("sleep 300", &mark))).ended);
            std::thread::sleep(Duration::from_micros(delay * 200));
            bench.executor.cancel();
            run.join().unwrap()
        });
        assert_eq!(ended, Ended::Interrupted);
        assert_eq!(marked(&mark), Vec::<String>::new());
    }
}

#[test]
fn the_environment_is_the_closed_one_and_nothing_else() {
    for (profile, path) in [
        (Profile::Candidate, "/usr/local/bin:/usr/bin:/bin"),
        (Profile::Compile, "/usr/bin:/bin:/opt/compilers"),
    ] {
        let bench = bench();
        let mut spec = spec(Program::Tool(vec!["/usr/bin/env".to_owned()]), "some mark");
        spec.profile = profile;
        let seen = bench.executor.run(&Step::new(spec));
        let given: BTreeMap<_, _> = text(&seen.stdout)
            .lines()
            .map(|line| line.split_once('=').unwrap())
            .collect();
        let step = bench.executor.scratch().join("0");
        let expected = BTreeMap::from([
            (MARK, "some mark".to_owned()),
            ("PATH", path.to_owned()),
            ("HOME", step.join("home").display().to_string()),
            ("TMPDIR", step.join("tmp").display().to_string()),
            ("LC_ALL", "C".to_owned()),
            ("TZ", "UTC".to_owned()),
        ]);
        let given: BTreeMap<_, _> = given
            .into_iter()
            .map(|(name, value)| (name, value.to_owned()))
            .collect();
        assert_eq!(given, expected);
    }
}

#[test]
fn inputs_lie_in_the_current_folder_and_outputs_are_kept_by_digest() {
    let bench = bench();
    let mut first = spec(Program::Input("bin/tool".to_owned()), "m");
    let script = "#!/bin/sh\ncat in/put > out\nln -s /etc/passwd link\nmkdir folder\nexit 2\n";
    first
        .inputs
        .insert("bin/tool".to_owned(), Content::from(script));
    first
        .inputs
        .insert("in/put".to_owned(), Content::from("made"));
    first.outputs = ["out", "link", "folder", "absent"]
        .map(str::to_owned)
        .into();
    let seen = bench.executor.run(&Step::new(first));
    assert_eq!(seen.ended, Ended::Exit(2), "{seen:?}");
    assert_eq!(
        seen.outputs,
        BTreeMap::from([("out".to_owned(), Digest::of(b"made"))])
    );
    assert_eq!(
        bench.executor.output(&Digest::of(b"made")).unwrap(),
        b"made"
    );
    assert!(
        bench
            .blobs
            .path()
            .join(Digest::of(b"made").to_string())
            .is_file()
    );

    let mut second = sh("cat again - ; echo changed > again", "m");
    second
        .inputs
        .insert("again".to_owned(), Content::Output(Digest::of(b"made")));
    second.stdin = Content::Output(Digest::of(b"made"));
    assert_eq!(bench.executor.run(&Step::new(second)).stdout, b"mademade");
    assert_eq!(
        bench.executor.output(&Digest::of(b"made")).unwrap(),
        b"made"
    );
    assert_eq!(fs::read_dir(bench.executor.scratch()).unwrap().count(), 0);
}

#[test]
fn many_threads_can_run_programs_that_were_just_written() {
    let bench = bench();
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let bench = &bench;
            scope.spawn(move || {
                for nth in 0..25 {
                    let mut spec = spec(Program::Input("tool".to_owned()), "m");
                    let elf = fs::read("/bin/true").unwrap();
                    spec.inputs
                        .insert("tool".to_owned(), Content::Bytes(elf.into()));
                    spec.nth = thread * 1000 + nth;
                    assert_eq!(bench.executor.run(&Step::new(spec)).ended, Ended::Exit(0));
                }
            });
        }
    });
}

#[test]
fn folders_made_unreadable_are_removed() {
    let bench = bench();
    let script =
        "mkdir -p a/b/c; touch a/b/c/f; chmod 000 a/b/c/f a/b/c a/b a; chmod 000 . ; echo made";
    let seen = bench.executor.run(&Step::new(sh(script, "m")));
    assert_eq!(text(&seen.stdout), "made");
    assert_eq!(fs::read_dir(bench.executor.scratch()).unwrap().count(), 0);
    let root = bench.executor.scratch().to_owned();
    drop(bench);
    assert!(!root.exists());
}

#[test]
fn reads_are_those_outside_the_scratch_tree() {
    let bench = bench();
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("x.h");
    fs::write(&header, "one").unwrap();
    let reads = |nth: u32| {
        let script = format!(
            "echo 'a.o: a.cpp {} \\' > a.d; echo '  ../tmp/y' >> a.d",
            header.display()
        );
        let mut spec = sh(&script, "m");
        spec.reads.files = vec!["a.d".to_owned()];
        spec.outputs.insert("a.d".to_owned());
        spec.nth = nth;
        let seen = bench.executor.run(&Step::new(spec));
        assert_eq!(seen.ended, Ended::Exit(0));
        assert_eq!(seen.outputs.len(), 1);
        seen.reads.unwrap()
    };
    let first = reads(0);
    assert_eq!(first, reads(1));
    fs::write(&header, "two").unwrap();
    let second = reads(2);
    assert_ne!(first, second);
    bench
        .executor
        .set_search_folders(vec![folder.path().to_owned()]);
    assert_ne!(second, reads(3));
    let mut spec = sh("exit 0", "m");
    spec.reads.files = vec!["a.d".to_owned()];
    assert_eq!(bench.executor.run(&Step::new(spec)).reads, None);
}

/// Starts this test binary again as `helper`, through a shell that runs `before` first.
#[expect(clippy::disallowed_methods, reason = "a test may start itself again")]
fn helper(helper: &str, mark: &str, before: &str) -> Child {
    let script = format!("{before}\nexec \"$0\" \"$@\"");
    Command::new("/bin/sh")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .args([helper, "--exact", "--ignored", "--nocapture"])
        .env(BACKWARDS, mark.chars().rev().collect::<String>())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The mark of a helper.
fn given_mark() -> String {
    environment::var(BACKWARDS)
        .expect("only another test starts this")
        .chars()
        .rev()
        .collect()
}

#[test]
#[ignore = "started by another test"]
#[expect(clippy::print_stdout, reason = "another test reads it")]
fn helper_that_is_killed() {
    let mark = given_mark();
    let bench = bench();
    println!("\nscratch {}", bench.executor.scratch().display());
    println!("blobs {}", bench.blobs.path().display());
    std::thread::scope(|scope| {
        for script in [
            "sleep 300; :",
            "trap '' TERM HUP INT; while :; do sleep 1; done",
            "setsid sh -c 'setsid sleep 300 & sleep 300' & wait; sleep 300",
            "mkdir a; touch a/b; chmod 000 a; sleep 300 & sleep 300",
        ] {
            let (bench, mark) = (&bench, &mark);
            scope.spawn(move || bench.executor.run(&Step::new(sh(script, mark))));
        }
    });
    panic!("it was to be killed");
}

#[test]
fn killing_driftgate_leaves_no_process_and_no_scratch_folder() {
    let mark = fresh_mark();
    let mut child = helper("helper_that_is_killed", &mark, ":");
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut paths = BTreeMap::new();
    for line in lines.map_while(Result::ok) {
        if let Some((name, path)) = line.split_once(' ') {
            paths.insert(name.to_owned(), PathBuf::from(path));
        }
        if paths.contains_key("blobs") {
            break;
        }
    }
    let scratch = &paths["scratch"];
    wait_for("the processes of four steps", || marked(&mark).len() >= 9);
    assert!(scratch.is_dir());
    // Where we are root, steps may belong to users of their own, who pass through it.
    let root = rustix::process::geteuid().is_root();
    let mode = fs::metadata(scratch).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, if root { 0o711 } else { 0o700 });
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("no process is left", || marked(&mark).is_empty());
    wait_for("no scratch folder is left", || !scratch.exists());
    let _ = fs::remove_dir_all(&paths["blobs"]);
}

#[test]
#[ignore = "started by another test"]
#[expect(clippy::print_stdout, reason = "another test reads it")]
fn helper_with_odd_inheritance() {
    let mark = given_mark();
    let script = "grep -E '^Sig(Blk|Ign)' /proc/self/status; ulimit -c; ls /proc/$$/fd; :";
    let seen = bench().executor.run(&Step::new(sh(script, &mark)));
    println!("\n[{}]", String::from_utf8_lossy(&seen.stdout));
}

#[test]
fn ignored_signals_and_leaked_descriptors_do_not_reach_the_child() {
    let before = "trap '' HUP INT QUIT PIPE TERM USR1 USR2 ALRM CHLD TSTP TTIN TTOU\n\
                  exec 5</dev/null 7</dev/null 9</dev/null\nulimit -c 1000 || :";
    let child = helper("helper_with_odd_inheritance", &fresh_mark(), before);
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = output.split_once('[').unwrap();
    let lines: Vec<_> = rest.split_once(']').unwrap().0.lines().collect();
    assert_eq!(lines.len(), 6, "{output}");
    // The C library ignores two signals of its own, 32 and 33, in whatever it spawns.
    for (line, name, own) in [(lines[0], "SigBlk", 0), (lines[1], "SigIgn", 0b11u64 << 31)] {
        let (found, mask) = line.split_once(":\t").unwrap();
        assert_eq!(found, name);
        assert_eq!(u64::from_str_radix(mask, 16).unwrap() & !own, 0, "{line}");
    }
    assert_eq!(lines[2], "0");
    assert_eq!(lines[3..], ["0", "1", "2"]);
}

#[test]
#[ignore = "takes half a minute: a supervisor is given that long"]
fn a_supervisor_that_its_child_stops_holds_up_nothing() {
    let mark = fresh_mark();
    let mut spec = sh("kill -STOP $PPID; sleep 300", &mark);
    spec.limits.wall = Duration::from_millis(300);
    let seen = bench().executor.run(&Step::new(spec));
    assert!(matches!(seen.ended, Ended::Lost(_)), "{seen:?}");
    assert_eq!(marked(&mark), Vec::<String>::new());
}

#[test]
fn a_process_that_others_keep_from_running_was_starved() {
    let mark = fresh_mark();
    let crowd = 8 * std::thread::available_parallelism().unwrap().get();
    let crowd =
        format!("n=0; while [ $n -lt {crowd} ]; do (while :; do :; done) & n=$((n+1)); done; wait");
    let (bench, victims) = (bench(), fresh_mark());
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let mut spec = sh(&crowd, &mark);
            spec.limits.cpu = LONG * 10;
            bench.executor.run(&Step::new(spec))
        });
        wait_for("a crowd", || marked(&mark).len() > 8);
        let own_crowd =
            "n=0; while [ $n -lt 40 ]; do (while :; do :; done) & n=$((n+1)); done; wait";
        for (script, niced, starved) in [
            ("while :; do :; done", "", true),
            ("while :; do :; done", "nice -n 5 ", false),
            ("sleep 300", "", false),
        ] {
            let mut spec = sh(&format!("exec {niced}sh -c '{script}'"), &victims);
            spec.limits.wall = Duration::from_millis(2500);
            let seen = bench.executor.run(&Step::new(spec));
            assert_eq!(seen.ended, Ended::WallLimit { starved }, "{script} {niced}");
        }
        // Urgency is a thread's own on Linux.
        let nice_thread = "import os, threading\n\
            def spin():\n  os.nice(5)\n  while True: pass\n\
            threading.Thread(target=spin).start()";
        let mut spec = sh(&format!("exec python3 -c '{nice_thread}'"), &victims);
        spec.limits.wall = Duration::from_millis(2500);
        let seen = bench.executor.run(&Step::new(spec));
        assert_eq!(seen.ended, Ended::WallLimit { starved: false }, "a thread");
        bench.executor.cancel();
        assert_eq!(others.join().unwrap().ended, Ended::Interrupted);
        let alone = self::bench();
        let mut spec = sh(own_crowd, &victims);
        spec.limits.wall = Duration::from_millis(1000);
        let seen = alone.executor.run(&Step::new(spec));
        assert_eq!(
            seen.ended,
            Ended::WallLimit { starved: false },
            "kept from running by its own"
        );
    });
    assert!(marked(&mark).is_empty() && marked(&victims).is_empty());
}

#[test]
fn a_crowd_left_by_a_child_that_ended_is_ended_too() {
    // Bounded: 30 processes that do not wait for each other, still forking when it ends.
    for start in ["", "setsid "] {
        let mark = fresh_mark();
        let crowd = "[ $1 -gt 4 ] && exec sleep 300; sleep 0.01; sh $0 $(($1+1)) & sh $0 $(($1+1)) & exec sleep 300";
        let mut spec = sh(
            &format!("{start}sh ./crowd 1 & {start}sh ./crowd 1 & sleep 0.06; exit 6"),
            &mark,
        );
        spec.inputs.insert(
            "crowd".to_owned(),
            Content::from(crowd.replace("sh $0", &format!("{start}sh $0")).as_str()),
        );
        let seen = bench().executor.run(&Step::new(spec));
        assert_eq!(seen.ended, Ended::Exit(6));
        assert!((2..=30 * 3).contains(&seen.leftovers), "{}", seen.leftovers);
        assert_eq!(marked(&mark), Vec::<String>::new());
    }
}

#[test]
fn the_supervisor_and_its_reply_are_out_of_reach_of_an_unprivileged_child() {
    if rustix::process::geteuid().is_root() {
        // Nothing is out of reach of root; the sandbox changes the user first.
        return;
    }
    let seen =
        run("ls /proc/$PPID/fd; cat /proc/$PPID/environ; echo forged > /proc/$PPID/fd/1; echo end");
    assert_eq!(
        (seen.ended.clone(), text(&seen.stdout)),
        (Ended::Exit(0), "end"),
        "{seen:?}"
    );
}

#[test]
#[ignore = "started by another test"]
#[expect(clippy::print_stdout, reason = "another test reads it")]
fn helper_that_is_interrupted() {
    given_mark();
    interrupt::install().unwrap();
    println!("\nready {:?}", interrupt::received());
    wait_for("a signal", || interrupt::received().is_some());
    println!("received {:?}", interrupt::received());
    std::thread::sleep(LONG);
}

#[test]
fn the_first_signal_is_remembered_and_the_second_ends_driftgate() {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut child = helper("helper_that_is_interrupted", &fresh_mark(), ":");
        let pid = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut expect = |line: &str| {
            assert!(
                lines
                    .by_ref()
                    .map_while(Result::ok)
                    .any(|found| found == line),
                "{line}"
            );
        };
        expect("ready None");
        kill_process(pid, signal).unwrap();
        expect(&format!("received Some({})", signal.as_raw()));
        assert!(child.try_wait().unwrap().is_none());
        kill_process(pid, signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code));
    }
}

#[test]
fn a_supervisor_that_has_done_takes_the_next_step_and_carries_nothing_over() {
    let bench = bench();
    let run = |nth: u32, script: &str| {
        let mut spec = sh(script, &fresh_mark());
        spec.nth = nth;
        spec.limits.cpu = Duration::from_millis(700);
        bench.executor.run(&Step::new(spec))
    };
    let burn = "echo $PPID; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
    let first = run(0, burn);
    let mut cpu = first.cpu;
    let mut nth = 0;
    // Until they used in sum more than one may.
    while cpu < Duration::from_millis(800) {
        nth += 1;
        let next = run(nth, burn);
        assert_eq!(next.ended, Ended::Exit(0), "{next:?}");
        assert_eq!(next.stdout, first.stdout);
        cpu += next.cpu;
    }
    let left = run(nth + 1, "(setsid sleep 300) >/dev/null 2>&1 & sleep 0.1");
    assert_eq!((left.ended, left.leftovers), (Ended::Exit(0), 1));
    let quiet = run(nth + 2, "echo $PPID");
    assert_eq!(quiet.leftovers, 0);
    assert_eq!(quiet.stdout, first.stdout);
}

#[test]
fn steps_of_other_limits_have_other_supervisors() {
    let bench = bench();
    let run = |nth: u32, profile: Profile| {
        let mut spec = sh("echo $PPID; ulimit -f", &fresh_mark());
        spec.nth = nth;
        spec.profile = profile;
        let seen = bench.executor.run(&Step::new(spec));
        assert_eq!(seen.ended, Ended::Exit(0), "{seen:?}");
        let said = text(&seen.stdout).split_once('\n').unwrap();
        (said.0.to_owned(), said.1.parse::<u64>().unwrap())
    };
    let candidate = run(0, Profile::Candidate);
    let tool = run(1, Profile::Harness);
    assert_ne!(candidate.0, tool.0);
    assert!(candidate.1 < tool.1, "{candidate:?} {tool:?}");
    assert_eq!(run(2, Profile::Candidate), candidate);
    assert_eq!(run(3, Profile::Harness), tool);
}

#[test]
fn a_supervisor_that_died_idle_is_replaced() {
    let bench = bench();
    let mut spec = sh("echo $PPID", &fresh_mark());
    let first = bench.executor.run(&Step::new(spec.clone()));
    let number: i32 = text(&first.stdout).parse().unwrap();
    let pid = rustix::process::Pid::from_raw(number).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    wait_for("the end of the supervisor", || {
        let stat = fs::read_to_string(format!("/proc/{number}/stat"));
        stat.is_ok_and(|stat| stat.contains(") Z "))
    });
    spec.nth = 1;
    let second = bench.executor.run(&Step::new(spec));
    assert_eq!(second.ended, Ended::Exit(0), "{second:?}");
    assert_ne!(second.stdout, first.stdout);
    assert!(!Path::new(&format!("/proc/{number}")).exists());
}

#[test]
fn idle_supervisors_end_with_their_executor() {
    let bench = bench();
    let seen = bench.executor.run(&Step::new(sh("echo $PPID", "m")));
    let place = format!("/proc/{}", text(&seen.stdout));
    assert!(Path::new(&place).exists());
    drop(bench);
    assert!(!Path::new(&place).exists());
}
