//! Changing the host, and speaking to others on it.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use super::host::{as_everybody, in_vain, judged, trying};

#[test]
fn nothing_of_the_host_can_be_changed() {
    in_vain(|host| {
        format!(
            r#"for (const char* path : {{{}}}) {{
                std::string name = path;
                if (open(path, O_WRONLY | O_APPEND) >= 0) won("write");
                if (!truncate(path, 0)) won("truncate");
                if (!chmod(path, 0)) won("chmod");
                if (!fchmodat(AT_FDCWD, path, 0, 0)) won("fchmodat");
                if (!syscall(452, AT_FDCWD, path, 0, 0)) won("fchmodat2");
                int held = open(path, O_PATH);
                if (held >= 0 && !syscall(452, held, "", 0, AT_EMPTY_PATH)) won("fchmodat2 of a path");
                std::string magic = "/proc/self/fd/" + std::to_string(held);
                if (held >= 0 && !chmod(magic.c_str(), 0)) won("chmod of a descriptor");
                if (!chown(path, getuid(), getgid())) won("chown");
                if (!utime(path, nullptr)) won("utime");
                if (!utimensat(AT_FDCWD, path, nullptr, 0)) won("utimensat");
                if (!setxattr(path, "user.x", "x", 1, 0)) won("setxattr");
                if (!unlink(path)) won("unlink");
                if (!rename(path, (name + "2").c_str())) won("rename");
                if (!rename(path, "mine")) won("steal");
                if (open((name + ".new").c_str(), O_CREAT | O_WRONLY, 0600) >= 0) won("create");
                if (!mkdir((name + ".dir").c_str(), 0700)) won("mkdir");
                if (!symlink("/", (name + ".link").c_str())) won("symlink");
            }}
            for (const char* path : {{"/tmp/x", "/var/tmp/x", "/dev/shm/x", "../x", "../../x"}})
                if (open(path, O_CREAT | O_WRONLY, 0600) >= 0) won(path);"#,
            host.literals()
        )
    });
}

