//! Tiny suites, each in a folder of its own with its own temporary folder, and the real binary
//! run on them. Every run is checked for what it left behind.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a run may take before a test gives up on it: an upper bound, not an expectation.
const PATIENCE: Duration = Duration::from_secs(300);

/// A completion that makes the case of [`Suite::adder`] pass.
pub(super) const GOOD: &str = "int answer() { return 42; }\n";
/// One that prints something else.
pub(super) const WRONG: &str = "int answer() { return 41; }\n";

const FIXTURE: &str =
    "#include <stdio.h>\nint answer();\nint main() { printf(\"%d\\n\", answer()); }\n";

/// A suite. Its folder holds the root, a temporary folder and a link to the binary, so that
/// whatever a run starts can be told from the processes of all other tests.
pub(super) struct Suite {
    home: TempDir,
    runs: AtomicU32,
    unconfined: AtomicBool,
    user: AtomicU32,
}

impl Suite {
    /// A root with an empty configuration.
    pub(super) fn empty() -> Self {
        let home = tempfile::Builder::new()
            .prefix("suite-")
            // Where we are root, steps have users of their own, who go through here.
            .permissions(fs::Permissions::from_mode(0o711))
            .tempdir()
            .expect("a temporary folder");
        let suite = Self {
            home,
            runs: AtomicU32::new(0),
            unconfined: AtomicBool::new(false),
            user: AtomicU32::new(0),
        };
        for folder in ["root", "tmp", "completions", "bin"] {
            fs::create_dir(suite.home().join(folder)).unwrap();
        }
        let binary = Path::new(env!("CARGO_BIN_EXE_driftgate"));
        if fs::hard_link(binary, suite.binary()).is_err() {
            fs::copy(binary, suite.binary()).unwrap();
        }
        suite.write("driftgate.yml", "");
        suite
    }

    /// A suite with the case `add`: the fixture prints what the completion answers, 42 is right.
    pub(super) fn adder() -> Self {
        let suite = Self::empty();
        suite.write("goldens/fixtures/f.cpp", FIXTURE);
        suite.case("add", &json!({}));
        suite
    }

    /// The same with a recorded good completion.
    pub(super) fn recorded() -> Self {
        let suite = Self::adder();
        suite.completion("add", GOOD);
        suite.record();
        suite
    }

    /// A suite with the case `c`, whose completion is a whole program that should print `ok`.
    pub(super) fn program(source: &str) -> Self {
        let suite = Self::empty();
        suite.case(
            "c",
            &json!({"assemble": "replace", "fixture": null, "expect": {"stdout": "ok\n"}, "timeout_s": 1, "compile_flags": []}),
        );
        suite.completion("c", source);
        suite
    }

    /// From now on steps may do whatever we may: for what they leave behind to count by.
    pub(super) fn unconfine(&self) {
        self.unconfined.store(true, Ordering::Relaxed);
    }

    /// From now on the user of this number runs driftgate, and owns all there is. Only for root.
    pub(super) fn belongs_to(&self, user: u32) {
        self.user.store(user, Ordering::Relaxed);
    }

