//! What a person gets wrong in a suite or on the command line: told with file, line, field and
//! what to do, before anything is started or written.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::suite::{GOOD, Run, Suite};

/// `args` are refused with exit 2 and all of `words`, nothing is printed as a result, and every
/// file is as it was.
#[track_caller]
fn refused(suite: &Suite, args: &[&str], words: &[&str]) -> Run {
    let before = suite.committed();
    let run = suite.run(args);
    run.assert_code(2).assert_says(words);
    assert_eq!(run.stdout, "");
    assert!(suite.committed() == before, "a file changed");
    run
}

/// `check` is refused for what the one case file says.
#[track_caller]
fn case_refused(changes: &serde_json::Value, words: &[&str]) {
    let suite = Suite::adder();
    suite.case("add", changes);
    refused(&suite, &["check"], words);
}

#[test]
fn an_unknown_field_is_told_with_its_line_and_the_nearest_name() {
    let suite = Suite::adder();
    suite.write(
        "goldens/cases/add.json",
        "{\n  \"id\": \"add\",\n  \"prompt_fiel\": \"prompts/p.md\"\n}\n",
    );
    refused(
        &suite,
        &["check"],
        &[
            "goldens/cases/add.json:3:",
            "prompt_fiel",
            "unknown field",
            "`prompt_file`",
        ],
    );
}

#[test]
fn a_value_of_another_type_is_told_with_what_was_expected() {
    case_refused(
        &json!({"timeout_s": "ten"}),
        &[
            "goldens/cases/add.json:",
            "timeout_s",
            "expected a whole number",
            "ten",
        ],
    );
    case_refused(
        &json!({"expect": []}),
        &[
            "goldens/cases/add.json:",
            "expect",
            "expected a map",
            "found a list",
        ],
    );
}

#[test]
fn an_id_in_two_files_names_both() {
    let suite = Suite::adder();
    let text = suite.read("goldens/cases/add.json");
    suite.write("goldens/cases/other.json", text);
    refused(
        &suite,
        &["check"],
        &["goldens/cases/other.json:", "id", "goldens/cases/add.json"],
    );
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    let suite = Suite::adder();
    suite.write(
        "goldens/cases/add.json",
        "{\n  \"id\": \"add\",\n  \"prompt_file\": \"prompts/p.md\",\n  \"id\": \"sub\"\n}\n",
    );
    refused(
        &suite,
        &["check"],
        &["goldens/cases/add.json:4:", "id", "twice", "keep one"],
    );
    let suite = Suite::adder();
    suite.write("driftgate.yml", "shuffle:\n  seed: 1\n  seed: 2\n");
    refused(&suite, &["check"], &["driftgate.yml:3:", "seed", "twice"]);
}

#[test]
fn a_file_that_is_not_there_is_told_with_the_field_that_names_it() {
    for (field, value) in [
        ("prompt_file", json!("prompts/none.md")),
        ("fixture", json!("fixtures/none.cpp")),
        ("files", json!(["fixtures/none.hpp"])),
    ] {
        case_refused(
            &json!({field: value}),
            &[
                "goldens/cases/add.json:",
                field,
                "none",
                "does not exist",
                "relative to goldens/",
            ],
        );
    }
}

#[test]
fn a_path_out_of_the_root_is_refused() {
    for (path, problem) in [("../../tmp/x", "`..`"), ("/etc/passwd", "absolute")] {
        for field in ["prompt_file", "fixture"] {
            case_refused(
                &json!({field: path}),
                &["goldens/cases/add.json:", field, path, problem],
            );
        }
        case_refused(
            &json!({"files": [path]}),
            &["goldens/cases/add.json:", "files[0]", path, problem],
        );
    }
}

