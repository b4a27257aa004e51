//! What a row must say, worked out the slow way from the text: every corner graded, every rule
//! written as its sentence stands, and nothing shared with the code it is held against.

use std::collections::BTreeSet;

use crate::model::cassette::{AcceptedFrom, Cassette};
use crate::model::class::Level;
use crate::model::pins::Input;
use crate::model::verdict::{Outcome, Status};

/// A corner of the world: its verdicts by the first and by the second grading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Corner {
    pub(super) first: Outcome,
    pub(super) second: Outcome,
}

/// All that the text lets a row depend on.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The base's cassette and the corners at 2, 3 and 4; `None`: the base has no verdict.
    pub(super) base: Option<BaseFacts>,
    /// The verdict of the base's cassette; without a base, of head's.
    pub(super) recorded: Option<Outcome>,
    /// What differs between the recording's hashes and the inputs it is held against at 2.
    pub(super) since_recorded: BTreeSet<Input>,
    /// The corner at 5.
    pub(super) head: Corner,
    /// Head's cassette.
    pub(super) cassette: Cassette,
    /// Its verdict.
    pub(super) claimed: Option<Outcome>,
    /// Whether its output file holds what its hash says.
    pub(super) output_intact: bool,
    /// Whether its hashes, toolchain and system apart, are those of head's inputs.
    pub(super) hashes_of_head: bool,
    /// Whether its toolchain and system are today's.
    pub(super) machine_of_today: bool,
    /// Whether anything was named to compare with.
    pub(super) has_base: bool,
}

/// The base's side.
#[derive(Clone, Debug)]
pub(super) struct BaseFacts {
    pub(super) cassette: Cassette,
    /// Base case, base completion, base grader.
    pub(super) second: Corner,
    /// And head's grader.
    pub(super) third: Corner,
    /// And head's case.
    pub(super) fourth: Corner,
    pub(super) grader_moved: bool,
    pub(super) case_moved: bool,
    pub(super) completion_moved: bool,
}

/// What the text says of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) class: &'static str,
    pub(super) level: Level,
    pub(super) also: Vec<&'static str>,
    pub(super) moved: BTreeSet<Input>,
    pub(super) explained: bool,
    pub(super) inherited: bool,
    pub(super) before: Option<Status>,
    pub(super) after: Option<Status>,
}

/// The classes, strongest first.
const ORDER: [&str; 11] = [
    "TAMPERED",
    "STALE_ACCEPT",
    "UNJUDGED",
    "NONDETERMINISTIC",
    "GRADER_DRIFT",
    "TOOLCHAIN_DRIFT",
    "MODEL_DRIFT",
    "CASE_DRIFT",
    "RERECORDED",
    "NEW",
    "STABLE",
];

/// One thing that was found.
#[derive(Clone, Debug)]
struct Found {
    class: &'static str,
    level: Level,
    before: Option<Status>,
    after: Option<Status>,
}

fn level(class: &str) -> Level {
    match class {
        "TAMPERED" | "STALE_ACCEPT" | "NONDETERMINISTIC" | "GRADER_DRIFT" => Level::Fail,
        "UNJUDGED" => Level::Incomplete,
        "TOOLCHAIN_DRIFT" | "MODEL_DRIFT" | "CASE_DRIFT" => Level::Review,
        "RERECORDED" | "NEW" | "STABLE" => Level::Ok,
        other => panic!("no class {other}"),
    }
}

fn judged(outcome: &Outcome) -> bool {
    outcome.status != Status::Unjudged
}

/// A step from one verdict to another.
fn step(class: &'static str, before: &Outcome, after: &Outcome) -> Found {
    let mut level = level(class);
    // Only the class differs: the transition keeps its name at level review.
    if before.status == after.status && before != after {
        level = level.min(Level::Review);
    }
    Found {
        class,
        level,
        before: Some(before.status),
        after: Some(after.status),
    }
}

/// A disagreement of two gradings, told by the one that differs most from what was before.
fn flaky(before: &Outcome, first: &Outcome, second: &Outcome) -> Found {
    let other_status = [first, second]
        .into_iter()
        .find(|one| one.status != before.status);
    let other = [first, second].into_iter().find(|one| *one != before);
    step(
        "NONDETERMINISTIC",
        before,
        other_status.or(other).unwrap_or(first),
    )
}

fn plain(class: &'static str, before: Option<&Outcome>, after: Option<&Outcome>) -> Found {
    Found {
        class,
        level: level(class),
        before: before.map(|outcome| outcome.status),
        after: after.map(|outcome| outcome.status),
    }
}

fn state(cassette: &Cassette) -> AcceptedFrom {
    AcceptedFrom {
        hashes: cassette.hashes.clone(),
        verdicts: cassette.verdicts.clone(),
    }
}

