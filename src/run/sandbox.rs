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

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use super::protocol::Confinement;

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
///
/// # Errors
/// If some part of the sandbox cannot be had, which a trial found to be there; else what `start`
/// fails with.
#[cfg(target_os = "linux")]
pub(super) fn inside<T: Send>(
    confine: &Confinement,
    start: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    let identity = if confine.drop_identity {
        let identity = identity::own()?;
        for folder in &confine.own {
            identity.take(folder)?;
        }
        Some(identity)
    } else {
        None
    };
    let confined = || {
        if confine.landlock {
            files::restrict(confine)?;
        }
        if let Some(identity) = identity {
            identity.assume(confine.search_all)?;
        }
        if let Some(calls) = confine.calls {
            refuse(calls)?;
        }
        start()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, confined)?;
        thread
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that starts it panicked")))
    })
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
pub(super) fn inside<T: Send>(
    _confine: &Confinement,
    _start: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
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
