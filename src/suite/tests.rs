//! The suite as a whole, over trees in memory and on disk.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::cassette::Cassette;
use crate::model::digest::Digest;

/// A tree in memory, to prove that the loader needs no disk.
#[derive(Clone, Default)]
struct Memory(BTreeMap<String, Vec<u8>>);

impl Tree for Memory {
    fn read_up_to(&self, path: &str, _: u64) -> Result<Option<Vec<u8>>, InputError> {
        Ok(self.0.get(path).cloned())
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, InputError> {
        Ok(self
            .0
            .keys()
            .filter(|path| path.starts_with(&format!("{folder}/")))
            .cloned()
            .collect())
    }
}

impl Memory {
    fn with(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.0.insert(path.to_owned(), content.into());
        self
    }

    fn without(mut self, path: &str) -> Self {
        self.0.remove(path).unwrap();
        self
    }
}

const CASE: &str = r#"{
  "id": "one",
  "prompt_file": "prompts/p.md",
  "fixture": "fixtures/a/f.cpp",
  "compile_flags": ["-std=c++20", "-O2"],
  "stdin": "0 1\n",
  "expect": {"exit_code": 3, "stdout": "0\n", "stderr_empty": false},
  "files": ["fixtures/a/deep/h.hpp", "data/in.txt"]
}
"#;

fn cassette(id: &str) -> Cassette {
    let hash = Digest::of(b"x");
    serde_json::from_value(json!({
        "case": id, "output": cassettes::output_of(id), "recorded_at": "2026-10-17T06:02:53Z",
        "hashes": {"prompt": hash, "fixture": hash, "contract": hash, "grader": {"io_match": hash},
                   "output": hash, "toolchain": hash, "system": null},
        "toolchain": "g++", "verdicts": {"io_match": {"status": "pass", "class": "match"}},
    }))
    .unwrap()
}

fn memory() -> Memory {
    Memory::default()
        .with("goldens/cases/one.json", CASE)
        .with("goldens/prompts/p.md", "Write it.")
        .with(
            "goldens/fixtures/a/f.cpp",
            "int f();\n// DRIFTGATE_COMPLETION\n",
        )
        .with("goldens/fixtures/a/deep/h.hpp", "")
        .with("goldens/data/in.txt", "")
        .with(
            "goldens/cassettes/one.json",
            recorder::text(&cassette("one")),
        )
        .with("goldens/cassettes/one.out", "int f() { return 0; }\n")
}