/// How head's cassette came out of the base's.
struct Change {
    /// Neither `accept` nor a new output, and yet a hash or a verdict differs.
    by_hand: bool,
    /// Reasons the base has not, none of which was given for the base's state.
    stale: bool,
    /// One was.
    accepted: bool,
    /// It is the state before an acceptance that the base has.
    revert: bool,
    /// Hashes, verdicts or reasons differ at all.
    differs: bool,
}

fn change(base: &Cassette, head: &Cassette) -> Change {
    let fresh: Vec<_> = head
        .accepted
        .iter()
        .filter(|entry| !base.accepted.contains(entry))
        .collect();
    let revert =
        state(head) != state(base) && base.accepted.iter().any(|entry| entry.from == state(head));
    let accepted = fresh.iter().any(|entry| entry.from == state(base));
    Change {
        by_hand: fresh.is_empty()
            && !revert
            && state(base) != state(head)
            && base.hashes.output == head.hashes.output,
        // A reason given here for a new completion has a state before it that only this branch
        // knew.
        stale: !fresh.is_empty() && !accepted && base.hashes.output == head.hashes.output,
        accepted,
        revert,
        differs: state(base) != state(head) || !fresh.is_empty(),
    }
}

/// What the text says of `facts`.
pub(super) fn expected(facts: &Facts) -> Expected {
    let contradicts_itself = facts.claimed.as_ref().is_some_and(|claimed| {
        let passes = ["match"];
        let fails = ["stdout_differs", "signal"];
        let unknown = ["environment"];
        !match claimed.status {
            Status::Pass => passes.contains(&claimed.class.as_str()),
            Status::Fail => fails.contains(&claimed.class.as_str()),
            Status::Unjudged => unknown.contains(&claimed.class.as_str()),
        }
    });
    if !facts.output_intact || contradicts_itself {
        return sum(
            facts,
            vec![plain("TAMPERED", facts.claimed.as_ref(), None)],
            false,
            false,
        );
    }
    if !facts.has_base {
        return alone(facts);
    }
    let Some(base) = &facts.base else {
        return sum(facts, without_baseline(facts), false, false);
    };
    let change = change(&base.cassette, &facts.cassette);
    let mut found = Vec::new();
    let (before, after) = (facts.recorded.as_ref(), Some(&facts.head.first));
    if change.by_hand {
        found.push(plain("TAMPERED", before, after));
    }
    if change.stale {
        found.push(plain("STALE_ACCEPT", before, after));
    }
    let inherited = walk(facts, base, &mut found);
    if change.differs && !change.revert {
        found.extend(contradiction(facts));
    }
    // NEW is what is left to say: no baseline, and it replays to itself.
    if found.len() > 1 {
        found.retain(|one| one.class != "NEW");
    }
    let explained = change.accepted
        && facts.hashes_of_head
        && facts.claimed.as_ref() == Some(&facts.head.first);
    sum(facts, found, explained, inherited)
}

/// No base: the cassette alone.
fn alone(facts: &Facts) -> Expected {
    let today = &facts.head.first;
    let moved = |input| facts.since_recorded.contains(&input);
    let mut found = Vec::new();
    let first = match &facts.recorded {
        _ if !judged(today) => plain("UNJUDGED", facts.recorded.as_ref(), Some(today)),
        None => plain("NEW", None, Some(today)),
        Some(recorded) if !judged(recorded) => plain("NEW", Some(recorded), Some(today)),
        Some(recorded) if recorded != today && !judged(&facts.head.second) => {
            plain("UNJUDGED", Some(recorded), Some(&facts.head.second))
        }
        Some(recorded) if recorded != today && facts.head.second != *today => {
            if moved(Input::Case) {
                found.push(step("CASE_DRIFT", recorded, today));
            }
            flaky(recorded, today, &facts.head.second)
        }
        Some(recorded) if moved(Input::Case) => step("CASE_DRIFT", recorded, today),
        Some(recorded) if recorded == today => step("STABLE", recorded, today),
        Some(recorded) if moved(Input::Grader) || moved(Input::Engine) => {
            step("GRADER_DRIFT", recorded, today)
        }
        Some(recorded) if moved(Input::Toolchain) || moved(Input::System) => {
            step("TOOLCHAIN_DRIFT", recorded, today)
        }
        Some(recorded) => step("NONDETERMINISTIC", recorded, today),
    };
    found.push(first);
    sum(facts, found, false, false)
}

