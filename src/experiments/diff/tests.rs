//! `diff` over every combination of moved inputs, and over rows that one report lacks.

use proptest::prelude::*;

use super::*;
use crate::model::digest::Digest;
use crate::model::pins::Hashes;
use crate::model::report::ToolchainNote;

const INPUTS: [Input; 5] = [
    Input::Case,
    Input::Grader,
    Input::Toolchain,
    Input::System,
    Input::Completion,
];

fn hashes(moved: &BTreeSet<Input>) -> Hashes {
    let of = |input| Digest::of(if moved.contains(&input) { b"y" } else { b"x" });
    Hashes {
        prompt: of(Input::Case),
        fixture: Digest::of(b"x"),
        contract: Digest::of(b"x"),
        grader: Some(of(Input::Grader)),
        output: of(Input::Completion),
        toolchain: Some(of(Input::Toolchain)),
        system: Some(of(Input::System)),
    }
}

fn row(status: Status, class: &str, moved: &BTreeSet<Input>) -> Row {
    let mut row = Row::new("a", Transition::Stable.class(), "");
    row.grader = Some("io_match".to_owned());
    // A replay's `after` belongs to a step of its own; the evidence is what counts.
    row.after = Some(Status::Pass);
    row.hashes = Some(hashes(moved));
    let verdict = json!(Outcome::new(status, class));
    row.evidence.insert("verdict".to_owned(), verdict);
    row
}

fn made(rows: Vec<Row>) -> Report {
    Report {
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
    }
}

fn only(before: Vec<Row>, after: Vec<Row>) -> Row {
    let report = report(&made(before), &made(after));
    let mut rows = report.experiments[0].rows.clone();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.remove(0)
}

fn every_move() -> impl Iterator<Item = BTreeSet<Input>> {
    (0..1_u32 << INPUTS.len()).map(|bits| {
        let chosen = INPUTS
            .iter()
            .enumerate()
            .filter(|(bit, _)| bits >> bit & 1 == 1);
        chosen.map(|(_, input)| *input).collect()
    })
}

/// The class of a verdict that differs, said in another way than the code says it.
fn expected(moved: &BTreeSet<Input>) -> &'static str {
    let order = [
        (Input::Case, "CASE_DRIFT"),
        (Input::Completion, "MODEL_DRIFT"),
        (Input::Grader, "GRADER_DRIFT"),
        (Input::Toolchain, "TOOLCHAIN_DRIFT"),
        (Input::System, "TOOLCHAIN_DRIFT"),
    ];
    let first = order.iter().find(|(input, _)| moved.contains(input));
    first.map_or("NONDETERMINISTIC", |(_, class)| class)
}

#[test]
fn a_verdict_that_differs_is_named_by_the_strongest_input_that_moved() {
    let still = BTreeSet::new();
    for moved in every_move() {
        let before = row(Status::Pass, "match", &still);
        let after = row(Status::Fail, "stdout_differs", &moved);
        let found = only(vec![before], vec![after]);
        assert_eq!(found.class, expected(&moved), "{moved:?}");
        assert_eq!(found.moved, moved);
        assert_eq!(
            (found.before, found.after),
            (Some(Status::Pass), Some(Status::Fail))
        );
    }
}

#[test]
fn a_verdict_that_stays_is_stable_unless_case_or_completion_moved() {
    let still = BTreeSet::new();
    for moved in every_move() {
        let found = only(
            vec![row(Status::Fail, "hang", &still)],
            vec![row(Status::Fail, "hang", &moved)],
        );
        let class = if moved.contains(&Input::Completion) {
            "RERECORDED"
        } else if moved.contains(&Input::Case) {
            "CASE_DRIFT"
        } else {
            "STABLE"
        };
        assert_eq!((found.class.as_str(), &found.moved), (class, &moved));
        let both = moved.contains(&Input::Completion) && moved.contains(&Input::Case);
        assert_eq!(!found.also.is_empty(), both, "{moved:?}");
    }
}

#[test]
fn where_only_the_class_differs_a_person_looks() {
    let moved = BTreeSet::from([Input::Grader]);
    let before = row(Status::Fail, "stdout_differs", &BTreeSet::new());
    let found = only(vec![before], vec![row(Status::Fail, "signal", &moved)]);
    assert_eq!(
        (found.class.as_str(), found.level),
        ("GRADER_DRIFT", Level::Review)
    );
}

