//! What a reviewer sees of usual reports, and GitHub's limits whatever a report says.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::report::comment::{comment, marker};
use crate::report::job_summary::job_summary;
use crate::report::markdown::cost;
use crate::report::testing::{
    any_report, assert_harmless, drift, green, hostile, incomplete, longest, mixed,
};
use crate::report::workflow_commands::workflow_commands;

const COLUMNS: usize = 6;
/// 64 KB, by whichever thousand GitHub counts.
const KB_64: usize = 64_000;

fn context<'a>(changed: &'a ChangedLines, said: &'a [String]) -> Context<'a> {
    Context {
        name: "driftgate",
        root: "",
        run_url: Some("https://github.com/octo/evals/actions/runs/1234567"),
        changed,
        said,
    }
}

/// A change to the grader of `drift` and `mixed`.
fn change() -> ChangedLines {
    ChangedLines::parse(
        b"--- a/goldens/graders/io_match.yaml\n+++ b/goldens/graders/io_match.yaml\n\
@@ -1,3 +1,3 @@\n kind: io_match\n newlines: exact\n-trim: trailing\n+trim: none\n",
    )
}

/// An annotation as the API takes it.
fn as_json(annotation: &Annotation) -> Value {
    json!({
        "path": annotation.path,
        "start_line": annotation.start_line,
        "end_line": annotation.end_line,
        "annotation_level": annotation.level.as_str(),
        "title": annotation.title,
        "message": annotation.message,
        "raw_details": annotation.raw_details,
    })
}

/// The check run as a person reads it.
fn shown(report: &Report) -> String {
    let changed = change();
    let run = check_run(report, &context(&changed, &[]));
    let annotations: Vec<_> = run.annotations.iter().map(as_json).collect();
    format!(
        "{}: {}\n\n{}\n{}\n",
        run.conclusion.as_str(),
        run.title,
        run.summary,
        serde_json::to_string_pretty(&annotations).unwrap()
    )
}

macro_rules! snapshots {
    ($($report:ident)*) => {$(
        mod $report {
            use super::*;
            use crate::report::testing::$report as report;

            #[test]
            fn check() {
                insta::assert_snapshot!(shown(&report()));
            }

            #[test]
            fn comment() {
                let said = ["the job's token may not write checks: findings are in the log".to_owned()];
                let changed = change();
                let context = context(&changed, if stringify!($report) == "mixed" { &said } else { &[] });
                insta::assert_snapshot!(super::comment(&report(), &context));
            }

            #[test]
            fn summary() {
                let changed = change();
                insta::assert_snapshot!(job_summary(&report(), &context(&changed, &[])));
            }
        }
    )*};
}

snapshots! { green drift mixed incomplete }

/// The limits of `POST /repos/{owner}/{repo}/check-runs` in GitHub's OpenAPI description, and
/// those that it only tells in words.
fn assert_within_limits(report: &Report, context: &Context<'_>) {
    let run = check_run(report, context);
    assert!(run.title.encode_utf16().count() <= 255, "{}", run.title);
    assert!(!run.title.is_empty() && !run.title.contains('\n'));
    assert!(run.summary.len() <= 65_535, "{}", run.summary.len());
    assert!(run.annotations.len() <= 200);
    let mut levels = run.annotations.iter().map(|one| one.level);
    assert!(levels.clone().take(199).is_sorted());
    assert_eq!(
        report.outcome() == Outcome::Fail,
        levels.next() == Some(AnnotationLevel::Failure)
    );
    for annotation in &run.annotations {
        assert!(annotation.start_line >= 1 && annotation.start_line == annotation.end_line);
        assert!(!annotation.path.is_empty() && !annotation.message.is_empty());
        assert!(annotation.title.encode_utf16().count() <= 255);
        assert!(
            annotation.message.len() <= KB_64,
            "{}",
            annotation.message.len()
        );
        let details = annotation.raw_details.as_deref().unwrap_or_default();
        assert!(details.len() <= KB_64, "{}", details.len());
        let all = as_json(annotation).to_string();
        assert!(all.chars().all(|c| c <= '\u{ffff}'), "{all}");
        for text in [&annotation.title, &annotation.message, details] {
            assert_no_command(text);
        }
        let mention = |text: &str| {
            text.split('@')
                .skip(1)
                .any(|rest| rest.starts_with(char::is_alphanumeric))
        };
        assert!(
            !mention(&annotation.message) && !mention(&annotation.title),
            "{all}"
        );
    }
    assert!(run.summary.chars().all(|c| c <= '\u{ffff}'));
    for line in workflow_commands(&run.annotations) {
        assert_eq!(line.lines().count(), 1, "{line:?}");
    }
    let comment = comment(report, context);
    assert!(comment.starts_with(&marker(context.name)));
    assert_eq!(comment.matches("<!--").count(), 1, "{comment}");
    assert!(cost(&comment) < 65_536, "{}", cost(&comment));
    assert!(job_summary(report, context).len() < 1024 * 1024);
}

