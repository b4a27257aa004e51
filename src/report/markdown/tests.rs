//! Snapshots of a plain and of a hostile report, and what holds whatever the rows say.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::experiments::replay::CLASSES;
use crate::model::class;
use crate::model::pins::Input;
use crate::model::report::{Sandbox, ToolchainNote};
use crate::model::row::At;
use crate::model::verdict::Status;

const TEXT_LIMIT: usize = 65_536;

fn row(id: &str, class: &str, why: &str) -> Row {
    let mut row = Row::new(id, class::find(CLASSES, class).unwrap(), why);
    row.grader = Some("io_match".to_owned());
    row.repro = format!("driftgate replay --case {id}");
    row
}

fn made(rows: Vec<Row>, notes: Vec<String>) -> Report {
    Report {
        command: "check".to_owned(),
        base: Some("0123456789".repeat(4)),
        head: Some(format!("{}-dirty", "abcdef0123".repeat(4))),
        toolchain: ToolchainNote {
            version: Some("g++ 12.2.0 x86_64-linux-gnu".to_owned()),
            hash: None,
        },
        sandbox: Sandbox {
            level: "partial".to_owned(),
            why: String::new(),
        },
        experiments: vec![Experiment::new("replay", rows)],
        notes,
    }
}

fn rendered(report: &Report) -> String {
    let mut bytes = Vec::new();
    write(report, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_report_reads_well() {
    let mut flipped = row(
        "parse-port/good",
        "GRADER_DRIFT",
        "same case, same completion, grader moved: pass (match) became fail (stdout_differs)",
    );
    flipped.before = Some(Status::Pass);
    flipped.after = Some(Status::Fail);
    flipped.moved.insert(Input::Grader);
    flipped.also.push("CASE_DRIFT".to_owned());
    flipped.at = Some(At {
        path: "goldens/graders/io_match.yaml".to_owned(),
        line: 1,
    });
    let diff = json!({"diff": "-0 1 2 3\n+0 1 2 3··", "first_difference": 8});
    flipped.evidence.insert("stdout".to_owned(), diff);
    let mut explained = row(
        "trim/good",
        "GRADER_DRIFT",
        "accepted: blanks count (pass became fail)",
    );
    explained.level = Level::Review;
    explained.explained = true;
    let edited = row(
        "find-all/good",
        "CASE_DRIFT",
        "the case was edited: still pass (match)",
    );
    let stable = row("add-months/good", "STABLE", "still pass (match)");
    let notes = vec!["the compiler has no `-fanalyzer`".to_owned()];
    insta::assert_snapshot!(rendered(&made(
        vec![edited, stable, explained, flipped],
        notes
    )));
}

#[test]
fn a_report_in_which_nothing_happened_is_short() {
    insta::assert_snapshot!(rendered(&made(vec![row("a", "STABLE", "")], Vec::new())));
}

#[test]
fn a_hostile_report_is_only_text() {
    let evil = "@octocat <img src=x> [a](http://e.vil) www.e.vil #1 o/r#2 GH-3 deadbeef \
                <!-- driftgate --> a|b `c` ```\n| x | y |\n::error::z \u{202e}gnp \x1b[31m\\| $x$";
    let mut hostile = row("a", "NONDETERMINISTIC", evil);
    hostile.id = evil.to_owned();
    hostile.class = "<script>@me|".to_owned();
    hostile.grader = Some("`|`".to_owned());
    hostile.next = format!("- {evil}");
    hostile.repro = "driftgate replay; rm -rf /".to_owned();
    hostile.at = Some(At {
        path: "goldens/@x|<y>.json".to_owned(),
        line: 3,
    });
    let diff = json!({"diff": "+```\n+</details>\n+@octocat\n+````\n\x1b[31m"});
    hostile.evidence.insert("std|out <b>".to_owned(), diff);
    hostile.evidence.insert("stderr".to_owned(), json!(evil));
    let mut report = made(vec![hostile], vec![format!("# {evil}")]);
    report.command = "<b>@me".to_owned();
    report.base = Some("@base".to_owned());
    report.toolchain.version = Some(evil.to_owned());
    report.sandbox.level = "| |".to_owned();
    report.experiments[0].name = "lane <@x>".to_owned();
    let text = rendered(&report);
    assert_harmless(&text);
    insta::assert_snapshot!(text);
}

/// The text outside fences, which must all be closed.
fn outside_fences(text: &str) -> String {
    let mut fence: Option<String> = None;
    let mut out = String::new();
    for line in text.lines() {
        let run: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if run.len() >= 3 => fence = Some(run),
            None => out.push_str(&format!("{line}\n")),
        }
    }
    assert_eq!(fence, None, "a fence is left open:\n{text}");
    out
}

fn assert_harmless(text: &str) {
    let mut outside = outside_fences(text);
    for tag in ["details", "summary", "code"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        assert_eq!(
            outside.matches(&open).count(),
            outside.matches(&close).count()
        );
        outside = outside.replace(&open, "").replace(&close, "");
    }
    for forbidden in ["<", "@", "://", "www.", "Www."] {
        assert!(!outside.contains(forbidden), "{forbidden} in:\n{outside}");
    }
    let hidden = |c: char| c != '\n' && (c.is_control() || crate::model::text::is_format(c));
    assert!(!outside.contains(hidden), "{outside:?}");
    for line in outside.lines().filter(|line| line.starts_with('|')) {
        assert_eq!(line.matches('|').count(), 8, "{line}");
    }
    let inside = text.replace(['\n', '\t'], "");
    assert!(!inside.contains(hidden), "{text:?}");
    assert!(text.len() < TEXT_LIMIT, "{} bytes", text.len());
}

/// Text with more of what is dangerous than chance would bring.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        proptest::sample::select(vec![
            "@a",
            "<b>",
            "|",
            "\\",
            "`",
            "``",
            "```",
            "\n",
            "\r",
            "http://x",
            "www.x",
            "WWW.x",
            "#1",
            "<!--",
            "-->",
            "</details>",
            "&lt;",
            "\u{202e}",
            "\u{200b}",
            " ",
            "\t",
            "- ",
            "1. ",
            "a1b2c3d4",
            "~~~",
            "~~~~\n",
            "$",
            "*",
            "_",
            "[x](y)",
        ])
        .prop_map(str::to_owned),
    ];
    vec(part, 0..8).prop_map(|parts| parts.concat())
}

