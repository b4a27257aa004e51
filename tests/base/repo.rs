//! A suite of two cases in a repository: `main` holds the recording, a branch edits it.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::suite::{GOOD, Run, Suite};

/// A suite in a git repository.
pub(super) struct Repo {
    pub(super) suite: Suite,
}

/// The grader's file as the base has it.
pub(super) const GRADER: &str = "goldens/graders/io_match.yaml";

impl Repo {
    /// `plain` prints what it should; `blank` misses a blank at the end of its line, which
    /// `trim: trailing` forgives. Both are recorded and committed; `work` is checked out.
    pub(super) fn new() -> Self {
        let repo = Self::unborn();
        repo.commit("base");
        repo.branch();
        repo
    }

    /// A repository whose case `c` passes when recorded, and then fails and passes by turns.
    pub(super) fn flaky() -> Self {
        let suite = Suite::program("");
        suite.unconfine();
        let counter = suite.home().join("counter");
        let source = format!(
            "#include <stdio.h>\n\
             int main() {{\n\
             int n = 0;\n\
             if (FILE *f = fopen(\"{0}\", \"r\")) {{ if (fscanf(f, \"%d\", &n) != 1) return 9; fclose(f); }}\n\
             FILE *f = fopen(\"{0}\", \"w\"); fprintf(f, \"%d\", n + 1); fclose(f);\n\
             puts(n % 2 ? \"no\" : \"ok\");\n}}\n",
            counter.display()
        );
        suite.completion("c", source);
        suite.record();
        let repo = Self::of(suite);
        repo.commit("base");
        repo.branch();
        repo
    }

    /// The same as [`Self::new`] before its first commit.
    pub(super) fn unborn() -> Self {
        let suite = Suite::adder();
        suite.remove("goldens/cases/add.json");
        suite.write(GRADER, "kind: io_match\ntrim: none\n");
        suite.case("plain", &json!({}));
        let fixture = suite.read("goldens/fixtures/f.cpp");
        suite.write("goldens/fixtures/b.cpp", format!("// another\n{fixture}"));
        let changes = json!({"fixture": "fixtures/b.cpp", "expect": {"stdout": "42 \n"}});
        suite.case("blank", &changes);
        suite.completion("plain", GOOD);
        suite.completion("blank", GOOD);
        suite.record();
        Self::of(suite)
    }

    /// Makes a repository of `suite`.
    pub(super) fn of(suite: Suite) -> Self {
        suite.write(".gitignore", ".driftgate/\n");
        let repo = Self { suite };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo
    }

    /// Runs git in the root and returns what it prints.
    pub(super) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.suite.root(), args)
    }

    pub(super) fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(["-c", "gc.auto=0", "-c", "protocol.file.allow=always"])
            .args(args)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.suite.home())
            .current_dir(folder)
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {err}");
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    pub(super) fn commit(&self, subject: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", subject]);
    }

    /// Starts `work` again from `main`, without a trace of what was there.
    pub(super) fn branch(&self) {
        self.git(&["checkout", "--quiet", "--force", "-B", "work", "main"]);
        self.git(&["clean", "--quiet", "--force", "-d"]);
    }

    /// Commits what is in the tree to `main` and starts `work` from there.
    pub(super) fn merge(&self, subject: &str) {
        self.commit(subject);
        self.git(&["branch", "--force", "main"]);
    }

    /// Replaces `from` in a file.
    pub(super) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.suite.read(path);
        assert!(text.contains(from), "no `{from}` in {text}");
        self.suite.write(path, text.replace(from, to));
    }

    /// Lets trailing blanks pass: the verdict of `blank` flips.
    pub(super) fn edit_grader(&self) {
        self.edit(GRADER, "trim: none", "trim: trailing");
    }

    /// Edits the cassette of `id`.
    pub(super) fn edit_cassette(&self, id: &str, edit: impl Fn(&mut Value)) {
        let mut cassette = self.suite.cassette(id);
        edit(&mut cassette);
        let path = format!("goldens/cassettes/{id}.json");
        self.suite.write(&path, format!("{cassette:#}\n"));
    }

    /// Commits, and checks against `main`.
    pub(super) fn check(&self) -> Run {
        self.commit("work");
        self.suite.report(&["check", "--base", "main"])
    }

    /// The row of `blank` after [`Self::check`].
    #[track_caller]
    pub(super) fn assert_blank(&self, class: &str, code: i32) -> Value {
        self.check().assert_class("blank", class, code)
    }

    /// Accepts with `reason` against `main`.
    pub(super) fn accept(&self, reason: &str) -> Run {
        let run = self
            .suite
            .report(&["accept", "--base", "main", "--reason", reason]);
        run.assert_code(0);
        run
    }
}

/// A list of words in a row.
pub(super) fn words<'a>(row: &'a Value, field: &str) -> Vec<&'a str> {
    let words = row[field].as_array().unwrap().iter();
    words.map(|word| word.as_str().unwrap()).collect()
}

/// The rows of one lane of a report.
pub(super) fn lane(run: &Run, name: &str) -> Vec<Value> {
    let report = run.json();
    let lanes = report["experiments"].as_array().unwrap().iter();
    lanes
        .filter(|lane| lane["name"] == name)
        .flat_map(|lane| lane["rows"].as_array().unwrap().clone())
        .collect()
}

/// The day `days` from today (UTC).
pub(super) fn day(days: i64) -> String {
    let today = chrono::Utc::now().date_naive();
    (today + chrono::Duration::days(days)).to_string()
}

/// An entry of a quarantine that holds for some days from and until some days from today.
pub(super) fn entry(case: &str, opened: i64, expires: i64) -> String {
    let (opened, expires) = (day(opened), day(expires));
    format!("- {{case: {case}, reason: r, owner: o, opened: {opened}, expires: {expires}}}\n")
}
