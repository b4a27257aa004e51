//! The decisions over a compiler that answers by what a step is, and the laws of the inquiry.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::settings::effective;

use super::*;
use crate::model::consumer::Consumer;
use crate::model::grader::GraderSpec;
use crate::model::observation::Ended;
use crate::model::source_tree::{SourceText, SourceTree};
use crate::model::step::Content;
use crate::model::testing::{laws, toolchain};

/// What a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    Control,
    Twice,
    TwiceAsC,
    Once,
    Preprocessed,
    /// A standard header or several in front.
    Suggested,
    /// The header with an include put into it.
    Edited,
    /// The whole standard library in front.
    Standard,
    /// Another header alone.
    Other,
    /// Other headers in front.
    Others,
    /// The standard library and other headers in front.
    Both,
}
use About::{
    Both, Control, Edited, Once, Other, Others, Preprocessed, Standard, Suggested, Twice, TwiceAsC,
};

const OWN: &str = "#include \"lib/a.h\"\n";
const OTHER: &str = "#include \"lib/b.h\"\n";
const UNKNOWN: &str = "checkout/include/lib/a.h:1:1: error: unknown type name 'Thing'\n";
const UNKNOWN_STD: &str = "checkout/include/lib/a.h:1:1: error: unknown type name 'uint32_t'\n";
const MISSING: &str = "checkout/include/lib/a.h:1:1: fatal error: 'x.h' file not found\n";

fn about(step: &Step) -> About {
    let text = text_of(step);
    let own = text.matches(OWN).count();
    let standard = text.contains("__has_include");
    match (own, standard, text.contains(OTHER)) {
        (0, _, true) => Other,
        (0, _, false) => Control,
        _ if is_edited(step) => Edited,
        (_, true, true) => Both,
        (_, true, false) => Standard,
        (_, false, true) => Others,
        (2, _, _) if step.spec().inputs.contains_key("unit/unit.c") => TwiceAsC,
        (2, _, _) => Twice,
        _ if text.starts_with("#include <") => Suggested,
        _ if step.spec().args.iter().any(|arg| arg == "-M") => Preprocessed,
        _ => Once,
    }
}

/// Whether the header that a step sees has an include that was put there.
fn is_edited(step: &Step) -> bool {
    edited(step)
        .is_some_and(|text| text.starts_with("#include") || text.contains("#include <cstdint>"))
}

/// What the header holds where a step sees it.
fn edited(step: &Step) -> Option<String> {
    let mount = step.spec().mounts.values().next()?;
    let text = mount.tree.get("include/lib/a.h")?;
    Some(String::from_utf8_lossy(&text.bytes).into_owned())
}

fn text_of(step: &Step) -> String {
    let input = step.spec().inputs.values().next().unwrap();
    let Content::Bytes(bytes) = input else {
        panic!("a unit is given as bytes")
    };
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn header(language: Language) -> Header {
    let files = [
        ("include/lib/a.h", "Thing f();\nuint32_t g();\n"),
        ("include/lib/b.h", "struct Thing {};\n"),
        ("include/lib/c.h", "int unrelated();\n"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), SourceText::new(text.as_bytes())));
    let tree = Arc::new(SourceTree::new(BTreeMap::from(files)));
    Header {
        path: "include/lib/a.h".to_owned(),
        name: "lib/a.h".to_owned(),
        include: vec!["include".to_owned()],
        reach: tree.digest(),
        public: tree.files().keys().cloned().collect(),
        tree,
        probe: None,
        language,
        once_only: false,
    }
}

fn spec() -> Arc<GraderSpec> {
    Arc::new(GraderSpec {
        id: KIND.kind.to_owned(),
        kind: KIND.kind,
        rev: KIND.rev,
        settings: effective(&Map::new()).unwrap(),
        inputs: Vec::new(),
        path: None,
    })
}

fn grading_of(header: Header) -> Grading {
    let pins = TreePins::new(Subject::Header(Arc::new(header)), spec(), None);
    start(&pins, &Ok(toolchain()), 0)
}