#[test]
fn a_symlink_out_of_the_root_is_refused() {
    let suite = Suite::adder();
    std::fs::write(suite.home().join("secret"), "secret").unwrap();
    symlink(
        suite.home().join("secret"),
        suite.root().join("goldens/prompts/link.md"),
    )
    .unwrap();
    suite.case("add", &json!({"prompt_file": "prompts/link.md"}));
    let run = refused(
        &suite,
        &["check"],
        &[
            "goldens/cases/add.json:",
            "prompt_file",
            "prompts/link.md",
            "leaves",
        ],
    );
    assert!(!run.stderr.contains("secret\n"));

    let suite = Suite::adder();
    symlink(suite.home(), suite.root().join("goldens/prompts/out")).unwrap();
    suite.case("add", &json!({"prompt_file": "prompts/out/secret"}));
    refused(
        &suite,
        &["check"],
        &["prompt_file", "prompts/out/secret", "leaves"],
    );
}

#[test]
fn an_id_with_other_characters_is_refused() {
    for id in ["a b", "../add", "-rf", "a//b", "a\nb", "\u{e4}"] {
        let suite = Suite::adder();
        let text = suite.read("goldens/cases/add.json");
        let id = serde_json::to_string(id).unwrap();
        suite.write("goldens/cases/add.json", text.replace("\"add\"", &id));
        refused(&suite, &["check"], &["goldens/cases/add.json:", "id"]);
    }
}

#[test]
fn broken_json_is_told_with_its_line() {
    let suite = Suite::adder();
    suite.write(
        "goldens/cases/add.json",
        "{\n  \"id\": \"add\",\n  oops\n}\n",
    );
    refused(&suite, &["check"], &["goldens/cases/add.json:3:"]);
    suite.write("goldens/cases/add.json", "");
    refused(&suite, &["check"], &["goldens/cases/add.json", "empty"]);
}

#[test]
fn conflict_markers_are_called_what_they_are() {
    let conflict = "<<<<<<< HEAD\n  \"id\": \"a\",\n=======\n  \"id\": \"b\",\n>>>>>>> other\n";
    for path in [
        "goldens/cases/add.json",
        "goldens/cassettes/add.json",
        "driftgate.yml",
    ] {
        let suite = Suite::recorded();
        suite.write(path, format!("{{\n{conflict}}}\n"));
        let place = format!("{path}:2");
        refused(&suite, &["check"], &[&place, "merge conflict", "resolve"]);
    }
}

#[test]
fn a_cassette_of_a_newer_version_says_to_update() {
    for (field, value) in [
        ("schema", json!("driftgate/cassette/9")),
        ("judged_by", json!("me")),
    ] {
        let suite = Suite::recorded();
        let mut cassette = suite.cassette("add");
        cassette[field] = value;
        suite.write("goldens/cassettes/add.json", format!("{cassette:#}"));
        refused(
            &suite,
            &["check"],
            &[
                "goldens/cassettes/add.json:",
                field,
                "newer driftgate",
                "Update",
            ],
        );
    }
}

#[test]
fn a_cassette_without_its_case_says_to_delete_or_restore() {
    let suite = Suite::recorded();
    suite.case("sub", &json!({}));
    suite.remove("goldens/cases/add.json");
    refused(
        &suite,
        &["check"],
        &[
            "goldens/cassettes/add.json",
            "no case `add`",
            "delete the cassette and goldens/cassettes/add.out",
            "restore the case",
        ],
    );
}

#[test]
fn a_lost_output_says_to_restore_it() {
    let suite = Suite::recorded();
    suite.remove("goldens/cassettes/add.out");
    refused(
        &suite,
        &["check"],
        &[
            "goldens/cassettes/add.json:",
            "output",
            "cassettes/add.out",
            "does not exist",
            "restore goldens/cassettes/add.out",
        ],
    );
}

#[test]
fn an_unknown_grader_is_told_with_the_nearest_one() {
    case_refused(
        &json!({"graders": ["io_mtach"]}),
        &[
            "goldens/cases/add.json:",
            "graders[0]",
            "no grader `io_mtach`",
            "`io_match`",
        ],
    );
}

