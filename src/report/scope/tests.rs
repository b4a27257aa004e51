//! The sentence of a lane, and where it and what is out of reach are shown.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::model::changed_lines::ChangedLines;
use crate::report::check_run::{self, Context};
use crate::report::comment::comment;
use crate::report::job_summary::job_summary;
use crate::report::markdown;
use crate::report::style::Style;
use crate::report::testing::{assert_harmless, drift, longest, mixed, of_lanes, row, text};

const COLUMNS: usize = 6;

/// `report` whose lane `index` says `scope` of itself, with what it leaves out filled in.
fn scoped(mut report: Report, index: usize, scope: Value) -> Report {
    report.experiments[index]
        .extra
        .insert("scope".to_owned(), scope);
    report
}

fn case(id: &str) -> Value {
    json!({"path": format!("goldens/cases/{id}.json"), "as": "case", "reaches": [id]})
}

fn said(scope: &Value) -> String {
    let scope: Scope = serde_json::from_value(scope.clone()).unwrap();
    sentence("replay", &scope, &str::to_owned)
}

#[test]
fn a_lane_is_told_in_a_sentence() {
    let all =
        json!({"path": "goldens/graders/io_match.yaml", "as": "grader io_match", "reaches": "all"});
    let many =
        json!({"path": "f.cpp", "as": "fixture", "reaches": ["a", "b", "c", "d"], "more": 3});
    let two = json!({"path": "p.md", "as": "prompt", "reaches": ["a", "b"]});
    for (scope, expected) in [
        (
            json!({"of": 164, "affected": 0, "reasons": [], "executed": 0, "stored": 164}),
            "the change reaches 0 of 164 cases; 164 from the store",
        ),
        (
            json!({"of": 164, "affected": 1, "reasons": [case("x")], "executed": 3, "stored": 161}),
            "the change reaches 1 of 164 cases: goldens/cases/x.json (x); 3 executed, 161 from the store",
        ),
        (
            json!({"of": 2, "affected": 2, "reasons": [all], "executed": 1, "stored": 0}),
            "the change reaches 2 of 2 cases: goldens/graders/io_match.yaml (grader io_match: all); 1 executed, 1 without a run",
        ),
        (
            json!({"of": 9, "affected": 8, "reasons": [many, two, case("x"), case("y")], "more": 2, "executed": 9, "stored": 0}),
            "the change reaches 8 of 9 cases: f.cpp (fixture: a, b, c and 4 more), p.md (prompt: a, b), goldens/cases/x.json (x), and 3 more files; 9 executed",
        ),
        (
            json!({"of": 0, "affected": 0, "reasons": [], "executed": 0, "stored": 0}),
            "the change reaches 0 of 0 cases",
        ),
    ] {
        assert_eq!(said(&scope), expected);
    }
}

/// A grader's edit reaches three cases; what the machine did to a header it does not reach.
fn report() -> Report {
    let count = drift().experiments[0].rows.len();
    let grader = json!({
        "path": "goldens/graders/io_match.yaml", "as": "grader io_match",
        "reaches": "all",
    });
    let report = scoped(
        drift(),
        0,
        json!({"of": count, "affected": count, "reasons": [grader], "executed": 3, "stored": count - 3}),
    );
    let header = row(
        "include/a.h",
        "missing_declaration",
        "`size_t` is not declared",
    );
    let mut lane = Experiment::new("standalone_header", vec![header]);
    lane.rows[0].grader = Some("standalone_header".to_owned());
    let mut report = of_lanes([report.experiments, vec![lane]].concat(), Vec::new());
    report.notes.clear();
    scoped(
        report,
        1,
        json!({"of": 1, "affected": 0, "reasons": [], "executed": 1, "stored": 0, "unreached": ["include/a.h"]}),
    )
}

#[test]
fn a_terminal_shows_a_line_a_lane_and_what_is_out_of_reach() {
    let style = Style {
        colour: false,
        width: 100,
    };
    let mut bytes = Vec::new();
    crate::report::text::write(&report(), style, &mut bytes).unwrap();
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap());
}

