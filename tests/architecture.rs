//! The rules of the architecture, held against our own source, goldens and docs. Each scanner is
//! also shown a snippet that breaks its rule, so that a rule that finds nothing is known to look.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use driftgate::experiments;
use driftgate::graders;
use driftgate::model::class::{Class, Level};
use driftgate::report::classes_doc;

/// Files over the limit of [`files_are_short`], with a ceiling each that may only come down. A
/// file that has shrunk below the limit leaves the list.
const LONG_FILES: &[(&str, usize)] = &[
    ("src/graders/build.rs", 366),
    ("src/run/driver.rs", 314),
    ("src/suite/cases.rs", 380),
];

/// Failing classes that no golden shows, each with its reason.
const WITHOUT_GOLDEN: &[(&str, &str, &str)] = &[
    (
        "io_match",
        "compile_hang",
        "takes two minutes of CPU time to show",
    ),
    (
        "standalone_header",
        "known_dirty",
        "takes a base; tests/base/published.rs shows it",
    ),
    ("io_match", "memory_flood", "takes 4 GiB to show"),
    ("io_match", "disk_flood", "takes 2 GiB to show"),
    ("io_match", "process_flood", "takes hundreds of processes"),
];

/// A file of ours.
struct Source {
    /// Path from the root.
    path: String,
    text: String,
}

impl Source {
    /// The text without comments and without what stands in quotes.
    fn code(&self) -> String {
        code(&self.text)
    }

