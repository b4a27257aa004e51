//! The start of processes: the only file that does it. Supervisors are started by the executor,
//! children by a supervisor.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::clock;
use super::protocol::{ARGUMENT, Request, TRIAL};

/// How long a program that is still open for writing somewhere is retried. Another thread that
/// starts a process at the wrong moment holds our freshly written file open until its `exec`.
const BUSY_RETRY: Duration = Duration::from_secs(2);

/// Starts a supervisor: nothing in its environment, a process group of its own so that a
/// terminal's Ctrl-C does not reach it, and no way to the terminal or the log.
pub(super) fn supervisor(program: &Path) -> io::Result<Child> {
    ourselves(program, ARGUMENT)
}

/// Starts a trial of the sandbox in the same way.
pub(super) fn trial(program: &Path) -> io::Result<Child> {
    ourselves(program, TRIAL)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that starts our own binary"
)]
fn ourselves(program: &Path, argument: &str) -> io::Result<Child> {
    Command::new(program)
        .arg0("driftgate")
        .arg(argument)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Starts the process of a request in a process group of its own, with the given environment and
/// nothing else, confined like the thread that calls. `Command` empties the signal mask and resets
/// SIGPIPE; every other signal that was ignored further up has a handler in the supervisor, and
/// `exec` resets handlers.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that starts what is supervised"
)]
pub(super) fn child(request: &Request) -> io::Result<Child> {
    let Some((program, args)) = request.argv.split_first() else {
        return Err(io::Error::new(ErrorKind::InvalidInput, "no program"));
    };
    let deadline = clock::now_monotonic() + BUSY_RETRY;
    loop {
        let stdin = match &request.stdin {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        };
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .envs(&request.env)
            .current_dir(&request.cwd)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        match command.spawn() {
            Err(error)
                if error.kind() == ErrorKind::ExecutableFileBusy
                    && clock::now_monotonic() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(2));
            }
            result => return result,
        }
    }
}

/// Where a checkout of files goes: the repository's folder, the work tree and the index to use
/// instead of the user's.
pub(super) struct CheckoutInto<'a> {
    pub(super) git_dir: &'a Path,
    pub(super) work_tree: &'a Path,
    pub(super) index: &'a Path,
}

/// Settings of the user's that would start other programs or leave files out.
const GIT_SETTINGS: [&str; 8] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.sparseCheckout=false",
    "-c",
    "submodule.recurse=false",
];

/// What in the user's environment points git to another repository, index or history, or changes
/// what a path means. Inside a hook git sets some of them itself.
const GIT_POINTERS: [&str; 16] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
    "GIT_ATTR_SOURCE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// Runs git in `folder` to its end and returns what it printed. Git is the user's own tool on the
/// user's own repository, so it keeps the user's environment (configuration, filters,
/// credentials), but for what would point it to another repository.
///
/// # Errors
/// When git cannot start or fails; the error holds the reason it gives.
#[expect(clippy::disallowed_methods, reason = "the one place that starts git")]
pub(super) fn git(
    folder: &Path,
    args: &[&str],
    into: Option<&CheckoutInto<'_>>,
) -> io::Result<Vec<u8>> {
    let mut command = Command::new("git");
    command
        .args(GIT_SETTINGS)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null());
    for name in GIT_POINTERS {
        command.env_remove(name);
    }
    command
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0");
    if let Some(into) = into {
        command
            .env("GIT_DIR", into.git_dir)
            .env("GIT_WORK_TREE", into.work_tree);
        command
            .env("GIT_INDEX_FILE", into.index)
            .current_dir(into.work_tree);
    }
    let output = command.output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let command = args.first().unwrap_or(&"");
    Err(io::Error::other(format!(
        "git {command}: {}",
        reason(&stderr)
    )))
}

/// The most characters of a reason that git gives.
const REASON: usize = 300;

/// Why git failed, on one line: what it calls an error, for advice often follows; else the last
/// line.
fn reason(stderr: &str) -> String {
    let lines = || {
        stderr
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let is_error = |line: &&str| {
        let line = line.to_ascii_lowercase();
        line.starts_with("fatal:") || line.starts_with("error:")
    };
    let mut said: Vec<&str> = lines().filter(is_error).collect();
    if said.is_empty() {
        said.extend(lines().next_back());
    }
    if said.is_empty() {
        said.push("it printed nothing");
    }
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    said.join("; ").chars().map(plain).take(REASON).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_git_is_told_by_its_reason_and_not_by_its_advice() {
        let refused = "ERROR: Repository not found.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n";
        assert_eq!(
            reason(refused),
            "ERROR: Repository not found.; fatal: Could not read from remote repository."
        );
        for (stderr, said) in [
            ("warning: x\nfatal: bad\tobject\r\n", "fatal: bad object"),
            ("one\ntwo\n\n", "two"),
            ("\n", "it printed nothing"),
            ("", "it printed nothing"),
        ] {
            assert_eq!(reason(stderr), said);
        }
        let long = format!("fatal: {}", "\u{e9}".repeat(1000));
        assert_eq!(reason(&long).chars().count(), REASON);
    }
}