/// No line of a log that has `text` in it is a command to the runner.
fn assert_no_command(text: &str) {
    for line in text.split('\n') {
        assert!(
            !line.trim_start().starts_with("::") && !line.contains("##["),
            "{line}"
        );
        let hidden = |c: char| c != '\t' && (c.is_control() || crate::model::text::is_format(c));
        assert!(!line.contains(hidden), "{line:?}");
    }
}

/// What may be in a comment besides a report: the marker, and the link to the run.
fn without_ours(text: &str, context: &Context<'_>) -> String {
    text.replace(&marker(context.name), "")
        .replace(context.run_url.unwrap(), "")
}

proptest! {
    #[test]
    fn whatever_a_report_says_it_is_only_text_and_within_the_limits(
        report in any_report(), said in proptest::collection::vec(crate::report::testing::text(), 0..3)
    ) {
        let changed = change();
        let context = context(&changed, &said);
        assert_within_limits(&report, &context);
        for page in [
            comment(&report, &context),
            job_summary(&report, &context),
            check_run(&report, &context).summary,
        ] {
            assert_harmless(&without_ours(&page, &context), COLUMNS);
        }
    }
}

#[test]
fn the_longest_reports_are_within_the_limits() {
    let changed = change();
    let said = vec!["|<@\u{1f600}".repeat(1_000); 50];
    for report in [longest(1), longest(40), longest(400), hostile(), mixed()] {
        assert_within_limits(&report, &context(&changed, &said));
    }
}

#[test]
fn five_thousand_findings_are_cut_and_counted() {
    let mut report = mixed();
    let kinds = report.experiments[0].rows.clone();
    let rows = kinds.iter().cycle().take(5_000).enumerate();
    report.experiments[0].rows = rows
        .map(|(index, row)| {
            let mut row = row.clone();
            row.id = format!("{}/{index}", row.id);
            row
        })
        .collect();
    let changed = change();
    let context = context(&changed, &[]);
    assert_within_limits(&report, &context);
    let run = check_run(&report, &context);
    assert_eq!(run.annotations.len(), 200);
    let last = run.annotations.last().unwrap();
    assert!(
        last.title.ends_with(" more in the summary"),
        "{}",
        last.title
    );
    assert!(run.summary.contains("findings are shown on lines"));
    assert!(comment(&report, &context).contains(" more that are not ok"));
}

#[test]
fn output_of_ten_megabytes_is_cut_and_counted() {
    let mut report = drift();
    let flood = "\u{1f600}@you ::error::\n".repeat(500_000);
    for row in &mut report.experiments[0].rows {
        row.evidence
            .insert("stdout".to_owned(), json!({"diff": flood}));
        row.why.clone_from(&flood);
    }
    let changed = change();
    let context = context(&changed, &[]);
    assert_within_limits(&report, &context);
    let details = &check_run(&report, &context).annotations[0].raw_details;
    assert!(details.as_ref().unwrap().contains(" more bytes"));
}

#[test]
fn what_could_not_be_judged_is_no_success() {
    let conclusion = |report: &Report| check_run(report, &context(&change(), &[])).conclusion;
    assert_eq!(conclusion(&green()), Conclusion::Success);
    assert_eq!(conclusion(&incomplete()), Conclusion::Failure);
    assert_eq!(conclusion(&drift()), Conclusion::Failure);
    let nothing = crate::report::testing::report(Vec::new(), Vec::new());
    assert_eq!(conclusion(&nothing), Conclusion::Failure);
}

#[test]
fn an_address_that_is_none_is_no_link() {
    let changed = change();
    for url in [
        "javascript:alert(1)",
        "https://x/a b",
        "https://x/)[y](z",
        "",
    ] {
        let context = Context {
            run_url: Some(url),
            ..context(&changed, &[])
        };
        assert!(!comment(&green(), &context).contains("]("), "{url}");
    }
}
