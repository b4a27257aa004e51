//! Loads and checks what people commit, and writes cassettes. Every complaint names the file,
//! the line and the field, what was expected, and the nearest known name.

pub mod cases;
pub mod cassettes;
pub mod completions;
pub mod config;
pub mod flags;
mod grader_inputs;
pub mod graders;
pub mod ids;
pub mod nearest;
pub mod parse;
pub mod place;
pub mod quarantine;
pub mod recorder;
mod root;
pub mod schema;
pub mod tree;
mod wording;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::InputError;
use crate::model::case::Case;
use crate::model::grader::GraderSpec;

pub use cassettes::Recording;
pub use config::Config;
pub use root::find_root;
pub use tree::{Tree, WorkingTree};

/// The folder of the goldens, from the root.
pub const GOLDENS: &str = "goldens";

/// Everything that people committed, checked.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The policy.
    pub config: Config,
    /// The cases, sorted by id.
    pub cases: Vec<Arc<Case>>,
    /// The graders, by id.
    pub graders: BTreeMap<String, Arc<GraderSpec>>,
    /// The recorded completions, by case id.
    pub recordings: BTreeMap<String, Recording>,
    /// The cases that are tolerated for a while, in the order of the file.
    pub quarantine: Vec<quarantine::Entry>,
}

impl Suite {
    /// Reads the suite in `tree`.
    ///
    /// # Errors
    /// As [`Suite::load_with_orphans`], and every recording without a case.
    pub fn load(tree: &dyn Tree) -> Result<Self, Vec<InputError>> {
        let suite = Self::load_with_orphans(tree)?;
        let orphans = suite.orphans();
        if orphans.is_empty() {
            Ok(suite)
        } else {
            Err(orphans)
        }
    }

    /// Reads the suite in `tree`, where a recording may have lost its case.
    ///
    /// # Errors
    /// The first fault of form of each file and all faults of meaning, sorted by place.
    pub fn load_with_orphans(tree: &dyn Tree) -> Result<Self, Vec<InputError>> {
        let config = config::load(tree);
        let graders = graders::load(tree);
        let quarantine = quarantine::load(tree);
        let names = graders::names(tree).unwrap_or_default();
        let (cases, recordings) = std::thread::scope(|scope| {
            let recordings = scope.spawn(|| cassettes::load(tree));
            let cases = cases::load(tree, &names);
            (cases, recordings.join())
        });
        let recordings = recordings.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match (config, cases, graders, recordings, quarantine) {
            (Ok(config), Ok(cases), Ok(graders), Ok(recordings), Ok(quarantine)) => Ok(Self {
                config,
                cases,
                graders,
                recordings,
                quarantine,
            }),
            (config, cases, graders, recordings, quarantine) => {
                let errors = [
                    config.err(),
                    cases.err(),
                    graders.err(),
                    recordings.err(),
                    quarantine.err(),
                ];
                let mut errors: Vec<_> = errors.into_iter().flatten().flatten().collect();
                errors.sort();
                errors.dedup();
                Err(errors)
            }
        }
    }

    /// A complaint about each recording without a case.
    #[must_use]
    pub fn orphans(&self) -> Vec<InputError> {
        cassettes::orphans(
            &self.recordings,
            self.cases.iter().map(|case| case.id.as_str()),
        )
    }

    /// The case with this id.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&Arc<Case>> {
        let index = self
            .cases
            .binary_search_by(|case| case.id.as_str().cmp(id))
            .ok()?;
        self.cases.get(index)
    }
}

#[cfg(test)]
mod tests;