fn ended(ended: Ended, stderr: &str) -> Arc<Observation> {
    let mut observation = Observation::without_run(ended);
    observation.stderr = stderr.as_bytes().to_vec();
    Arc::new(observation)
}

/// The verdict by a compiler that answers so, and what it was asked.
fn judged(
    header: Header,
    answer: impl Fn(About, &Step) -> Arc<Observation>,
) -> (Verdict, Vec<About>) {
    let grading = grading_of(header);
    let mut seen = Steps::new();
    let mut asked = Vec::new();
    for _ in 0..40 {
        match grading.next(&seen) {
            Next::Done(judgement) => return (judgement.verdict, asked),
            Next::Ask(asks) => {
                for ask in asks.into_vec() {
                    asked.push(about(&ask));
                    let observation = answer(about(&ask), &ask);
                    assert!(seen.insert(ask, observation).is_none(), "asked twice");
                }
            }
        }
    }
    panic!("asks without end");
}

/// The verdict where exactly `refused` do not compile, with these words.
fn refusing(refused: &[About], words: &str) -> (Verdict, Vec<About>) {
    judged(header(Language::Cxx), |about, _| {
        if refused.contains(&about) {
            ended(Ended::Exit(1), words)
        } else {
            ended(Ended::Exit(0), "")
        }
    })
}

#[test]
fn the_class_follows_from_what_compiles() {
    let alone = [Twice, Once];
    let table: [(&[About], &str, &str); 11] = [
        (&[], "", "clean"),
        (&[Twice], "redefinition", "not_reincludable"),
        (&[Twice, Once, Preprocessed], MISSING, "header_missing"),
        (&alone, UNKNOWN_STD, "missing_declaration"),
        (
            &[Twice, Once, Suggested],
            UNKNOWN_STD,
            "missing_declaration",
        ),
        (&alone, UNKNOWN, "missing_declaration"),
        (&[Twice, Once, Others], UNKNOWN, "missing_declaration"),
        (
            &[Twice, Once, Others, Standard],
            UNKNOWN,
            "missing_declaration",
        ),
        (
            &[Twice, Once, Others, Standard, Both],
            UNKNOWN,
            "other_compile_error",
        ),
        (
            &[Twice, Once, Other, Standard],
            UNKNOWN,
            "other_compile_error",
        ),
        (&[Twice, Once, Control], "", "incomplete"),
    ];
    for (refused, words, class) in table {
        let (verdict, _) = refusing(refused, words);
        assert_eq!(verdict.outcome.class, class, "{refused:?}: {verdict:?}");
    }
}

#[test]
fn words_alone_make_no_class() {
    // Said by a parse, after preprocessing went well.
    let (verdict, _) = refusing(&[Twice, Once, Standard, Others, Both], MISSING);
    assert_eq!(verdict.outcome.class, "other_compile_error");
    let of_source = "lib/a.h:1:1: error: #error x.h: No such file or directory\n";
    let refused = [Twice, Once, Preprocessed, Standard];
    assert_eq!(
        refusing(&refused, of_source).0.outcome.class,
        "other_compile_error"
    );
}

#[test]
fn what_is_no_missing_name_is_known_by_all_its_messages() {
    let words = format!("{UNKNOWN}checkout/include/lib/a.h:4:1: error: another\n");
    let refused = [Twice, Once, Others, Standard, Both];
    let (verdict, _) = refusing(&refused, &words);
    let messages = json!(["another", "unknown type name 'Thing'"]);
    assert_eq!(verdict.evidence["messages"], messages);
    let (verdict, _) = refusing(&[Twice, Once], &words);
    assert!(!verdict.evidence.contains_key("messages"), "{verdict:?}");
}

