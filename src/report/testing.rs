//! Reports for the tests of what GitHub shows.

mod harmless;
mod hostile;

use serde_json::json;

use crate::model::class::{self, Class};
use crate::model::pins::Input;
use crate::model::report::{Experiment, Report, Sandbox, ToolchainNote};
use crate::model::row::{At, Row};
use crate::model::verdict::Status;
use crate::{experiments, graders};

pub(super) use harmless::assert_harmless;
pub(super) use hostile::{any_report, hostile, longest, text};

/// The class of this name, of whichever grader or experiment has it.
fn class_of(name: &str) -> &'static Class {
    let graders = graders::KINDS.iter().map(|kind| kind.classes);
    let experiments = experiments::KINDS.iter().map(|kind| kind.classes);
    // Of two graders with the same class the later one has the row that is made here.
    let mut tables = experiments.chain(graders.rev());
    tables
        .find_map(|table| class::find(table, name))
        .unwrap_or_else(|| panic!("no class {name}"))
}

/// A row of `class`, graded by `io_match`.
pub(super) fn row(id: &str, class: &str, why: &str) -> Row {
    let mut row = Row::new(id, class_of(class), why);
    row.grader = Some("io_match".to_owned());
    row.repro = format!("driftgate replay --case {id}");
    row
}

pub(super) fn at(path: &str, line: u32) -> Option<At> {
    let path = path.to_owned();
    Some(At { path, line })
}

/// A report of `rows` in the lane `replay`.
pub(super) fn report(rows: Vec<Row>, notes: Vec<String>) -> Report {
    of_lanes(vec![Experiment::new("replay", rows)], notes)
}

pub(super) fn of_lanes(experiments: Vec<Experiment>, notes: Vec<String>) -> Report {
    Report {
        command: "check".to_owned(),
        base: Some("3f9c2b7d10e84a5566c1d29f0b7ae34c8d51f602".to_owned()),
        head: Some("a41d07c9be5526f3881e90d4c7720fb16a3358de".to_owned()),
        toolchain: ToolchainNote {
            version: Some("g++ 12.2.0 x86_64-linux-gnu".to_owned()),
            hash: None,
        },
        sandbox: Sandbox {
            level: "full".to_owned(),
            why: String::new(),
        },
        experiments,
        notes,
    }
}

fn stable(count: usize) -> impl Iterator<Item = Row> {
    (0..count).map(|index| {
        row(
            &format!("stable-{index:03}"),
            "STABLE",
            "still pass (match)",
        )
    })
}

/// Nothing happened.
pub(super) fn green() -> Report {
    report(stable(164).collect(), Vec::new())
}

/// A case that a grader's edit flips.
pub(super) fn flipped(id: &str, diff: &str) -> Row {
    let why = "same case, same completion, grader moved: pass (match) became fail \
               (stdout_differs): printed something else from byte 7 on";
    let mut row = row(id, "GRADER_DRIFT", why);
    row.before = Some(Status::Pass);
    row.after = Some(Status::Fail);
    row.moved.insert(Input::Grader);
    row.at = at("goldens/graders/io_match.yaml", 1);
    let stdout = json!({"diff": diff, "first_difference": 7});
    row.evidence.insert("stdout".to_owned(), stdout);
    row
}

/// One edit of a grader flips three cases.
pub(super) fn drift() -> Report {
    let flips = [
        flipped("parse-args-004", "-7 files\n+7 files·"),
        flipped("split-range-001", "-0 1 2 3\n+0 1 2 3·"),
        flipped("wrap-text-012", "-to be or\n+to be or··\n not to be"),
    ];
    let touched = "protected files are touched: goldens/graders/io_match.yaml".to_owned();
    report(
        flips.into_iter().chain(stable(161)).collect(),
        vec![touched],
    )
}

/// A header that lacks an include, as its grader tells it.
pub(super) fn header() -> Row {
    let path = "include/text/wrap.hpp";
    let why = "`std::vector` is not declared: include <vector>";
    let mut row = row(path, "missing_declaration", why);
    row.grader = Some("standalone_header".to_owned());
    row.after = Some(Status::Fail);
    row.at = at(path, 12);
    row.repro = format!("driftgate check --case {path}");
    let edit = json!({"path": path, "line": 4, "text": "#include <vector>\n", "header": "vector", "proven": true});
    row.evidence.insert("suggestion".to_owned(), edit);
    let said = format!("{path}:12:6: error: 'vector' in namespace 'std' does not name a type");
    row.evidence.insert("diagnostics".to_owned(), json!(said));
    row
}