    fn is_under(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file under `folder` with this extension, sorted by path.
fn files(folder: &str, extension: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let shown = path.strip_prefix(root()).unwrap().to_str().unwrap();
                found.push(Source {
                    path: shown.to_owned(),
                    text: fs::read_to_string(&path).unwrap(),
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no .{extension} file under {folder}");
    found
}

fn sources() -> Vec<Source> {
    files("src", "rs")
}

/// `text` without comments and without the content of string and character literals.
fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let mut out = String::new();
    let mut index = 0;
    while index < chars.len() {
        match (at(index), at(index + 1)) {
            ('/', '/') => index = end_of_line(&chars, index),
            ('/', '*') => index = end_of_block(&chars, index),
            ('r', '"' | '#') if !out.ends_with(is_name) => {
                index = end_of_raw(&chars, index + 1).unwrap_or_else(|| {
                    out.push('r');
                    index + 1
                });
            }
            ('"', _) => {
                index = end_of_quoted(&chars, index, '"');
                out.push_str("\"\"");
            }
            ('\'', next) if next == '\\' || at(index + 2) == '\'' => {
                index = end_of_quoted(&chars, index, '\'');
                out.push_str("''");
            }
            (c, _) => {
                out.push(c);
                index += 1;
            }
        }
    }
    out
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn end_of_line(chars: &[char], from: usize) -> usize {
    let rest = chars[from..].iter().position(|c| *c == '\n');
    rest.map_or(chars.len(), |length| from + length)
}

fn end_of_block(chars: &[char], from: usize) -> usize {
    let (mut depth, mut index) = (0, from);
    while index < chars.len() {
        let pair: String = chars[index..].iter().take(2).collect();
        match pair.as_str() {
            "/*" => depth += 1,
            "*/" => depth -= 1,
            _ => {
                index += 1;
                continue;
            }
        }
        index += 2;
        if depth == 0 {
            break;
        }
    }
    index
}

/// The end of the raw string whose hashes or quote start at `from`, if it is one.
fn end_of_raw(chars: &[char], from: usize) -> Option<usize> {
    let hashes = chars[from..].iter().take_while(|c| **c == '#').count();
    if chars.get(from + hashes) != Some(&'"') {
        return None;
    }
    let close: Vec<char> = format!("\"{}", "#".repeat(hashes)).chars().collect();
    let start = from + hashes + 1;
    let found = chars[start..]
        .windows(close.len())
        .position(|window| window == close);
    found.map(|length| start + length + close.len())
}

fn end_of_quoted(chars: &[char], from: usize, quote: char) -> usize {
    let mut index = from + 1;
    while index < chars.len() && chars[index] != quote {
        index += if chars[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// The modules of our own that `code` names by a path from the crate's root. Two `super` reach
/// the root from every file directly in a folder of `src`.
fn modules_named(code: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for start in ["crate::", "super::super::"] {
        for (at, _) in code.match_indices(start) {
            if code[..at].ends_with(|c| is_name(c) || c == '$') {
                continue;
            }
            let rest = code[at + start.len()..].trim_start();
            match rest.strip_prefix('{') {
                Some(group) => named.extend(heads_of_group(group)),
                None => named.extend(head(rest)),
            }
        }
    }
    named
}

fn head(path: &str) -> Option<String> {
    let name: String = path.chars().take_while(|c| is_name(*c)).collect();
    (!name.is_empty() && name != "super").then_some(name)
}

/// The first names in `{a::b, c::{d, e}}`, after its opening brace.
fn heads_of_group(group: &str) -> Vec<String> {
    let (mut depth, mut part, mut parts) = (0, String::new(), Vec::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => parts.push(std::mem::take(&mut part)),
            _ => {}
        }
        if depth == 0 && c != ',' && c != '}' {
            part.push(c);
        }
    }
    parts.push(part);
    parts.iter().filter_map(|part| head(part.trim())).collect()
}

/// Fails with every file whose code has one of `patterns`, outside the places that may.
fn only_in(allowed: &[&str], patterns: &[&str]) {
    let mut found = Vec::new();
    for source in sources() {
        if allowed.iter().any(|place| source.is_under(place)) {
            continue;
        }
        let code = source.code();
        let hits = patterns.iter().filter(|pattern| has(&code, pattern));
        found.extend(hits.map(|pattern| format!("{}: {pattern}", source.path)));
    }
    assert!(found.is_empty(), "only in {allowed:?}: {found:#?}");
    let allowed_code: String = sources()
        .iter()
        .filter(|source| allowed.iter().any(|place| source.is_under(place)))
        .map(Source::code)
        .collect();
    assert!(
        patterns.iter().any(|pattern| has(&allowed_code, pattern)),
        "nothing in {allowed:?} does what only it may: is the rule still about anything?"
    );
}

/// Whether `pattern` stands in `code`, not as the tail of a longer name.
fn has(code: &str, pattern: &str) -> bool {
    code.match_indices(pattern)
        .any(|(at, _)| !code[..at].ends_with(is_name))
}

#[test]
fn the_scanner_sees_code_and_nothing_else() {
    let text =
        "a /* b /* c */ d */ \"e\\\" crate::run\" 'f' '\\'' r#\"g\" crate::run\"# &'h i // j";
    let seen = code(text);
    for gone in ["b", "c", "d", "e", "f", "g", "j", "run"] {
        assert!(!has(&seen, gone), "{gone} in {seen}");
    }
    for kept in ["a", "h i"] {
        assert!(has(&seen, kept), "{kept} not in {seen}");
    }
    assert_eq!(code("r#type bar\"x\""), "r#type bar\"\"");
}

#[test]
fn the_scanner_finds_every_way_to_name_a_module() {
    for text in [
        "use crate::run::clock;",
        "use crate::{error::Error, run};",
        "use crate::{\n    error,\n    run::{clock, spawn},\n};",
        "fn f() { crate::run::clock::today(); }",
        "use super::super::run::clock;",
    ] {
        assert!(modules_named(&code(text)).contains("run"), "{text}");
    }
    for text in [
        "use crate::model::{run, report};",
        "// crate::run\n\"crate::run\"",
        "use super::run;",
        "$crate::run",
    ] {
        assert!(!modules_named(&code(text)).contains("run"), "{text}");
    }
}

#[test]
fn the_scanner_finds_forbidden_calls() {
    assert!(has(&code("std::process::Command::new(x)"), "Command::new"));
    assert!(has(&code("use std::env::{var}"), "env::{"));
    assert!(!has(
        &code("MyCommand::new(x) // Command::new"),
        "Command::new"
    ));
    assert!(!has(&code("environment::var(x)"), "env::var"));
}

#[test]
fn the_model_names_nothing_of_ours() {
    let ours: BTreeSet<String> = {
        let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
        let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod "));
        modules
            .map(|name| name.trim_end_matches(';').to_owned())
            .filter(|name| name != "model")
            .collect()
    };
    assert!(ours.contains("run") && ours.contains("suite"), "{ours:?}");
    for source in sources().iter().filter(|s| s.is_under("src/model/")) {
        let named = modules_named(&source.code());
        let foreign: Vec<_> = named.intersection(&ours).collect();
        assert!(foreign.is_empty(), "{} names {foreign:?}", source.path);
    }
}

#[test]
fn judgement_knows_neither_processes_nor_outputs() {
    let forbidden = ["run", "report", "github", "app", "cli"];
    for source in sources() {
        if source.is_under("src/graders/") || source.is_under("src/experiments/") {
            let named = modules_named(&source.code());
            let found = forbidden.iter().find(|name| named.contains(**name));
            assert_eq!(found, None, "{} names {found:?}", source.path);
        }
    }
}

#[test]
fn processes_start_only_under_run() {
    let starts = [
        "Command::new",
        "process::Command",
        "CommandExt",
        "posix_spawn",
        "unistd::fork",
        "unistd::execv",
    ];
    only_in(&["src/run/"], &starts);
}

#[test]
fn the_environment_is_read_in_one_file() {
    let reads = [
        "env::var",
        "env::vars",
        "env::var_os",
        "env::vars_os",
        "env::temp_dir",
        "env::current_dir",
        "env::home_dir",
        "env::set_var",
        "env::{",
    ];
    only_in(&["src/run/environment.rs"], &reads);
}

#[test]
fn the_clock_is_read_in_one_file() {
    let reads = ["Instant::now", "SystemTime::now", "Utc::now", "Local::now"];
    only_in(&["src/run/clock.rs"], &reads);
    only_in(&["src/run/"], &["elapsed("]);
}

#[test]
fn every_file_says_what_it_owns() {
    for source in sources() {
        let opening = source.text.strip_prefix("//! ").map(str::trim_start);
        let says = opening.is_some_and(|text| text.starts_with(|c: char| !c.is_whitespace()));
        assert!(says, "{} does not open with a `//!` sentence", source.path);
    }
}

#[test]
fn no_file_is_a_drawer_for_everything() {
    for source in sources() {
        let path = Path::new(&source.path);
        for part in path
            .with_extension("")
            .iter()
            .filter_map(|part| part.to_str())
        {
            let vague = ["util", "utils", "helper", "helpers", "common", "misc"];
            assert!(!vague.contains(&part), "{} names no noun", source.path);
        }
    }
}

#[test]
fn lints_are_expected_and_never_allowed() {
    let attribute = |code: &str| code.contains("#[allow(") || code.contains("#![allow(");
    assert!(attribute(&code("#[allow(dead_code)]")));
    assert!(!attribute(&code("// #[allow(dead_code)]")));
    for source in sources().into_iter().chain(files("tests", "rs")) {
        assert!(!attribute(&source.code()), "{}", source.path);
    }
}

/// Lines that hold code, but for an inline module of tests.
fn lines_of_code(text: &str) -> usize {
    let body = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = body.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[test]
fn files_are_short() {
    const LIMIT: usize = 300;
    assert_eq!(
        lines_of_code("//! a\n\nx\n  // y\n\n#[cfg(test)]\nmod tests {\nz\n}\n"),
        1
    );
    let ceilings: BTreeMap<_, _> = LONG_FILES.iter().copied().collect();
    let mut seen = BTreeSet::new();
    for source in sources() {
        if source.path.ends_with("/tests.rs") || source.path.contains("/tests/") {
            continue;
        }
        let lines = lines_of_code(&source.text);
        let path = source.path.as_str();
        match ceilings.get(path) {
            Some(_) if lines <= LIMIT => panic!("{path} is short now: take it off the list"),
            Some(ceiling) => assert!(lines <= *ceiling, "{path} grew to {lines} lines"),
            None => assert!(lines <= LIMIT, "{path} has {lines} lines of code: split it"),
        }
        seen.insert(source.path);
    }
    for path in ceilings.keys() {
        assert!(seen.contains(*path), "{path} is gone: take it off the list");
    }
}

/// The names in a registry, by the file each must have.
fn registered() -> BTreeMap<String, &'static str> {
    let graders = graders::KINDS
        .iter()
        .map(|kind| (format!("src/graders/{}.rs", kind.kind), kind.kind));
    let experiments = experiments::KINDS
        .iter()
        .map(|kind| (format!("src/experiments/{}.rs", kind.name), kind.name));
    graders.chain(experiments).collect()
}

/// Whether a file offers itself to a registry.
fn offers_a_kind(code: &str) -> bool {
    [
        "pub const KIND: GraderKind",
        "pub const KIND: ExperimentKind",
    ]
    .iter()
    .any(|declaration| code.contains(declaration))
}

#[test]
fn the_registries_and_the_files_list_the_same() {
    let offered: BTreeSet<String> = sources()
        .into_iter()
        .filter(|source| offers_a_kind(&source.code()))
        .map(|source| source.path)
        .collect();
    let registered: BTreeSet<String> = registered().into_keys().collect();
    assert_eq!(offered, registered);
}

/// Which of the four words a grader's or experiment's opening does not have.
fn words_missing(text: &str) -> Vec<&'static str> {
    let opening: Vec<_> = text
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .collect();
    let opening = opening.join(" ").replace("//! ", "");
    let words = ["**Pins**", "**Moves**", "**Names**", "**Cannot see**"];
    words
        .into_iter()
        .filter(|word| !opening.contains(word))
        .collect()
}

#[test]
fn every_grader_and_experiment_says_what_it_cannot_see() {
    assert_eq!(
        words_missing("//! **Pins** a. **Moves** b.\n//! **Cannot\n//! see** c.\nx **Names**"),
        ["**Names**"]
    );
    let registered = registered();
    for source in sources() {
        let in_folder = source.is_under("src/graders/") || source.is_under("src/experiments/");
        let inquires = in_folder && source.code().contains("impl Inquiry for");
        if inquires || registered.contains_key(&source.path) {
            let missing = words_missing(&source.text);
            assert!(missing.is_empty(), "{} lacks {missing:?}", source.path);
        }
    }
}

/// Every table of classes by its owner.
fn tables() -> Vec<(&'static str, &'static [Class])> {
    let graders = graders::KINDS.iter().map(|kind| (kind.kind, kind.classes));
    let experiments = experiments::KINDS
        .iter()
        .map(|kind| (kind.name, kind.classes));
    graders.chain(experiments).collect()
}

/// What is wrong with a table, if anything is.
fn fault_of(classes: &[Class]) -> Option<String> {
    let mut names = BTreeSet::new();
    for class in classes {
        if !names.insert(class.name) {
            return Some(format!("{} stands there twice", class.name));
        }
        for text in [class.meaning, class.next] {
            if text.trim().len() < 2 || !text.ends_with('.') {
                return Some(format!("{}: no sentence: {text:?}", class.name));
            }
        }
    }
    classes.is_empty().then(|| "no classes".to_owned())
}

#[test]
fn class_tables_are_whole() {
    let class = |name, level, next| Class {
        name,
        level,
        meaning: "It is.",
        next,
    };
    let good = class("a", Level::Ok, "Go.");
    assert_eq!(fault_of(&[good]), None);
    for bad in [
        vec![],
        vec![good, good],
        vec![class("a", Level::Ok, "go")],
        vec![class("a", Level::Ok, "")],
    ] {
        assert!(fault_of(&bad).is_some(), "{bad:?}");
    }
    for (owner, classes) in tables() {
        assert_eq!(fault_of(classes), None, "{owner}");
    }
}

#[test]
fn a_grader_has_one_passing_class_and_it_comes_first() {
    for kind in graders::KINDS {
        let passing = kind.classes.iter().filter(|class| class.level == Level::Ok);
        if kind.open {
            // A team's own grader names its passing classes itself.
            assert_eq!(passing.count(), 0, "{}", kind.kind);
            continue;
        }
        assert_eq!(passing.count(), 1, "{}", kind.kind);
        assert_eq!(
            kind.classes.first().unwrap().level,
            Level::Ok,
            "{}",
            kind.kind
        );
    }
}

/// The classes that our own headers and consumers must get, by grader.
fn expected_of_the_tree() -> BTreeSet<(String, String)> {
    let mut expected = BTreeSet::new();
    let list = fs::read_to_string(root().join("goldens/headers/public_headers.txt")).unwrap();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let class = line
            .split_once("driftgate: expect ")
            .map_or("clean", |it| it.1);
        expected.insert(("standalone_header".to_owned(), class.trim().to_owned()));
    }
    for file in files("goldens/consumers", "json") {
        let consumer: serde_json::Value = serde_json::from_str(&file.text).unwrap();
        let class = consumer["expect_class"].as_str().unwrap_or("pass");
        expected.insert(("consumer_link".to_owned(), class.to_owned()));
    }
    expected
}

#[test]
fn every_class_that_can_be_shown_has_a_golden() {
    let mut recorded = BTreeSet::new();
    for cassette in files("goldens/cassettes", "json") {
        let cassette: serde_json::Value = serde_json::from_str(&cassette.text).unwrap();
        for (grader, verdict) in cassette["verdicts"].as_object().unwrap() {
            recorded.insert((
                grader.clone(),
                verdict["class"].as_str().unwrap().to_owned(),
            ));
        }
    }
    recorded.extend(expected_of_the_tree());
    for kind in graders::KINDS {
        for class in kind
            .classes
            .iter()
            .filter(|class| class.level != Level::Incomplete)
        {
            let (grader, class) = (kind.kind, class.name);
            // What a team's own grader cannot decide it shares with the others.
            let by = |one: &str| one == grader || kind.open;
            let shown = recorded.iter().any(|(one, name)| by(one) && name == class);
            let excused = WITHOUT_GOLDEN.iter().any(|(g, c, _)| by(g) && *c == class);
            assert_ne!(
                shown, excused,
                "{grader}/{class}: shown {shown}, excused {excused}"
            );
        }
    }
}

#[test]
fn the_docs_name_every_grader_and_experiment() {
    let docs = files("docs", "md");
    for name in registered().values() {
        // The page of classes is rendered, so that it names one proves nothing.
        let mut written = docs.iter().filter(|page| page.path != "docs/classes.md");
        let quoted = format!("`{name}`");
        assert!(written.any(|page| page.text.contains(&quoted)), "{name}");
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a person asks the test to write the page"
)]
fn the_page_of_classes_is_what_the_tables_say() {
    let path = root().join("docs/classes.md");
    let mut rendered = Vec::new();
    classes_doc::write(&mut rendered).unwrap();
    let rendered = String::from_utf8(rendered).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &rendered).unwrap();
    }
    let page = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == rendered,
        "docs/classes.md is old: UPDATE_DOCS=1 writes it"
    );
    for (owner, classes) in tables() {
        assert!(page.contains(&format!("### `{owner}`")), "{owner}");
        assert!(
            classes
                .iter()
                .all(|class| page.contains(&format!("| `{}` |", class.name)))
        );
    }
}

#[test]
fn links_in_the_docs_lead_somewhere() {
    let readme = Source {
        path: "README.md".to_owned(),
        text: fs::read_to_string(root().join("README.md")).unwrap(),
    };
    for page in files("docs", "md").into_iter().chain([readme]) {
        let folder = root().join(&page.path);
        let folder = folder.parent().unwrap();
        for link in page.text.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            assert!(folder.join(target).exists(), "{}: {target}", page.path);
        }
    }
}
