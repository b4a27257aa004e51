//! Whole tables, as snapshots of reports built by hand.

use serde_json::json;

use super::*;
use crate::experiments::record;
use crate::experiments::replay::{self, Transition};
use crate::model::report::{Sandbox, ToolchainNote};
use crate::model::row::At;

const PLAIN: Style = Style {
    colour: false,
    width: 100,
};

fn report(rows: Vec<Row>) -> Report {
    Report {
        command: "check".to_owned(),
        base: None,
        head: None,
        toolchain: ToolchainNote {
            version: Some(
                "c++ (Debian 12.2.0-14) 12.2.0 x86_64-linux-gnu, ld 2.40, libstdc++ 6.0.30, glibc 2.36"
                    .to_owned(),
            ),
            hash: None,
        },
        sandbox: Sandbox {
            level: "partial".to_owned(),
            why: "closed environment, limits, cleanup; files and network are not isolated yet".to_owned(),
        },
        experiments: vec![Experiment::new("replay", rows)],
        notes: Vec::new(),
    }
}

fn row(id: &str, transition: Transition, before: Status, after: Status, why: &str) -> Row {
    let mut row = Row::new(id, transition.class(), why);
    row.grader = Some("io_match".to_owned());
    row.before = Some(before);
    row.after = Some(after);
    row.at = Some(At {
        path: "goldens/graders/io_match.yaml".to_owned(),
        line: 1,
    });
    row
}

fn stable(id: &str) -> Row {
    row(id, Transition::Stable, Status::Pass, Status::Pass, "still")
}

fn drift(id: &str) -> Row {
    let why = "same case, same completion, grader moved: pass (match) became fail \
               (stdout_differs): standard output differs from byte 3 on";
    let mut row = row(id, Transition::GraderDrift, Status::Pass, Status::Fail, why);
    row.evidence.insert(
        "stdout".to_owned(),
        json!({"diff": "-[two words]\n+[two words]\u{b7}\n []"}),
    );
    row
}

fn unjudged(id: &str) -> Row {
    let why = "environment: a trivial unit does not compile with these flags either";
    row(
        id,
        Transition::Unjudged,
        Status::Pass,
        Status::Unjudged,
        why,
    )
}

fn shown(report: &Report, style: Style) -> String {
    let mut out = Vec::new();
    write(report, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn many(count: usize) -> impl Iterator<Item = Row> {
    (0..count).map(|number| stable(&format!("split-range-{number:03}")))
}

#[test]
fn few_rows_that_are_ok_are_listed() {
    let rows = vec![stable("trim/good"), stable("utf8-length/bad-mask")];
    insta::assert_snapshot!("ok", shown(&report(rows), PLAIN));
}

#[test]
fn rows_to_act_on_stand_before_a_count_of_the_rest() {
    let mut case = row(
        "add-months/bad-leap",
        Transition::CaseDrift,
        Status::Fail,
        Status::Fail,
        "the case was edited since the recording (case moved): fail (hang), now fail (signal)",
    );
    case.evidence
        .insert("before".to_owned(), json!({"class": "hang"}));
    case.evidence
        .insert("verdict".to_owned(), json!({"class": "signal"}));
    case.also = vec!["TOOLCHAIN_DRIFT".to_owned()];
    let mut explained = drift("midpoint/good");
    explained.explained = true;
    explained.level = Level::Review;
    let rows = many(60)
        .chain([drift("trim/good"), case, drift("a"), explained])
        .collect();
    insta::assert_snapshot!("drift", shown(&report(rows), PLAIN));
}

#[test]
fn what_could_not_be_judged_is_no_pass() {
    let mut report = report(vec![stable("a"), unjudged("b")]);
    report.toolchain.version = None;
    report
        .notes
        .push("there is no compiler `c++` on the search path".to_owned());
    insta::assert_snapshot!("unjudged", shown(&report, PLAIN));
}

#[test]
fn nothing_judged_says_so() {
    let mut report = report(Vec::new());
    report.experiments.clear();
    report
        .notes
        .push("there are no cases: put some under goldens/cases/".to_owned());
    insta::assert_snapshot!("empty", shown(&report, PLAIN));
}

#[test]
fn a_recording_shows_what_each_completion_came_to() {
    let rows = ["a", "b"].map(|id| {
        let mut row = Row::new(id, record::RECORDED, "");
        row.grader = Some("io_match".to_owned());
        row.after = Some(Status::Fail);
        let verdict = json!({"status": "fail", "class": "stdout_differs"});
        row.evidence.insert("verdict".to_owned(), verdict);
        row
    });
    let mut report = report(Vec::new());
    report.command = "record".to_owned();
    report.experiments = vec![Experiment::new("record", rows.into())];
    insta::assert_snapshot!("record", shown(&report, PLAIN));
}

#[test]
fn hostile_texts_neither_move_the_cursor_nor_break_the_table() {
    let hostile = "\x1b[2J\r\n::error::x\u{202e}y\t| \u{7}";
    let mut one = drift(&format!("{}/{}", "long".repeat(12), "id".repeat(60)));
    one.why = hostile.repeat(60);
    one.next = format!("{hostile} {}", "w".repeat(130));
    one.also = vec![hostile.to_owned()];
    one.evidence.insert(
        "stdout".to_owned(),
        json!({"diff": format!("-{hostile}\n+{}\n{}", "z".repeat(500), " \n".repeat(50))}),
    );
    let mut two = drift(hostile);
    two.grader = Some(hostile.to_owned());
    two.class = hostile.to_owned();
    let mut report = report(vec![one, two, stable("plain")]);
    report.notes.push(hostile.to_owned());
    let shown = shown(&report, PLAIN);
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()));
    assert!(!shown.contains('\u{202e}'));
    assert!(
        !shown
            .lines()
            .any(|line| line.trim_start().starts_with("::"))
    );
    insta::assert_snapshot!("hostile", shown);
}

#[test]
fn colour_adds_nothing_but_escape_sequences() {
    let report = report(vec![drift("a"), unjudged("b"), stable("c")]);
    let coloured = shown(
        &report,
        Style {
            colour: true,
            ..PLAIN
        },
    );
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some(start) = rest.find("\x1b[") {
        plain.push_str(&rest[..start]);
        rest = &rest[start..];
        rest = &rest[rest.find('m').unwrap() + 1..];
    }
    plain.push_str(rest);
    assert_eq!(plain, shown(&report, PLAIN));
    assert_ne!(plain, coloured);
}

#[test]
fn no_sentence_is_wider_than_the_terminal() {
    for width in [60, 80, 100, 200] {
        let style = Style { width, ..PLAIN };
        let report = report(vec![drift("a"), unjudged("b"), stable("c")]);
        for line in shown(&report, style).lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn a_flood_of_failures_is_cut_and_says_so() {
    let rows = (0..LISTED + 5).map(|number| drift(&number.to_string()));
    let shown = shown(&report(rows.collect()), PLAIN);
    assert!(shown.contains("... and 5 more that are not ok"), "{shown}");
    assert!(shown.ends_with("FAIL: 205 fail\n"), "{shown}");
}

#[test]
fn every_class_of_a_replay_has_a_line() {
    let rows = replay::CLASSES
        .iter()
        .map(|class| Row::new(class.name, class, "why"));
    let shown = shown(&report(rows.collect()), PLAIN);
    for class in replay::CLASSES {
        assert!(
            shown.lines().any(|line| line.contains(class.name)),
            "{shown}"
        );
    }
}