/// A quarantine that is over.
pub(super) fn overdue() -> Row {
    let why = "expired 3 days ago on 2026-10-14: prints the time of day";
    let mut row = row("clock-007", "QUARANTINE_EXPIRED", why);
    row.grader = None;
    row.at = at("quarantine.yaml", 9);
    row.repro = "driftgate quarantine".to_owned();
    row.evidence.insert("owner".to_owned(), json!("sam"));
    row
}

/// Rows of cases: id, class, the status before and after, and why.
type Told = (
    &'static str,
    &'static str,
    Option<Status>,
    Option<Status>,
    &'static str,
);
const PASS: Option<Status> = Some(Status::Pass);
const FAIL: Option<Status> = Some(Status::Fail);
const CASES: [Told; 8] = [
    (
        "trim-002",
        "CASE_DRIFT",
        PASS,
        PASS,
        "the case was edited: still pass (match)",
    ),
    (
        "sum-003",
        "TOOLCHAIN_DRIFT",
        PASS,
        FAIL,
        "same case, same completion, toolchain moved: pass (match) became fail (compile_error)",
    ),
    (
        "poem-001",
        "MODEL_DRIFT",
        PASS,
        FAIL,
        "the completion was recorded again: pass (match) became fail (stdout_differs)",
    ),
    (
        "race-001",
        "NONDETERMINISTIC",
        PASS,
        FAIL,
        "gradings of the same inputs disagree: pass (match), then fail (signal)",
    ),
    (
        "swap-001",
        "TAMPERED",
        PASS,
        None,
        "the cassette says pass, and its output is another",
    ),
    (
        "new-001",
        "NEW",
        None,
        PASS,
        "no earlier verdict; today pass (match)",
    ),
    (
        "old-001",
        "REMOVED",
        None,
        None,
        "the base judges this and head does not",
    ),
    (
        "far-001",
        "UNJUDGED",
        PASS,
        Some(Status::Unjudged),
        "hang: the machine was too slow to tell",
    ),
];

/// Twelve kinds of rows in five lanes.
pub(super) fn mixed() -> Report {
    let mut replay: Vec<Row> = stable(3).collect();
    replay.push(flipped("parse-args-004", "-7 files\n+7 files·"));
    replay.extend(CASES.map(|(id, class, before, after, why)| {
        let mut row = row(id, class, why);
        row.at = at(&format!("goldens/cases/{id}.json"), 1);
        (row.before, row.after) = (before, after);
        row
    }));
    let why = "`text::wrap` is not in the archive";
    let mut consumer = row("cli-user", "link_undefined", why);
    consumer.grader = Some("consumer_link".to_owned());
    consumer.at = at("goldens/consumers/cli-user.json", 4);
    consumer.after = FAIL;
    consumer.repro = "driftgate check --case cli-user".to_owned();
    let why = "`CASE_DRIFT` is no longer in fail_on; for this change it still is";
    let mut weaker = row("fail_on/CASE_DRIFT", "GATE_WEAKENED", why);
    weaker.grader = None;
    weaker.at = at("driftgate.yml", 1);
    weaker.repro.clear();
    let lanes = [
        ("replay", replay),
        ("consumer_link", vec![consumer]),
        ("standalone_header", vec![header()]),
        ("quarantine", vec![overdue()]),
        ("policy", vec![weaker]),
    ];
    let lanes = lanes.map(|(name, rows)| Experiment::new(name, rows));
    of_lanes(
        lanes.into(),
        vec!["the compiler has no `-fanalyzer`".to_owned()],
    )
}

/// Something could not be judged, and nothing fails.
pub(super) fn incomplete() -> Report {
    let mut lost = row(
        "far-001",
        "UNJUDGED",
        "not_run: no compiler named `c++` was found",
    );
    lost.at = at("goldens/cases/far-001.json", 1);
    report(stable(2).chain([lost]).collect(), Vec::new())
}
