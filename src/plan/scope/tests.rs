//! What each kind of file reaches, and that nothing a row depends on is missed.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::error::InputError;
use crate::model::canonical;
use crate::model::digest::Digest;
use crate::model::grader::GraderSpec;
use crate::model::pins::Pins;
use crate::model::tree_pins::{Subject, TreePins};
use crate::suite::Tree;

/// A suite in memory, by path.
#[derive(Clone, Debug, Default, PartialEq)]
struct Files(BTreeMap<String, String>);

impl Tree for Files {
    fn read_up_to(&self, path: &str, _: u64) -> Result<Option<Vec<u8>>, InputError> {
        Ok(self.0.get(path).map(|text| text.clone().into_bytes()))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, InputError> {
        let within = |path: &&String| folder.is_empty() || path.starts_with(&format!("{folder}/"));
        Ok(self.0.keys().filter(within).cloned().collect())
    }
}

impl Files {
    fn with(mut self, path: &str, text: impl Into<String>) -> Self {
        self.0.insert(path.to_owned(), text.into());
        self
    }

    fn without(mut self, path: &str) -> Self {
        self.0.remove(path).unwrap();
        self
    }

    /// With another line in the file at `path`, or with the file.
    fn touched(self, path: &str) -> Self {
        let text = self.0.get(path).cloned().unwrap_or_default();
        self.with(path, format!("{text}\n"))
    }

    fn case(self, id: &str, changes: &[(&str, serde_json::Value)]) -> Self {
        let mut case =
            json!({"id": id, "prompt_file": "prompts/p.md", "fixture": "fixtures/f.cpp"});
        for (field, value) in changes {
            case[*field] = value.clone();
        }
        self.with(&format!("goldens/cases/{id}.json"), case.to_string())
    }

    fn recording(self, id: &str) -> Self {
        let hash = Digest::of(id.as_bytes());
        let cassette = json!({
            "case": id, "output": format!("cassettes/{id}.out"),
            "recorded_at": "2026-10-17T06:02:53Z",
            "hashes": {"prompt": hash, "fixture": hash, "contract": hash, "grader": {},
                       "output": hash, "toolchain": hash},
            "verdicts": {},
        });
        self.with(
            &format!("goldens/cassettes/{id}.json"),
            cassette.to_string(),
        )
        .with(&format!("goldens/cassettes/{id}.out"), format!("int {id};"))
    }

    fn load(&self) -> Suite {
        Suite::load_with_orphans(self).unwrap()
    }

