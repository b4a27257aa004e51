//! Is a changed cassette one that `record` or `accept` could have left, and does a reviewed
//! reason stand behind a change?

use crate::model::cassette::{AcceptedFrom, Cassette};

/// What the difference between the base's cassette and head's amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Hashes and verdicts are the base's.
    None,
    /// There is a new completion.
    NewOutput,
    /// Reasons were added, and one was given for the base's state.
    Accepted,
    /// Reasons were added, and none was given for the base's state.
    StaleAccept,
    /// It is a state that the base had before a reason was given: a revert.
    Reverted,
    /// A hash or verdict changed and nothing stands behind it.
    Unfounded,
}

/// Compares the cassette of the base with that of head.
#[must_use]
pub fn change(base: &Cassette, head: &Cassette) -> Change {
    let added = head
        .accepted
        .iter()
        .filter(|entry| !base.accepted.contains(entry));
    let mut added = added.map(|entry| &entry.from).peekable();
    if added.peek().is_some() {
        let founded = added.any(|from| *from == state(base));
        // A new completion on top of a base that moved on is a recording of its own.
        return match (founded, base.hashes.output == head.hashes.output) {
            (true, _) => Change::Accepted,
            (false, true) => Change::StaleAccept,
            (false, false) => Change::NewOutput,
        };
    }
    if state(base) == state(head) {
        Change::None
    } else if was_before(base, head) {
        Change::Reverted
    } else if base.hashes.output != head.hashes.output {
        Change::NewOutput
    } else {
        Change::Unfounded
    }
}

/// Whether head's cassette is a state that the base had before a reason was given.
#[must_use]
pub fn was_before(base: &Cassette, head: &Cassette) -> bool {
    base.accepted.iter().any(|entry| entry.from == state(head))
}

/// The part of a cassette that an acceptance replaces.
#[must_use]
pub fn state(cassette: &Cassette) -> AcceptedFrom {
    AcceptedFrom {
        hashes: cassette.hashes.clone(),
        verdicts: cassette.verdicts.clone(),
    }
}
