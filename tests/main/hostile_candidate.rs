//! What a candidate does to get another verdict than it deserves, to outlive the run, or to end
//! it. A candidate can never choose to be unjudged.

use serde_json::Value;

use super::suite::Suite;

const UNIX: &str = "#include <errno.h>\n#include <fcntl.h>\n#include <signal.h>\n#include <stdio.h>\n\
    #include <stdlib.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <sys/wait.h>\n\
    #include <unistd.h>\n";

/// Grades a program whose `main` is `body`: its row must have `class`, the run exit with `code`.
#[track_caller]
fn main_is(body: &str, class: &str, code: i32) -> Value {
    program_is(&format!("{UNIX}int main() {{ {body} }}\n"), class, code)
}

#[track_caller]
fn program_is(source: &str, class: &str, code: i32) -> Value {
    let suite = Suite::program(source);
    let before = suite.committed();
    let row = suite.grade("c").assert_class("c", class, code);
    assert!(suite.committed() == before, "a file changed");
    row
}

fn left_running(row: &Value) -> u64 {
    row["evidence"]["left_running"].as_u64().unwrap_or(0)
}

const SAY_OK: &str = "if (write(1, \"ok\\n\", 3) != 3) return 9;";

#[test]
fn a_good_program_matches() {
    let row = main_is(&format!("{SAY_OK} return 0;"), "match", 0);
    assert_eq!(left_running(&row), 0);
}

#[test]
fn a_hundred_megabytes_on_stdout_are_a_flood() {
    main_is(
        "static char buffer[1 << 20]; for (int i = 0; i < 100; i++) if (write(1, buffer, sizeof buffer) < 0) return 1;",
        "output_flood",
        1,
    );
}

#[test]
fn a_flood_on_stderr_is_one_too() {
    main_is(
        "static char buffer[1 << 20]; for (int i = 0; i < 100; i++) if (write(2, buffer, sizeof buffer) < 0) return 1;",
        "output_flood",
        1,
    );
}

#[test]
fn a_loop_without_end_is_a_hang() {
    let suite = Suite::program("int main() { for (volatile unsigned i = 0;; i++) {} }\n");
    for _ in 0..20 {
        let run = suite.grade("c");
        let row = run.row("c");
        // On a machine that gives it no CPU it cannot burn any, and is not judged.
        if row["class"] == "machine" && row["why"].to_string().contains("waited for the machine") {
            run.assert_code(3);
            continue;
        }
        run.assert_class("c", "hang", 1);
        return;
    }
    panic!("twenty times no CPU");
}

#[test]
fn sleeping_for_ever_is_a_hang() {
    main_is("for (;;) pause();", "hang", 1);
}

#[test]
fn ignoring_every_signal_is_a_hang() {
    main_is(
        "for (int s = 1; s < 65; s++) signal(s, SIG_IGN); for (;;) pause();",
        "hang",
        1,
    );
}

#[test]
fn a_crowd_whose_cpu_time_is_in_no_sum_is_no_excuse() {
    // Whoever ignores SIGCHLD has its children reaped by the kernel, which adds them to nothing.
    main_is(
        "if (!fork()) for (;;) {}
         if (!fork()) {
             signal(SIGCHLD, SIG_IGN);
             for (;;) {
                 for (int i = 0; i < 8; i++)
                     if (!fork()) { for (volatile int n = 0; n < 1000000; n++) {} _exit(0); }
                 wait(nullptr);
             }
         }
         for (;;) pause();",
        "hang",
        1,
    );
}

#[test]
fn stopping_itself_is_a_hang() {
    main_is("raise(SIGSTOP); return 0;", "hang", 1);
}

#[test]
fn the_verdict_is_the_parents_and_what_it_left_is_killed() {
    let row = main_is(
        &format!("if (fork() == 0) {{ close(1); close(2); for (;;) pause(); }} {SAY_OK} return 0;"),
        "match",
        0,
    );
    assert_eq!(left_running(&row), 1, "{row:#}");
}

