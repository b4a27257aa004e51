//! The report as JSON, schema `driftgate/report/1`: the file that other tools read.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::InputError;
use crate::model::canonical;
use crate::model::report::{Experiment, Outcome, Report, Sandbox, ToolchainNote};
use crate::model::row::Row;
use crate::model::scope;
use crate::suite::parse;

use super::style::no_command_in_json;

/// The schema's name.
pub const SCHEMA: &str = "driftgate/report/1";
/// What the reader takes the format from: the extension.
const AS_JSON: &str = ".json";

/// Writes `report` as indented JSON with sorted keys and a last newline.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&value(report))?;
    writeln!(out, "{}", no_command_in_json(&text))
}

/// `report` as a JSON value.
#[must_use]
pub fn value(report: &Report) -> Value {
    json!({
        "schema": SCHEMA,
        "driftgate": env!("CARGO_PKG_VERSION"),
        "command": report.command,
        "outcome": report.outcome().as_str(),
        "base": report.base,
        "head": report.head,
        "toolchain": canonical::value(&report.toolchain),
        "sandbox": canonical::value(&report.sandbox),
        "notes": report.notes,
        "experiments": report.experiments.iter().map(experiment).collect::<Vec<_>>(),
    })
}

fn experiment(experiment: &Experiment) -> Value {
    json!({
        "name": experiment.name,
        "outcome": experiment.outcome().as_str(),
        "checked": experiment.rows.len(),
        "summary": experiment.summary(),
        "rows": experiment.rows.iter().map(row).collect::<Vec<_>>(),
        "extra": experiment.extra,
    })
}

/// A row; times to the millisecond, and an absent hash set as an empty object.
fn row(row: &Row) -> Value {
    let mut value = canonical::value(row);
    value["seconds"] = json!((row.seconds * 1000.0).round() / 1000.0);
    if row.hashes.is_none() {
        value["hashes"] = Value::Object(Map::new());
    }
    value
}

/// A report as it is written. What `write` derives from the rows is checked against them.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Report")]
#[serde(deny_unknown_fields)]
struct WrittenReport {
    /// `driftgate/report/1`.
    #[schemars(extend("const" = SCHEMA))]
    #[expect(dead_code, reason = "read before everything else")]
    schema: String,
    /// The version that wrote it.
    #[expect(dead_code, reason = "for people")]
    driftgate: String,
    /// The command that made it.
    command: String,
    /// What the levels of all rows come to.
    outcome: Outcome,
    /// The revision compared with.
    base: Option<String>,
    /// The revision judged, with `-dirty` if the tree differed from it.
    head: Option<String>,
    /// The compiler.
    toolchain: ToolchainNote,
    /// The isolation.
    sandbox: Sandbox,
    /// What was noticed and belongs to no row.
    #[serde(default)]
    notes: Vec<String>,
    /// The lanes.
    experiments: Vec<WrittenExperiment>,
}

/// A lane as it is written.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Experiment")]
#[serde(deny_unknown_fields)]
struct WrittenExperiment {
    /// The grader's id or the experiment's name.
    name: String,
    /// What the levels of its rows come to.
    outcome: Option<Outcome>,
    /// How many rows there are.
    checked: Option<usize>,
    /// How many rows each class has.
    summary: Option<BTreeMap<String, usize>>,
    /// One row for each id and grader.
    rows: Vec<Row>,
    /// What is not per row.
    #[serde(default)]
    #[schemars(schema_with = "scope::extra_schema")]
    extra: Map<String, Value>,
}

/// What tells the format.
#[derive(Deserialize)]
struct Named {
    schema: String,
}

/// The report in `bytes`. Unknown fields are refused everywhere but in `evidence` and `extra`.
///
/// # Errors
/// When the bytes are no report of this format, or one that contradicts itself. The error names
/// no file.
pub fn read(bytes: &[u8]) -> Result<Report, InputError> {
    let nameless = |error: InputError| InputError {
        path: String::new(),
        ..error
    };
    // The format first: of another one every field might be unknown.
    let Named { schema } = parse::parse(AS_JSON, bytes).map_err(nameless)?;
    if schema != SCHEMA {
        let schema: String = schema.escape_debug().take(80).collect();
        let problem = format!("expected `{SCHEMA}`, found `{schema}`");
        let error = InputError::new("", problem).field("schema");
        return Err(error.hint("Was it written by another version of driftgate?"));
    }
    let written: WrittenReport = parse::parse(AS_JSON, bytes).map_err(nameless)?;
    let mut experiments = Vec::new();
    let mut names = BTreeSet::new();
    for (index, lane) in written.experiments.into_iter().enumerate() {
        let at = format!("experiments[{index}]");
        if !names.insert(lane.name.clone()) {
            return Err(contradiction(&format!("{at}.name"), "stands twice"));
        }
        experiments.push(lane.checked(&at)?);
    }
    let report = Report {
        command: written.command,
        base: written.base,
        head: written.head,
        toolchain: written.toolchain,
        sandbox: written.sandbox,
        experiments,
        notes: written.notes,
    };
    if report.outcome() != written.outcome {
        return Err(other_outcome("outcome", written.outcome, report.outcome()));
    }
    Ok(report)
}