fn told<T>(result: Result<T, Vec<InputError>>) -> String {
    let Err(errors) = result else {
        return "loaded".to_owned();
    };
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// What loading says after `from` in the case file became `to`.
fn after(from: &str, to: &str) -> String {
    assert!(CASE.contains(from), "{from}");
    told(Suite::load(
        &memory().with("goldens/cases/one.json", CASE.replacen(from, to, 1)),
    ))
}

#[test]
fn a_case_is_loaded_with_its_files_and_defaults() {
    let tree = memory().with(
        "goldens/cases/sub/two.yaml",
        "id: two\nprompt_file: ./prompts//p.md\nassemble: replace\n",
    );
    let suite = Suite::load(&tree).unwrap();
    let [one, two] = suite.cases.as_slice() else {
        panic!("{:?}", suite.cases)
    };
    assert_eq!((one.id.as_str(), two.id.as_str()), ("one", "two"));
    assert_eq!(one.path, "goldens/cases/one.json");
    assert_eq!(one.fixture.path, "goldens/fixtures/a/f.cpp");
    let beside: Vec<_> = one.files.iter().map(|file| file.beside.as_str()).collect();
    assert_eq!(beside, ["deep/h.hpp", "in.txt"]);
    assert_eq!((one.expect.exit_code, one.expect.stderr_empty), (3, false));
    assert_eq!((two.expect.exit_code, two.expect.stderr_empty), (0, true));
    assert_eq!(
        (two.expect.stdout.as_deref(), two.stdin.as_str()),
        (None, "")
    );
    assert_eq!(
        (two.timeout_s, two.graders.as_slice()),
        (10, &["io_match".to_owned()][..])
    );
    assert_eq!(two.fixture.digest, Digest::of(b""));
    assert_eq!(two.prompt, Digest::of(b"Write it."));
    assert_eq!(
        &*suite.recordings["one"].completion.bytes,
        b"int f() { return 0; }\n"
    );
    assert!(suite.graders.contains_key("io_match"));
    assert_eq!(suite.case("two").unwrap().id, "two");
    assert_eq!(suite.case("three"), None);
}

#[test]
fn an_unknown_name_is_told_with_the_nearest_known_one() {
    assert_told(&[
        (
            "\"stdin\"",
            "\"sdtin\"",
            "6:3: sdtin: unknown field\n    did you mean `stdin`? known: args, assemble, \
             compile_flags, expect, files, fixture, graders, id, prompt_file, stdin, tags, timeout_s",
        ),
        (
            "\"stderr_empty\"",
            "\"stderr_emtpy\"",
            "7:47: expect.stderr_emtpy: unknown field\n    did you mean `stderr_empty`? known: \
             exit_code, stderr_empty, stdout",
        ),
        (
            "\"stdin\"",
            "\"assemble\": \"insrt\", \"stdin\"",
            "6:3: assemble: unknown value `insrt`\n    did you mean `insert`? known: append, insert, \
             patch, replace",
        ),
    ]);
}

#[test]
fn a_fault_of_form_names_line_and_field() {
    assert_told(&[
        ("\"id\": \"one\",", "", "9:1: id: missing field"),
        (
            "\"one\"",
            "1",
            "2:3: id: expected a string, found integer `1`",
        ),
        (
            "\"exit_code\": 3",
            "\"exit_code\": \"3\"",
            "7:14: expect.exit_code: expected a whole number, found string \"3\"",
        ),
        (
            "\"-O2\"",
            "{}",
            "5:35: compile_flags[1]: expected a string, found a map",
        ),
        (
            "[\"-std=c++20\", \"-O2\"]",
            "\"-O2\"",
            "5:3: compile_flags: expected a list, found string \"-O2\"",
        ),
        (
            "\"stdin\"",
            "\"id\": \"two\", \"stdin\"",
            "6:3: id: this field stands here twice\n    keep one of them",
        ),
        (
            "\"one\",",
            "\"one\"",
            "3:3: not valid JSON: expected `,` or `}`",
        ),
        (
            "  \"stdin\"",
            "<<<<<<< HEAD\n  \"stdin\"",
            "6:1: an unresolved merge conflict (`<<<<<<< `)\n    resolve it and remove the markers",
        ),
    ]);
}

#[test]
fn a_file_that_is_no_case_at_all_says_what_it_is() {
    let latin = memory().with("goldens/cases/one.json", b"{\n \"id\": \"\xe4\"}".to_vec());
    assert_eq!(
        told(Suite::load(&latin)),
        "goldens/cases/one.json:2:9: not UTF-8"
    );
    let empty = memory().with("goldens/cases/one.json", "");
    assert_eq!(
        told(Suite::load(&empty)),
        "goldens/cases/one.json:1:1: the file is empty"
    );
    let list = memory().with("goldens/cases/one.json", "[1]");
    let said = told(Suite::load(&list));
    assert_eq!(
        said,
        "goldens/cases/one.json:1:1: expected a map, found a list"
    );
}

fn assert_told(table: &[(&str, &str, &str)]) {
    for (from, to, expected) in table {
        assert_eq!(
            after(from, to),
            format!("goldens/cases/one.json:{expected}")
        );
    }
}

#[test]
fn a_path_that_leads_nowhere_names_line_and_field() {
    assert_told(&[
        (
            "prompts/p.md",
            "prompts/q.md",
            "3:3: prompt_file: `prompts/q.md` does not exist\n    paths in a case are relative to \
             goldens/",
        ),
        (
            "prompts/p.md",
            "../p.md",
            "3:3: prompt_file: `../p.md` leaves its folder through `..`",
        ),
        (
            "data/in.txt",
            "data/none.txt",
            "8:38: files[1]: `data/none.txt` does not exist\n    paths in a case are relative to \
             goldens/",
        ),
        (
            "data/in.txt",
            "fixtures/a/deep/h.hpp",
            "8:38: files[1]: lands on `deep/h.hpp`, in the way of `fixtures/a/deep/h.hpp`",
        ),
        (
            "  \"fixture\": \"fixtures/a/f.cpp\",\n",
            "",
            " fixture: missing field; only a case with `assemble: replace` needs no fixture",
        ),
    ]);
}

#[test]
fn a_value_out_of_range_names_line_and_field() {
    assert_told(&[
        (
            "\"one\"",
            "\"-one\"",
            "2:3: id: `-one` has a segment that starts with `-` or `.`",
        ),
        (
            "\"-O2\"",
            "\"-c\"",
            "5:35: compile_flags[1]: `-c` stops the build before there is a program",
        ),
        (
            "\"exit_code\": 3",
            "\"exit_code\": 256",
            "7:14: expect.exit_code: expected an exit code from 0 to 255, found 256",
        ),
        (
            "\"stdin\"",
            "\"timeout_s\": 0, \"stdin\"",
            "6:3: timeout_s: expected 1 to 3600 seconds, found 0",
        ),
        (
            "\"stdin\"",
            "\"args\": [\"a\\u0000\"], \"stdin\"",
            "6:12: args[0]: contains a NUL, which no argument can",
        ),
        (
            "\"stdin\"",
            "\"graders\": [], \"stdin\"",
            "6:3: graders: expected at least one grader: a case that nobody judges shows nothing",
        ),
        (
            "\"fixtures/a/deep/h.hpp\"",
            "\"fixtures/a/f.cpp\"], \"assemble\": \"patch\", \"tags\": [\"x\"",
            "8:13: files[0]: lands on `f.cpp`, in the way of the fixture",
        ),
    ]);
}

#[test]
fn an_unknown_grader_names_the_nearest_one() {
    let said = after("\"stdin\"", "\"graders\": [\"io_mach\"], \"stdin\"");
    let expected = "goldens/cases/one.json:6:15: graders[0]: there is no grader `io_mach`\n    did \
                    you mean `io_match`? known: ";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn a_file_on_the_unit_or_in_the_way_of_a_folder_is_refused() {
    let tree = memory()
        .with("goldens/fixtures/a/candidate.cpp", "")
        .with("goldens/other/deep", "");
    let files = |files: &str| {
        let text = CASE.replace("[\"fixtures/a/deep/h.hpp\", \"data/in.txt\"]", files);
        told(Suite::load(
            &tree.clone().with("goldens/cases/one.json", text),
        ))
    };
    assert_eq!(
        files("[\"fixtures/a/candidate.cpp\"]"),
        "goldens/cases/one.json:8:13: files[0]: lands on `candidate.cpp`, in the way of the unit"
    );
    for pair in [
        "[\"fixtures/a/deep/h.hpp\", \"other/deep\"]",
        "[\"other/deep\", \"fixtures/a/deep/h.hpp\"]",
    ] {
        assert!(
            files(pair).contains("files[1]: lands on `deep"),
            "{}",
            files(pair)
        );
    }
}

#[test]
fn an_insert_needs_exactly_one_line_with_the_marker() {
    let insert = CASE.replace("\"stdin\"", "\"assemble\": \"insert\", \"stdin\"");
    let tree = memory().with("goldens/cases/one.json", insert);
    let fixture = |text: &str| {
        told(Suite::load(
            &tree.clone().with("goldens/fixtures/a/f.cpp", text),
        ))
    };
    let hint = "`assemble: insert` replaces exactly one line of the fixture";
    let at = "goldens/cases/one.json:4:3: fixture:";
    assert_eq!(
        fixture("a\n  DRIFTGATE_COMPLETION DRIFTGATE_COMPLETION"),
        "loaded"
    );
    assert_eq!(
        fixture("a\n"),
        format!("{at} no line of fixtures/a/f.cpp contains DRIFTGATE_COMPLETION\n    {hint}")
    );
    assert_eq!(
        fixture("DRIFTGATE_COMPLETION\nDRIFTGATE_COMPLETION\n"),
        format!("{at} 2 lines of fixtures/a/f.cpp contain DRIFTGATE_COMPLETION\n    {hint}")
    );
}

#[test]
fn an_id_that_two_files_claim_names_both() {
    let tree = memory().with("goldens/cases/two.json", CASE);
    assert_eq!(
        told(Suite::load(&tree)),
        "goldens/cases/two.json:2:3: id: `one` is also the id of goldens/cases/one.json"
    );
}

#[test]
fn all_faults_of_all_files_are_told_together() {
    let tree = memory()
        .with("driftgate.yml", "repeat: {k: 0}\n")
        .with(
            "goldens/cases/one.json",
            CASE.replace("p.md", "q.md").replace("-O2", "-S"),
        )
        .with("goldens/cases/two.json", "{")
        .with("goldens/graders/io_match.yaml", "kind: io_mtach\n")
        .without("goldens/cassettes/one.out");
    let said = told(Suite::load(&tree));
    let places: Vec<_> = said
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "driftgate.yml:1:10",
            "goldens/cases/one.json:3:3",
            "goldens/cases/one.json:5:35",
            "goldens/cases/two.json:1:1",
            "goldens/cassettes/one.json:14:3",
            "goldens/graders/io_match.yaml:1:1",
        ]
    );
}