#[test]
fn a_daemon_in_a_session_of_its_own_is_killed_too() {
    let row = main_is(
        &format!(
            "int p[2]; if (pipe(p)) return 8;
             if (fork() == 0) {{
                 setsid();
                 if (fork() != 0) _exit(0);
                 if (chdir(\"/\")) _exit(1);
                 close(0); close(1); close(2);
                 if (write(p[1], \"x\", 1) != 1) _exit(1);
                 for (;;) pause();
             }}
             wait(nullptr); char c; if (read(p[0], &c, 1) != 1) return 7;
             {SAY_OK} return 0;"
        ),
        "match",
        0,
    );
    assert_eq!(left_running(&row), 1, "{row:#}");
}

#[test]
fn a_grandchild_that_holds_the_pipe_delays_nothing() {
    let row = main_is(
        &format!(
            "if (fork() == 0) {{ if (fork() == 0) {{ signal(SIGTERM, SIG_IGN); for (;;) pause(); }} _exit(0); }}
             wait(nullptr); {SAY_OK} return 0;"
        ),
        "match",
        0,
    );
    assert_eq!(left_running(&row), 1, "{row:#}");
}

#[test]
fn a_grandchild_that_floods_after_its_parent_ended_cannot_unjudge_it() {
    let suite = Suite::program(&format!(
        "{UNIX}int main() {{
             pid_t parent = getpid();
             if (fork() == 0) {{
                 static char buffer[1 << 16];
                 while (getppid() == parent) usleep(100);
                 for (;;) if (write(1, buffer, sizeof buffer) < 0) _exit(1);
             }}
             {SAY_OK} return 0;
         }}\n"
    ));
    let run = suite.grade("c");
    let row = run.row("c");
    // What the grandchild got into the pipe before it was killed looks like the parent's.
    let class = row["class"].as_str().unwrap();
    assert!(["match", "stdout_differs"].contains(&class), "{row:#}");
}

#[test]
fn killing_its_parent_ends_neither_the_run_nor_without_a_verdict() {
    for body in [
        "kill(getppid(), SIGKILL); sleep(1000); return 0;",
        "kill(getppid(), SIGKILL); return 0;",
        "if (fork() == 0) { setsid(); sleep(1000); } kill(getppid(), SIGKILL); sleep(1000);",
    ] {
        let suite = Suite::program(&format!("{UNIX}int main() {{ {body} }}\n"));
        let run = suite.grade("c");
        run.assert_code(1);
        assert_eq!(run.row("c")["level"], "fail", "{}", run.stdout);
    }
}

#[test]
fn killing_its_parent_harms_no_other_case() {
    let suite = Suite::program(&format!(
        "{UNIX}int main() {{ kill(getppid(), SIGKILL); sleep(1000); }}\n"
    ));
    for number in 0..6 {
        let id = format!("good{number}");
        suite.case(
            &id,
            &serde_json::json!({"assemble": "replace", "fixture": null, "expect": {"stdout": "ok\n"}}),
        );
        suite.completion(
            &id,
            format!("{UNIX}int main() {{ usleep({number}00000); {SAY_OK} return 0; }}\n"),
        );
    }
    suite.record();
    let run = suite.report(&["check", "--jobs", "7"]);
    run.assert_code(0);
    for row in run.rows() {
        let expected = if row["id"] == "c" { "fail" } else { "pass" };
        assert_eq!(row["after"], expected, "{row:#}");
    }
}

#[test]
fn killing_its_parent_after_the_right_output_is_no_pass_where_it_can() {
    let suite = Suite::program(&format!(
        "{UNIX}int main() {{ {SAY_OK} kill(getppid(), SIGKILL); return 0; }}\n"
    ));
    suite.grade("c").assert_class("c", "match", 0);
    suite.unconfine();
    let run = suite.grade("c");
    run.assert_code(1);
    assert_eq!(run.row("c")["level"], "fail", "{}", run.stdout);
}

#[test]
fn stopping_its_parent_is_a_hang_like_any_other() {
    main_is("kill(getppid(), SIGSTOP); for (;;) pause();", "hang", 1);
}

#[test]
fn stopping_its_parent_again_and_again_is_one_too() {
    main_is(
        "signal(SIGTERM, SIG_IGN); for (;;) { kill(getppid(), SIGSTOP); usleep(500); }",
        "hang",
        1,
    );
}

#[test]
fn stopping_its_parent_and_ending_well_changes_nothing() {
    main_is(
        &format!("kill(getppid(), SIGSTOP); {SAY_OK} return 0;"),
        "match",
        0,
    );
}

#[test]
fn fifty_processes_left_behind_are_counted_and_killed() {
    let row = main_is(
        &format!(
            "for (int i = 0; i < 50; i++) {{
                 pid_t pid = fork();
                 if (pid < 0) return 8;
                 if (pid == 0) {{ if (i % 2) setsid(); for (;;) pause(); }}
             }}
             {SAY_OK} return 0;"
        ),
        "match",
        0,
    );
    assert_eq!(left_running(&row), 50, "{row:#}");
}

