//! Command graders and patches through the real binary: a team's own program that answers badly,
//! and completions that are no patch.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A suite in a folder of its own.
struct Suite(tempfile::TempDir);

const FIXTURE: &str = "#include <cstdio>\nvoid f();\nint main() { f(); }\n";
const PRINTS: &str = "void f() { std::puts(\"7\"); }\n";
/// A grader that passes whatever printed `7`.
const SEVEN: &str = "import json, sys\nrun = json.load(sys.stdin)\n\
    good = run['stdout'].strip() == '7'\n\
    print(json.dumps({'status': 'pass' if good else 'fail', 'class': 'seven' if good else 'other'}))\n";

impl Suite {
    fn empty() -> Self {
        let suite = Self(tempfile::tempdir().unwrap());
        suite.write("driftgate.yml", "");
        suite.write("goldens/prompts/p.md", "Write f.");
        suite
    }

    /// One case under a command grader called `own`, with this script.
    fn with_script(script: &str) -> Self {
        let suite = Self::empty();
        suite.write("goldens/fixtures/c.cpp", FIXTURE);
        suite.write(
            "goldens/cases/c.json",
            &json!({"id": "c", "prompt_file": "prompts/p.md", "fixture": "fixtures/c.cpp",
                    "stdin": "in\n", "args": ["one"], "tags": ["t"], "graders": ["own"]})
            .to_string(),
        );
        suite.write("goldens/tools/check.py", script);
        suite.grader("command: [python3, tools/check.py]\ninputs: ['tools/*.py']\ntimeout_s: 2\n");
        suite
    }

    fn grader(&self, settings: &str) {
        let text = format!("kind: command\n{settings}");
        self.write("goldens/graders/own.yaml", &text);
    }