#[test]
fn a_reformatted_and_reordered_case_has_the_same_digests() {
    let yaml = "\u{feff}# the same in other clothes
files: [fixtures/a/deep/h.hpp, data/in.txt]
expect: {stderr_empty: false, stdout: \"0\\n\", exit_code: 3}
stdin: |
  0 1
compile_flags:
- -std=c++20
- -O2
fixture: fixtures/a/f.cpp
prompt_file: prompts/p.md
timeout_s: 10
assemble: append
id: one
";
    let first = Suite::load(&memory()).unwrap();
    let other = memory()
        .without("goldens/cases/one.json")
        .with("goldens/cases/x.yml", yaml);
    let other = Suite::load(&other).unwrap();
    let digests = |suite: &Suite| {
        let case = &suite.cases[0];
        (case.prompt, case.fixture_digest(), case.contract_digest())
    };
    assert_eq!(digests(&first), digests(&other));
    let moved = memory().with("goldens/cases/one.json", CASE.replace("-O2", "-O1"));
    assert_ne!(digests(&first).2, digests(&Suite::load(&moved).unwrap()).2);
}

#[test]
fn a_cassette_that_cannot_be_used_says_what_to_do() {
    let path = "goldens/cassettes/one.json";
    let text = recorder::text(&cassette("one"));
    let edited = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        told(Suite::load(
            &memory().with(path, text.replacen(from, to, 1)),
        ))
    };
    let newer = "was it written by a newer driftgate? Update driftgate, or record again";
    assert_eq!(
        edited("\"case\": \"one\"", "\"case\": \"two\""),
        format!("{path}:2:3: case: expected `one`, as the file is called, found `two`")
    );
    assert_eq!(
        edited("cassettes/one.out", "../one.out"),
        format!("{path}:14:3: output: `../one.out` leaves its folder through `..`")
    );
    assert_eq!(
        edited("\"case\"", "\"schema\": \"driftgate/cassette/2\", \"case\""),
        format!(
            "{path}:2:3: schema: expected `driftgate/cassette/1`, found `driftgate/cassette/2`\n    \
             {newer}"
        )
    );
    assert_eq!(
        edited("\"case\"", "\"schema\": \"driftgate/cassette/1\", \"case\""),
        "loaded"
    );
    assert_eq!(
        edited("\"case\"", "\"zealous\": true, \"case\""),
        format!(
            "{path}:2:3: zealous: unknown field\n    {newer}\n    known: accepted, case, hashes, \
             output, recorded_at, run, schema, stale, toolchain, verdicts"
        )
    );
    assert_eq!(
        edited(
            "\"io_match\": {",
            "\"io_match\": {\"status\": \"pass\", \"class\": \"x\"}, \"io_match\": {"
        ),
        format!(
            "{path}:18:51: verdicts.io_match: this field stands here twice\n    keep one of them"
        )
    );
    assert_eq!(
        edited("      \"io_match\": \"", "      \"io_match\": \"g"),
        format!(
            "{path}:7:7: hashes.grader.io_match: expected a SHA-256 digest of 64 hexadecimal digits"
        )
    );
    assert_eq!(
        told(Suite::load(&memory().without("goldens/cassettes/one.out"))),
        format!(
            "{path}:14:3: output: `cassettes/one.out` does not exist\n    restore \
             goldens/cassettes/one.out from version control, or delete {path} and record the case \
             again"
        )
    );
}

