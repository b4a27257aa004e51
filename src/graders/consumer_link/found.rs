//! What a look at what links in silence gave, also where it could not look.

use crate::model::verdict::Verdict;

use super::classes::{CANDIDATE_BUILD_ERROR, MACHINE};
use super::recipe::WHOLE_TEXT;
use super::tables::Table;

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// The verdict, if it is proven.
    pub(super) verdict: Option<Verdict>,
    /// What only looks like it.
    pub(super) suspicions: Vec<String>,
    /// What is too large to be looked into.
    pub(super) unread: Vec<&'static str>,
}

impl Found {
    pub(super) fn only(verdict: Option<Verdict>) -> Self {
        Self {
            verdict,
            ..Self::default()
        }
    }
}

/// What is found where an object is not read. Nobody has looked: that is no pass.
pub(super) fn unless_read(tables: &[Table], is_mismatch: bool) -> Option<Found> {
    let names = ["consumer", "second unit", "library"].iter().zip(tables);
    let large = names.filter(|(_, table)| matches!(table, Table::TooLarge));
    let unread: Vec<&str> = large.map(|(name, _)| *name).collect();
    let not_shown = tables.iter().any(|table| matches!(table, Table::NotShown));
    let unknown = if !unread.is_empty() {
        let detail = format!(
            "an object is larger than can be looked into ({} MiB)",
            WHOLE_TEXT.output >> 20
        );
        Verdict::of(&CANDIDATE_BUILD_ERROR, detail).with("fault", "an object is too large")
    } else if not_shown {
        Verdict::of(&MACHINE, "the objects cannot be read back")
    } else {
        return None;
    };
    Some(Found {
        unread,
        ..Found::only((!is_mismatch).then_some(unknown))
    })
}