/// Whether head contradicts what its cassette claims.
fn contradiction(facts: &Facts) -> Option<Found> {
    let Corner { first, second } = &facts.head;
    let claimed = facts.claimed.as_ref().filter(|claimed| judged(claimed))?;
    if !judged(first) || claimed == first {
        return None;
    }
    Some(if !judged(second) {
        plain("UNJUDGED", Some(claimed), Some(second))
    } else if first != second {
        flaky(claimed, first, second)
    } else if facts.machine_of_today {
        plain("TAMPERED", Some(claimed), Some(first))
    } else {
        step("TOOLCHAIN_DRIFT", claimed, first)
    })
}

/// The base has no verdict.
fn without_baseline(facts: &Facts) -> Vec<Found> {
    let today = &facts.head.first;
    // Recorded unjudged is said; anything else that head claims is no baseline.
    let before = facts.claimed.as_ref().filter(|claimed| !judged(claimed));
    if !judged(today) {
        return vec![plain("UNJUDGED", before, Some(today))];
    }
    if let Some(found) = contradiction(facts) {
        return vec![found];
    }
    let before = facts.claimed.as_ref().filter(|claimed| !judged(claimed));
    vec![plain("NEW", before, Some(today))]
}

/// A verdict on the path.
#[derive(Clone)]
struct Node {
    first: Outcome,
    /// The second grading, where the text calls for one.
    second: Option<Outcome>,
    moved: BTreeSet<Input>,
    /// Whether head moved it: stale hashes are not head's doing.
    corner: Option<Corner>,
}

impl Node {
    fn disagrees(&self) -> bool {
        self.second
            .as_ref()
            .is_some_and(|second| *second != self.first)
    }
}

/// The path from 1 to 5. Returns whether the difference between 1 and 2 is inherited.
fn walk(facts: &Facts, base: &BaseFacts, found: &mut Vec<Found>) -> bool {
    let Some(recorded) = &facts.recorded else {
        panic!("a base without a verdict is no base")
    };
    let today = &facts.head.first;
    if !judged(recorded) {
        let class = if judged(today) { "NEW" } else { "UNJUDGED" };
        found.push(plain(class, Some(recorded), Some(today)));
        return false;
    }
    let mut nodes = vec![Node {
        first: recorded.clone(),
        second: None,
        moved: BTreeSet::new(),
        corner: None,
    }];
    // The machine's step; steps whose inputs hash the same are one step.
    let mut machine = facts.since_recorded.clone();
    machine.retain(|input| ![Input::Case, Input::Grader].contains(input));
    let steps = [
        (true, &base.second, None),
        (base.grader_moved, &base.third, Some(Input::Grader)),
        (base.case_moved, &base.fourth, Some(Input::Case)),
        (base.completion_moved, &facts.head, Some(Input::Completion)),
    ];
    for (_, corner, input) in steps.into_iter().filter(|(is_step, _, _)| *is_step) {
        nodes.push(Node {
            first: corner.first.clone(),
            second: None,
            moved: input.map_or_else(|| machine.clone(), |input| BTreeSet::from([input])),
            corner: Some(corner.clone()),
        });
    }
    // 2 differs from 1: graded again.
    if nodes[1].first != *recorded {
        second(&mut nodes[1]);
    }
    // 5 differs from the verdict before it: both graded twice, as long as that changes what the
    // verdict before it is.
    let last = nodes.len() - 1;
    while base.completion_moved && judged(&nodes[last].first) {
        let from = (0..last)
            .rev()
            .find(|at| judged(&nodes[*at].first))
            .unwrap();
        if nodes[from].first == nodes[last].first {
            break;
        }
        second(&mut nodes[last]);
        if second(&mut nodes[from]) {
            break;
        }
    }
    if !judged(&nodes[last].first) {
        found.push(plain("UNJUDGED", Some(recorded), Some(&nodes[last].first)));
    }
    edges(facts, &judged_only(nodes), found)
}

/// What is unjudged leaves the path.
fn judged_only(nodes: Vec<Node>) -> Vec<Node> {
    let mut kept: Vec<Node> = Vec::new();
    let mut carried = BTreeSet::new();
    for mut node in nodes {
        node.moved.append(&mut carried);
        if judged(&node.first) {
            kept.push(node);
        } else {
            carried = node.moved;
        }
    }
    kept
}

/// Grades again. A second grading without a verdict unproves the first. Returns whether nothing
/// new came of it.
fn second(node: &mut Node) -> bool {
    let Some(corner) = &node.corner else {
        return true;
    };
    let known = node.second.is_some();
    node.second = Some(corner.second.clone());
    if !judged(&corner.second) {
        node.first = corner.second.clone();
        return false;
    }
    known || judged(&node.first)
}