#[test]
fn a_missing_field_is_named_with_the_map_that_lacks_it() {
    let text = recorder::text(&cassette("one")).replacen("\"prompt\"", "\"system2\"", 1);
    let text =
        text.replacen("\"system2\"", "\"system\"", 1)
            .replacen("    \"system\": null,\n", "", 1);
    let said = told(Suite::load(
        &memory().with("goldens/cassettes/one.json", text),
    ));
    assert!(said.contains(": hashes.prompt: missing field"), "{said}");
    let yaml = "id: one\nprompt_file: p\nexpect:\n  exit_code: [1]\n";
    let tree = memory()
        .without("goldens/cases/one.json")
        .with("goldens/cases/one.yml", yaml);
    let said = told(Suite::load(&tree));
    assert!(
        said.starts_with("goldens/cases/one.yml:4:3: expect.exit_code: "),
        "{said}"
    );
    let tree = memory()
        .without("goldens/cases/one.json")
        .with("goldens/cases/one.yml", "id: a\n");
    let said = told(Suite::load(&tree));
    assert!(said.ends_with(": prompt_file: missing field"), "{said}");
}

#[test]
fn a_verdict_that_contradicts_itself_is_not_a_fault_of_form() {
    let mut tampered = cassette("one");
    tampered.verdicts.get_mut("io_match").unwrap().class = "stdout_differs".to_owned();
    let tree = memory().with("goldens/cassettes/one.json", recorder::text(&tampered));
    assert_eq!(told(Suite::load(&tree)), "loaded");
}