#[test]
fn what_repairs_a_header_is_evidence() {
    let repaired_by =
        |refused: &[About], words| refusing(refused, words).0.evidence["repaired_by"].clone();
    assert_eq!(
        repaired_by(&[Twice, Once], UNKNOWN_STD),
        json!(["standard library"])
    );
    assert_eq!(
        repaired_by(&[Twice, Once], UNKNOWN),
        json!(["include/lib/b.h"])
    );
    let both = repaired_by(&[Twice, Once, Others, Standard], UNKNOWN);
    assert_eq!(both, json!(["standard library", "include/lib/b.h"]));
}

#[test]
fn an_include_is_suggested_only_if_the_header_compiles_with_it() {
    let (verdict, asked) = refusing(&[Twice, Once], UNKNOWN_STD);
    let suggestion = &verdict.evidence["suggestion"];
    assert_eq!(suggestion["text"], "#include <cstdint>\n");
    assert_eq!(suggestion["proven"], true);
    assert_eq!(
        verdict.detail,
        "`uint32_t` is not declared: include <cstdint>"
    );
    // The whole library is dear, and was not needed.
    assert!(!asked.contains(&Standard));
    let (verdict, _) = refusing(&[Twice, Once, Suggested], UNKNOWN_STD);
    assert!(!verdict.evidence.contains_key("suggestion"), "{verdict:?}");
    let offers = format!(
        "{UNKNOWN_STD}checkout/include/lib/a.h:1:1: note: 'uint32_t' is defined in header '<cstdint>'; did you forget to '#include <cstdint>'?\n"
    );
    let (verdict, _) = refusing(&[Twice, Once, Suggested], &offers);
    assert_eq!(verdict.evidence["suggestion"]["proven"], false);
}

#[test]
fn a_suggestion_is_proven_by_the_header_with_just_these_lines_there() {
    let text = "#pragma once\n#include <x>\nuint32_t g();\n";
    let words = UNKNOWN_STD.replace(":1:1:", ":3:1:");
    let judged = |line: u32| {
        let proper = insertion::inserted(text.as_bytes(), line, "#include <cstdint>\n");
        let mut header = header(Language::Cxx);
        let mut files = header.tree.files().clone();
        files.insert(header.path.clone(), SourceText::new(text.as_bytes()));
        header.tree = Arc::new(SourceTree::new(files));
        judged(header, |about, step| {
            let is_proper = edited(step).is_some_and(|text| text.as_bytes() == proper);
            let is_edited = text_of(step) == OWN.repeat(2) && is_proper;
            let compiles = is_edited || matches!(about, Control | Preprocessed | Suggested);
            ended(Ended::Exit(i32::from(!compiles)), &words)
        })
    };
    for (proper, told, proven, tries) in [(3, 3, true, 1), (2, 2, true, 2), (1, 3, false, 2)] {
        let (verdict, asked) = judged(proper);
        let suggestion = &verdict.evidence["suggestion"];
        assert_eq!(verdict.outcome.class, "missing_declaration");
        assert_eq!(suggestion["line"], told, "{verdict:?}");
        assert_eq!(suggestion["proven"], proven, "{verdict:?}");
        assert_eq!(suggestion["text"], "#include <cstdint>\n");
        let edits = asked.iter().filter(|about| **about == Edited);
        assert_eq!(edits.count(), tries);
    }
}

#[test]
fn a_clean_header_costs_one_compile() {
    assert_eq!(refusing(&[], "").1, [Twice]);
}

#[test]
fn a_header_of_nobody_knows_which_language_may_be_c() {
    let only = |refused: About, language| {
        let (verdict, _) = judged(header(language), |about, _| {
            let code = i32::from(about == refused || about == Once);
            ended(Ended::Exit(code), "")
        });
        verdict
    };
    let verdict = only(Twice, Language::Either);
    assert_eq!(verdict.outcome.class, "clean");
    assert_eq!(verdict.evidence["language"], "c");
    assert!(
        !only(TwiceAsC, Language::Either)
            .evidence
            .contains_key("language")
    );
    assert_ne!(only(Twice, Language::Cxx).outcome.class, "clean");
    assert_eq!(only(Twice, Language::C).outcome.class, "clean");
    assert_ne!(only(TwiceAsC, Language::C).outcome.class, "clean");
}

