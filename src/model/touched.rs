//! The files of a change under every name that one may know them by.

use std::collections::{BTreeMap, BTreeSet};

/// What a change touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Paths from the root, also those under which links show a file.
    pub files: BTreeSet<String>,
    /// Paths behind which anything may have changed, and what each is.
    pub anything: BTreeMap<String, &'static str>,
}
