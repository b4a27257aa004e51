//! What a process is kept from: files, network, other processes, system calls, and the rights of
//! root.
//!
//! All of it is applied to one thread of the supervisor, which then starts the process: a process
//! inherits credentials, Landlock domain and filter from the thread that starts it, and the rest
//! of the supervisor stays outside. So there is neither a second `exec` nor any code between
//! `fork` and `exec`.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod identity;
mod places;
pub(super) mod plan;
#[cfg(target_os = "linux")]
pub(super) mod trial;
pub(super) mod warden;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::mpsc;

#[cfg(target_os = "linux")]
use rustix::process::{getpriority_process, setpriority_process};

use super::protocol::Confinement;
use warden::Warden;

/// How much less urgent than we are what runs inside is (`nice`). A crowd of equals leaves a
/// supervisor that wakes up to end it the thousandth part of a processor, for seconds.
pub(super) const YIELD: i32 = 15;

/// As nice as a process can be.
#[cfg(target_os = "linux")]
const LEAST_URGENT: i32 = 19;

/// What a team grants its own tools, never candidates.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Files and trees that may be read.
    pub read: Vec<PathBuf>,
    /// Variables that are passed on.
    pub env: BTreeMap<String, String>,
    /// Whether the network may be used. The kernel can tell ports apart and not machines, so this
    /// is all of it.
    pub loopback: bool,
}

/// Runs `start` on a thread of its own that is confined as asked. The rest of this process is not.
/// The thread stays, to end whatever it started.
///
/// # Errors
/// If some part of the sandbox cannot be had, which a trial found to be there; else what `start`
/// fails with.
#[cfg(target_os = "linux")]
pub(super) fn inside<T: Send + 'static>(
    confine: &Confinement,
    start: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<(T, Warden)> {
    let confine = confine.clone();
    let identity = if confine.drop_identity {
        let identity = identity::own()?;
        for folder in &confine.own {
            identity.take(folder)?;
        }
        Some(identity)
    } else {
        None
    };
    let (tell, told) = mpsc::channel();
    let (ask, asked) = mpsc::channel();
    let (done, finished) = mpsc::channel();
    std::thread::Builder::new().spawn(move || {
        let alone = confine.alone;
        let started = enter(&confine, identity).and_then(|()| below(confine, start));
        if tell.send(started).is_ok() {
            warden::serve(alone, &asked, &done);
        }
    })?;
    let started = told.recv().map_err(|_| panicked())??;
    Ok((started, Warden::new(ask, finished)))
}

/// Runs `start` on a thread that is confined like this one, less urgent, and cannot reach it: the
/// thread that ends everything must not be ended first.
#[cfg(target_os = "linux")]
fn below<T: Send + 'static>(
    confine: Confinement,
    start: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let thread = std::thread::Builder::new().spawn(move || {
        if confine.scoped {
            files::shut_off(&confine)?;
        }
        let own = getpriority_process(None)?;
        setpriority_process(None, (own + YIELD).min(LEAST_URGENT))?;
        start()
    })?;
    thread.join().map_err(|_| panicked())?
}

#[cfg(target_os = "linux")]
fn panicked() -> io::Error {
    io::Error::other("the thread that starts it panicked")
}

/// Confines this thread.
#[cfg(target_os = "linux")]
fn enter(confine: &Confinement, identity: Option<identity::Identity>) -> io::Result<()> {
    if confine.landlock {
        files::restrict(confine)?;
    }
    if let Some(identity) = identity {
        identity.assume(confine.search_all)?;
    }
    match confine.calls {
        Some(calls) => refuse(calls),
        None => Ok(()),
    }
}

/// Has the system calls of this thread filtered from now on.
#[cfg(target_os = "linux")]
fn refuse(calls: super::protocol::Calls) -> io::Result<()> {
    let program = filter::program(calls)
        .ok_or_else(|| io::Error::other("no filter is known for this architecture"))?;
    seccompiler::apply_filter(&program).map_err(io::Error::other)
}

/// Elsewhere there is no sandbox, and none is ever asked for.
#[cfg(not(target_os = "linux"))]
pub(super) fn inside<T: Send + 'static>(
    _confine: &Confinement,
    _start: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<(T, Warden)> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(not(target_os = "linux"))]
pub(super) mod trial {
    //! There is nothing to try.

    use std::process::ExitCode;

    pub(in crate::run) fn main() -> ExitCode {
        ExitCode::FAILURE
    }
}