#[test]
fn a_recording_without_its_case_is_named_apart() {
    let tree = memory()
        .with("goldens/cassettes/on.json", recorder::text(&cassette("on")))
        .with("goldens/cassettes/on.out", "");
    assert_eq!(Suite::load_with_orphans(&tree).unwrap().recordings.len(), 2);
    assert_eq!(
        told(Suite::load(&tree)),
        "goldens/cassettes/on.json: case: there is no case `on`\n    did you mean `one`? delete the \
         cassette and goldens/cassettes/on.out, or restore the case"
    );
}

#[test]
fn what_is_written_is_read_back_and_whole() {
    let dir = tempfile::tempdir().unwrap();
    let tree = WorkingTree::open(dir.path()).unwrap();
    let mut written = cassette("a/b-1");
    for output in [b"first\xff".as_slice(), b"second"] {
        written.stale.push("prompt".to_owned());
        recorder::write(dir.path(), &written, output).unwrap();
        let recording = &cassettes::load(&tree).unwrap()["a/b-1"];
        assert_eq!(*recording.cassette, written);
        assert_eq!(&*recording.completion.bytes, output);
        assert_eq!(recording.output_path, "goldens/cassettes/a/b-1.out");
    }
    let text = fs::read_to_string(dir.path().join("goldens/cassettes/a/b-1.json")).unwrap();
    assert!(
        text.starts_with("{\n  \"case\": \"a/b-1\",\n  \"hashes\": {\n"),
        "{text}"
    );
    assert!(text.ends_with("}\n"));
    let left: Vec<_> = fs::read_dir(dir.path().join("goldens/cassettes/a"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 2);
    let mode = fs::metadata(dir.path().join("goldens/cassettes/a/b-1.out"))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o600, 0o600);
    assert_eq!(mode.mode() & 0o111, 0);
}

