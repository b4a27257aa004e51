//! What a change can reach of a lane, as its report says it: how many ids, by which files, and
//! what was executed for it. It decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::canonical;
use super::class::Level;
use super::report::Experiment;
use super::row::Row;
use super::ways::{Cause, Reached};

/// The field of a lane's `extra` that holds it.
const FIELD: &str = "scope";
/// The most files that are listed, and the most ids of each.
const MOST_REASONS: usize = 50;
const MOST_IDS: usize = 20;
/// The most ids that are listed as out of reach.
const MOST_UNREACHED: usize = 1_000;

/// What a change can reach of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// How many ids have rows.
    pub of: usize,
    /// How many of them the change can reach.
    pub affected: usize,
    /// The files that reach them, those that reach most first.
    pub reasons: Vec<Reason>,
    /// How many more such files there are.
    #[serde(default)]
    pub more: usize,
    /// For how many ids any process ran.
    pub executed: usize,
    /// How many were judged by what is stored.
    pub stored: usize,
    /// Ids with a row that is not ok, and that the change cannot reach.
    #[serde(default)]
    pub unreached: BTreeSet<String>,
}

/// A file of the change that reaches something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Its path from the root.
    pub path: String,
    /// What it is to what it reaches.
    #[serde(rename = "as")]
    pub what: String,
    /// What it reaches.
    pub reaches: Reaches,
    /// How many more ids it reaches.
    #[serde(default)]
    pub more: usize,
}

/// What a file reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Reaches {
    /// The whole lane.
    All(All),
    /// These ids.
    Ids(Vec<String>),
}

/// The word for a whole lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum All {
    /// `all`.
    All,
}

impl Scope {
    /// What `reached` comes to for the finished rows of `lane`. An id of which nothing is known
    /// counts as reached.
    #[must_use]
    pub fn new(lane: &Experiment, reached: &Reached) -> Self {
        let rows = by_id(lane);
        let is_reached = |id: &str| reached.ids.contains(id) || !reached.known.contains(id);
        let ran = |rows: &[&Row]| rows.iter().any(|row| row.executed);
        // A process ran for it once. Where nothing needs to run it takes no time.
        let took_time = |rows: &[&Row]| rows.iter().any(|row| row.seconds > 0.0);
        let count = |holds: &dyn Fn(&str, &[&Row]) -> bool| {
            rows.iter().filter(|(id, rows)| holds(id, rows)).count()
        };
        let unreached = rows
            .iter()
            .filter(|(id, rows)| !is_reached(id) && rows.iter().any(|row| row.level != Level::Ok));
        let unreached = unreached.map(|(id, _)| (*id).to_owned());
        Self {
            of: rows.len(),
            affected: count(&|id, _| is_reached(id)),
            reasons: reached
                .causes
                .iter()
                .take(MOST_REASONS)
                .map(reason)
                .collect(),
            more: reached.causes.len().saturating_sub(MOST_REASONS),
            executed: count(&|_, rows| ran(rows)),
            stored: count(&|_, rows| !ran(rows) && took_time(rows)),
            unreached: unreached.take(MOST_UNREACHED).collect(),
        }
    }

    /// What `lane` says of its scope. Anybody may have written it: what is none, or cannot be
    /// true of the lane's rows, is nothing.
    #[must_use]
    pub fn of(lane: &Experiment) -> Option<Self> {
        let scope = Self::deserialize(lane.extra.get(FIELD)?).ok()?;
        let ids: BTreeSet<&str> = lane.rows.iter().map(|row| row.id.as_str()).collect();
        let holds = scope.of == ids.len()
            && scope.affected <= scope.of
            && scope.executed.checked_add(scope.stored)? <= scope.of
            && scope.unreached.len() <= scope.of - scope.affected
            && scope.reasons.len() <= MOST_REASONS;
        holds.then_some(scope)
    }

    /// Writes it into `lane`.
    pub fn keep(&self, lane: &mut Experiment) {
        lane.extra.insert(FIELD.to_owned(), canonical::value(self));
    }

    /// How many ids were neither executed nor stored.
    #[must_use]
    pub fn without_run(&self) -> usize {
        self.of
            .saturating_sub(self.executed)
            .saturating_sub(self.stored)
    }

    /// Whether `row` of this lane is one to act on that nothing in the change reaches.
    #[must_use]
    pub fn leaves_out(&self, row: &Row) -> bool {
        row.level != Level::Ok && self.unreached.contains(&row.id)
    }
}

/// The rows of `lane` by id.
fn by_id(lane: &Experiment) -> BTreeMap<&str, Vec<&Row>> {
    let mut rows = BTreeMap::<&str, Vec<&Row>>::new();
    for row in &lane.rows {
        rows.entry(&row.id).or_default().push(row);
    }
    rows
}

fn reason(cause: &Cause) -> Reason {
    let (reaches, more) = match cause.is_all {
        true => (Reaches::All(All::All), 0),
        false => {
            let ids = cause.ids.iter().take(MOST_IDS).cloned();
            let more = cause.ids.len().saturating_sub(MOST_IDS);
            (Reaches::Ids(ids.collect()), more)
        }
    };
    Reason {
        path: cause.path.clone(),
        what: cause.what.clone(),
        reaches,
        more,
    }
}