fn edges(facts: &Facts, nodes: &[Node], found: &mut Vec<Found>) -> bool {
    let mut stale = facts.since_recorded.clone();
    stale.retain(|input| [Input::Case, Input::Grader].contains(input));
    let mut inherited = None;
    let mut later_differs = false;
    for (at, pair) in nodes.windows(2).enumerate() {
        let (from, to) = (&pair[0], &pair[1]);
        let differs = from.first != to.first;
        if at == 0 && differs && !stale.is_empty() && !to.disagrees() {
            inherited = Some(to);
            continue;
        }
        later_differs |= differs;
        edge(from, to, found);
    }
    let Some(to) = inherited else { return false };
    if !later_differs {
        // The class is by the stale hash; where steps were joined, by the stronger of all.
        let moved = |input| stale.contains(&input) || to.moved.contains(&input);
        let class = if moved(Input::Grader) {
            "GRADER_DRIFT"
        } else if moved(Input::Completion) {
            "MODEL_DRIFT"
        } else {
            "CASE_DRIFT"
        };
        let mut classes = vec![class];
        if moved(Input::Case) {
            classes.push("CASE_DRIFT");
        }
        for class in classes {
            found.push(Found {
                level: Level::Review,
                ..step(class, &nodes[0].first, &to.first)
            });
        }
    }
    true
}

fn edge(from: &Node, to: &Node, found: &mut Vec<Found>) {
    let differs = from.first != to.first;
    let moved = |input| to.moved.contains(&input);
    let new_completion = moved(Input::Completion);
    if to.disagrees() {
        let second = to.second.as_ref().unwrap();
        found.push(flaky(&from.first, &to.first, second));
    }
    // Both must have been graded twice, and agree.
    let proven = !(to.disagrees() || new_completion && from.disagrees());
    if differs && (proven || moved(Input::Grader)) {
        let class = if moved(Input::Grader) || moved(Input::Engine) {
            "GRADER_DRIFT"
        } else if moved(Input::Toolchain) || moved(Input::System) {
            "TOOLCHAIN_DRIFT"
        } else if new_completion {
            "MODEL_DRIFT"
        } else if moved(Input::Case) {
            "CASE_DRIFT"
        } else {
            "NONDETERMINISTIC"
        };
        found.push(step(class, &from.first, &to.first));
    } else if new_completion && !differs && !to.disagrees() {
        found.push(step("RERECORDED", &from.first, &to.first));
    }
    // The case moved: CASE_DRIFT, with the verdict change it causes, if any.
    if moved(Input::Case) {
        found.push(step("CASE_DRIFT", &from.first, &to.first));
    }
}

/// The row's class is the first; the others go to `also`.
fn sum(facts: &Facts, mut found: Vec<Found>, explained: bool, inherited: bool) -> Expected {
    let has = |found: &[Found], class: &str| found.iter().any(|one| one.class == class);
    let mut moved = BTreeSet::new();
    let is_compared = facts.recorded.as_ref().is_some_and(judged)
        && !(found.len() == 1 && has(&found, "TAMPERED") && found[0].after.is_none());
    if is_compared && (facts.base.is_some() || !has(&found, "UNJUDGED")) {
        moved.clone_from(&facts.since_recorded);
    }
    if let Some(base) = facts.base.as_ref().filter(|_| is_compared) {
        // A fact whatever became of the verdicts.
        if base.case_moved && !has(&found, "CASE_DRIFT") {
            found.push(plain(
                "CASE_DRIFT",
                Some(&base.third.first),
                Some(&base.fourth.first),
            ));
        }
        for (is_moved, input) in [
            (base.grader_moved, Input::Grader),
            (base.case_moved, Input::Case),
            (base.completion_moved, Input::Completion),
        ] {
            if is_moved {
                moved.insert(input);
            }
        }
    }
    if found.is_empty() {
        found.push(step("STABLE", &facts.head.first, &facts.head.first));
    }
    let rank = |class| ORDER.iter().position(|one| *one == class);
    let explains = |class: &str| ["GRADER_DRIFT", "TOOLCHAIN_DRIFT", "CASE_DRIFT"].contains(&class);
    let is_explained = |found: &[Found]| explained && explains(found[0].class);
    // Of two steps of one class the stricter speaks, then the earlier.
    found.sort_by_key(|one| (rank(one.class), std::cmp::Reverse(one.level)));
    if is_explained(&found) {
        for one in &mut found {
            one.level = one.level.min(Level::Review);
        }
    }
    let first = found[0].clone();
    let mut also: Vec<_> = found.iter().map(|one| one.class).collect();
    also.dedup();
    also.remove(0);
    Expected {
        class: first.class,
        level: found
            .iter()
            .map(|one| one.level)
            .max()
            .unwrap_or(first.level),
        also,
        moved,
        explained: is_explained(&found),
        inherited,
        before: first.before,
        after: first.after,
    }
}
