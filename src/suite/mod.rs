//! Loads and checks what people commit, and writes cassettes. Every complaint names the file,
//! the line and the field, what was expected, and the nearest known name.

pub mod cases;
pub mod cassettes;
pub mod completions;
pub mod config;
pub mod consumers;
pub mod flags;
pub mod globs;
mod grader_inputs;
pub mod graders;
pub mod headers;
pub mod ids;
pub mod nearest;
pub mod parse;
pub mod place;
pub mod quarantine;
pub mod recorder;
mod root;
pub mod schema;
mod source_trees;
pub mod tree;
mod wording;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::InputError;
use crate::model::case::Case;
use crate::model::consumer::Consumer;
use crate::model::grader::GraderSpec;
use crate::model::header::Header;
use crate::model::source_tree::SourceTree;

pub use cassettes::Recording;
pub use config::Config;
pub use headers::PublicHeaders;
pub use root::find_root;
use source_trees::SourceTrees;
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
    /// The strangers' programs, sorted by id.
    pub consumers: Vec<Arc<Consumer>>,
    /// The public headers that must stand alone, sorted by path.
    pub headers: PublicHeaders,
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
        let mut trees = SourceTrees::new(tree);
        let consumers = consumers::load(tree, &mut trees);
        let policy = config.as_ref().map(|config| &config.standalone_header);
        let headers = policy.map(|policy| headers::load(tree, &mut trees, policy));
        let mut errors = Vec::new();
        let suite = Self {
            cases: kept(cases, &mut errors),
            graders: kept(graders, &mut errors),
            recordings: kept(recordings, &mut errors),
            quarantine: kept(quarantine, &mut errors),
            consumers: kept(consumers, &mut errors),
            headers: kept(
                headers.unwrap_or_else(|_| Ok(PublicHeaders::default())),
                &mut errors,
            ),
            config: kept(config, &mut errors),
        };
        if errors.is_empty() {
            return Ok(suite);
        }
        errors.sort();
        errors.dedup();
        Err(errors)
    }

    /// The folders beside the goldens that the suite in `tree` looks at, from the root, as far as
    /// its files can be read: what must be there before it is loaded.
    #[must_use]
    pub fn source_folders(tree: &dyn Tree) -> BTreeSet<String> {
        let mut folders: BTreeSet<String> = consumers::folders(tree).into_iter().collect();
        if let Ok(config) = config::load(tree) {
            let header = &config.standalone_header;
            let listed = tree
                .read_text(headers::LIST)
                .is_ok_and(|list| list.is_some());
            if listed || header.headers.is_some() {
                folders.extend(headers::folders(&header.include));
                folders.extend(flags::rooted(&header.flags).1);
            }
        }
        folders
    }

    /// Whether it says what the tree publishes: headers or consumers.
    #[must_use]
    pub fn publishes(&self) -> bool {
        !self.consumers.is_empty() || self.headers.declared.is_some()
    }

    /// The tree that the public headers are looked at in, if there are any, and the folders it was
    /// read from.
    #[must_use]
    pub fn header_tree(&self) -> Option<(&Arc<SourceTree>, Vec<String>)> {
        let header = &self.headers.headers.first()?.header;
        Some((&header.tree, self.header_folders()))
    }

    /// The folders that headers are looked at in, from the root; `.` is the root.
    #[must_use]
    pub fn header_folders(&self) -> Vec<String> {
        let config = &self.config.standalone_header;
        let (_, more) = flags::rooted(&config.flags);
        [headers::folders(&config.include), more].concat()
    }

    /// The public headers as they stood at the base, by path, those that were there: as `base`
    /// asks of them, where it lists them. `then` is the tree that head's are looked at in, as it
    /// was.
    #[must_use]
    pub fn headers_as_at(
        &self,
        base: Option<&Self>,
        then: &Arc<SourceTree>,
    ) -> BTreeMap<String, Arc<Header>> {
        let folders = self.header_folders();
        let now = self.headers.headers.iter().map(|public| &public.header);
        let mut headers = headers::moved_to(now, then, &folders);
        let Some(base) = base else {
            return headers;
        };
        let same_folders = base.header_folders() == folders;
        for public in &base.headers.headers {
            let own = &public.header;
            let alike = |then: &Arc<Header>| same_folders && then.is_asked_like(own);
            if !headers.get(&own.path).is_some_and(alike) {
                headers.insert(own.path.clone(), Arc::clone(own));
            }
        }
        headers
    }

    /// Every file below `folders` of `tree`, from the root.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub fn sources(tree: &dyn Tree, folders: &[String]) -> Result<Arc<SourceTree>, InputError> {
        SourceTrees::new(tree).of(folders)
    }

    /// Tells every consumer which files the change touched, by their paths from the root.
    pub fn tell_changed(&mut self, changed: BTreeSet<String>) {
        let changed = Arc::new(changed);
        for consumer in &mut self.consumers {
            Arc::make_mut(consumer).changed = Some(Arc::clone(&changed));
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

/// What was loaded; of a fault, nothing, and the fault among `errors`.
fn kept<T: Default>(loaded: Result<T, Vec<InputError>>, errors: &mut Vec<InputError>) -> T {
    loaded.unwrap_or_else(|more| {
        errors.extend(more);
        T::default()
    })
}

#[cfg(test)]
mod tests;
