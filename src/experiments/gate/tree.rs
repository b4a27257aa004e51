//! The tree's own graders on the checked-out tree, each row held against the class expected of it
//! and, where it fails, against the base.
//!
//! **Pins** the tree at head and at the base. **Moves** nothing at first; for what fails, the tree,
//! from base to head. **Names** the grader's own class, or `known_dirty` for what failed the same
//! way at the base. **Cannot see** drift of what passes.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::graders::GraderKind;
use crate::model::class::{self, Level};
use crate::model::inquiry::{Inquiry, Next, Seen};
use crate::model::row::{At, Row};
use crate::model::tree_pins::TreePins;
use crate::model::trial::{Grading, Trial};
use crate::model::verdict::{Status, Verdict};
use crate::want;

use super::OPEN;

/// The class of what failed the same way at the base. Only a kind that lists it forgives.
pub const KNOWN_DIRTY: &str = "known_dirty";
/// The evidence that names a fault without its place.
const FAULT: &str = "fault";
/// The evidence that lists all there is of a fault: the names that are missing, or what the
/// compiler said.
const LISTS: [&str; 2] = ["names", "messages"];

/// One header or consumer under its grader.
pub struct GradedTree {
    /// What is graded.
    pub pins: TreePins,
    /// The same at the base, where it was there.
    pub base: Option<TreePins>,
    /// The kind of the grader.
    pub kind: &'static GraderKind,
    /// The class that is as it should be.
    pub expect_class: String,
    /// Where it is declared.
    pub declared_at: At,
    /// The command that shows it again, without the row.
    pub command: String,
}

impl Inquiry for GradedTree {
    type Ask = Trial;
    type Answer = Arc<Grading>;
    type Done = Row;

    fn next(&self, seen: &Seen<Trial, Arc<Grading>>) -> Next<Trial, Row> {
        let trial = |pins: &TreePins| Trial::GradeTree {
            pins: pins.clone(),
            nth: 0,
        };
        let grading = want!(seen, trial(&self.pins));
        let mut row = self.row(grading);
        if self.may_be_known_dirty(&grading.judgement.verdict)
            && let Some(base) = &self.base
        {
            let before = &want!(seen, trial(base)).judgement.verdict;
            row.before = Some(before.outcome.status);
            if fails_alike(before, &grading.judgement.verdict) {
                self.forgive(&mut row);
            }
        }
        Next::Done(row)
    }
}

impl GradedTree {
    fn row(&self, grading: &Grading) -> Row {
        let verdict = &grading.judgement.verdict;
        let outcome = &verdict.outcome;
        let entry = class::find(self.kind.classes, &outcome.class).unwrap_or(&OPEN);
        let row = Row::new(self.pins.subject.id(), entry, &verdict.detail);
        let mut row = row.graded_tree(&self.pins, grading);
        row.class.clone_from(&outcome.class);
        row.level = self.level(verdict);
        if row.level == Level::Ok {
            row.next.clear();
        }
        row.at = at(verdict.evidence.get("at")).or_else(|| Some(self.declared_at.clone()));
        row.repro = format!("{} --case {}", self.command, quoted(&row.id));
        if !self.is_passing(&self.expect_class) {
            let name = "expect_class".to_owned();
            row.evidence.insert(name, json!(self.expect_class));
        }
        row
    }

    fn is_passing(&self, class: &str) -> bool {
        self.kind.passing_class() == Some(class)
    }

    fn level(&self, verdict: &Verdict) -> Level {
        let outcome = &verdict.outcome;
        if outcome.class == self.expect_class {
            return Level::Ok;
        }
        let level = Level::of_status(outcome.status);
        match self.is_passing(&self.expect_class) {
            true => level,
            // A seed that shows another fault than it was made to show.
            false => Level::Incomplete,
        }
    }

    fn may_be_known_dirty(&self, verdict: &Verdict) -> bool {
        verdict.outcome.status == Status::Fail
            && self.is_passing(&self.expect_class)
            && class::find(self.kind.classes, KNOWN_DIRTY).is_some()
    }

    fn forgive(&self, row: &mut Row) {
        let Some(dirty) = class::find(self.kind.classes, KNOWN_DIRTY) else {
            return;
        };
        row.evidence.insert("class".to_owned(), json!(row.class));
        row.why = format!("{} at the base too: {}", row.class, row.why);
        dirty.name.clone_into(&mut row.class);
        dirty.next.clone_into(&mut row.next);
        row.level = dirty.level;
    }
}

/// `id` as a glob that matches it alone, as a word of a shell.
fn quoted(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-+".contains(&byte);
    if id.bytes().all(plain) {
        return id.to_owned();
    }
    format!("'{}'", globset::escape(id).replace('\'', "'\\''"))
}

/// Whether `now` shows no fault that `before` did not show, wherever in the file it stands. Where
/// both list what is wrong, less of it is no new fault.
fn fails_alike(before: &Verdict, now: &Verdict) -> bool {
    let mut lists = LISTS.iter().filter_map(|key| {
        let (before, now) = (listed(before, key)?, listed(now, key)?);
        (!now.is_empty()).then(|| now.is_subset(&before))
    });
    let same = match lists.next() {
        Some(first) => first && lists.all(|same| same),
        None => before.evidence.get(FAULT) == now.evidence.get(FAULT),
    };
    before.outcome == now.outcome && same
}

/// What a list of the evidence holds.
fn listed(verdict: &Verdict, key: &str) -> Option<BTreeSet<String>> {
    let list = verdict.evidence.get(key)?.clone();
    serde_json::from_value(list).ok()
}

/// The place that evidence names.
fn at(evidence: Option<&Value>) -> Option<At> {
    serde_json::from_value(evidence?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_the_same_if_nothing_is_new_in_it() {
        let verdict = |class: &str, fault: &str, names: Value| {
            let verdict = Verdict::new(Status::Fail, class, "");
            verdict.with(FAULT, fault).with("names", names)
        };
        let missing = |names| verdict("missing_declaration", "a", names);
        let both = missing(json!(["a", "b"]));
        assert!(fails_alike(&both, &missing(json!(["b"]))));
        assert!(!fails_alike(&both, &missing(json!(["b", "c"]))));
        let other = |fault| verdict("other_compile_error", fault, Value::Null);
        assert!(fails_alike(&other("x"), &other("x")) && !fails_alike(&other("x"), &other("y")));
        assert!(!fails_alike(
            &both,
            &verdict("header_missing", "a", json!(["a"]))
        ));
    }

    #[test]
    fn a_second_error_beside_a_known_one_is_new() {
        let said = |messages: Value| {
            let verdict = Verdict::new(Status::Fail, "other_compile_error", "");
            verdict.with(FAULT, "a").with("messages", messages)
        };
        let both = said(json!(["a", "b"]));
        assert!(fails_alike(&both, &both));
        assert!(fails_alike(&both, &said(json!(["a"]))));
        assert!(!fails_alike(&said(json!(["a"])), &both));
    }

    #[test]
    fn a_path_in_a_command_is_one_word_and_matches_itself() {
        assert_eq!(quoted("include/a-b.h++"), "include/a-b.h++");
        assert_eq!(quoted("in/it's *.h"), "'in/it'\\''s [*].h'");
    }

    #[test]
    fn a_place_in_the_evidence_is_where_people_look() {
        let place = json!({"path": "include/a.h", "line": 3});
        let expected = At {
            path: "include/a.h".to_owned(),
            line: 3,
        };
        assert_eq!(at(Some(&place)), Some(expected));
        assert_eq!(at(Some(&json!({"path": "a"}))), None);
        assert_eq!(at(None), None);
    }
}
