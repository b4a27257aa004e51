//! What the tree publishes, as the configuration says: public headers, and how strangers link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, check_globs, check_paths, strings};
use crate::error::InputError;
use crate::graders::{STRICT_C, STRICT_CXX, consumer_link};
use crate::suite::flags;
use crate::suite::parse::Source;

/// `standalone_header`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct StandaloneHeader {
    /// Globs of public headers, from the root; one that begins with `!` takes out what it matches.
    /// They come on top of the list file; `None` where that holds them all.
    pub headers: Option<Vec<String>>,
    /// Include folders.
    pub include: Vec<String>,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// Globs of those headers that are C and never C++.
    pub c_headers: Vec<String>,
    /// Compiler flags of headers in C.
    pub c_flags: Vec<String>,
}

/// `consumer_link`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct ConsumerLink {
    /// Compiler flags.
    pub flags: Vec<String>,
    /// Optimisation levels.
    pub levels: Vec<String>,
    /// What the consumer is linked against.
    pub mode: LinkMode,
}

/// What a consumer is linked against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkMode {
    /// A static archive.
    #[default]
    Archive,
    /// A shared library with hidden visibility.
    Shared,
    /// One after the other.
    Both,
}

impl Default for StandaloneHeader {
    fn default() -> Self {
        Self {
            headers: None,
            include: strings(&["include"]),
            flags: strings(&STRICT_CXX),
            c_headers: Vec::new(),
            c_flags: strings(&STRICT_C),
        }
    }
}

impl Default for ConsumerLink {
    fn default() -> Self {
        let levels = strings(consumer_link::LEVELS);
        Self {
            flags: strings(&STRICT_CXX),
            levels,
            mode: LinkMode::default(),
        }
    }
}

/// What is wrong with these sections of `config`.
pub(super) fn faults(config: &Config, source: &Source<'_>) -> Vec<InputError> {
    let mut errors = Vec::new();
    let header = &config.standalone_header;
    let headers = header.headers.as_deref().unwrap_or_default();
    for (field, globs) in [
        ("standalone_header.headers", headers),
        ("standalone_header.c_headers", &header.c_headers),
    ] {
        check_globs(field, globs, source, &mut errors);
    }
    let include = "standalone_header.include";
    check_paths(include, &header.include, source, &mut errors);
    let link = &config.consumer_link;
    for (field, flags) in [
        ("standalone_header.flags", &header.flags),
        ("standalone_header.c_flags", &header.c_flags),
        ("consumer_link.flags", &link.flags),
        ("consumer_link.levels", &link.levels),
    ] {
        errors.extend(flags::faults(flags, field, source));
    }
    errors.extend(level_faults(&link.levels, source));
    errors
}

fn level_faults(levels: &[String], source: &Source<'_>) -> Vec<InputError> {
    let field = "consumer_link.levels";
    if levels.is_empty() {
        let problem = "expected at least one level, such as -O0";
        return vec![source.fault(field, problem)];
    }
    let wrong = levels.iter().enumerate();
    let wrong = wrong.filter(|(_, level)| !level.starts_with("-O"));
    wrong
        .map(|(index, _)| {
            let problem = "expected an optimisation level, such as -O2";
            source.fault(&format!("{field}[{index}]"), problem)
        })
        .collect()
}
