//! What the lane of headers and the lanes of behaviour come to together: neither stands for the
//! other.
//!
//! **Pins** finished lanes. **Moves** nothing. **Names** whether a change is eligible for review.
//! **Cannot see** anything that no row says: it is a reading of outcomes and decides no exit code.

use serde_json::json;

use crate::model::report::{Experiment, Outcome};
use crate::suite::headers;

/// The lanes in which no behaviour is judged.
const OTHERS: [&str; 3] = ["quarantine", "policy", headers::GRADER];

/// What to make of `header`, the outcome of headers, and `behaviour`, that of everything else:
/// whether it is eligible, and a sentence.
#[must_use]
pub fn decide(header: Outcome, behaviour: Outcome) -> (&'static str, &'static str) {
    use Outcome::{Fail, Incomplete, Pass};
    match (header, behaviour) {
        (Pass, Pass) => ("eligible", "both lanes are green: eligible for review"),
        (Fail, Pass) => ("no", "headers fail, behaviour passes: not eligible"),
        (Fail, Fail) => ("no", "both lanes are red: not eligible"),
        (Pass, Fail) => ("no", "headers stand alone, behaviour fails: not eligible"),
        (Incomplete, _) | (_, Incomplete) => (
            "incomplete",
            "incomplete grade: a lane was not judged; not eligible",
        ),
    }
}

/// Adds the decision to the lane of headers, if there is one and a lane of behaviour beside it.
/// Returns the sentence.
pub fn add(experiments: &mut [Experiment]) -> Option<&'static str> {
    let behaviour = experiments
        .iter()
        .filter(|lane| !OTHERS.contains(&lane.name.as_str()))
        .flat_map(|lane| lane.rows.iter().map(|row| row.level));
    let levels: Vec<_> = behaviour.collect();
    let lane = experiments
        .iter_mut()
        .find(|lane| lane.name == headers::GRADER)?;
    if levels.is_empty() {
        return None;
    }
    let (header, behaviour) = (lane.outcome(), Outcome::of(levels));
    let (merge, sentence) = decide(header, behaviour);
    let decision = json!({
        "headers": header.as_str(),
        "behaviour": behaviour.as_str(),
        "merge": merge,
        "why": sentence,
    });
    lane.extra.insert("decision".to_owned(), decision);
    Some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_green_lanes_are_eligible() {
        use Outcome::{Fail, Incomplete, Pass};
        for (header, behaviour, merge) in [
            (Pass, Pass, "eligible"),
            (Fail, Pass, "no"),
            (Pass, Fail, "no"),
            (Fail, Fail, "no"),
            (Incomplete, Pass, "incomplete"),
            (Pass, Incomplete, "incomplete"),
            (Incomplete, Fail, "incomplete"),
        ] {
            assert_eq!(
                decide(header, behaviour).0,
                merge,
                "{header:?} {behaviour:?}"
            );
        }
    }

    #[test]
    fn without_both_kinds_of_lanes_nothing_is_decided() {
        assert_eq!(add(&mut [Experiment::new("replay", Vec::new())]), None);
        assert_eq!(
            add(&mut [Experiment::new(headers::GRADER, Vec::new())]),
            None
        );
    }
}
