//! What later steps of a workflow can ask for.

use std::collections::BTreeMap;

use crate::model::class::Level;
use crate::model::report::Report;

use super::style::{cut, one_line};

/// The most classes that are counted one by one; the rest are counted together.
const MOST_CLASSES: usize = 100;
/// The most characters of a class: a team's own grader names its classes itself.
const CLASS: usize = 128;
/// What the rest is counted as. No class has a blank.
const OTHERS: &str = "and others";

/// The outputs of the action: names, and values of one line each.
///
/// `outcome` is `pass`, `fail` or `incomplete`; `checked`, `fail`, `incomplete`, `review` and `ok`
/// are numbers of rows; `classes` is a JSON object with the number of rows of each class.
#[must_use]
pub fn outputs(report: &Report) -> Vec<(String, String)> {
    let outcome = report.outcome().as_str().to_owned();
    let mut outputs = vec![
        ("outcome".to_owned(), outcome),
        ("checked".to_owned(), report.rows().count().to_string()),
    ];
    for level in [Level::Fail, Level::Incomplete, Level::Review, Level::Ok] {
        outputs.push((level.as_str().to_owned(), report.count(level).to_string()));
    }
    outputs.push(("classes".to_owned(), classes(report)));
    outputs
}

fn classes(report: &Report) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in report.rows() {
        let class = one_line(&cut(&row.class, CLASS));
        let known = counts.len() < MOST_CLASSES || counts.contains_key(&class);
        let class = if known { class } else { OTHERS.to_owned() };
        *counts.entry(class).or_default() += 1;
    }
    serde_json::json!(counts).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{report, row};

    #[test]
    fn outputs_are_one_line_each() {
        let mut odd = row("b", "STABLE", "");
        odd.class = "a\n::set-output name=x::y\"".to_owned();
        let rows = vec![row("a", "GRADER_DRIFT", ""), odd];
        let outputs = outputs(&report(rows, Vec::new()));
        let shown: Vec<_> = outputs
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(
            shown,
            [
                "outcome=fail",
                "checked=2",
                "fail=1",
                "incomplete=0",
                "review=0",
                "ok=1",
                r#"classes={"GRADER_DRIFT":1,"a ::set-output name=x::y\"":1}"#,
            ]
        );
    }

    #[test]
    fn a_grader_with_a_class_for_every_case_does_not_flood_them() {
        let rows = (0..500).map(|index| {
            let mut row = row(&index.to_string(), "STABLE", "");
            row.class = format!("class-{index}");
            row
        });
        let outputs = outputs(&report(rows.collect(), Vec::new()));
        let classes = &outputs.last().unwrap().1;
        assert!(classes.contains(r#""and others":400"#), "{classes}");
    }
}