    /// The paths that are not the same here and there.
    fn changed_to(&self, other: &Self) -> BTreeSet<String> {
        let paths = self.0.keys().chain(other.0.keys());
        let differs = |path: &&String| self.0.get(*path) != other.0.get(*path);
        paths.filter(differs).cloned().collect()
    }
}

/// Three cases of two graders, a consumer of a library, two headers, one with a template.
fn plain() -> Files {
    Files::default()
        .with("README.md", "read me")
        .with("driftgate.yml", "sandbox: {read: [shared]}\n")
        .with("goldens/prompts/p.md", "do")
        .with("goldens/prompts/q.md", "undo")
        .with("goldens/fixtures/f.cpp", "int f;")
        .with("goldens/fixtures/g.cpp", "int g;")
        .with("goldens/fixtures/in.txt", "1 2")
        .with("goldens/graders/io_match.yaml", "kind: io_match\n")
        .with(
            "goldens/graders/json.yaml",
            "kind: command\ncommand: [python3, tools/check.py]\ninputs: ['tools/*']\n",
        )
        .with("goldens/tools/check.py", "print()")
        .with("shared/words.txt", "a b")
        .case("a", &[])
        .case(
            "b",
            &[
                ("prompt_file", json!("prompts/q.md")),
                ("files", json!(["fixtures/in.txt"])),
            ],
        )
        .case(
            "c",
            &[
                ("fixture", json!("fixtures/g.cpp")),
                ("graders", json!(["io_match", "json"])),
            ],
        )
        .recording("a")
        .recording("b")
        .recording("c")
        .with(
            "goldens/headers/public_headers.txt",
            "include/x.h\ninclude/y.h\n",
        )
        .with(
            "goldens/headers/probe_x.h.cpp.in",
            "#include <HEADER_PATH>\nint i = x();\n",
        )
        .with("include/x.h", "int x();")
        .with("include/y.h", "int y();")
        .with("src/x.cpp", "#include \"x.h\"\n#include \"detail.h\"")
        .with("src/detail.h", "")
        .with(
            "use/main.cpp",
            "#include <x.h>\n#include \"more.h\"\nint main() {}",
        )
        .with("use/more.h", "")
        .with("use/notes.md", "")
        .with(
            "goldens/consumers/u.json",
            json!({"id": "u", "public_header": "include/x.h", "archive_sources": ["src/x.cpp"],
                   "consumer": "use/main.cpp"})
            .to_string(),
        )
}

/// These files, behind none of which there is more.
fn files(files: BTreeSet<String>) -> Touched {
    Touched {
        files,
        ..Touched::default()
    }
}

/// What the change from `base` to `head` reaches, `lane: ids` for those of which it reaches some.
fn reached(base: &Files, head: &Files) -> String {
    told(&lanes(
        &base.load(),
        &head.load(),
        &files(base.changed_to(head)),
    ))
}

fn told(lanes: &BTreeMap<&str, Reached>) -> String {
    let some = lanes.iter().filter(|(_, reached)| !reached.ids.is_empty());
    let told = some.map(|(lane, reached)| {
        let ids: Vec<&str> = reached.ids.iter().map(String::as_str).collect();
        format!("{lane}: {}", ids.join(" "))
    });
    told.collect::<Vec<_>>().join("; ")
}

const HEADERS: &str = "standalone_header: include/x.h include/y.h";
const EVERYTHING: &str =
    "consumer_link: u; replay: a b c; standalone_header: include/x.h include/y.h";

#[test]
fn each_kind_of_file_reaches_what_reads_it() {
    let tree = format!("consumer_link: u; {HEADERS}");
    for (path, expected) in [
        ("README.md", ""),
        ("docs/new.md", ""),
        (".github/workflows/gate.yml", ""),
        ("driftgate.yml", EVERYTHING),
        ("goldens/.gitattributes", EVERYTHING),
        ("goldens/cases/a.json", "replay: a"),
        ("goldens/prompts/p.md", "replay: a c"),
        ("goldens/prompts/q.md", "replay: b"),
        ("goldens/fixtures/f.cpp", "replay: a b"),
        ("goldens/fixtures/g.cpp", "replay: c"),
        ("goldens/fixtures/in.txt", "replay: b"),
        ("goldens/fixtures/unused.cpp", ""),
        ("goldens/cassettes/b.json", "replay: b"),
        ("goldens/cassettes/b.out", "replay: b"),
        ("goldens/graders/io_match.yaml", "replay: a b c"),
        ("goldens/graders/json.yaml", "replay: c"),
        ("goldens/tools/check.py", "replay: c"),
        ("goldens/tools/new.py", "replay: c"),
        ("goldens/graders/README.md", ""),
        ("shared/words.txt", "replay: c"),
        ("shared", "replay: c"),
        ("goldens/consumers/u.json", "consumer_link: u"),
        ("use/main.cpp", "consumer_link: u"),
        ("use/more.h", "consumer_link: u"),
        ("use/notes.md", ""),
        ("src/x.cpp", "consumer_link: u"),
        ("src/detail.h", "consumer_link: u"),
        ("src/new.cpp", "consumer_link: u"),
        ("include/y.h", &tree),
        ("include/deep/new.h", &tree),
        ("goldens/headers/public_headers.txt", HEADERS),
        (
            "goldens/headers/probe_x.h.cpp.in",
            "standalone_header: include/x.h",
        ),
    ] {
        let head = match path {
            // Nothing can lie below a file.
            "shared" => plain().without("shared/words.txt").with("shared", "a link"),
            _ => plain().touched(path),
        };
        assert_eq!(reached(&plain(), &head), expected, "{path}");
    }
    assert_eq!(reached(&plain(), &plain()), "");
}

#[test]
fn what_is_gone_or_new_is_reached_by_its_files() {
    let fewer = plain().without("goldens/cases/a.json");
    assert_eq!(reached(&plain(), &fewer), "replay: a");
    assert_eq!(reached(&fewer, &plain()), "replay: a");
    let unread = plain().without("goldens/consumers/u.json");
    assert_eq!(reached(&plain(), &unread), "consumer_link: u");
    let unlisted = plain()
        .without("goldens/headers/public_headers.txt")
        .without("goldens/headers/probe_x.h.cpp.in");
    assert_eq!(reached(&plain(), &unlisted), HEADERS);
    let nothing = unlisted
        .clone()
        .with("goldens/headers/public_headers.txt", "# none\n");
    let lane = "standalone_header: goldens/headers/public_headers.txt";
    assert_eq!(reached(&unlisted, &nothing), lane);
}

#[test]
fn what_only_one_side_names_reaches_too() {
    // A case that leaves a fixture, and a grader that leaves a case, while both of them move.
    let moved = plain().case("a", &[("fixture", json!("fixtures/g.cpp"))]);
    assert_eq!(reached(&plain(), &moved), "replay: a");
    let ungraded = plain().case("c", &[("fixture", json!("fixtures/g.cpp"))]);
    let both = ungraded.clone().touched("goldens/tools/check.py");
    assert_eq!(reached(&plain(), &both), "replay: c");
    assert_eq!(reached(&ungraded, &both), "");
    let without_file = plain().without("goldens/graders/io_match.yaml");
    assert_eq!(reached(&plain(), &without_file), "replay: a b c");
    let undeclared = plain().without("goldens/tools/check.py").with(
        "goldens/graders/json.yaml",
        "kind: command\ncommand: [python3]\n",
    );
    assert_eq!(reached(&plain(), &undeclared), "replay: c");
}

#[test]
fn a_quarantine_reaches_whom_it_names() {
    let entry = "- {case: b, reason: r, owner: o, opened: 2026-01-01, expires: 2026-01-20}\n";
    let tolerated = plain().with("quarantine.yaml", entry);
    assert_eq!(reached(&plain(), &tolerated), "replay: b");
    assert_eq!(reached(&tolerated, &plain()), "replay: b");
}

#[test]
fn a_header_that_nobody_publishes_reaches_the_consumer_that_includes_it() {
    let nosy = plain().with("use/main.cpp", "#include <private/p.h>\nint main() {}");
    let there = nosy.clone().with("private/p.h", "");
    assert_eq!(reached(&nosy, &there), "consumer_link: u");
    assert_eq!(reached(&there, &there.clone().touched("private/q.h")), "");
}

#[test]
fn a_folder_on_the_way_to_such_a_header_reaches_that_consumer() {
    let nosy = plain()
        .with("use/main.cpp", "#include \"../private/p.h\"\nint main() {}")
        .with("private/p.h", "")
        .load();
    let touched = files(BTreeSet::from(["private".to_owned()]));
    assert_eq!(told(&lanes(&nosy, &nosy, &touched)), "consumer_link: u");
}

#[test]
fn what_may_hold_anything_reaches_everything() {
    let suite = plain().load();
    for path in ["docs/latest", "../.gitattributes"] {
        let touched = Touched {
            anything: BTreeMap::from([(path.to_owned(), "link")]),
            ..Touched::default()
        };
        let lanes = lanes(&suite, &suite, &touched);
        assert_eq!(told(&lanes), EVERYTHING);
        assert_eq!(lanes["replay"].causes[0].path, path);
    }
}

#[test]
fn what_programs_may_read_and_nobody_can_place_is_reached_by_everything() {
    for (read, expected) in [
        ("shared/", ""),
        ("/home/ci/repository/shared", "replay: c"),
        ("link/../shared", "replay: c"),
        ("../there", "replay: c"),
    ] {
        let suite = plain().with("driftgate.yml", format!("sandbox: {{read: ['{read}']}}\n"));
        let head = suite.clone().touched("README.md");
        assert_eq!(reached(&suite, &head), expected, "{read}");
    }
}

#[test]
fn the_root_as_an_include_folder_is_reached_by_everything() {
    let rooted = plain().with(
        "driftgate.yml",
        "standalone_header: {include: [include, .]}\n",
    );
    assert_eq!(
        reached(&rooted, &rooted.clone().touched("README.md")),
        HEADERS
    );
}

#[test]
fn a_file_that_differs_counts_though_no_path_says_so() {
    let head = plain().touched("goldens/prompts/q.md");
    let lanes = lanes(&plain().load(), &head.load(), &Touched::default());
    assert_eq!(told(&lanes), "replay: b");
}

#[test]
fn a_reason_says_what_the_file_is() {
    let head = plain()
        .touched("goldens/graders/json.yaml")
        .touched("goldens/tools/check.py")
        .touched("goldens/fixtures/f.cpp")
        .touched("driftgate.yml");
    let lanes = lanes(
        &plain().load(),
        &head.load(),
        &files(plain().changed_to(&head)),
    );
    let said = lanes["replay"].causes.iter().map(|cause| {
        let ids: Vec<&str> = cause.ids.iter().map(String::as_str).collect();
        format!("{} ({}: {})", cause.path, cause.what, ids.join(" "))
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            "driftgate.yml (configuration: a b c)",
            "goldens/fixtures/f.cpp (fixture: a b)",
            "goldens/graders/json.yaml (grader json: c)",
            "goldens/tools/check.py (input of grader json: c)",
        ]
    );
}

/// Every row's id with all that its verdict depends on, of the checkout.
fn rows(suite: &Suite) -> BTreeSet<(&'static str, String, String)> {
    let mut rows = BTreeSet::new();
    for case in &suite.cases {
        for grader in &case.graders {
            let found = suite.recordings.get(&case.id);
            let hashes = found.map(|recording| {
                let (case, completion) = (Arc::clone(case), Arc::clone(&recording.completion));
                let pins = Pins::new(case, completion, Arc::clone(&suite.graders[grader]), None);
                (pins.hashes(None), canonical::value(&*recording.cassette))
            });
            rows.insert(("replay", case.id.clone(), format!("{grader} {hashes:?}")));
        }
    }
    let kind = |id: &str, settings| {
        let settings = canonical::value(settings);
        let spec = GraderSpec {
            id: id.to_owned(),
            kind: crate::graders::find(id).unwrap().kind,
            rev: 1,
            settings: json!(settings),
            inputs: Vec::new(),
            path: None,
        };
        Arc::new(spec)
    };
    let header_settings = canonical::value(&suite.config.standalone_header);
    let header_grader = kind(headers::GRADER, &header_settings);
    for public in &suite.headers.headers {
        let subject = Subject::Header(Arc::clone(&public.header));
        let pins = TreePins::new(subject, Arc::clone(&header_grader), None);
        let around = (public.header.tree.digest(), &public.header.public);
        let hashes = format!(
            "{:?} {:?} {around:?}",
            pins.hashes(None),
            public.expect_class
        );
        rows.insert((headers::GRADER, public.header.path.clone(), hashes));
    }
    let link_settings = canonical::value(&suite.config.consumer_link);
    let consumer_grader = kind(consumers::GRADER, &link_settings);
    for consumer in &suite.consumers {
        let subject = Subject::Consumer(Arc::clone(consumer));
        let pins = TreePins::new(subject, Arc::clone(&consumer_grader), None);
        let around = (&consumer.private_includes, &consumer.expect_class);
        let hashes = format!("{:?} {around:?}", pins.hashes(None));
        rows.insert((consumers::GRADER, consumer.id.clone(), hashes));
    }
    rows
}

/// The same with a consumer that looks where others do not.
fn rich() -> Files {
    let consumer = json!({
        "id": "w", "public_header": "include/y.h", "consumer": "use/w.cpp", "flags": ["-Ithird"],
    });
    plain()
        .with("third/t.h", "")
        .with("private/p.h", "")
        .with(
            "use/w.cpp",
            "#include <t.h>\n#include <private/p.h>\nint main() {}",
        )
        .with("goldens/consumers/w.json", consumer.to_string())
}

/// One edit of a suite.
#[derive(Clone, Debug)]
enum Edit {
    Touch(prop::sample::Index),
    Remove(prop::sample::Index),
    /// The content of another file takes its place.
    Copy(prop::sample::Index, prop::sample::Index),
    Write(&'static str, &'static str),
    Case(&'static str, usize, usize, BTreeSet<usize>, bool),
}

const NEW: &[(&str, &str)] = &[
    ("docs/a.md", "a"),
    ("goldens/tools/data.txt", "1"),
    ("goldens/graders/strict.yaml", "kind: io_match\ntrim: all\n"),
    (
        "goldens/graders/io_match.yaml",
        "kind: io_match\ntrim: all\n",
    ),
    (
        "goldens/graders/json.yaml",
        "kind: command\ncommand: [sh]\ninputs: ['fixtures/*.cpp']\n",
    ),
    ("driftgate.yml", "consumer_link: {levels: [-O1]}\n"),
    (
        "driftgate.yml",
        "standalone_header: {headers: ['include/**/*.h'], include: [include, src]}\n",
    ),
    ("driftgate.yml", "standalone_header: {flags: [-Ithird]}\n"),
    ("third/t.h", "int t();"),
    ("include/x.h", "#include \"y.h\"\n"),
    ("include/z.h", "#include NAME\n"),
    ("src/y.h", "int shadow;"),
    (
        "use/main.cpp",
        "#include <x.h>\n#include \"../src/detail.h\"\nint main() {}",
    ),
    ("use/detail.h", "own"),
    ("detail.h", "at the root"),
    (
        "goldens/headers/public_headers.txt",
        "include/y.h # driftgate: not-reincludable\n",
    ),
    (
        "goldens/headers/probe_include__y.h.cpp.in",
        "#include <HEADER_PATH>\n",
    ),
    (
        "goldens/consumers/v.json",
        r#"{"id": "v", "public_header": "include/y.h", "consumer": "use/more.h", "flags": ["-Ithird"]}"#,
    ),
    (
        "goldens/consumers/u.json",
        r#"{"id": "u", "public_header": "include/x.h", "archive_sources": ["src/x.cpp"], "consumer": "use/main.cpp", "include": ["include", "use"]}"#,
    ),
];

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<prop::sample::Index>;
    let case = (
        prop::sample::select(vec!["a", "b", "c", "d"]),
        0..2_usize,
        0..2_usize,
        btree_set(0..3_usize, 1..3),
        any::<bool>(),
    );
    prop_oneof![
        3 => index().prop_map(Edit::Touch),
        2 => index().prop_map(Edit::Remove),
        1 => (index(), index()).prop_map(|(one, other)| Edit::Copy(one, other)),
        4 => prop::sample::select(NEW).prop_map(|(path, text)| Edit::Write(path, text)),
        3 => case.prop_map(|(id, prompt, fixture, graders, more)| {
            Edit::Case(id, prompt, fixture, graders, more)
        }),
    ]
}

fn edited(files: Files, edit: &Edit) -> Files {
    let path = |index: &prop::sample::Index| {
        let paths: Vec<&String> = files.0.keys().collect();
        (*index.get(&paths)).clone()
    };
    match edit {
        Edit::Touch(at) => {
            let path = path(at);
            files.touched(&path)
        }
        Edit::Remove(at) => {
            let path = path(at);
            files.without(&path)
        }
        Edit::Copy(from, to) => {
            let (from, to) = (path(from), path(to));
            let text = files.0[&from].clone();
            files.with(&to, text)
        }
        Edit::Write(path, text) => files.with(path, *text),
        Edit::Case(id, prompt, fixture, graders, more) => {
            let graders: Vec<&str> = graders
                .iter()
                .map(|at| ["io_match", "json", "strict"][*at])
                .collect();
            let mut changes = vec![
                (
                    "prompt_file",
                    json!(["prompts/p.md", "prompts/q.md"][*prompt]),
                ),
                (
                    "fixture",
                    json!(["fixtures/f.cpp", "fixtures/g.cpp"][*fixture]),
                ),
                ("graders", json!(graders)),
            ];
            if *more {
                changes.push(("files", json!(["fixtures/in.txt"])));
            }
            files.case(id, &changes)
        }
    }
}

/// `files` after those of `edits` that leave a suite.
fn after(files: Files, edits: &[Edit]) -> Files {
    edits.iter().fold(files, |files, edit| {
        let next = edited(files.clone(), edit);
        match Suite::load_with_orphans(&next) {
            Ok(_) => next,
            Err(_) => files,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_row_whose_hashes_move_is_reached(
        before in vec(edit(), 0..6), between in vec(edit(), 1..4)
    ) {
        let base = after(rich(), &before);
        let head = after(base.clone(), &between);
        let (old, new) = (base.load(), head.load());
        let lanes = lanes(&old, &new, &files(base.changed_to(&head)));
        let (then, now) = (rows(&old), rows(&new));
        for (lane, id, hashes) in then.symmetric_difference(&now) {
            prop_assert!(
                lanes[lane].ids.contains(id),
                "{} {} moved and is not reached by {:?}\n{}",
                lane, id, base.changed_to(&head), hashes
            );
        }
        for (lane, id, _) in then.union(&now) {
            prop_assert!(lanes[lane].known.contains(id), "{} {}", lane, id);
        }
    }
}
