//! A machine with things to steal and to change around a suite.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

use super::suite::{Run, Suite};

/// What must never be seen.
pub(super) const SECRET: &str = "hunter2-of-the-host";

const UNIX: &str = "#include <cerrno>\n#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n\
    #include <cstring>\n#include <cstddef>\n#include <dirent.h>\n#include <fcntl.h>\n\
    #include <netinet/in.h>\n#include <sched.h>\n#include <string>\n#include <sys/ioctl.h>\n\
    #include <sys/mman.h>\n#include <sys/ptrace.h>\n#include <sys/resource.h>\n\
    #include <sys/socket.h>\n#include <sys/stat.h>\n\
    #include <sys/syscall.h>\n#include <sys/un.h>\n#include <sys/wait.h>\n#include <sys/xattr.h>\n\
    #include <unistd.h>\n#include <utime.h>\n\
    static int got; static void won(const char* what) { got++; std::printf(\"%s\\n\", what); }\n\
    static int over() { if (!got) std::puts(\"ok\"); return 0; }\n";

/// A user that is not us.
pub(super) const OTHER: u32 = 54_321;

/// A suite whose case `c` runs a hostile program, and what it would like to reach.
pub(super) struct Host {
    pub(super) suite: Suite,
}

impl Host {
    /// One with the program `source`.
    fn new(source: &str) -> Self {
        let suite = Suite::program(source);
        let case = suite.read("goldens/cases/c.json");
        let patient = case.replace("\"timeout_s\": 1", "\"timeout_s\": 20");
        suite.write("goldens/cases/c.json", patient);
        let made = std::process::Command::new("git")
            .args(["init", "--quiet"])
            .arg(suite.root())
            .status();
        assert!(made.unwrap().success());
        let settings = suite.read(".git/config");
        suite.write(
            ".git/config",
            format!("{settings}[token]\n\tis = {SECRET}\n"),
        );
        suite.write("goldens/reference.txt", SECRET);
        for path in [".ssh/id_rsa", "github_env", ".docker/config.json"] {
            let path = suite.home().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, SECRET).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        }
        Self { suite }
    }

    /// Everything that is there to be read.
    pub(super) fn treasures(&self) -> Vec<PathBuf> {
        let suite = &self.suite;
        let committed = [
            ".git/config",
            "goldens/reference.txt",
            "goldens/cases/c.json",
            "driftgate.yml",
        ];
        let mut found: Vec<_> = committed.map(|path| suite.root().join(path)).into();
        let at_home = [
            ".ssh/id_rsa",
            "github_env",
            ".docker/config.json",
            "completions/c.txt",
        ];
        found.extend(at_home.map(|path| suite.home().join(path)));
        found
    }

    /// Grades the program, with a secret in driftgate's own environment.
    pub(super) fn grade(&self) -> Run {
        self.grade_after(|_| {})
    }

    /// The same, with whatever `change` does to the command before.
    pub(super) fn grade_after(&self, change: impl FnOnce(&mut std::process::Command)) -> Run {
        let completion = self.suite.completion_path("c").display().to_string();
        let mut command = self.suite.command(&[
            "grade",
            "--case",
            "c",
            "--candidate",
            &completion,
            "--sandbox",
            "required",
            "--format",
            "json",
        ]);
        command.env("GITHUB_TOKEN", SECRET);
        command.env("GITHUB_ENV", self.suite.home().join("github_env"));
        change(&mut command);
        let before = (self.suite.committed(), self.kept());
        let run = self.suite.finish(command);
        assert!(
            before == (self.suite.committed(), self.kept()),
            "the host changed"
        );
        assert!(
            !run.stdout.contains(SECRET) && !run.stderr.contains(SECRET),
            "{run:?}"
        );
        run
    }

    fn kept(&self) -> Vec<(Vec<u8>, u32)> {
        let kept = |path: PathBuf| {
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            (fs::read(&path).unwrap(), mode)
        };
        self.treasures().into_iter().map(kept).collect()
    }

    /// The C++ literals of all treasures, as an array of strings.
    pub(super) fn literals(&self) -> String {
        let paths = self.treasures().into_iter();
        paths.map(|path| format!("{path:?},")).collect()
    }
}

/// Runs `check` as us, and as another user if we are root.
pub(super) fn as_everybody(check: impl Fn(&Host)) {
    let root = rustix::process::geteuid().is_root();
    for user in [0, OTHER] {
        if user != 0 && !root {
            continue;
        }
        let host = Host::new("");
        if user != 0 {
            host.suite.belongs_to(user);
        }
        check(&host);
    }
}

/// The program whose `main` does `body`: it calls `won` for what it gets, and prints `ok` if it
/// got nothing.
pub(super) fn trying(body: &str) -> String {
    format!("{UNIX}int main() {{\n{body}\nreturn over(); }}\n")
}

/// Gives the case the program `source` and checks how it is judged.
#[track_caller]
pub(super) fn judged(host: &Host, source: &str, class: &str) -> Value {
    host.suite.completion("c", source);
    let code = i32::from(class != "match");
    host.grade().assert_class("c", class, code)
}

/// Every user gets nothing by `body`.
#[track_caller]
pub(super) fn in_vain(body: impl Fn(&Host) -> String) {
    as_everybody(|host| {
        judged(host, &trying(&body(host)), "match");
    });
}
