//! Tries in a process of its own what the sandbox keeps a process from: versions and settings
//! say less than an attempt.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use landlock::RestrictionStatus;
use rustix::process::{geteuid, getppid, test_kill_process};
use rustix::thread::capabilities;

use super::super::protocol::{Calls, Confinement};
use super::super::{scratch::RunScratch, spawn};
use super::identity::{self, Identity};
use super::{files, refuse};
use crate::model::isolation::{Isolation, Part};

/// Of the kernel's Landlock rules: those for TCP, and those for signals and abstract sockets.
const TCP: i32 = 4;
const SCOPES: i32 = 6;

/// What a sandbox can do on this machine for steps in `scratch`, by a trial in a process started
/// from the driftgate binary at `program`.
pub(in crate::run) fn probe(program: &Path, scratch: &RunScratch) -> Isolation {
    ask(program, scratch)
        .unwrap_or_else(|error| Isolation::none(&format!("it cannot be tried: {error}")))
}

fn ask(program: &Path, scratch: &RunScratch) -> io::Result<Isolation> {
    let folder = scratch.step()?;
    let mut child = spawn::trial(program)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(folder.work().as_os_str().as_encoded_bytes())?;
    }
    let output = child.wait_with_output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Runs as the trial: reads a scratch folder, prints what was found.
pub(in crate::run) fn main() -> ExitCode {
    let mut folder = String::new();
    let found = match io::Read::read_to_string(&mut io::stdin(), &mut folder) {
        Ok(_) => attempt(Path::new(&folder)),
        Err(error) => Err(error),
    };
    let found = found.unwrap_or_else(|error| Isolation::none(&error.to_string()));
    match serde_json::to_writer(io::stdout(), &found) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Applies the parts one after the other, each tried before the next one hides it.
fn attempt(folder: &Path) -> io::Result<Isolation> {
    let confine = Confinement {
        drop_identity: true,
        search_all: false,
        alone: false,
        scoped: false,
        landlock: true,
        calls: Some(Calls::Candidate),
        read: Vec::new(),
        own: vec![folder.to_owned()],
    };
    // Before anything hides what it looks at.
    let identity = identity::own().and_then(|own| own.take(folder).map(|()| own));
    let thread = std::thread::spawn(move || {
        let (files, network, scope, version) = try_landlock(&confine);
        let folder: &PathBuf = &confine.own[0];
        let identity = try_identity(identity, folder);
        Isolation {
            kernel_able: version >= SCOPES,
            files,
            network,
            scope,
            identity,
            calls: try_calls(folder),
        }
    });
    thread
        .join()
        .map_err(|_| io::Error::other("the trial panicked"))
}

fn try_landlock(confine: &Confinement) -> (Part, Part, Part, i32) {
    let status = match files::restrict(confine) {
        Ok(status) => status,
        Err(error) => {
            let missing = || Part::Missing(no_landlock(&error));
            return (missing(), missing(), missing(), 0);
        }
    };
    let version = files::version(&status);
    let needs = |least: i32, denied: bool| match denied && version >= least {
        true => Part::Holds,
        false => Part::Missing(old(&status, least)),
    };
    let unread = fs::read_dir("/").is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    let unbound = TcpListener::bind(("127.0.0.1", 0)).is_err();
    let unreached = getppid().is_some_and(|parent| {
        test_kill_process(parent).is_err_and(|error| error == rustix::io::Errno::PERM)
    });
    (
        needs(1, unread),
        needs(TCP, unbound),
        needs(SCOPES, unreached),
        version,
    )
}

fn no_landlock(error: &io::Error) -> String {
    format!("the kernel enforces no Landlock rules ({error}); Linux 6.12 has all that is needed")
}

fn old(status: &RestrictionStatus, least: i32) -> String {
    let since = match least {
        1 => "5.13",
        TCP => "6.7",
        _ => "6.12",
    };
    format!(
        "the kernel's Landlock is version {}; Linux {since} is needed",
        files::version(status)
    )
}

fn try_identity(own: io::Result<Identity>, folder: &Path) -> Part {
    if !geteuid().is_root() {
        return Part::NotNeeded;
    }
    if let Err(error) = own.and_then(|own| own.assume(false)) {
        return Part::Missing(format!("root cannot become another user: {error}"));
    }
    let powerless = capabilities(None).is_ok_and(|sets| sets.permitted.is_empty());
    if geteuid().is_root() || !powerless {
        return Part::Missing("root's rights cannot be given up".to_owned());
    }
    match fs::write(folder.join("trial"), "") {
        Ok(()) => Part::Holds,
        Err(_) => Part::Missing(
            "the temporary folder lies where only root can go; set TMPDIR to another".to_owned(),
        ),
    }
}

fn try_calls(folder: &Path) -> Part {
    if let Err(error) = refuse(Calls::Candidate) {
        return Part::Missing(format!("system calls cannot be filtered: {error}"));
    }
    let refused = UnixDatagram::unbound().is_err()
        && UnixStream::pair().is_err()
        && fs::set_permissions(folder, Permissions::from_mode(0o700)).is_err();
    match refused && io::pipe().is_ok() {
        true => Part::Holds,
        false => Part::Missing("the filter of system calls does not work".to_owned()),
    }
}