#[test]
fn a_bad_grader_setting_is_told_with_its_line_and_choices() {
    for (text, words) in [
        (
            "kind: io_match\ntrim: sometimes\n",
            ["io_match.yaml:2", "trim", "trailing"],
        ),
        (
            "kind: io_match\nabs: 0.1\n",
            ["io_match.yaml:2", "abs", "tolerance"],
        ),
        (
            "kind: io_match\ntrmi: all\n",
            ["io_match.yaml:2", "trmi", "trim"],
        ),
        ("kind: io_mach\n", ["io_match.yaml:1", "kind", "io_match"]),
        ("trim: all\n", ["io_match.yaml", "kind", "missing field"]),
    ] {
        let suite = Suite::adder();
        suite.write("goldens/graders/io_match.yaml", text);
        refused(&suite, &["check"], &words);
    }
}

#[test]
fn an_unknown_key_of_the_configuration_is_told_with_the_nearest_one() {
    let suite = Suite::adder();
    suite.write("driftgate.yml", "compiler: c++\nfailon: [CASE_DRIFT]\n");
    refused(
        &suite,
        &["check"],
        &["driftgate.yml:2:1", "failon", "unknown field", "`fail_on`"],
    );
}

#[test]
fn an_alias_bomb_is_refused_and_not_expanded() {
    let mut text = "sensitivity:\n  profiles:\n    a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (before, name) in "abcdefghijk".chars().zip("bcdefghijkl".chars()) {
        let nine = vec![format!("*{before}"); 9].join(",");
        text.push_str(&format!("    {name}: &{name} [{nine}]\n"));
    }
    let suite = Suite::adder();
    suite.write("driftgate.yml", text);
    refused(&suite, &["check"], &["driftgate.yml", "aliases", "expands"]);
}

#[test]
fn a_case_that_is_not_utf8_is_told_with_its_place() {
    let suite = Suite::adder();
    suite.write("goldens/cases/add.json", b"{\n  \"id\": \"\xff\"\n}\n");
    refused(
        &suite,
        &["check"],
        &["goldens/cases/add.json:2:10", "not UTF-8"],
    );
}

#[test]
fn all_faults_of_all_files_are_told_at_once() {
    let suite = Suite::recorded();
    suite.case(
        "add",
        &json!({"fixture": "fixtures/none.cpp", "timeout_s": 0}),
    );
    suite.write("driftgate.yml", "repeat: {k: 0}\n");
    suite.remove("goldens/cassettes/add.out");
    refused(
        &suite,
        &["check"],
        &[
            "fixture",
            "timeout_s",
            "driftgate.yml:1",
            "repeat.k",
            "add.out",
        ],
    );
}

#[test]
fn a_case_pattern_without_a_match_names_the_nearest_id() {
    let suite = Suite::adder();
    refused(
        &suite,
        &["check", "--case", "ad"],
        &["--case", "no case matches `ad`", "`add`"],
    );
    refused(&suite, &["check", "--case", "a[d"], &["--case", "no glob"]);
}

#[test]
fn an_unknown_class_to_fail_on_names_the_nearest_one() {
    let suite = Suite::adder();
    refused(
        &suite,
        &["check", "--fail-on", "CASE_DRFT"],
        &["fail", "CASE_DRFT", "`CASE_DRIFT`"],
    );
    suite.write("driftgate.yml", "compiler: c++\nfail_on:\n  - NOPE\n");
    refused(&suite, &["check"], &["driftgate.yml:3", "fail_on", "NOPE"]);
}

#[test]
fn a_report_into_a_missing_folder_is_refused_before_anything_runs() {
    let suite = Suite::adder();
    for path in ["no/such/report.json", "goldens"] {
        let run = refused(&suite, &["check", "--report", path], &["--report", path]);
        assert!(run.stderr.contains("folder"), "{}", run.stderr);
    }
}

