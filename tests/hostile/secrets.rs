//! Reading what is none of a candidate's business.

use super::host::{SECRET, as_everybody, in_vain, judged, trying};

#[test]
fn no_file_of_the_host_can_be_read() {
    in_vain(|host| {
        format!(
            "for (const char* path : {{{} \"/etc/shadow\", \"/root\", \"/tmp\", \"/var/tmp\", \"/home\", \"..\", \"../..\"}})
                 if (open(path, O_RDONLY) >= 0) won(path);",
            host.literals()
        )
    });
}

#[test]
fn no_environment_and_no_memory_of_others_can_be_read() {
    in_vain(|_| {
        format!(
            r#"DIR* all = opendir("/proc");
            int others = 0;
            while (dirent* entry = readdir(all)) {{
                int pid = atoi(entry->d_name);
                if (pid <= 0 || pid == getpid()) continue;
                others++;
                std::string place = std::string("/proc/") + entry->d_name;
                for (const char* file : {{"/environ", "/maps", "/mem", "/auxv", "/cwd/.", "/root/.", "/fd/1"}})
                {{
                    // Those of kernel threads are there, and empty.
                    int open_file = open((place + file).c_str(), O_RDONLY);
                    char byte;
                    if (open_file >= 0 && (read(open_file, &byte, 1) > 0 || errno == EISDIR)) won((place + file).c_str());
                    errno = 0;
                }}
                char text[4096] = {{}};
                int cmdline = open((place + "/cmdline").c_str(), O_RDONLY);
                if (cmdline >= 0 && read(cmdline, text, sizeof text - 1) > 0 && memmem(text, sizeof text, "{SECRET}", {})) won("cmdline");
            }}
            if (!others) won("nobody to read");"#,
            SECRET.len()
        )
    });
}

#[test]
fn a_unit_that_includes_a_secret_does_not_compile_and_tells_nothing() {
    as_everybody(|host| {
        for path in host.treasures() {
            for unit in [
                format!("#include {path:?}\nint main() {{}}\n"),
                format!(
                    "asm(\".section .rodata\\nstolen: .incbin \\\"{}\\\"\");\nint main() {{}}\n",
                    path.display()
                ),
            ] {
                judged(host, &unit, "compile_error");
            }
        }
    });
}

#[test]
fn what_a_unit_can_ask_of_a_secret_does_not_show_in_the_program() {
    as_everybody(|host| {
        let path = &host.treasures()[0];
        let unit = format!(
            "#include <cstdio>\n#if __has_include({path:?})\n#include {path:?}\n#endif\nint main() {{ std::puts(\"ok\"); }}\n"
        );
        // Whether a file is there is no secret; what is in it is.
        judged(host, &unit, "compile_error");
    });
}

#[test]
fn a_flag_opens_no_folder_of_the_host() {
    as_everybody(|host| {
        let folder = host.suite.home().join(".ssh");
        let text = host.suite.read("goldens/cases/c.json");
        let flags = format!("\"compile_flags\": [\"-I{}\"]", folder.display());
        host.suite.write(
            "goldens/cases/c.json",
            text.replace("\"compile_flags\": []", &flags),
        );
        judged(host, "#include <id_rsa>\nint main() {}\n", "compile_error");
    });
}

#[test]
fn a_unit_reads_nothing_that_lies_beside_programs() {
    as_everybody(|host| {
        // One who deploys from here, and a compiler of somebody's own.
        let folder = host.suite.home().join("bin");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("deploy"), SECRET).unwrap();
        let compiler = folder.join("own-c++");
        std::fs::write(&compiler, "#!/bin/sh\nexec /usr/bin/c++ \"$@\"\n").unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&compiler, executable).unwrap();
        let unit = format!("#include {:?}\nint main() {{}}\n", folder.join("deploy"));
        host.suite.completion("c", unit);
        for compiler in ["c++", "own-c++"] {
            let run = host.grade_after(|command| {
                let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display());
                command.env("PATH", path).env("CXX", compiler);
            });
            run.assert_class("c", "compile_error", 1);
        }
    });
}

#[test]
fn an_absolute_link_in_the_tree_leads_nowhere() {
    in_vain(|host| {
        format!(
            "int n = 0; for (const char* path : {{{}}}) {{
                 std::string name = \"link\" + std::to_string(n++);
                 if (symlink(path, name.c_str())) won(\"no link\");
                 if (open(name.c_str(), O_RDONLY) >= 0) won(path);
                 if (link(path, (name + \"h\").c_str()) == 0) won(path);
             }}",
            host.literals()
        )
    });
}

#[test]
fn a_candidate_that_prints_what_it_read_passes_nothing() {
    as_everybody(|host| {
        let golden = host.suite.root().join("goldens/cases/c.json");
        let source = trying(&format!(
            "FILE* file = fopen({golden:?}, \"r\"); if (!file) {{ perror(\"golden\"); return 4; }}"
        ));
        judged(host, &source, "exit_differs");
    });
}