#[test]
fn c_has_no_headers_of_cxx_in_front() {
    let (verdict, _) = judged(header(Language::C), |about, step| {
        let text = text_of(step);
        assert!(
            !text.contains("<cstdint>") && !text.contains("<vector>"),
            "{text}"
        );
        let code = i32::from(matches!(about, TwiceAsC | Once | Standard));
        ended(Ended::Exit(code), UNKNOWN_STD)
    });
    assert_eq!(verdict.evidence["suggestion"]["header"], "stdint.h");
}

#[test]
fn a_header_cannot_choose_to_be_unjudged() {
    let oom = "cc1plus: out of memory allocating 65536 bytes\n";
    for (end, words) in [
        (Ended::Signal(9), ""),
        (Ended::Signal(11), ""),
        (Ended::CpuLimit, ""),
        (Ended::WallLimit { starved: false }, ""),
        (Ended::Exit(1), oom),
    ] {
        let sick = |with: &'static [About]| {
            let end = end.clone();
            judged(header(Language::Cxx), move |about, _| {
                let sick = with.is_empty() || with.contains(&about);
                ended(if sick { end.clone() } else { Ended::Exit(0) }, words)
            })
        };
        assert_eq!(
            sick(&[Twice]).0.outcome.class,
            "other_compile_error",
            "{end:?}"
        );
        assert_eq!(sick(&[]).0.outcome.class, "incomplete", "{end:?}");
    }
}

#[test]
fn a_header_that_the_compiler_breaks_on_twice_is_judged_at_once() {
    let driver =
        |words: &str| format!("g++: fatal error: {words} signal terminated program cc1plus\n");
    let crashed = "the compiler crashed on it twice, and not on a trivial unit";
    let limits = "the compiler used up its limits on it twice, and not on a trivial unit";
    let bug = "PLEASE submit a bug report to https://bugs.example/ and include the backtrace.\n";
    let clang = "clang++: error: clang frontend command failed with exit code 139 (use -v)\n";
    for (end, words, why) in [
        (Ended::Exit(1), driver("Killed"), crashed),
        (Ended::Exit(1), driver("Segmentation fault"), crashed),
        (
            Ended::Exit(4),
            driver("Segmentation fault").replace("fatal", "internal compiler"),
            crashed,
        ),
        (Ended::Exit(1), driver("CPU time limit exceeded"), limits),
        (Ended::Exit(254), String::new(), crashed),
        (Ended::Exit(132), bug.to_owned(), crashed),
        (Ended::Exit(139), clang.to_owned(), crashed),
        (Ended::CpuLimit, String::new(), limits),
    ] {
        let (verdict, asked) = judged(header(Language::Cxx), |about, _| {
            if about == Control {
                ended(Ended::Exit(0), "")
            } else {
                ended(end.clone(), &words)
            }
        });
        assert_eq!(asked, [Twice, Twice, Control], "{words}");
        assert_eq!(verdict.outcome.class, "other_compile_error");
        assert_eq!(
            (verdict.detail.as_str(), &verdict.evidence["fault"]),
            (why, &json!(why))
        );
    }
}

#[test]
fn a_source_that_prints_what_a_crash_prints_is_refused() {
    let quoted = format!("{UNKNOWN}PLEASE submit a bug report\n");
    let error = "checkout/include/lib/a.h:1:2: error: #error Killed signal terminated program\n";
    for words in [quoted.as_str(), error] {
        let (_, asked) = refusing(&[Twice, Once], words);
        assert_eq!(asked.iter().filter(|about| **about == Twice).count(), 1);
    }
}

#[test]
fn what_the_machine_did_once_is_tried_again() {
    for end in [
        Ended::Signal(9),
        Ended::Lost("x".to_owned()),
        Ended::WallLimit { starved: true },
    ] {
        let (verdict, asked) = judged(header(Language::Cxx), |_, step| {
            let first = step.spec().nth == 0;
            ended(if first { end.clone() } else { Ended::Exit(0) }, "")
        });
        assert_eq!((verdict.outcome.class.as_str(), asked.len()), ("clean", 2));
    }
}

