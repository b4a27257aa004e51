//! Ways around: other namespaces, other numbers for the same calls, what outlives a process.

use super::host::in_vain;

#[test]
fn there_is_no_other_namespace_and_no_mount() {
    in_vain(|_| {
        r#"for (long flag : {0x10000000L, 0x00020000L, 0x40000000L, 0x20000000L, 0x08000000L, 0x04000000L, 0x02000000L, 0x80L}) {
            if (!syscall(SYS_unshare, flag)) won("unshare");
            if (flag == 0x80) continue;
            long child = syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0);
            if (child == 0) _exit(0);
            if (child > 0) won("clone");
        }
        if (syscall(SYS_clone3, nullptr, 0) != -1 || errno != ENOSYS) won("clone3");
        if (!syscall(SYS_mount, "none", "/", "tmpfs", 0, 0)) won("mount");
        if (!chroot(".")) won("chroot");
        if (syscall(SYS_keyctl, 0, -3, 1) >= 0) won("keyctl");
        if (syscall(SYS_bpf, 0, nullptr, 0) >= 0 || errno != EPERM) won("bpf");
        if (syscall(SYS_io_uring_setup, 1, nullptr) >= 0 || errno != EPERM) won("io_uring");
        if (syscall(SYS_userfaultfd, 0) >= 0 || errno != EPERM) won("userfaultfd");
        if (syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0) >= 0 || errno != EPERM) won("perf");"#
            .to_owned()
    });
}

#[test]
fn nobody_becomes_root_and_root_is_nobody() {
    in_vain(|_| {
        r#"if (!getuid() || !geteuid() || !getgid() || !getegid()) won("root");
        if (getgroups(0, nullptr) > 0) won("groups");
        if (!setuid(0) || !setgid(0) || !setresuid(0, 0, 0)) won("setuid");
        FILE* status = fopen("/proc/self/status", "r");
        char line[256]; int seen = 0;
        while (fgets(line, sizeof line, status)) {
            if (!strncmp(line, "Cap", 3) && strncmp(line, "CapBnd", 6) && strtoull(line + 7, nullptr, 16)) won(line);
            if (!strcmp(line, "NoNewPrivs:\t1\n") || !strcmp(line, "Seccomp:\t2\n")) seen++;
        }
        if (seen != 2) won("privileges");"#
            .to_owned()
    });
}

#[test]
fn nothing_is_made_that_outlives_every_process() {
    in_vain(|_| {
        r#"if (syscall(SYS_shmget, 4711, 4096, 01600) >= 0) won("shared memory");
        if (syscall(SYS_semget, 4711, 1, 01600) >= 0) won("semaphores");
        if (syscall(SYS_msgget, 4711, 01600) >= 0) won("messages");
        if (syscall(SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, nullptr) >= 0) won("queue");
        if (syscall(SYS_memfd_create, "x", 0) >= 0) won("memory without a process");"#
            .to_owned()
    });
}

#[cfg(target_arch = "x86_64")]
#[test]
fn other_numbers_for_the_same_calls_are_no_way_around() {
    in_vain(|host| {
        let secret = host.suite.root().join("goldens/cases/c.json");
        format!(
            r#"const long x32 = 0x40000000;
            if (syscall(x32 | SYS_socket, AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != ENOSYS) won("socket of x32");
            if (syscall(x32 | SYS_getpid) >= 0) won("x32");
            // socket(AF_UNIX, SOCK_STREAM, 0) and getpid() of i386, which no library calls for us.
            long result;
            asm volatile("int $0x80" : "=a"(result) : "a"(359), "b"(1), "c"(1), "d"(0) : "memory", "r8", "r9", "r10", "r11");
            if (result >= 0) won("socket of i386");
            asm volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
            if (result >= 0) won("i386");
            if (open({secret:?}, O_RDONLY) >= 0) won("file");"#
        )
    });
}