#[test]
fn nothing_is_written_through_a_symlink_or_out_of_the_suite() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let outside = dir.path().join("outside");
    fs::create_dir_all(root.join("goldens/cassettes")).unwrap();
    fs::create_dir(&outside).unwrap();
    symlink(&outside, root.join("goldens/cassettes/a")).unwrap();
    symlink(outside.join("x"), root.join("goldens/cassettes/c.out")).unwrap();
    let said = |cassette: &Cassette| {
        recorder::write(&root, cassette, b"x")
            .unwrap_err()
            .to_string()
    };
    let refusal = "is a symlink; nothing is written through one";
    assert_eq!(
        said(&cassette("a/b")),
        format!("goldens/cassettes/a: {refusal}")
    );
    assert_eq!(
        said(&cassette("c")),
        format!("goldens/cassettes/c.out: {refusal}")
    );
    for output in ["../../x", "/x", "cassettes/d.json"] {
        let mut bad = cassette("d");
        bad.output = output.to_owned();
        assert!(
            said(&bad).starts_with("goldens/cassettes/d.json: output: "),
            "{}",
            said(&bad)
        );
    }
    assert!(said(&cassette("../e")).contains("case: "));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

/// Bytes that are likely to get somewhere: pieces of real files, cut and mixed.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\n",
        "  ",
        "- ",
        "|",
        "&a ",
        "*a",
        "#",
        "\\u0000",
        "\"id\"",
        "\"one\"",
        "id: ",
        "kind: ",
        "io_match",
        "expect",
        "1e999",
        "-1",
        "null",
        "\u{feff}",
        "<<: ",
        "<<<<<<< ",
        "---",
        "!!binary ",
        "é",
        "? ",
        "\t",
        "\r",
        "%",
        "'",
    ];
    let piece = proptest::sample::select(pieces.to_vec()).prop_map(|text| text.as_bytes().to_vec());
    let raw = proptest::collection::vec(any::<u8>(), 0..4);
    let mixed = proptest::collection::vec(prop_oneof![4 => piece, 1 => raw], 0..40);
    let real = [CASE.to_owned(), recorder::text(&cassette("one"))];
    let real = proptest::sample::select(real.to_vec());
    let spoilt = (
        real,
        any::<prop::sample::Index>(),
        any::<u8>(),
        any::<bool>(),
    )
        .prop_map(|(text, at, byte, cut)| {
            let mut bytes = text.into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes.truncate(if cut { at + 1 } else { bytes.len() });
            bytes
        });
    prop_oneof![mixed.prop_map(|parts| parts.concat()), spoilt]
}

proptest! {
    #[test]
    fn no_bytes_in_any_file_make_loading_panic(bytes in bytes(), file in 0..9_usize) {
        let path = [
            "driftgate.yml",
            "goldens/cases/one.json",
            "goldens/cases/two.yaml",
            "goldens/cassettes/one.json",
            "goldens/cassettes/one.out",
            "goldens/graders/io_match.json",
            "goldens/graders/io_match.yml",
            "goldens/fixtures/a/f.cpp",
            "goldens/prompts/p.md",
        ][file];
        let result = Suite::load(&memory().with(path, bytes.clone()));
        for error in result.err().unwrap_or_default() {
            let lines = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 2;
            prop_assert!(error.path != path || error.line.unwrap_or(1) as usize <= lines);
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn a_complaint_about_any_field_of_any_bytes_does_not_panic(bytes in bytes(), field in ".{0,12}") {
        let fault = parse::Source::new("a.yaml", &bytes).fault(&field, "is wrong");
        prop_assert!(fault.line.is_none_or(|line| line > 0));
    }
}