prop_compose! {
    fn any_row()(
        texts in vec(text(), 8),
        class in proptest::sample::select(CLASSES.iter().collect::<Vec<_>>()),
        evidence in vec((text(), text(), any::<bool>()), 0..4),
    ) -> Row {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().unwrap_or_default();
        let mut row = Row::new(next(), class, next());
        row.class = next();
        row.grader = Some(next());
        row.next = next();
        row.repro = format!("driftgate {}", next());
        row.also = vec![next()];
        row.at = Some(At { path: next(), line: 1 });
        for (key, text, diff) in evidence {
            let value = if diff { json!({"diff": text}) } else { json!(text) };
            row.evidence.insert(key, value);
        }
        row
    }
}

proptest! {
    #[test]
    fn whatever_the_rows_say_it_is_only_text(
        rows in vec(any_row(), 0..6), notes in vec(text(), 0..3), name in text()
    ) {
        let mut report = made(rows, notes);
        report.command.clone_from(&name);
        report.base = Some(name.clone());
        report.toolchain.version = Some(name.clone());
        report.sandbox.level.clone_from(&name);
        report.experiments[0].name = name;
        assert_harmless(&rendered(&report));
    }
}

#[test]
fn the_longest_report_still_fits_in_a_comment() {
    let long = "|<@\u{1f600}".repeat(1_000);
    let mut worst = row("a", "NONDETERMINISTIC", &long);
    worst.next.clone_from(&long);
    worst.class.clone_from(&long);
    worst.also = vec![long.clone(); 6];
    worst.grader = Some(long.clone());
    worst.evidence.insert(long.clone(), json!({"diff": long}));
    let mut review = worst.clone();
    review.level = Level::Review;
    let rows = (0..5).flat_map(|_| [worst.clone(), review.clone()]);
    let mut report = made(rows.collect(), vec![long.clone(); 300]);
    report.command.clone_from(&long);
    report.toolchain.version = Some(long.clone());
    report.sandbox.level.clone_from(&long);
    report.experiments = vec![report.experiments.remove(0); 60];
    report
        .experiments
        .iter_mut()
        .for_each(|lane| lane.name.clone_from(&long));
    let text = rendered(&report);
    assert!(text.contains(" more that are not ok"));
    assert_harmless(&text);
}