/// The schema of a lane's `extra`: whatever it holds, a scope is one of ours.
pub fn extra_schema(generator: &mut SchemaGenerator) -> Schema {
    let scope = generator.subschema_for::<Scope>();
    json_schema!({"type": "object", "properties": {FIELD: scope}})
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::class::Class;

    const OK: Class = Class {
        name: "FINE",
        level: Level::Ok,
        meaning: "It is.",
        next: "Go.",
    };
    const BAD: Class = Class {
        name: "WORSE",
        level: Level::Fail,
        ..OK
    };

    fn set(ids: &[&str]) -> BTreeSet<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    /// Rows of `a` (two), `b` and `c`; `c` fails.
    fn lane() -> Experiment {
        let mut rows = vec![
            Row::new("a", &OK, ""),
            Row::new("a", &OK, ""),
            Row::new("b", &OK, ""),
            Row::new("c", &BAD, ""),
        ];
        rows[1].grader = Some("other".to_owned());
        rows[1].executed = true;
        rows[2].seconds = 0.5;
        Experiment::new("replay", rows)
    }

    fn reached(known: &[&str], ids: &[&str]) -> Reached {
        let cause = Cause {
            path: "f".to_owned(),
            what: "case".to_owned(),
            ids: set(ids),
            is_all: ids.len() == known.len(),
        };
        Reached {
            known: set(known),
            ids: set(ids),
            causes: (!ids.is_empty()).then_some(cause).into_iter().collect(),
        }
    }

    #[test]
    fn ids_are_counted_and_not_rows() {
        let scope = Scope::new(&lane(), &reached(&["a", "b", "c"], &["a"]));
        let expected = json!({
            "of": 3, "affected": 1, "executed": 1, "stored": 1, "more": 0, "unreached": ["c"],
            "reasons": [{"path": "f", "as": "case", "reaches": ["a"], "more": 0}],
        });
        assert_eq!(canonical::value(&scope), expected);
        assert_eq!(scope.without_run(), 1);
        let lane = lane();
        let out: Vec<bool> = lane.rows.iter().map(|row| scope.leaves_out(row)).collect();
        assert_eq!(out, [false, false, false, true]);
    }

    #[test]
    fn an_id_of_which_nothing_is_known_counts_as_reached() {
        let scope = Scope::new(&lane(), &reached(&["a", "b"], &[]));
        assert_eq!((scope.affected, scope.unreached.len()), (1, 0));
    }

    #[test]
    fn what_is_long_is_counted() {
        let ids: Vec<String> = (0..30).map(|id| format!("{id:02}")).collect();
        let rows = ids.iter().map(|id| Row::new(id, &BAD, ""));
        let lane = Experiment::new("replay", rows.collect());
        let known: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut reached = reached(&known, &known[1..]);
        reached.causes = vec![reached.causes[0].clone(); 60];
        let scope = Scope::new(&lane, &reached);
        assert_eq!((scope.reasons.len(), scope.more), (MOST_REASONS, 10));
        assert_eq!(scope.reasons[0].more, 9);
    }

    #[test]
    fn what_is_kept_reads_back() {
        for ids in [&[][..], &["a"], &["a", "b", "c"]] {
            let mut lane = lane();
            let scope = Scope::new(&lane, &reached(&["a", "b", "c"], ids));
            scope.keep(&mut lane);
            assert_eq!(Scope::of(&lane), Some(scope));
        }
        assert_eq!(Scope::of(&lane()), None);
    }

    #[test]
    fn what_is_odd_is_no_scope() {
        let said = |edit: &dyn Fn(&mut Value)| {
            let mut lane = lane();
            Scope::new(&lane, &reached(&["a", "b", "c"], &["a"])).keep(&mut lane);
            edit(&mut lane.extra[FIELD]);
            Scope::of(&lane).is_some()
        };
        assert!(said(&|_| {}));
        assert!(said(&|scope| scope["later"] = json!(1)));
        for (field, wrong) in [
            ("of", json!(4)),
            ("of", json!(-3)),
            ("of", json!("3")),
            ("affected", json!(4)),
            ("affected", json!(3)),
            ("executed", json!(u64::MAX)),
            ("stored", json!(3)),
            ("reasons", json!(null)),
            ("reasons", json!([{"path": "f"}])),
            (
                "reasons",
                json!([{"path": "f", "as": "x", "reaches": "some"}]),
            ),
            (
                "reasons",
                json!([{"path": ["f"], "as": "x", "reaches": "all"}]),
            ),
            ("unreached", json!(["a", "b", "c"])),
            ("unreached", json!({"a": 1})),
        ] {
            assert!(
                !said(&|scope| scope[field] = wrong.clone()),
                "{field}: {wrong}"
            );
        }
        for odd in [json!(null), json!([1]), json!("all")] {
            assert!(!said(&|scope| *scope = odd.clone()), "{odd}");
        }
    }
}