#[test]
fn a_report_over_what_people_commit_is_refused_before_anything_runs() {
    let suite = Suite::recorded();
    let before = suite.committed();
    for path in ["driftgate.yml", "goldens/cassettes/add.json"] {
        let there = suite.home().join("root").join(path);
        let args = ["check", "--report", there.to_str().unwrap()];
        refused(&suite, &args, &["--report", "would replace", path]);
    }
    assert!(suite.committed() == before, "a file changed");
}

#[test]
fn what_is_no_command_or_option_is_told_with_what_is_meant() {
    let suite = Suite::adder();
    refused(&suite, &["replya"], &["replya", "replay"]);
    refused(
        &suite,
        &["replay", "--formt", "json"],
        &["--formt", "--format"],
    );
    refused(&suite, &["replay", "--jobs", "0"], &["--jobs", "0"]);
    refused(&suite, &["replay", "--format", "xml"], &["xml", "records"]);
    refused(&suite, &["record"], &["--from"]);
    refused(&suite, &[], &["Usage"]);
    refused(
        &suite,
        &["check", "--root", "nowhere"],
        &["--root", "nowhere"],
    );
}

#[test]
fn help_is_no_error_and_lists_the_exit_codes() {
    let run = Suite::empty().run(&["--help"]);
    run.assert_code(0);
    assert!(run.stdout.contains("Exit codes: 0 pass"), "{}", run.stdout);
}

#[test]
fn a_candidate_needs_one_case_and_a_file() {
    let suite = Suite::adder();
    suite.case("sub", &json!({}));
    suite.completion("add", GOOD);
    let path = suite.completion_path("add").display().to_string();
    refused(&suite, &["grade", "--candidate", &path], &["--case"]);
    refused(
        &suite,
        &["grade", "--candidate", &path, "--case", "*"],
        &["--case", "one case, not 2"],
    );
    refused(
        &suite,
        &["grade", "--candidate", "none.cpp", "--case", "add"],
        &["none.cpp", "--candidate"],
    );
}

#[test]
fn a_candidate_without_end_is_refused() {
    let suite = Suite::adder();
    let args = ["grade", "--case", "add", "--candidate", "/dev/zero"];
    refused(&suite, &args, &["/dev/zero", "--candidate", "64 MiB"]);
}

#[test]
fn completions_that_belong_to_no_case_are_refused_with_an_example() {
    let suite = Suite::adder();
    suite.completion("unrelated", GOOD);
    let folder = suite.home().join("completions").display().to_string();
    refused(
        &suite,
        &["record", "--from", &folder],
        &[&folder, "no file here belongs to a case", "`add.txt`"],
    );
    refused(&suite, &["record", "--from", "nowhere"], &["nowhere"]);
}

#[test]
fn an_empty_suite_is_incomplete_and_says_where_cases_go() {
    let suite = Suite::empty();
    for command in ["check", "replay", "grade"] {
        let run = suite.run(&[command]);
        run.assert_code(3);
        assert!(run.stdout.contains("goldens/cases/"), "{}", run.stdout);
        assert!(run.stdout.contains("INCOMPLETE"), "{}", run.stdout);
    }
}

#[test]
fn a_quarantine_without_entries_says_so() {
    let run = Suite::recorded().run(&["quarantine"]);
    assert!(
        run.stdout.contains("nothing is quarantined"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("record --from"), "{}", run.stdout);
}

#[test]
fn a_suite_needs_no_configuration() {
    let suite = Suite::recorded();
    suite.remove("driftgate.yml");
    suite.report(&["check"]).assert_class("add", "STABLE", 0);
}

#[test]
fn the_root_is_found_from_a_folder_inside() {
    let suite = Suite::recorded();
    let mut command = suite.command(&["check", "--format", "json"]);
    command.current_dir(suite.root().join("goldens/cases"));
    suite.finish(command).assert_class("add", "STABLE", 0);
    assert!(!suite.root().join("goldens/cases/.driftgate").exists());
}