/// The JSON Schema of a report.
#[must_use]
pub fn schema() -> Value {
    crate::suite::schema::of::<WrittenReport>()
}

impl WrittenExperiment {
    /// The lane, if what it says of its rows is true.
    fn checked(self, at: &str) -> Result<Experiment, InputError> {
        let mut lane = Experiment::new(&self.name, self.rows);
        lane.extra = self.extra;
        let same =
            |(one, other): (&Row, &Row)| (&one.id, &one.grader) == (&other.id, &other.grader);
        if lane.rows.iter().zip(lane.rows.iter().skip(1)).any(same) {
            let problem = "two rows have the same id and grader";
            return Err(contradiction(&format!("{at}.rows"), problem));
        }
        if lane.rows.iter().any(|row| row.seconds < 0.0) {
            let problem = "a row took less than no time";
            return Err(contradiction(&format!("{at}.rows"), problem));
        }
        if let Some(outcome) = self.outcome.filter(|outcome| *outcome != lane.outcome()) {
            return Err(other_outcome(
                &format!("{at}.outcome"),
                outcome,
                lane.outcome(),
            ));
        }
        if self
            .checked
            .is_some_and(|checked| checked != lane.rows.len())
        {
            let problem = format!("there are {} rows", lane.rows.len());
            return Err(contradiction(&format!("{at}.checked"), &problem));
        }
        let counted = lane.summary().into_iter();
        let counted = counted.map(|(class, count)| (class.to_owned(), count));
        if self.summary.is_some_and(|summary| !counted.eq(summary)) {
            return Err(contradiction(
                &format!("{at}.summary"),
                "the rows have other classes",
            ));
        }
        Ok(lane)
    }
}

fn other_outcome(field: &str, said: Outcome, derived: Outcome) -> InputError {
    let problem = format!(
        "says {}, its rows come to {}",
        said.as_str(),
        derived.as_str()
    );
    contradiction(field, &problem)
}