#[test]
fn a_comment_shows_a_line_a_lane_and_what_is_out_of_reach() {
    let mut bytes = Vec::new();
    markdown::write(&report(), &mut bytes).unwrap();
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap());
}

#[test]
fn an_annotation_says_what_is_out_of_reach_and_only_that() {
    let report = report();
    let changed = ChangedLines::default();
    let annotations = check_run::check_run(&report, &context(&changed)).annotations;
    let told: Vec<_> = annotations
        .iter()
        .map(|one| {
            (
                one.title.split(':').next().unwrap(),
                one.message.contains(UNREACHED),
            )
        })
        .collect();
    assert_eq!(
        told,
        [("GRADER_DRIFT", false), ("missing_declaration", true)]
    );
}

fn context(changed: &ChangedLines) -> Context<'_> {
    Context {
        name: "driftgate",
        root: "",
        run_url: None,
        changed,
        said: &[],
    }
}

#[test]
fn what_is_no_scope_is_not_shown() {
    let plain = |report: &Report| {
        let mut bytes = Vec::new();
        markdown::write(report, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let expected = plain(&mixed());
    for odd in [
        json!("all"),
        json!({"of": 1, "affected": 0, "reasons": [], "executed": 0, "stored": 0}),
        json!({"of": 11, "affected": 0, "reasons": "<b>", "executed": 0, "stored": 0}),
    ] {
        assert_eq!(plain(&scoped(mixed(), 0, odd)), expected);
    }
}

/// A scope of `report`'s first lane in which every text is `texts`.
fn hostile_scope(report: &Report, texts: &[String]) -> Value {
    let of = report.experiments[0].rows.iter().map(|row| &row.id);
    let of = of.collect::<BTreeSet<_>>().len();
    let at = |index: usize| {
        texts
            .get(index % texts.len().max(1))
            .cloned()
            .unwrap_or_default()
    };
    let reasons: Vec<_> = (0..5)
        .map(|index| json!({"path": at(index), "as": at(index + 1), "reaches": [at(index + 2), at(index)], "more": u64::MAX}))
        .collect();
    let ids: BTreeSet<&String> = report.experiments[0]
        .rows
        .iter()
        .map(|row| &row.id)
        .collect();
    json!({"of": of, "affected": 0, "reasons": reasons, "more": u64::MAX, "executed": 0,
           "stored": of, "unreached": ids})
}

fn assert_pages_hold(report: &Report) {
    assert!(Scope::of(&report.experiments[0]).is_some());
    let changed = ChangedLines::default();
    let context = context(&changed);
    let mut bytes = Vec::new();
    markdown::write(report, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_harmless(&text, COLUMNS);
    assert_harmless(&job_summary(report, &context), COLUMNS);
    assert!(job_summary(report, &context).len() < 1024 * 1024);
    assert!(markdown::cost(&comment(report, &context)) < 65_536);
    let check = check_run::check_run(report, &context);
    assert_harmless(&check.summary, COLUMNS);
    assert!(check.summary.len() < 65_536);
}

#[test]
fn the_longest_scope_still_fits() {
    let report = longest(400);
    let long = "|<@\u{1f600}`".repeat(1_000);
    let scope = hostile_scope(&report, &[long]);
    assert_pages_hold(&scoped(report, 0, scope));
}

proptest! {
    #[test]
    fn whatever_a_scope_says_it_is_only_text(texts in proptest::collection::vec(text(), 1..6)) {
        let report = drift();
        let scope = hostile_scope(&report, &texts);
        let report = scoped(report, 0, scope);
        assert_pages_hold(&report);
        let style = Style { colour: false, width: 60 };
        let mut bytes = Vec::new();
        crate::report::text::write(&report, style, &mut bytes).unwrap();
        let shown = String::from_utf8(bytes).unwrap();
        for line in shown.lines() {
            prop_assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{}", line);
            prop_assert!(!line.contains(|c: char| c.is_control()), "{:?}", line);
        }
    }
}
