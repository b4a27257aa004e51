//! The system calls that are refused, as a seccomp program. A refused call returns an error; a
//! process is never killed for trying.
//!
//! Written out by hand because `seccompiler` kills a process that calls through another
//! architecture, lets the numbers of x32 pass, and has one answer for all that it refuses.

use nix::libc::{
    BPF_ABS, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W,
};
use nix::libc::{
    ENOSYS, EOPNOTSUPP, EPERM, SECCOMP_RET_ALLOW, SECCOMP_RET_DATA, SECCOMP_RET_ERRNO,
};
use seccompiler::{BpfProgram, sock_filter};

use super::super::protocol::Calls;
use super::calls;

/// `offsetof(struct seccomp_data, arch)`; the number is at 0.
const ARCHITECTURE: u32 = 4;

/// The lower half of an argument. Flags, families and requests are no wider, and the kernel
/// looks at no more of them.
const fn argument(index: u32) -> u32 {
    let half = if cfg!(target_endian = "big") { 4 } else { 0 };
    16 + 8 * index + half
}

/// Numbers from here on are those of x32: the same calls by other numbers.
const X32: u32 = 0x4000_0000;

#[cfg(target_arch = "x86_64")]
const OWN: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const OWN: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const OWN: Option<u32> = None;

/// Flags of `clone` that make namespaces. `CLONE_NEWTIME` shares its bit with the signal.
const NAMESPACES: u32 = 0x7e02_0000;

/// The mask of a socket's type without its flags.
const SOCKET_TYPE: u32 = 0xf;

/// The program for `calls`; `None` where the numbers of this architecture are not known.
pub(super) fn program(calls: Calls) -> Option<BpfProgram> {
    let own = OWN?;
    let mut program = Program(Vec::new());
    program.load(ARCHITECTURE);
    program.unless_equal(own, ENOSYS);
    program.load(0);
    if cfg!(target_arch = "x86_64") {
        program.step(BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32);
        program.refuse(ENOSYS);
    }
    for call in calls::UNKNOWN {
        program.if_equal(number(*call), ENOSYS);
    }
    if calls == Calls::Candidate {
        for call in calls::UNSUPPORTED {
            program.if_equal(number(*call), EOPNOTSUPP);
        }
    }
    for list in calls::refused(calls) {
        for call in list {
            program.if_equal(number(*call), EPERM);
        }
    }
    program.arguments(calls);
    program.allow();
    Some(program.0)
}

fn number(call: nix::libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

/// A program being written.
struct Program(BpfProgram);

impl Program {
    fn step(&mut self, code: u32, jt: u8, jf: u8, k: u32) {
        // Every code fits: they are made of the lower eight bits.
        let code = u16::try_from(code).unwrap_or(0);
        self.0.push(sock_filter { code, jt, jf, k });
    }

    fn load(&mut self, offset: u32) {
        self.step(BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
    }

    fn refuse(&mut self, errno: i32) {
        let answer = SECCOMP_RET_ERRNO | (errno.cast_unsigned() & SECCOMP_RET_DATA);
        self.step(BPF_RET | BPF_K, 0, 0, answer);
    }

    fn allow(&mut self) {
        self.step(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    }

    fn if_equal(&mut self, value: u32, errno: i32) {
        self.step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
        self.refuse(errno);
    }

    fn unless_equal(&mut self, value: u32, errno: i32) {
        self.step(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, value);
        self.refuse(errno);
    }

    /// What is refused for some arguments only. Every block decides for its call.
    fn arguments(&mut self, calls: Calls) {
        self.block(nix::libc::SYS_clone, |block| {
            block.load(argument(0));
            block.step(BPF_JMP | BPF_JSET | BPF_K, 0, 1, NAMESPACES);
            block.refuse(EPERM);
        });
        self.block(nix::libc::SYS_ioctl, |block| {
            block.load(argument(1));
            for request in calls::TERMINAL_INPUT {
                block.if_equal(*request, EPERM);
            }
        });
        // A pair of datagram sockets could send to any socket that has a name.
        self.block(nix::libc::SYS_socketpair, |block| {
            block.load(argument(0));
            block.unless_equal(number(nix::libc::AF_UNIX.into()), EPERM);
            block.load(argument(1));
            block.step(nix::libc::BPF_ALU | BPF_AND | BPF_K, 0, 0, SOCKET_TYPE);
            let stream = number(nix::libc::SOCK_STREAM.into());
            let packets = number(nix::libc::SOCK_SEQPACKET.into());
            block.step(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, stream);
            block.step(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, packets);
            block.refuse(EPERM);
        });
        if calls != Calls::Candidate {
            return;
        }
        for (call, own) in calls::OF_OTHERS {
            self.block(*call, |block| {
                for (index, value) in (0..).zip(*own) {
                    block.load(argument(index));
                    block.unless_equal(*value, EPERM);
                }
            });
        }
        // Times of an open file may be set, those of a path may not: only opening is confined
        // to the tree.
        self.block(nix::libc::SYS_utimensat, |block| {
            for half in [argument(1), argument(1) ^ 4] {
                block.load(half);
                block.unless_equal(0, EPERM);
            }
        });
    }

    fn block(&mut self, call: nix::libc::c_long, write: impl FnOnce(&mut Self)) {
        let mut inside = Self(Vec::new());
        write(&mut inside);
        inside.allow();
        // Blocks are short, so the jump fits.
        let over = u8::try_from(inside.0.len()).unwrap_or(u8::MAX);
        self.step(BPF_JMP | BPF_JEQ | BPF_K, 0, over, number(call));
        self.0.append(&mut inside.0);
    }
}