    fn hand_over(&self, user: u32) {
        let mut open = vec![self.home().to_owned()];
        while let Some(path) = open.pop() {
            std::os::unix::fs::lchown(&path, Some(user), Some(user)).unwrap();
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                let entries = fs::read_dir(&path).unwrap();
                open.extend(entries.map(|entry| entry.unwrap().path()));
            }
        }
    }

    /// Writes a case like `add` with `changes` to its fields; null removes one.
    pub(super) fn case(&self, id: &str, changes: &Value) {
        self.write("goldens/prompts/p.md", "Answer with 42.\n");
        let mut case = json!({
            "id": id,
            "prompt_file": "prompts/p.md",
            "fixture": "fixtures/f.cpp",
            "compile_flags": ["-Wall", "-Werror"],
            "expect": {"stdout": "42\n"},
        });
        for (field, value) in changes.as_object().unwrap() {
            if value.is_null() {
                case.as_object_mut().unwrap().remove(field);
            } else {
                case[field] = value.clone();
            }
        }
        self.write(&format!("goldens/cases/{id}.json"), format!("{case:#}\n"));
    }

    pub(super) fn completion(&self, id: &str, text: impl AsRef<[u8]>) {
        fs::write(self.completion_path(id), text).unwrap();
    }

    pub(super) fn completion_path(&self, id: &str) -> PathBuf {
        self.home().join("completions").join(format!("{id}.txt"))
    }

    pub(super) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(super) fn root(&self) -> PathBuf {
        self.home().join("root")
    }

    pub(super) fn tmp(&self) -> PathBuf {
        self.home().join("tmp")
    }

    pub(super) fn binary(&self) -> PathBuf {
        self.home().join("driftgate")
    }

    /// Writes a file of the suite.
    pub(super) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub(super) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    /// The cassette of `id` as JSON.
    pub(super) fn cassette(&self, id: &str) -> Value {
        serde_json::from_str(&self.read(&format!("goldens/cassettes/{id}.json"))).unwrap()
    }

    /// Writes an executable shell script and returns its path.
    pub(super) fn script(&self, name: &str, body: &str) -> String {
        let path = self.home().join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// All that people committed, by path; a link counts as the text it holds.
    pub(super) fn committed(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut open = vec![self.root()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().is_some_and(|name| name == ".driftgate") {
                    continue;
                }
                let facts = fs::symlink_metadata(&path).unwrap();
                if facts.is_dir() {
                    open.push(path);
                } else if facts.is_symlink() {
                    let target = fs::read_link(&path).unwrap();
                    files.insert(path, target.into_os_string().into_encoded_bytes());
                } else {
                    let bytes = fs::read(&path).unwrap();
                    files.insert(path, bytes);
                }
            }
        }
        files
    }

    /// A command line in the root, with nothing of our own environment.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let user = self.user.load(Ordering::Relaxed);
        let mut command = if user == 0 {
            Command::new(self.binary())
        } else {
            self.hand_over(user);
            let mut command = Command::new("setpriv");
            let user = user.to_string();
            command.args(["--reuid", &user, "--regid", &user, "--clear-groups"]);
            command.arg(self.binary());
            command
        };
        if self.unconfined.load(Ordering::Relaxed) {
            command.args(["--sandbox", "off"]);
        }
        command
            .args(args)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home())
            .env("TMPDIR", self.tmp())
            .current_dir(self.root())
            .stdin(Stdio::null());
        command
    }

    /// Starts `command` with its output in files.
    pub(super) fn start(&self, mut command: Command) -> Started<'_> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let out = self.home().join(format!("{number}.out"));
        let err = self.home().join(format!("{number}.err"));
        let child = command
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap())
            .spawn()
            .unwrap();
        Started {
            suite: self,
            child,
            out,
            err,
        }
    }

    /// Runs `command` to its end and checks that nothing is left of it.
    pub(super) fn finish(&self, command: Command) -> Run {
        let run = self.start(command).wait();
        self.assert_nothing_left();
        run
    }

    pub(super) fn run(&self, args: &[&str]) -> Run {
        self.finish(self.command(args))
    }

    /// Runs and returns the report that is printed.
    pub(super) fn report(&self, args: &[&str]) -> Run {
        self.run(&[args, &["--format", "json"]].concat())
    }

    /// Records what lies among the completions.
    pub(super) fn record(&self) {
        let folder = self.home().join("completions");
        let run = self.run(&["record", "--from", folder.to_str().unwrap()]);
        run.assert_code(0);
    }

    /// Grades the completion of the only case.
    pub(super) fn grade(&self, id: &str) -> Run {
        let path = self.completion_path(id);
        self.report(&["grade", "--case", id, "--candidate", path.to_str().unwrap()])
    }

    /// Every living process that runs from, in, with or for the folder of this suite.
    pub(super) fn running(&self) -> Vec<Process> {
        let home = fs::canonicalize(self.home()).unwrap();
        let marker = home.as_os_str().as_encoded_bytes();
        let holds = |bytes: &[u8]| bytes.windows(marker.len()).any(|window| window == marker);
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap() {
            let place = entry.unwrap().path();
            let number = place
                .file_name()
                .and_then(|name| name.to_str()?.parse().ok());
            let Some(pid) = number else { continue };
            let link = |name: &str| {
                let target = fs::read_link(place.join(name));
                target
                    .unwrap_or_default()
                    .into_os_string()
                    .into_encoded_bytes()
            };
            let file = |name: &str| fs::read(place.join(name)).unwrap_or_default();
            let program = link("exe");
            let traces = [&program, &link("cwd"), &file("cmdline"), &file("environ")];
            if traces.into_iter().any(|trace| holds(trace)) {
                let program = String::from_utf8_lossy(&program).into_owned();
                found.push(Process { pid, program });
            }
        }
        found
    }

    /// Waits until a program made of a completion runs.
    pub(super) fn wait_for_candidate(&self) -> Process {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let running = self.running().into_iter();
            let mut candidates = running.filter(|process| process.program.contains("/candidate"));
            if let Some(candidate) = candidates.next() {
                return candidate;
            }
            assert!(Instant::now() < deadline, "no candidate ever ran");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until nothing of this suite runs.
    pub(super) fn wait_for_silence(&self) {
        let deadline = Instant::now() + PATIENCE;
        while !self.running().is_empty() {
            assert!(
                Instant::now() < deadline,
                "still running: {:?}",
                self.running()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Nothing runs, nothing lies in the temporary folder.
    #[track_caller]
    pub(super) fn assert_nothing_left(&self) {
        let running = self.running();
        assert!(running.is_empty(), "still running: {running:?}");
        if let Ok(entries) = fs::read_dir(self.tmp()) {
            let left: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            assert!(left.is_empty(), "left behind: {left:?}");
        }
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        // Also after a failed test the machine stays clean.
        for process in self.running() {
            if let Some(pid) = rustix::process::Pid::from_raw(process.pid) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

/// A process that belongs to a suite.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) program: String,
}

/// A run under way.
pub(super) struct Started<'a> {
    suite: &'a Suite,
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Started<'_> {
    pub(super) fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Waits for its end, and not for ever.
    pub(super) fn wait(mut self) -> Run {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                let running = self.suite.running();
                let _ = self.child.kill();
                panic!("the run does not end; running: {running:?}");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        Run {
            status,
            stdout: String::from_utf8(fs::read(&self.out).unwrap()).expect("UTF-8 on stdout"),
            stderr: String::from_utf8(fs::read(&self.err).unwrap()).expect("UTF-8 on stderr"),
        }
    }
}

/// A finished run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Run {
    #[track_caller]
    pub(super) fn assert_code(&self, expected: i32) -> &Self {
        let code = self.status.code();
        assert_eq!(
            code,
            Some(expected),
            "signal {:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.status.signal(),
            self.stdout,
            self.stderr
        );
        self
    }

    /// Every word is somewhere in what went to standard error.
    #[track_caller]
    pub(super) fn assert_says(&self, words: &[&str]) -> &Self {
        for word in words {
            assert!(
                self.stderr.contains(word),
                "no `{word}` in\n{}",
                self.stderr
            );
        }
        self
    }

    /// The printed report.
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// All rows of the printed report.
    #[track_caller]
    pub(super) fn rows(&self) -> Vec<Value> {
        let report = self.json();
        let lanes = report["experiments"].as_array().unwrap().iter();
        lanes
            .flat_map(|lane| lane["rows"].as_array().unwrap().clone())
            .collect()
    }

    /// The one row of the case `id`.
    #[track_caller]
    pub(super) fn row(&self, id: &str) -> Value {
        let rows = self.rows();
        let mut found = rows.iter().filter(|row| row["id"] == id);
        let row = found
            .next()
            .unwrap_or_else(|| panic!("no row {id}: {}", self.stdout));
        assert!(found.next().is_none(), "two rows {id}");
        row.clone()
    }

    /// The class of the case's row is `class`, and the exit code `code`.
    #[track_caller]
    pub(super) fn assert_class(&self, id: &str, class: &str, code: i32) -> Value {
        let row = self.row(id);
        assert_eq!(row["class"], class, "{row:#}");
        self.assert_code(code);
        row
    }
}