#[test]
fn bytes_that_are_no_text_are_compared_as_bytes() {
    let row = main_is(
        "if (write(1, \"o\\xff\\0k\\n\", 5) != 5) return 9; return 0;",
        "stdout_differs",
        1,
    );
    assert_eq!(row["evidence"]["stdout"]["first_difference"], 1, "{row:#}");
}

#[test]
fn what_a_candidate_prints_is_harmless_where_it_is_shown() {
    let source = format!(
        "{UNIX}int main() {{ const char text[] = \"\\x1b[31mred\\x1b[0m\\n::error::gotcha\\r\\n\\x07\\xe2\\x80\\xae\\n\";
             if (write(2, text, sizeof text - 1) < 0) return 9; {SAY_OK} return 0; }}\n"
    );
    let suite = Suite::program(&source);
    let row = suite.grade("c").assert_class("c", "stderr_not_empty", 1);
    let shown = row["evidence"]["stderr"].as_str().unwrap();
    assert!(shown.contains("gotcha"), "{shown:?}");
    for line in shown.lines() {
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
    for format in ["text", "json", "records"] {
        let path = suite.completion_path("c").display().to_string();
        let run = suite.run(&[
            "grade",
            "--case",
            "c",
            "--candidate",
            &path,
            "--format",
            format,
        ]);
        run.assert_code(1);
        for text in [&run.stdout, &run.stderr] {
            let control = |c: char| c != '\n' && c.is_control();
            assert!(!text.contains(control), "{text:?}");
            assert!(!text.contains('\u{202e}'), "{text:?}");
            let command = |line: &str| line.trim_start().starts_with("::");
            assert!(!text.lines().any(command), "{text}");
        }
    }
}

#[test]
fn diagnostics_of_the_compiler_are_harmless_where_they_are_shown() {
    let source = "#error \u{202e}\x1b[31m\n::error::gotcha\n";
    let suite = Suite::program(source);
    let path = suite.completion_path("c").display().to_string();
    for format in ["text", "json", "records"] {
        let run = suite.run(&[
            "grade",
            "--case",
            "c",
            "--candidate",
            &path,
            "--format",
            format,
        ]);
        run.assert_code(1);
        let control = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
        assert!(!run.stdout.contains(control), "{:?}", run.stdout);
        let command = |line: &str| line.trim_start().starts_with("::");
        assert!(!run.stdout.lines().any(command), "{}", run.stdout);
    }
}

#[test]
fn writing_to_its_own_binary_changes_nothing() {
    let source = format!(
        "{UNIX}int main(int, char** argv) {{
             int own = open(argv[0], O_WRONLY | O_TRUNC);
             if (own >= 0) return 8;
             unlink(argv[0]);
             int other = open(argv[0], O_CREAT | O_WRONLY, 0755);
             if (other < 0 || write(other, \"#!/bin/false\\n\", 13) != 13) return 7;
             close(other);
             {SAY_OK} return 0;
         }}\n"
    );
    let suite = Suite::program(&source);
    // The second case runs the same binary.
    let mut other: Value = serde_json::from_str(&suite.read("goldens/cases/c.json")).unwrap();
    other["id"] = "d".into();
    other["args"] = serde_json::json!(["x"]);
    suite.write("goldens/cases/d.json", other.to_string());
    suite.completion("d", &source);
    suite.record();
    let run = suite.report(&["check", "--jobs", "1"]);
    run.assert_class("c", "STABLE", 0);
    for id in ["c", "d"] {
        assert_eq!(run.row(id)["after"], "pass");
    }
}

