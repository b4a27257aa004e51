//! `init` through the real binary: what it writes, that a check passes on it and a planted edit of
//! the grader does not, and that it never replaces, follows or half writes anything.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test starts processes and fails by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

const GATE: &str = ".github/workflows/gate.yml";
const GRADER: &str = "goldens/graders/io_match.yaml";
/// What `init` writes into an empty folder.
const ALL: [&str; 8] = [
    GATE,
    "driftgate.yml",
    "goldens/cases/shout-blank.json",
    "goldens/cassettes/shout-blank.json",
    "goldens/cassettes/shout-blank.out",
    "goldens/fixtures/shout.cpp",
    GRADER,
    "goldens/prompts/shout.md",
];

/// A folder to begin in, with its own temporary folder.
struct Place(TempDir);

/// What a run printed, and its exit code.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    #[track_caller]
    fn assert(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }
}

impl Place {
    fn empty() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for folder in ["root", "tmp"] {
            fs::create_dir(place.0.path().join(folder)).unwrap();
        }
        place
    }

    /// A git checkout before its first commit.
    fn checkout() -> Self {
        let place = Self::empty();
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn git(&self, args: &[&str]) {
        let status = self.clean("git").args(args).status().unwrap();
        assert!(status.success(), "git {args:?}");
    }

    fn clean(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", self.0.path().join("tmp"))
            .env("HOME", self.0.path())
            .current_dir(self.root());
        command
    }

    fn driftgate(&self, args: &[&str]) -> Command {
        let mut command = self.clean(env!("CARGO_BIN_EXE_driftgate"));
        command.args(args).env("CXX", "g++");
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        of(&mut self.driftgate(args))
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Every file but those that git does not see, with its bytes.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.root(), "", &mut files);
        files
    }

    #[track_caller]
    fn assert_whole(&self) {
        let files: Vec<_> = self.files().into_keys().collect();
        assert_eq!(files, ALL);
        self.run(&["check"]).assert(0);
    }
}

fn of(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

fn collect(folder: &Path, shown: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let inner = format!("{shown}{name}");
        if path.is_symlink() {
            files.insert(inner, b"a link".to_vec());
        } else if !path.is_dir() {
            files.insert(inner, fs::read(&path).unwrap());
        } else if ![".git", ".driftgate"].contains(&name) {
            collect(&path, &format!("{inner}/"), files);
        }
    }
}

#[test]
fn an_empty_folder_gets_a_suite_that_passes_until_its_grader_is_edited() {
    for place in [Place::empty(), Place::checkout()] {
        let run = place.run(&["init"]).assert(0);
        assert!(run.stdout.contains("wrote  goldens/"), "{}", run.stdout);
        assert!(
            run.stdout.contains("\n  driftgate check\n"),
            "{}",
            run.stdout
        );
        place.assert_whole();
        let cassette: Value =
            serde_json::from_str(&place.read("goldens/cassettes/shout-blank.json")).unwrap();
        assert_eq!(cassette["verdicts"]["io_match"]["class"], "stdout_differs");
        assert!(cassette["hashes"]["toolchain"].is_string());
        assert!(cassette["toolchain"].as_str().unwrap().contains("g++"));
        for trim in ["trailing", "all"] {
            place.write(GRADER, &format!("kind: io_match\ntrim: {trim}\n"));
            let run = place.run(&["check", "--format", "records"]).assert(1);
            let row = "case=shout-blank lane=replay grader=io_match status=fail class=GRADER_DRIFT before=fail after=pass";
            assert!(run.stdout.contains(row), "{}", run.stdout);
        }
    }
}

#[test]
fn a_commit_of_it_is_a_base_to_compare_with() {
    let place = Place::checkout();
    place.run(&["init"]).assert(0);
    place.git(&["add", "--all"]);
    let by = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    place.git(&[&by[..], &["commit", "--quiet", "-m", "suite"]].concat());
    place.run(&["check", "--base", "main"]).assert(0);
    place.write(
        GRADER,
        &place.read(GRADER).replace("trim: none", "trim: trailing"),
    );
    let run = place.run(&["check", "--base", "main"]).assert(1);
    assert!(run.stdout.contains("GRADER_DRIFT"), "{}", run.stdout);
}

#[test]
fn a_second_run_has_nothing_to_do() {
    let place = Place::empty();
    place.run(&["init"]).assert(0);
    let files = place.files();
    let run = place.run(&["init"]).assert(0);
    assert!(run.stdout.ends_with("nothing to do\n"), "{}", run.stdout);
    let run = place.run(&["init", "--format", "json"]).assert(0);
    let said: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(said["wrote"], serde_json::json!([]));
    assert_eq!(
        said["kept"],
        serde_json::json!(["goldens/", "driftgate.yml", GATE])
    );
    assert_eq!(place.files(), files);
}

#[test]
fn what_is_there_is_kept_and_the_rest_is_written() {
    let mine = [
        ("driftgate.yml", "fail_on: [CASE_DRIFT]\n"),
        (GATE, "name: mine\n"),
        ("goldens/README.md", "mine\n"),
    ];
    for (path, text) in mine {
        let place = Place::empty();
        place.write(path, text);
        let run = place.run(&["init"]).assert(0);
        let name = if path.starts_with("goldens/") {
            "goldens/"
        } else {
            path
        };
        assert!(
            run.stdout.contains(&format!("kept   {name}: ")),
            "{}",
            run.stdout
        );
        assert_eq!(place.read(path), text);
        assert_eq!(run.stdout.matches("wrote  ").count(), 2, "{}", run.stdout);
        if !path.starts_with("goldens/") {
            place.assert_whole();
        }
    }
}