#[test]
fn a_status_alone_is_a_verdict_too() {
    let still = BTreeSet::new();
    let bare = |status| {
        let mut row = row(status, "", &still);
        row.evidence.clear();
        row.after = Some(status);
        row
    };
    let class = |before, after| only(vec![before], vec![after]).class;
    assert_eq!(class(bare(Status::Pass), bare(Status::Pass)), "STABLE");
    assert_eq!(
        class(bare(Status::Pass), bare(Status::Fail)),
        "NONDETERMINISTIC"
    );
    let said = row(Status::Pass, "match", &still);
    assert_eq!(class(said, bare(Status::Pass)), "STABLE");
}

#[test]
fn what_one_report_lacks_is_new_or_removed_or_unjudged() {
    let still = BTreeSet::new();
    let pass = || row(Status::Pass, "match", &still);
    let unjudged = || row(Status::Unjudged, "environment", &still);
    let gone = || {
        let mut row = Row::new("a", Transition::Removed.class(), "");
        row.grader = Some("io_match".to_owned());
        row
    };
    for (before, after, class, status) in [
        (vec![pass()], vec![], "REMOVED", Some(Status::Pass)),
        (vec![pass()], vec![gone()], "REMOVED", Some(Status::Pass)),
        (vec![], vec![pass()], "NEW", None),
        (vec![gone()], vec![pass()], "NEW", None),
        (vec![], vec![unjudged()], "UNJUDGED", None),
        (
            vec![pass()],
            vec![unjudged()],
            "UNJUDGED",
            Some(Status::Pass),
        ),
        (
            vec![unjudged()],
            vec![unjudged()],
            "UNJUDGED",
            Some(Status::Unjudged),
        ),
        (
            vec![unjudged()],
            vec![pass()],
            "NEW",
            Some(Status::Unjudged),
        ),
    ] {
        let found = only(before, after);
        assert_eq!((found.class.as_str(), found.before), (class, status));
    }
    assert_eq!(report(&made(vec![gone()]), &made(vec![])).rows().count(), 0);
}

#[test]
fn without_hashes_nothing_is_blamed() {
    let still = BTreeSet::new();
    let mut after = row(Status::Fail, "hang", &still);
    after.hashes = None;
    let before = row(Status::Pass, "match", &still);
    assert_eq!(only(vec![before], vec![after]).class, "UNJUDGED");
}

#[test]
fn the_same_id_in_two_lanes_makes_two_rows() {
    let still = BTreeSet::new();
    let mut two = made(vec![row(Status::Pass, "match", &still)]);
    let other = Experiment::new("io_match", two.experiments[0].rows.clone());
    two.experiments.push(other);
    let ids: Vec<_> = report(&two, &two)
        .rows()
        .map(|row| row.id.clone())
        .collect();
    assert_eq!(ids, ["io_match/a", "replay/a"]);
}

fn any_row() -> impl Strategy<Value = Row> {
    let status = prop_oneof![
        Just(Status::Pass),
        Just(Status::Fail),
        Just(Status::Unjudged)
    ];
    let moved = proptest::sample::subsequence(INPUTS.to_vec(), 0..=INPUTS.len());
    (status, "[a-c]", "[a-c]", moved, any::<bool>()).prop_map(|(status, id, class, moved, bare)| {
        let mut row = row(status, &class, &moved.into_iter().collect());
        row.id = id;
        if bare {
            row.hashes = None;
        }
        row
    })
}

proptest! {
    /// Null control: between a report and itself nothing is named but what has no verdict.
    #[test]
    fn a_report_against_itself_names_no_transition(rows in proptest::collection::vec(any_row(), 0..6)) {
        let made = made(rows);
        for row in report(&made, &made).rows() {
            prop_assert!(matches!(row.class.as_str(), "STABLE" | "UNJUDGED"), "{row:?}");
            prop_assert!(row.moved.is_empty());
        }
    }

    /// Every (lane, id, grader) of either report has exactly one row.
    #[test]
    fn nothing_is_lost(
        before in proptest::collection::vec(any_row(), 0..6),
        after in proptest::collection::vec(any_row(), 0..6),
    ) {
        let ids: BTreeSet<_> = before.iter().chain(&after).map(|row| row.id.clone()).collect();
        let found: Vec<_> = report(&made(before), &made(after)).rows().map(|row| row.id.clone()).collect();
        prop_assert_eq!(found, ids.into_iter().collect::<Vec<_>>());
    }
}