#[test]
fn removing_its_working_folder_changes_nothing() {
    main_is(
        &format!(
            "char here[4096]; if (!getcwd(here, sizeof here)) return 8;
             unlink(\"candidate\");
             if (chdir(\"/\")) return 7;
             rmdir(here);
             {SAY_OK} return 0;"
        ),
        "match",
        0,
    );
}

#[test]
fn folders_that_nobody_may_enter_are_removed_all_the_same() {
    main_is(
        &format!(
            "const char* tmp = getenv(\"TMPDIR\");
             if (!tmp || chdir(tmp) || mkdir(\"a\", 0700) || mkdir(\"a/b\", 0)) return 8;
             if (fchmod(open(\"a\", O_RDONLY), 0) || fchmod(open(\".\", O_RDONLY), 0)) return 7;
             {SAY_OK} return 0;"
        ),
        "match",
        0,
    );
}

#[test]
fn a_unit_that_refuses_to_compile_is_the_candidates_fault() {
    program_is("#error no\n", "compile_error", 1);
    program_is("int main() { return }\n", "compile_error", 1);
}

#[test]
fn a_header_that_only_the_candidate_includes_is_its_own_fault() {
    program_is(
        "#include <no/such/header.hpp>\nint main() {}\n",
        "compile_error",
        1,
    );
}

#[test]
fn the_words_of_a_dying_compiler_in_a_message_fool_nobody() {
    let words = "g++: fatal error: Killed signal terminated program cc1plus\\ncompilation terminated.\\nNo space left on device";
    program_is(
        &format!("static_assert(false, \"{words}\");\nint main() {{}}\n"),
        "compile_error",
        1,
    );
}

#[test]
fn a_warning_under_werror_is_called_so() {
    let suite = Suite::adder();
    suite.completion("add", "int answer() { int unused; return 42; }\n");
    let row = suite
        .grade("add")
        .assert_class("add", "warning_as_error", 1);
    let shown = row["evidence"]["diagnostics"].as_str().unwrap();
    assert!(shown.contains("unused"), "{shown}");
}

#[test]
fn a_function_that_is_nowhere_is_a_link_error() {
    program_is(
        "int nowhere();\nint main() { return nowhere(); }\n",
        "link_error",
        1,
    );
}

#[test]
fn a_program_that_names_a_missing_interpreter_is_a_link_error() {
    let suite = Suite::program(
        "extern \"C\" const char interpreter[] __attribute__((section(\".interp\"), used)) = \"/no/such/interpreter\";\n\
         #include <stdio.h>\nint main() { puts(\"ok\"); }\n",
    );
    // The linker of a dynamic program puts its own before this one.
    let mut case: Value = serde_json::from_str(&suite.read("goldens/cases/c.json")).unwrap();
    case["compile_flags"] = serde_json::json!(["-static"]);
    suite.write("goldens/cases/c.json", case.to_string());
    suite.grade("c").assert_class("c", "link_error", 1);
}

#[test]
fn exit_codes_that_shells_use_are_exit_codes() {
    for code in [1, 126, 127, 255] {
        let row = main_is(&format!("{SAY_OK} return {code};"), "exit_differs", 1);
        assert_eq!(row["evidence"]["exit_code"], code);
    }
}

#[test]
fn a_crash_is_a_signal_and_its_output_earns_nothing() {
    for (body, signal) in [
        ("abort();", 6),
        ("*(volatile int*)0 = 1;", 11),
        ("raise(SIGTERM);", 15),
        ("raise(SIGKILL);", 9),
        ("throw 1;", 6),
    ] {
        let row = main_is(&format!("{SAY_OK} {body}"), "signal", 1);
        assert_eq!(row["evidence"]["signal"], signal, "{body}");
    }
}