#[test]
fn other_files_of_a_repository_stay_as_they_are() {
    let place = Place::checkout();
    place.write("src/main.cpp", "int main() {}\n");
    place.write(".github/workflows/ci.yml", "name: ci\n");
    fs::create_dir(place.root().join("goldens")).unwrap();
    let before = place.files();
    place.run(&["init"]).assert(0);
    let after = place.files();
    assert!(
        before
            .iter()
            .all(|(path, bytes)| after.get(path) == Some(bytes))
    );
    assert_eq!(after.len(), before.len() + ALL.len());
}

#[test]
fn what_stands_in_the_way_is_all_named_and_nothing_is_written() {
    let place = Place::empty();
    place.write("goldens", "a file");
    place.write(".github", "a file");
    fs::create_dir(place.root().join("driftgate.yml")).unwrap();
    let before = place.files();
    let run = place.run(&["init"]).assert(2);
    for path in ["goldens", ".github", "driftgate.yml"] {
        assert!(
            run.stderr
                .contains(&format!("error: {path}: is in the way")),
            "{}",
            run.stderr
        );
    }
    assert_eq!(place.files(), before);
    assert!(!place.root().join(".driftgate").exists());
}

#[test]
fn nothing_is_written_through_a_link() {
    for link in [
        "goldens",
        "driftgate.yml",
        ".github",
        ".github/workflows",
        GATE,
        ".driftgate",
    ] {
        for target in ["there", "nowhere"] {
            let place = Place::empty();
            let outside = place.0.path().join(target);
            fs::create_dir(place.0.path().join("there")).unwrap();
            let link = place.root().join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(&outside, &link).unwrap();
            let before = place.files();
            let run = place.run(&["init"]).assert(2);
            assert!(run.stderr.contains("link"), "{}", run.stderr);
            assert_eq!(place.files(), before, "{}", link.display());
            let there = fs::read_dir(place.0.path().join("there")).unwrap();
            assert_eq!(there.count(), 0);
            assert!(!place.0.path().join("nowhere").exists());
        }
    }
}

#[test]
fn without_a_compiler_it_says_so_and_writes_nothing() {
    let place = Place::empty();
    let run = of(place.driftgate(&["init"]).env("CXX", "no-such-compiler")).assert(3);
    assert!(run.stderr.contains("no-such-compiler"), "{}", run.stderr);
    assert!(
        run.stderr.contains("nothing was recorded"),
        "{}",
        run.stderr
    );
    assert_eq!(place.files().len(), 0);
    place.run(&["init"]).assert(0);
    place.assert_whole();
}

#[test]
fn settings_that_are_wrong_are_named_and_nothing_is_written() {
    let place = Place::empty();
    place.write("driftgate.yml", "compilr: g++\n");
    let run = place.run(&["init"]).assert(2);
    assert!(run.stderr.contains("compilr"), "{}", run.stderr);
    assert_eq!(place.files().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let place = Place::empty();
    // Also root cannot make a file there.
    let run = place.run(&["init", "--root", "/proc/self"]).assert(2);
    assert!(
        run.stderr.contains(".driftgate: cannot be used"),
        "{}",
        run.stderr
    );
    let run = place.run(&["init", "--root", "nowhere"]).assert(2);
    assert!(run.stderr.contains("is no folder"), "{}", run.stderr);
    let run = place.run(&["init", "--report", "r.json"]).assert(2);
    assert!(run.stderr.contains("makes no report"), "{}", run.stderr);
}

#[test]
fn in_a_folder_of_a_checkout_the_workflow_lies_at_its_top_and_names_the_folder() {
    let place = Place::checkout();
    fs::create_dir_all(place.root().join("evals/cpp")).unwrap();
    of(place
        .driftgate(&["init"])
        .current_dir(place.root().join("evals/cpp")))
    .assert(0);
    assert!(place.read(GATE).ends_with("          root: 'evals/cpp'\n"));
    assert!(place.root().join("evals/cpp/driftgate.yml").is_file());
    assert!(!place.root().join("evals/cpp/.github").exists());
    of(&mut place.driftgate(&["check", "--root", "evals/cpp"])).assert(0);
    // A name that would be an expression in a workflow.
    fs::create_dir(place.root().join("${{ a }}")).unwrap();
    let run = place.run(&["init", "--root", "${{ a }}"]).assert(2);
    assert!(
        run.stderr.contains("cannot be named in a workflow"),
        "{}",
        run.stderr
    );
}

#[test]
fn killed_at_any_moment_it_leaves_nothing_half_and_the_next_one_goes_on() {
    let mut seen = [0, 0];
    for moment in [0, 20, 60, 120, 200, 300, 450, 600, 900, 1300] {
        let place = Place::empty();
        let mut child = place
            .driftgate(&["init"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = place.files();
        let of_suite = left
            .keys()
            .filter(|path| path.starts_with("goldens/"))
            .count();
        assert!([0, 6].contains(&of_suite), "{:?}", left.keys());
        assert!(
            left.keys().all(|path| ALL.contains(&path.as_str())),
            "{:?}",
            left.keys()
        );
        seen[usize::from(of_suite > 0)] += 1;
        place.run(&["init"]).assert(0);
        place.assert_whole();
        assert!(
            left.iter()
                .all(|(path, bytes)| place.files().get(path) == Some(bytes))
        );
        assert!(!place.root().join(".driftgate/init").exists());
    }
    assert!(seen[0] > 0, "never killed in time: {seen:?}");
}