fn contradiction(field: &str, problem: &str) -> InputError {
    let error = InputError::new("", problem).field(field);
    error.hint("A report is not edited by hand; write it again.")
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_map, btree_set, vec};
    use proptest::option;
    use proptest::prelude::*;

    use super::*;
    use crate::model::class::Level;
    use crate::model::digest::Digest;
    use crate::model::pins::{Hashes, Input};
    use crate::model::row::{At, PathStep};
    use crate::model::verdict::Status;

    fn digest() -> impl Strategy<Value = Digest> {
        any::<[u8; 4]>().prop_map(|bytes| Digest::of(&bytes))
    }

    fn status() -> impl Strategy<Value = Status> {
        prop_oneof![
            Just(Status::Pass),
            Just(Status::Fail),
            Just(Status::Unjudged)
        ]
    }

    fn object() -> impl Strategy<Value = Map<String, Value>> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        let value = leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(Value::from),
                btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        });
        btree_map(any::<String>(), value, 0..4).prop_map(|map| map.into_iter().collect())
    }

    prop_compose! {
        fn hashes()(
            (prompt, fixture, contract, output) in (digest(), digest(), digest(), digest()),
            grader in option::of(digest()),
            toolchain in option::of(digest()),
            system in option::of(digest()),
        ) -> Hashes {
            Hashes { prompt, fixture, contract, grader, output, toolchain, system }
        }
    }

    prop_compose! {
        fn row()(
            (id, class, why, next, repro) in any::<(String, String, String, String, String)>(),
            grader in option::of(any::<String>()),
            level in prop_oneof![
                Just(Level::Ok), Just(Level::Review), Just(Level::Incomplete), Just(Level::Fail)
            ],
            (before, after) in (option::of(status()), option::of(status())),
            moved in btree_set(prop_oneof![
                Just(Input::Case), Just(Input::Engine), Just(Input::System)
            ], 0..3),
            also in vec(any::<String>(), 0..3),
            path in vec((any::<String>(), status(), any::<String>()), 0..3),
            hashes in option::of(hashes()),
            (explained, inherited, quarantined, executed) in any::<(bool, bool, bool, bool)>(),
            millis in any::<u32>(),
            at in option::of((any::<String>(), any::<u32>())),
            evidence in object(),
        ) -> Row {
            let path = path.into_iter();
            let path = path.map(|(axis, status, class)| PathStep { axis, status, class });
            Row {
                id, grader, class, level, before, after, moved, also, path: path.collect(),
                hashes, explained, inherited, quarantined, executed,
                seconds: f64::from(millis) / 1000.0,
                at: at.map(|(path, line)| At { path, line }),
                why, next, repro, evidence,
            }
        }
    }

    prop_compose! {
        fn report()(
            (command, level, why) in any::<(String, String, String)>(),
            (base, head) in any::<(Option<String>, Option<String>)>(),
            version in any::<Option<String>>(),
            hash in option::of(digest()),
            lanes in btree_map(any::<String>(), (vec(row(), 0..4), object()), 0..3),
            notes in vec(any::<String>(), 0..3),
        ) -> Report {
            let lane = |(name, (mut rows, extra)): (String, (Vec<Row>, _))| {
                rows.sort_by(|a: &Row, b| (&a.id, &a.grader).cmp(&(&b.id, &b.grader)));
                rows.dedup_by(|a, b| (&a.id, &a.grader) == (&b.id, &b.grader));
                Experiment { extra, ..Experiment::new(&name, rows) }
            };
            Report {
                command, base, head, notes,
                toolchain: ToolchainNote { version, hash },
                sandbox: Sandbox { level, why },
                experiments: lanes.into_iter().map(lane).collect(),
            }
        }
    }

    fn written(report: &Report) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(report, &mut bytes).unwrap();
        bytes
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(report in report()) {
            prop_assert_eq!(read(&written(&report)), Ok(report));
        }

        #[test]
        fn whatever_the_bytes_are_reading_ends(bytes in vec(any::<u8>(), 0..200)) {
            prop_assert!(read(&bytes).is_err());
        }

        #[test]
        fn a_damaged_report_is_refused_or_read_and_never_more(
            report in report(), at in any::<prop::sample::Index>(), byte in any::<u8>()
        ) {
            let mut bytes = written(&report);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = read(&bytes);
            let _ = read(&bytes[..at]);
        }
    }

    fn said(edit: impl Fn(&mut Value)) -> String {
        let rows = vec![Row::new("a", &crate::experiments::replay::CLASSES[0], "")];
        let report = Report {
            command: "check".to_owned(),
            base: None,
            head: None,
            toolchain: ToolchainNote::default(),
            sandbox: Sandbox {
                level: "off".to_owned(),
                why: String::new(),
            },
            experiments: vec![Experiment::new("replay", rows)],
            notes: Vec::new(),
        };
        let mut value = value(&report);
        edit(&mut value);
        match read(value.to_string().as_bytes()) {
            Ok(_) => "read".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn unknown_fields_are_refused_but_where_anything_may_stand() {
        for path in [
            "",
            "/experiments/0",
            "/experiments/0/rows/0",
            "/sandbox",
            "/toolchain",
        ] {
            let said = said(|value| value.pointer_mut(path).unwrap()["typo"] = json!(1));
            assert!(said.contains("unknown field"), "{path}: {said}");
        }
        for path in ["/experiments/0/rows/0/evidence", "/experiments/0/extra"] {
            let said = said(|value| value.pointer_mut(path).unwrap()["more"] = json!([1]));
            assert_eq!(said, "read", "{path}");
        }
    }

    #[test]
    fn another_format_is_named_before_its_fields() {
        let said = said(|value| {
            value["schema"] = json!("driftgate/report/2");
            value["new"] = json!(1);
        });
        assert!(said.contains("expected `driftgate/report/1`"), "{said}");
    }

    #[test]
    fn a_report_that_contradicts_its_rows_is_refused() {
        let lane = "/experiments/0";
        for (path, field, wrong) in [
            ("", "outcome", json!("fail")),
            (lane, "outcome", json!("incomplete")),
            (lane, "checked", json!(2)),
            (lane, "summary", json!({"NEW": 1})),
        ] {
            let said = said(|value| value.pointer_mut(path).unwrap()[field] = wrong.clone());
            assert!(said.contains("not edited by hand"), "{field}: {said}");
        }
        let said = said(|value| {
            let rows = value.pointer_mut("/experiments/0/rows").unwrap();
            let row = rows[0].clone();
            rows.as_array_mut().unwrap().push(row);
        });
        assert!(said.contains("same id and grader"), "{said}");
    }

    #[test]
    fn lanes_without_number_are_told_apart_in_no_time() {
        let all = |names: &[String]| {
            said(|value| {
                let lanes = names.iter().map(|name| json!({"name": name, "rows": []}));
                value["experiments"] = lanes.collect();
                value["outcome"] = json!("incomplete");
            })
        };
        let mut names: Vec<_> = (0..20_000).map(|name| name.to_string()).collect();
        assert_eq!(all(&names), "read");
        names.push("7".to_owned());
        assert!(all(&names).contains("experiments[20000].name: stands twice"));
    }
}