#[test]
fn the_machine_in_the_way_of_any_probe_is_unjudged() {
    for about_machine in [
        Twice,
        Once,
        Preprocessed,
        Control,
        Standard,
        Other,
        Others,
        Both,
    ] {
        let (verdict, asked) = judged(header(Language::Cxx), |about, _| {
            if about == about_machine {
                ended(Ended::NotStarted("why".to_owned()), "")
            } else {
                ended(
                    Ended::Exit(i32::from(about != Control && about != Other)),
                    UNKNOWN,
                )
            }
        });
        let class = if about_machine == Preprocessed {
            "incomplete"
        } else {
            verdict.outcome.class.as_str()
        };
        assert!(asked.contains(&about_machine), "{about_machine:?}");
        assert_eq!(verdict.outcome.class, class);
        assert_eq!(
            verdict.outcome.status,
            Status::Unjudged,
            "{about_machine:?}"
        );
    }
}

#[test]
fn what_cannot_be_judged_is_incomplete() {
    let consumer = Subject::Consumer(Arc::new(consumer()));
    let header_without = Subject::Header(Arc::new(header(Language::Cxx)));
    for (subject, compiler) in [
        (consumer, Ok(toolchain())),
        (header_without, Err("no compiler".to_owned())),
    ] {
        let grading = start(&TreePins::new(subject, spec(), None), &compiler, 0);
        let Next::Done(judgement) = grading.next(&Steps::new()) else {
            panic!("asks")
        };
        assert_eq!(judgement.verdict.outcome.class, INCOMPLETE);
    }
}

#[test]
fn a_name_that_no_include_can_hold_is_the_headers_own_fault() {
    for name in ["a\nb.h", "a\">b.h"] {
        let mut header = header(Language::Cxx);
        name.clone_into(&mut header.name);
        let Next::Done(judgement) = grading_of(header).next(&Steps::new()) else {
            panic!("asks")
        };
        assert_eq!(judgement.verdict.outcome.class, "other_compile_error");
    }
}

#[test]
fn a_listed_header_that_is_not_there_is_missing_whatever_has_its_name() {
    for (language, spoken) in [(Language::Cxx, None), (Language::C, Some(json!("c")))] {
        let mut header = header(language);
        "include/string.h".clone_into(&mut header.path);
        "string.h".clone_into(&mut header.name);
        let (verdict, asked) = judged(header, |_, _| ended(Ended::Exit(0), ""));
        assert_eq!(verdict.outcome.class, "header_missing");
        assert_eq!(asked, []);
        let evidence = &verdict.evidence;
        assert_eq!(evidence["itself"], true);
        assert_eq!(evidence["name"], "string.h");
        assert_eq!(evidence["fault"], "string.h");
        assert_eq!(
            evidence["at"],
            json!({"path": "include/string.h", "line": 1})
        );
        assert_eq!(evidence.get("language"), spoken.as_ref());
    }
}

#[test]
fn a_template_that_includes_what_is_not_there_is_not_the_headers_fault() {
    let mut header = header(Language::Cxx);
    header.probe = Some(SourceText::new(
        format!("{OWN}#include <gone.h>\n").as_bytes(),
    ));
    let words = "unit/unit.cpp:2:10: fatal error: gone.h: No such file or directory\n";
    let (verdict, _) = judged(header, |about, _| {
        let code = i32::from(about != Control);
        ended(Ended::Exit(code), words)
    });
    assert_eq!(verdict.outcome.class, INCOMPLETE);
}

#[test]
fn an_x_macro_is_included_once() {
    let mut header = header(Language::Cxx);
    header.once_only = true;
    let (_, asked) = judged(header, |_, _| ended(Ended::Exit(0), ""));
    assert_eq!(asked, [Once]);
}