#[test]
fn no_socket_of_the_host_answers() {
    as_everybody(|host| {
        let tcp = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = tcp.local_addr().unwrap().port();
        let place = host.suite.home().join("listener");
        let stream = UnixListener::bind(&place).unwrap();
        let letters = host.suite.home().join("letters");
        let datagrams = UnixDatagram::bind(&letters).unwrap();
        let name = format!("driftgate-{}-{port}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let hidden = UnixListener::bind_addr(&address).unwrap();
        for path in [&place, &letters] {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
        }
        let source = trying(&format!(
            r#"for (int family : {{AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG}})
                for (int type : {{SOCK_STREAM, SOCK_DGRAM, SOCK_RAW}})
                    if (socket(family, type, 0) >= 0) won("socket");
            sockaddr_in in{{}}; in.sin_family = AF_INET; in.sin_port = htons({port}); in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            sockaddr_un un{{}}; un.sun_family = AF_UNIX; strcpy(un.sun_path, {place:?});
            sockaddr_un ab{{}}; ab.sun_family = AF_UNIX; strcpy(ab.sun_path + 1, "{name}");
            sockaddr_un dg{{}}; dg.sun_family = AF_UNIX; strcpy(dg.sun_path, {letters:?});
            socklen_t hidden = offsetof(sockaddr_un, sun_path) + 1 + {};
            for (int type : {{SOCK_STREAM + 0, SOCK_SEQPACKET + 0, SOCK_DGRAM + 0, SOCK_RAW + 0, SOCK_DGRAM | SOCK_CLOEXEC}}) {{
                int pair[2];
                if (socketpair(AF_UNIX, type, 0, pair)) continue;
                if (!connect(pair[0], (sockaddr*)&in, sizeof in)) won("TCP");
                if (!connect(pair[0], (sockaddr*)&un, sizeof un)) won("path");
                if (!connect(pair[0], (sockaddr*)&ab, hidden)) won("abstract");
                if ((type & 15) == SOCK_DGRAM && sendto(pair[0], "x", 1, MSG_NOSIGNAL, (sockaddr*)&dg, sizeof dg) == 1) won("letter");
                msghdr message{{}}; iovec part{{(void*)"x", 1}};
                message.msg_name = &dg; message.msg_namelen = sizeof dg; message.msg_iov = &part; message.msg_iovlen = 1;
                // On a pair of streams it goes to the pair, whatever name it carries.
                if ((type & 15) == SOCK_DGRAM && sendmsg(pair[0], &message, MSG_NOSIGNAL) == 1) won("message");
                if (type != SOCK_STREAM && type != SOCK_SEQPACKET) won("pair of datagrams");
            }}"#,
            name.len()
        ));
        judged(host, &source, "match");
        for quiet in [
            tcp.set_nonblocking(true),
            stream.set_nonblocking(true),
            hidden.set_nonblocking(true),
            datagrams.set_nonblocking(true),
        ] {
            quiet.unwrap();
        }
        assert!(tcp.accept().is_err() && stream.accept().is_err() && hidden.accept().is_err());
        assert!(datagrams.recv(&mut [0; 8]).is_err());
        for path in [&place, &letters] {
            std::fs::remove_file(path).unwrap();
        }
    });
}

#[test]
fn no_process_outside_can_be_signalled_or_traced() {
    in_vain(|_| {
        r#"int others = 0;
        DIR* all = opendir("/proc");
        while (dirent* entry = readdir(all)) {
            int pid = atoi(entry->d_name);
            if (pid <= 0 || pid == getpid()) continue;
            others++;
            if (!kill(pid, 0)) won("kill");
            if (!ptrace(PTRACE_SEIZE, pid, 0, 0)) won("ptrace");
            int held = syscall(SYS_pidfd_open, pid, 0);
            if (held >= 0 && !syscall(SYS_pidfd_send_signal, held, 0, nullptr, 0)) won("pidfd");
            if (held >= 0 && syscall(SYS_pidfd_getfd, held, 0, 0) >= 0) won("descriptor");
        }
        if (!others) won("nobody");
        if (!kill(getppid(), SIGKILL)) won("the supervisor");"#
            .to_owned()
    });
}

#[test]
fn no_thread_of_the_supervisor_and_no_limit_of_others_can_be_touched() {
    in_vain(|_| {
        // The thread that started it is gone in a moment; by ending it nobody gains a verdict.
        r#"usleep(300000);
        std::string place = "/proc/" + std::to_string(getppid()) + "/task";
        int threads = 0;
        DIR* all = opendir(place.c_str());
        while (dirent* entry = all ? readdir(all) : nullptr) {
            int tid = atoi(entry->d_name);
            if (tid <= 0) continue;
            threads++;
            if (!syscall(SYS_tgkill, getppid(), tid, 0)) won("tgkill");
            if (!syscall(SYS_tkill, tid, 0)) won("tkill");
            if (!kill(tid, 0)) won("kill");
            siginfo_t info{}; info.si_code = SI_QUEUE;
            if (!syscall(SYS_rt_tgsigqueueinfo, getppid(), tid, 0, &info)) won("sigqueue");
            rlimit64 limit{1 << 20, 1 << 20};
            if (!syscall(SYS_prlimit64, tid, RLIMIT_STACK, &limit, nullptr)) won("prlimit");
            cpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one);
            if (!sched_setaffinity(tid, sizeof one, &one)) won("affinity");
            sched_param none{};
            if (!sched_setscheduler(tid, SCHED_IDLE, &none)) won("scheduler");
            if (!sched_setparam(tid, &none)) won("parameters");
            if (!setpriority(PRIO_PROCESS, tid, 19)) won("priority");
            if (!syscall(SYS_ioprio_set, 1, tid, 3 << 13)) won("ioprio");
        }
        if (!threads) won("nobody");
        if (!setpriority(PRIO_USER, 0, 19) || !setpriority(PRIO_PGRP, 0, 19)) won("everybody");
        // What concerns itself only is its own business.
        rlimit stack{8 << 20, 8 << 20}; sched_param none{};
        if (setrlimit(RLIMIT_STACK, &stack) || nice(1) < 0) won("not its own");
        if (sched_setscheduler(0, SCHED_BATCH, &none)) won("not its own scheduler");"#
            .to_owned()
    });
}

#[test]
fn there_is_no_terminal() {
    in_vain(|_| {
        r#"for (const char* path : {"/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/0", "/dev/tty0"})
            if (open(path, O_RDWR) >= 0) won(path);
        if (ioctl(0, TIOCSTI, "x") == 0 || errno != EPERM) won("TIOCSTI");"#
            .to_owned()
    });
}
