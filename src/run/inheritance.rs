//! What a caller leaves to a supervisor without being asked: open descriptors, ignored signals.

use std::io;
use std::sync::Arc;

use signal_hook::consts::signal;

/// Signals that a caller may have ignored or that could reach us by accident. They get a handler
/// that does nothing we look at: a handler, unlike an ignored signal, ends with the child's
/// `exec`, and SIGCHLD must not be ignored for us to learn how children end.
const HELD: &[i32] = &[
    signal::SIGALRM,
    signal::SIGCHLD,
    signal::SIGHUP,
    signal::SIGINT,
    signal::SIGPIPE,
    signal::SIGQUIT,
    signal::SIGTERM,
    signal::SIGTSTP,
    signal::SIGTTIN,
    signal::SIGTTOU,
    signal::SIGUSR1,
    signal::SIGUSR2,
    signal::SIGWINCH,
    signal::SIGXCPU,
    signal::SIGXFSZ,
];

/// Closes what a caller leaked into us, so that it does not leak further into a candidate.
pub(super) fn close_descriptors() {
    let folder = if cfg!(target_os = "linux") {
        "/proc/self/fd"
    } else {
        "/dev/fd"
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let open: Vec<i32> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|descriptor| *descriptor > 2)
        .collect();
    for descriptor in open {
        // The folder's own descriptor is in the list and closed already: an error is no news.
        let _ = nix::unistd::close(descriptor);
    }
}

/// Gives every such signal a handler that does nothing.
///
/// # Errors
/// If one cannot have a handler.
pub(super) fn hold_signals() -> io::Result<()> {
    let flag = Arc::default();
    for held in HELD {
        signal_hook::flag::register(*held, Arc::clone(&flag))?;
    }
    Ok(())
}