#[test]
fn settings_are_spelled_out_and_unknown_ones_refused() {
    let effective = |value: &Value| effective(value.as_object().unwrap());
    let defaults = effective(&json!({})).unwrap();
    assert_eq!(
        defaults["flags"],
        json!(["-std=c++20", "-Wall", "-Wextra", "-Werror"])
    );
    assert_eq!(
        defaults["c_flags"],
        json!(["-std=c11", "-Wall", "-Wextra", "-Werror"])
    );
    assert_eq!(effective(&defaults).unwrap(), defaults);
    for (settings, field) in [
        (json!({"flag": []}), "flag"),
        (json!({"flags": "-O2"}), "flags"),
        (json!({"c_flags": [1]}), "c_flags"),
    ] {
        assert_eq!(effective(&settings).unwrap_err().field, field);
    }
}

fn observation() -> impl Strategy<Value = Observation> {
    let words = prop_oneof![
        Just(""),
        Just(UNKNOWN),
        Just(UNKNOWN_STD),
        Just(MISSING),
        Just("cc1plus: out of memory allocating 1 bytes\n"),
    ];
    (laws::observation(), words).prop_map(|(mut observation, words)| {
        observation.stderr = words.as_bytes().to_vec();
        observation
    })
}

/// A header with more neighbours than are tried.
fn crowded() -> Header {
    let mut header = header(Language::Either);
    let mut files = header.tree.files().clone();
    for number in 0..40 {
        let text = SourceText::new(&b"struct Thing {}; typedef int uint32_t;\n"[..]);
        files.insert(format!("include/lib/n{number}.h"), text);
    }
    header.tree = Arc::new(SourceTree::new(files));
    header.public = header.tree.files().keys().cloned().collect();
    header
}

proptest! {
    // Each case is a grading of many rounds, several times over.
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is observed, in whatever order the answers arrive, the grading obeys the laws.
    #[test]
    fn the_laws_of_inquiries_hold(
        ends in prop::collection::vec(observation(), 1..8),
        order: u64,
    ) {
        let grading = grading_of(crowded());
        laws::check(&*grading, order, |nth, _: &Step| Arc::new(ends[nth % ends.len()].clone()));
    }

    /// Also where every probe is needed.
    #[test]
    fn the_most_that_is_asked_is_bounded(words in prop_oneof![Just(UNKNOWN), Just(UNKNOWN_STD)], order: u64, single in 0..3_u32) {
        let grading = grading_of(crowded());
        laws::check(&*grading, order, |_, step: &Step| {
            let compiles = match about(step) {
                Control | Other => true,
                Both => text_of(step).matches("#include \"lib/n").count() > 2,
                Twice | TwiceAsC | Once | Edited | Preprocessed | Suggested | Standard | Others => false,
            };
            let neighbours = text_of(step).contains("lib/n") && !text_of(step).contains(OWN);
            let late = step.spec().nth < single % 2;
            let end = if compiles || neighbours { Ended::Exit(0) } else if late { Ended::Signal(9) } else { Ended::Exit(1) };
            ended(end, words)
        });
    }
}

fn consumer() -> Consumer {
    Consumer {
        id: "c".to_owned(),
        path: "goldens/consumers/c.json".to_owned(),
        public_header: "include/lib/a.h".to_owned(),
        header_name: "lib/a.h".to_owned(),
        archive_sources: Vec::new(),
        source: "goldens/consumers/c.cpp".to_owned(),
        files: BTreeMap::new(),
        file: "c.cpp".to_owned(),
        private_includes: Vec::new(),
        include: vec!["include".to_owned()],
        published: Arc::default(),
        library: Arc::default(),
        source_folders: Vec::new(),
        changed: None,
        flags: Vec::new(),
        link: Vec::new(),
        forbidden: Vec::new(),
        expect_stdout: None,
        expect_exit: 0,
        timeout_s: 10,
        expect_class: "pass".to_owned(),
    }
}