    /// One case whose completion patches these files, the first of which is the fixture.
    fn patching(files: &[(&str, &str)], stdout: &str) -> Self {
        let suite = Self::empty();
        for (name, text) in files {
            suite.write(&format!("goldens/fixtures/{name}"), text);
        }
        let named: Vec<_> = files
            .iter()
            .map(|(name, _)| format!("fixtures/{name}"))
            .collect();
        suite.write(
            "goldens/cases/c.json",
            &json!({"id": "c", "prompt_file": "prompts/p.md", "fixture": named[0],
                    "files": named[1..], "assemble": "patch", "expect": {"stdout": stdout}})
            .to_string(),
        );
        suite
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn driftgate(&self, args: &[&str]) -> Output {
        run(
            Path::new(env!("CARGO_BIN_EXE_driftgate")),
            self.0.path(),
            args,
        )
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let output = run(Path::new("git"), self.0.path(), &[&identity, args].concat());
        assert!(output.status.success(), "{output:?}");
    }

    /// The verdict of grader `id` on `completion`.
    fn verdict_of(&self, id: &str, completion: &str) -> Value {
        self.write("candidate.txt", completion);
        let candidate = self.path("candidate.txt");
        let candidate = candidate.to_str().unwrap();
        let args = ["grade", "--json", "--case", "c", "--candidate", candidate];
        let output = self.driftgate(&args);
        assert!(!output.stdout.is_empty(), "{output:?}");
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        said["graders"][id].clone()
    }

    /// Status and class by the grader `own`.
    fn own(&self, completion: &str) -> (String, String) {
        outcome(&self.verdict_of("own", completion))
    }

    fn record(&self, completion: &str) {
        self.recorded(&[("c", completion)]);
    }

    /// The rows of recording these completions, by id of their case.
    fn recorded(&self, completions: &[(&str, &str)]) -> Vec<Value> {
        for (id, completion) in completions {
            self.write(&format!("completions/{id}.txt"), completion);
        }
        let folder = self.path("completions");
        let folder = folder.to_str().unwrap();
        let output = self.driftgate(&["record", "--from", folder, "--format", "json"]);
        assert!(output.status.success(), "{output:?}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["experiments"][0]["rows"].as_array().unwrap().clone()
    }

    /// The class of each row of a replay, and the exit code.
    fn replay(&self, args: &[&str]) -> (Vec<Value>, Option<i32>) {
        let all = [&["replay", "--format", "json"], args].concat();
        let output = self.driftgate(&all);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = report["experiments"][0]["rows"].as_array().unwrap().clone();
        (rows, output.status.code())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test starts the binary it is about"
)]
fn run(program: &Path, folder: &Path, args: &[&str]) -> Output {
    Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap()
}

fn outcome(verdict: &Value) -> (String, String) {
    let text = |field: &str| verdict[field].as_str().unwrap_or_default().to_owned();
    (text("status"), text("class"))
}

fn pair(status: &str, class: &str) -> (String, String) {
    (status.to_owned(), class.to_owned())
}

#[test]
fn a_command_grader_judges_by_what_it_is_told() {
    let suite = Suite::with_script(
        "import json, os, subprocess, sys\n\
         run = json.load(sys.stdin)\n\
         assert run['case']['id'] == 'c' and run['case']['tags'] == ['t']\n\
         assert run['case']['stdin'] == 'in\\n' and run['case']['args'] == ['one']\n\
         assert run['source'].startswith('#include') and 'void f() {' in run['source']\n\
         assert run['signal'] is None and run['timed_out'] is False and run['stderr'] == ''\n\
         again = subprocess.run([run['binary']], capture_output=True)\n\
         assert again.stdout.decode() == run['stdout']\n\
         assert sorted(os.listdir('.')) == ['.driftgate', 'tools'], os.listdir('.')\n\
         assert 'GITHUB_TOKEN' not in os.environ\n\
         good = run['stdout'] == '7\\n' and run['exit_code'] == 0\n\
         print(json.dumps({'status': 'pass' if good else 'fail', 'class': 'my.own-class',\n\
                           'detail': 'seen ' + run['stdout'].strip()}))\n",
    );
    let verdict = suite.verdict_of("own", PRINTS);
    assert_eq!(outcome(&verdict), pair("pass", "my.own-class"), "{verdict}");
    let verdict = suite.verdict_of("own", &PRINTS.replace('7', "8"));
    assert_eq!(outcome(&verdict), pair("fail", "my.own-class"));
    assert!(verdict["detail"].as_str().unwrap().contains("seen 8"));
}

#[test]
fn what_a_candidate_does_to_itself_is_not_the_graders_to_judge() {
    let suite = Suite::with_script(SEVEN);
    for (completion, class) in [
        ("void f() { nonsense; }", "compile_error"),
        ("void g() {}", "link_error"),
        (
            "void f() { for (;;) std::puts(\"77777777777777777777777777777\"); }",
            "output_flood",
        ),
    ] {
        assert_eq!(suite.own(completion), pair("fail", class));
    }
    // A crash it is asked about: this one looks at the output only.
    assert_eq!(
        suite.own("void f() { std::puts(\"7\"); std::fflush(stdout); __builtin_trap(); }"),
        pair("pass", "seven")
    );
}

#[test]
fn a_grader_that_gives_no_verdict_is_unjudged() {
    let good = "{\"status\":\"pass\",\"class\":\"x\"}";
    let scripts = [
        ("print('PASS')".to_owned(), "printed `PASS`"),
        ("pass".to_owned(), "printed nothing"),
        (format!("print('{good}\\n{good}')"), "trailing characters"),
        (format!("print('{good} done')"), "trailing characters"),
        (
            "print('{\"status\":\"unjudged\",\"class\":\"x\"}')".to_owned(),
            "the status `unjudged`",
        ),
        (
            "print('{\"status\":\"pass\",\"class\":\"x\",\"more\":1}')".to_owned(),
            "unknown field",
        ),
        (format!("print('{good}'); exit(1)"), "exit code 1"),
        (
            format!(
                "import os, signal\nprint('{good}', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
            ),
            "signal 9",
        ),
        (
            format!(
                "import sys\nprint('{good}')\nfor _ in range(100): sys.stdout.write(' ' * (1 << 20))"
            ),
            "wrote more than",
        ),
        (
            "import time\ntime.sleep(60)".to_owned(),
            "did not answer within 6 s",
        ),
        ("import no_such_module".to_owned(), "exit code 1"),
    ];
    let suite = Suite::with_script("");
    let ids: Vec<_> = (0..scripts.len())
        .map(|index| format!("g{index:02}"))
        .collect();
    for (id, (script, _)) in ids.iter().zip(&scripts) {
        suite.write(&format!("goldens/tools/{id}.py"), script);
        let text = format!(
            "kind: command\ncommand: [python3, tools/{id}.py]\ninputs: [tools/{id}.py]\ntimeout_s: 2\n"
        );
        suite.write(&format!("goldens/graders/{id}.yaml"), &text);
    }
    suite.write(
        "goldens/cases/c.json",
        &json!({"id": "c", "prompt_file": "prompts/p.md", "fixture": "fixtures/c.cpp",
                "graders": ids})
        .to_string(),
    );
    let rows = suite.recorded(&[("c", PRINTS)]);
    assert_eq!(rows.len(), scripts.len());
    for (row, (script, why)) in rows.iter().zip(&scripts) {
        let said = row["why"].as_str().unwrap();
        assert!(
            said.starts_with("unjudged (grader_error): "),
            "{script}: {said}"
        );
        assert!(said.contains(why), "{script}: {said}");
    }
}

#[test]
fn a_grader_that_does_not_end_is_stopped_and_unjudged() {
    let suite = Suite::with_script("while True: pass");
    let (status, _) = suite.own(PRINTS);
    assert_eq!(status, "unjudged");
}

#[test]
fn a_program_that_is_not_here_is_unjudged_and_a_declared_one_needs_no_path() {
    let suite = Suite::with_script("");
    suite.grader("command: [no-such-interpreter]\n");
    assert_eq!(suite.own(PRINTS), pair("unjudged", "grader_error"));
    suite.write(
        "goldens/tools/own.sh",
        "#!/bin/sh\ncat > /dev/null\necho '{\"status\": \"fail\", \"class\": \"never\"}'\n",
    );
    suite.grader("command: [tools/own.sh]\ninputs: [tools/own.sh]\n");
    assert_eq!(suite.own(PRINTS), pair("fail", "never"));
    suite.grader("command: [tools/own.sh]\n");
    let output = suite.driftgate(&["replay"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("goldens/graders/own.yaml:2:11: command[0]"),
        "{said}"
    );
}

#[test]
fn what_a_grader_does_not_declare_is_not_there() {
    let script = "import json, os, sys\njson.load(sys.stdin)\n\
        there = [p for p in ('tools/data.txt', 'cases/c.json', '../goldens', 'graders/own.yaml')\n\
                 if os.path.exists(p)]\n\
        print(json.dumps({'status': 'pass', 'class': ','.join(there).replace(',', '.')\n\
                          .replace('/', '_') or 'nothing'}))\n";
    let suite = Suite::with_script(script);
    suite.write("goldens/tools/data.txt", "7");
    assert_eq!(suite.own(PRINTS), pair("pass", "nothing"));
    suite.grader("command: [python3, tools/check.py]\ninputs: ['tools/*']\n");
    assert_eq!(suite.own(PRINTS), pair("pass", "tools_data.txt"));
}

#[test]
fn an_edited_input_that_flips_a_verdict_is_grader_drift() {
    let suite = Suite::with_script(SEVEN);
    suite.record(PRINTS);
    suite.write(".gitignore", ".driftgate/\ncompletions/\ncandidate.txt\n");
    suite.git(&["init", "-q", "-b", "main"]);
    suite.git(&["add", "-A"]);
    suite.git(&["commit", "-q", "-m", "base"]);
    let (rows, code) = suite.replay(&["--base", "main"]);
    assert_eq!((rows[0]["class"].as_str(), code), (Some("STABLE"), Some(0)));

    suite.write("goldens/tools/check.py", &format!("# A comment.\n{SEVEN}"));
    let (rows, code) = suite.replay(&["--base", "main"]);
    assert_eq!((rows[0]["class"].as_str(), code), (Some("STABLE"), Some(0)));
    assert_eq!(rows[0]["moved"], json!(["grader"]));

    suite.write("goldens/tools/check.py", &SEVEN.replace("== '7'", "== '8'"));
    let (rows, code) = suite.replay(&["--base", "main"]);
    assert_eq!(
        (rows[0]["class"].as_str(), code),
        (Some("GRADER_DRIFT"), Some(1))
    );
    assert_eq!(rows[0]["moved"], json!(["grader"]));
    assert_eq!(rows[0]["at"]["path"], "goldens/tools/check.py");
    // A cassette knows that the grader moved, and not which of its files.
    let (rows, _) = suite.replay(&[]);
    assert_eq!(rows[0]["class"], "GRADER_DRIFT");
    assert_eq!(rows[0]["at"]["path"], "goldens/graders/own.yaml");

    suite.write("goldens/tools/other.py", &SEVEN.replace("== '7'", "== '8'"));
    suite.write("goldens/tools/check.py", SEVEN);
    suite.grader("command: [python3, tools/other.py]\ninputs: ['tools/*.py']\ntimeout_s: 2\n");
    let (rows, _) = suite.replay(&["--base", "main"]);
    assert_eq!(rows[0]["class"], "GRADER_DRIFT");
    assert_eq!(rows[0]["at"]["path"], "goldens/graders/own.yaml");
}

#[test]
fn a_grader_that_never_says_the_same_is_asked_again_and_nondeterministic() {
    let suite = Suite::with_script(
        "import json, time\n\
         print(json.dumps({'status': 'pass', 'class': str(time.time_ns())}))\n",
    );
    suite.record(PRINTS);
    let (rows, _) = suite.replay(&[]);
    assert_eq!(rows[0]["class"], "NONDETERMINISTIC");
}

#[test]
fn fail_on_takes_a_class_in_the_graders_own_words() {
    let suite = Suite::with_script(SEVEN);
    suite.record(PRINTS);
    let code = |class: &str| {
        let output = suite.driftgate(&["grade", "--fail-on", class]);
        output.status.code()
    };
    assert_eq!(code("own/other"), Some(0));
    assert_eq!(code("own/seven"), Some(1));
    assert_eq!(code("seven"), Some(2));
    assert_eq!(code("none/seven"), Some(2));
}

const COUNT: &str = "#include <cstdio>\nint count() {\n    return 6;\n}\nint main() {\n    std::printf(\"%d\\n\", count());\n}\n";
const FIX: &str = "--- a/c.cpp\n+++ b/c.cpp\n@@ -2,3 +2,3 @@\n int count() {\n-    return 6;\n+    return 7;\n }\n";

#[test]
fn a_patch_makes_the_unit() {
    let suite = Suite::patching(&[("c.cpp", COUNT)], "7\n");
    for patch in [
        FIX.to_owned(),
        format!("I fix it.\n```diff\n{FIX}```\n"),
        FIX.replace("@@ -2,3 +2,3 @@", "@@ -90,3 +91,3 @@"),
        FIX.replace("/c.cpp", "/fixtures/c.cpp"),
        FIX.replace("a/c.cpp", "candidate.cpp")
            .replace("b/c.cpp", "candidate.cpp"),
    ] {
        let verdict = suite.verdict_of("io_match", &patch);
        assert_eq!(outcome(&verdict), pair("pass", "match"), "{patch}{verdict}");
    }
    let wrong = FIX.replace("return 7", "return 8");
    let verdict = suite.verdict_of("io_match", &wrong);
    assert_eq!(outcome(&verdict), pair("fail", "stdout_differs"));
}

#[test]
fn a_completion_that_is_no_exact_patch_is_a_bad_patch() {
    let new_file = "--- /dev/null\n+++ b/new.cpp\n@@ -0,0 +1 @@\n+int x;\n";
    let patches = [
        ("int count() { return 7; }\n".to_owned(), "no unified diff"),
        (FIX.replace("return 6", "return 5"), "line 5 of the patch"),
        // What `patch` would let pass with fuzz: the last context line is another one.
        (FIX.replace(" }\n", " };\n"), "line 7 of the patch"),
        (
            FIX.replace(" int count() {", " int  count() {"),
            "line 4 of the patch",
        ),
        (FIX.replace("-2,3 +2,3", "-2,4 +2,4"), "fewer lines"),
        (FIX.replace("-2,3 +2,3", "-2,2 +2,2"), "more lines"),
        (FIX.replace("/c.cpp", "/../c.cpp"), "through `..`"),
        (FIX.replace("b/c.cpp", "b/d.cpp"), "no file of the case"),
        (FIX.replace("a/c.cpp", "/etc/passwd"), "is absolute"),
        (FIX.replace("/c.cpp", "/.git/config"), "`.git`"),
        (new_file.to_owned(), "creates a file"),
        (format!("{FIX}{FIX}"), "patched twice"),
        (
            FIX.replace('\n', "\r\n"),
            "ends with LF, and the hunk wants CR LF",
        ),
        (String::new(), "no unified diff"),
    ];
    let suite = Suite::patching(&[("c.cpp", COUNT)], "7\n");
    let text = fs::read_to_string(suite.path("goldens/cases/c.json")).unwrap();
    let ids: Vec<_> = (0..patches.len())
        .map(|index| format!("p{index:02}"))
        .collect();
    for id in &ids {
        let text = text.replace("\"id\":\"c\"", &format!("\"id\":\"{id}\""));
        suite.write(&format!("goldens/cases/{id}.json"), &text);
    }
    let completions: Vec<_> = ids
        .iter()
        .zip(&patches)
        .map(|(id, (patch, _))| (id.as_str(), patch.as_str()))
        .collect();
    let rows = suite.recorded(&completions);
    assert_eq!(rows.len(), patches.len());
    for (row, (patch, why)) in rows.iter().zip(&patches) {
        let said = row["why"].as_str().unwrap();
        assert!(said.starts_with("fail (bad_patch): "), "{patch}: {said}");
        assert!(said.contains(why), "{patch}: {said}");
    }
}

#[test]
fn a_crlf_fixture_takes_a_crlf_patch_only() {
    let suite = Suite::patching(&[("c.cpp", &COUNT.replace('\n', "\r\n"))], "7\n");
    let verdict = suite.verdict_of("io_match", &FIX.replace('\n', "\r\n"));
    assert_eq!(outcome(&verdict), pair("pass", "match"), "{verdict}");
    let verdict = suite.verdict_of("io_match", FIX);
    assert_eq!(outcome(&verdict), pair("fail", "bad_patch"));
}

#[test]
fn a_patch_that_breaks_a_file_beside_the_fixture_is_the_candidates_fault() {
    let main = "#include \"count.h\"\nint main() { std::printf(\"%d\\n\", COUNT); }\n";
    let header = "#include <cstdio>\n#define COUNT 6\n";
    let suite = Suite::patching(&[("c.cpp", main), ("count.h", header)], "7\n");
    let patch = |line: &str| {
        format!(
            "--- a/count.h\n+++ b/count.h\n@@ -1,2 +1,2 @@\n #include <cstdio>\n-#define COUNT 6\n+{line}\n"
        )
    };
    for (line, expected) in [
        ("#define COUNT 7", pair("pass", "match")),
        ("#include <no_such_header>", pair("fail", "compile_error")),
        ("#error no", pair("fail", "compile_error")),
    ] {
        let verdict = suite.verdict_of("io_match", &patch(line));
        assert_eq!(outcome(&verdict), expected, "{line}: {verdict}");
    }
}
