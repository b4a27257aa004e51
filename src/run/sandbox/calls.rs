//! Which system calls are refused to whom.
//!
//! Landlock confines what is opened, signalled, traced and connected to by TCP; what is listed
//! here goes around it, or reaches parts of the kernel that no compiler, grader or candidate has
//! any business with. `ptrace` and `process_vm_*` stay: LeakSanitizer needs the first, and
//! Landlock keeps both inside.

use nix::libc::{self, c_long};

use super::super::protocol::Calls;

/// Calls that the C library does without where the kernel does not know them. The flags of
/// `clone3` lie in memory, where no filter can read them.
pub(super) const UNKNOWN: &[c_long] = &[libc::SYS_clone3];

/// Calls that candidates get told the file system does not support, which the C library then does
/// by writing: they fill a disk faster than anybody can look.
pub(super) const UNSUPPORTED: &[c_long] = &[libc::SYS_fallocate];

/// Calls that may change limits, urgency and place of any process of the same user, whatever
/// Landlock says, and the first arguments with which they mean the caller.
pub(super) const OF_OTHERS: &[(c_long, &[u32])] = &[
    (libc::SYS_prlimit64, &[0]),
    (libc::SYS_sched_setaffinity, &[0]),
    (libc::SYS_sched_setattr, &[0]),
    (libc::SYS_sched_setparam, &[0]),
    (libc::SYS_sched_setscheduler, &[0]),
    (libc::SYS_setpriority, &[libc::PRIO_PROCESS, 0]),
    (libc::SYS_ioprio_set, &[IOPRIO_WHO_PROCESS, 0]),
];

/// From the kernel's `ioprio.h`; not in `libc`.
const IOPRIO_WHO_PROCESS: u32 = 1;

/// What injects input into a terminal: `TIOCSTI` and `TIOCLINUX`.
pub(super) const TERMINAL_INPUT: &[u32] = &[0x5412, 0x541c];

/// Refused to everybody: other namespaces and mounts, ways into other processes and the kernel.
const EVERYBODY: &[c_long] = &[
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    // What these make outlives every process of the step.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
];

/// Refused where there is no network: a unix socket that has a name is as good as a network.
const SOCKETS: &[c_long] = &[libc::SYS_socket];

/// Refused to candidates: Landlock does not confine what changes modes, owners, times and
/// attributes by path. `fchmod` stays, because `std::filesystem::copy_file` calls it, and what it
/// changes had to be opened.
const CANDIDATES: &[c_long] = &[
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    // Memory that is in no process's size. What lies in pairs of sockets is the kernel's, two
    // hundred kilobytes in each; pipes hold little once a user has many.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_socketpair,
];

// The same numbers on every architecture since 5.0; not in `libc` yet.
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

/// The older names of some of them, where there are any.
#[cfg(target_arch = "x86_64")]
const CANDIDATES_X86: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const CANDIDATES_X86: &[c_long] = &[];

/// All lists for `calls`.
pub(super) fn refused(calls: Calls) -> Vec<&'static [c_long]> {
    match calls {
        Calls::Candidate => vec![EVERYBODY, SOCKETS, CANDIDATES, CANDIDATES_X86],
        Calls::Tool => vec![EVERYBODY, SOCKETS],
        Calls::Networked => vec![EVERYBODY],
    }
}
