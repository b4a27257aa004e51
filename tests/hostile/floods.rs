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
fn memory_that_many_processes_share_counts_once() {
    as_everybody(|host| {
        let body = "void* part = mmap(nullptr, 120 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
            if (part == MAP_FAILED) return 3;
            for (int i = 0; i < 50; i++) if (fork() == 0) for (;;) pause();
            usleep(300000);";
        judged(host, &trying(body), "match");
    });
}

#[test]
fn files_without_end_are_a_disk_flood() {
    for unlinked in ["", "unlink(name);"] {
        as_everybody(|host| {
            let body = format!(
                "for (int i = 0; i < 5; i++) {{
                    char name[32]; sprintf(name, \"f%d\", i);
                    int file = open(name, O_CREAT | O_WRONLY, 0600);
                    if (file < 0 || posix_fallocate(file, 0, 512l << 20)) return 3;
                    {unlinked}
                }} for (;;) pause();"
            );
            judged(host, &trying(&body), "disk_flood");
        });
    }
}

#[test]
fn files_that_are_hidden_are_one_too() {
    as_everybody(|host| {
        let body = "mkdir(\"d\", 0300); chdir(\"d\");
            for (int i = 0; i < 5; i++) {
                char name[32]; sprintf(name, \"f%d\", i);
                int file = open(name, O_CREAT | O_WRONLY, 0);
                if (file < 0 || posix_fallocate(file, 0, 512l << 20)) return 3;
            }";
        judged(host, &trying(body), "disk_flood");
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
