//! Taking all there is of memory and disk. Each bomb is bounded by construction.

use super::host::{as_everybody, judged, trying};

#[test]
#[ignore = "takes 4 GiB of memory for a moment"]
fn memory_without_end_is_a_memory_flood() {
    as_everybody(|host| {
        let body = "for (long i = 0; i < 5l << 30; i += 16 << 20) {
            void* part = mmap(nullptr, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
            if (part == MAP_FAILED) return 3;
        } for (;;) pause();";
        judged(host, &trying(body), "memory_flood");
    });
}

#[test]
fn memory_that_is_in_no_process_cannot_be_had() {
    as_everybody(|host| {
        let body = "int pair[2]; if (!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) won(\"pair\");
            if (syscall(SYS_memfd_create, \"m\", 0) >= 0) won(\"memfd\");
            int pipes = 0, both[2]; while (!pipe(both)) pipes++;
            if (pipes > 600) won(\"pipes\");";
        judged(host, &trying(body), "match");
    });
}

#[test]
#[ignore = "takes 4 GiB of memory for a moment"]
fn tables_of_pages_that_nobody_wrote_to_are_memory_too() {
    as_everybody(|host| {
        let body = "const long step = 2l << 20, most = 10l << 40; volatile char sum = 0;
            char* part = (char*)mmap(nullptr, most, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (part == MAP_FAILED) return 3;
            for (long i = 0; i < (6l << 30) / 4096 * step && i < most; i += step) sum += part[i];
            for (;;) pause();";
        judged(host, &trying(body), "memory_flood");
    });
}

#[test]
fn memory_that_many_processes_share_counts_once() {
    as_everybody(|host| {
        let body = "void* part = mmap(nullptr, 120 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
            if (part == MAP_FAILED) return 3;
            for (int i = 0; i < 50; i++) if (fork() == 0) for (;;) pause();
            usleep(300000);";
        judged(host, &trying(body), "match");
    });
}

/// Writes five files of half a gigabyte; 3 if it cannot.
const FILES: &str = "static char part[64 << 20]; memset(part, 1, sizeof part);
    for (int i = 0; i < 5; i++) {
        char name[32]; sprintf(name, \"f%d\", i);
        int file = open(name, O_CREAT | O_RDWR, MODE);
        if (file < 0) return 3;
        if (UNLINKED) unlink(name);
        for (int n = 0; n < 8; n++) if (write(file, part, sizeof part) < 0) return 3;
    }";

#[test]
fn files_without_end_are_a_disk_flood() {
    for unlinked in ["0", "1"] {
        as_everybody(|host| {
            let files = FILES.replace("UNLINKED", unlinked).replace("MODE", "0600");
            judged(
                host,
                &trying(&format!("{files} for (;;) pause();")),
                "disk_flood",
            );
        });
    }
}

#[test]
fn files_that_are_hidden_are_one_too() {
    as_everybody(|host| {
        let files = FILES.replace("UNLINKED", "0").replace("MODE", "0");
        let body = format!("mkdir(\"d\", 0300); chdir(\"d\"); {files}");
        judged(host, &trying(&body), "disk_flood");
    });
}

#[test]
#[ignore = "what else fills the disk meanwhile counts too"]
fn files_that_only_a_mapping_holds_are_one_too() {
    as_everybody(|host| {
        let files = FILES.replace("UNLINKED", "1").replace("MODE", "0600");
        let kept = "if (mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED) return 3; close(file); }";
        let files = files.trim_end().trim_end_matches('}').to_owned() + kept;
        judged(
            host,
            &trying(&format!("{files} for (;;) pause();")),
            "disk_flood",
        );
    });
}

#[test]
fn a_disk_cannot_be_filled_without_writing() {
    as_everybody(|host| {
        let body = "int file = open(\"f\", O_CREAT | O_WRONLY, 0600);
            if (!fallocate(file, 0, 0, 1 << 20) || errno != EOPNOTSUPP) won(\"fallocate\");
            if (posix_fallocate(file, 0, 1 << 20)) won(\"not even by writing\");";
        judged(host, &trying(body), "match");
    });
}

#[test]
fn a_file_longer_than_any_is_a_signal() {
    as_everybody(|host| {
        let body = "int file = open(\"f\", O_CREAT | O_WRONLY, 0600);
            if (lseek(file, 1l << 30, SEEK_SET) < 0) return 3;
            if (write(file, \"x\", 1) == 1) won(\"written\");";
        judged(host, &trying(body), "signal");
    });
}

#[test]
fn a_unit_that_makes_a_huge_object_is_the_candidates_fault() {
    as_everybody(|host| {
        let unit = "asm(\".data\\n.fill 3221225472, 1, 1\\n\"); int main() {}\n";
        judged(host, unit, "compile_error");
    });
}
