//! The strangers' programs that people commit under `goldens/consumers/`, checked and with every
//! file that may be looked at.

mod own_files;
mod places;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use own_files::OwnFiles;
use places::{folder_of, source_folders};

use super::headers::expectable;
use super::parse::{self, MapOnly, Source};
use super::source_trees::{SourceTrees, normal};
use super::tree::{self, Tree};
use super::{flags, ids, nearest};
use crate::error::InputError;
use crate::model::consumer::Consumer;
use crate::model::tree_path::include_name;

/// The folder of the consumers, from the root.
pub const FOLDER: &str = "goldens/consumers";
/// The kind of grader.
pub const GRADER: &str = "consumer_link";

const LONGEST_TIMEOUT: i64 = 3600;

/// A consumer as it is written.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Consumer")]
#[serde(deny_unknown_fields, expecting = "a map with the fields of a consumer")]
pub(super) struct RawConsumer {
    id: String,
    public_header: String,
    #[serde(default)]
    archive_sources: Vec<String>,
    consumer: String,
    expect_stdout: Option<String>,
    #[serde(default)]
    expect_exit: i64,
    #[serde(default)]
    forbid_consumer_decls: Vec<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "a note for people")]
    compiler_note: Option<String>,
    #[serde(default = "default_include")]
    include: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    link: Vec<String>,
    #[serde(default = "default_timeout")]
    timeout_s: i64,
    #[serde(default = "default_class")]
    expect_class: String,
}

fn default_include() -> Vec<String> {
    vec!["include".to_owned()]
}

fn default_timeout() -> i64 {
    10
}

fn default_class() -> String {
    "pass".to_owned()
}

/// Reads the consumers of `tree`, sorted by id.
///
/// # Errors
/// The first fault of form of each file, and every fault of meaning of all files.
pub(super) fn load(
    tree: &dyn Tree,
    trees: &mut SourceTrees<'_>,
) -> Result<Vec<Arc<Consumer>>, Vec<InputError>> {
    let mut loader = Loader {
        tree,
        errors: Vec::new(),
    };
    let mut consumers = BTreeMap::<String, Consumer>::new();
    for path in files(tree).map_err(|error| vec![error])? {
        let Some(consumer) = loader.file(&path, trees) else {
            continue;
        };
        if let Some(first) = consumers.get(&consumer.id) {
            let problem = format!("`{}` is also the id of {}", consumer.id, first.path);
            let error = InputError::new(&path, problem).field("id");
            loader.errors.push(error);
        } else {
            consumers.insert(consumer.id.clone(), consumer);
        }
    }
    loader.errors.sort();
    if loader.errors.is_empty() {
        Ok(consumers.into_values().map(Arc::new).collect())
    } else {
        Err(loader.errors)
    }
}

/// The files that define consumers.
fn files(tree: &dyn Tree) -> Result<Vec<String>, InputError> {
    let ends = [".json", ".yaml", ".yml"];
    let mut paths = tree.list(FOLDER)?;
    paths.retain(|path| ends.iter().any(|end| path.ends_with(end)));
    Ok(paths)
}

/// The folders that consumers of `tree` look at, as far as their files can be read: what must be
/// checked out before they are loaded.
pub(super) fn folders(tree: &dyn Tree) -> Vec<String> {
    let mut folders = Vec::new();
    for path in files(tree).unwrap_or_default() {
        let Ok(Some(bytes)) = tree.read_text(&path) else {
            continue;
        };
        let Ok(MapOnly(raw)) = parse::parse::<MapOnly<RawConsumer>>(&path, &bytes) else {
            continue;
        };
        folders.extend(raw.include.iter().filter_map(|path| normal(path).ok()));
        folders.extend(flags::rooted(&raw.flags).1);
        folders.extend(source_folders(&raw.archive_sources));
        let own = folder_of(&raw.consumer);
        folders.extend(normal(own).ok());
    }
    folders
}

struct Loader<'a> {
    tree: &'a dyn Tree,
    errors: Vec<InputError>,
}

impl Loader<'_> {
    fn file(&mut self, path: &str, trees: &mut SourceTrees<'_>) -> Option<Consumer> {
        let read = self.tree.read_text(path).and_then(|bytes| {
            let Some(bytes) = bytes else {
                return Ok(None);
            };
            let MapOnly(raw) = parse::parse(path, &bytes)?;
            let bytes = &bytes;
            self.consumer(&Source::new(path, bytes), raw, trees)
        });
        read.unwrap_or_else(|error| {
            self.errors.push(error);
            None
        })
    }

    fn consumer(
        &mut self,
        source: &Source<'_>,
        raw: RawConsumer,
        trees: &mut SourceTrees<'_>,
    ) -> Result<Option<Consumer>, InputError> {
        let before = self.errors.len();
        self.check_values(source, &raw);
        let include = self.paths(source, "include", &raw.include, normal);
        let archive_sources = self.paths(
            source,
            "archive_sources",
            &raw.archive_sources,
            tree::inside,
        );
        for (index, path) in archive_sources.iter().enumerate() {
            // One that is missing is a verdict: a candidate can delete it.
            if let Err(error) = self.tree.read(path) {
                let problem = format!("`{}` {}", path.escape_debug(), error.problem);
                let field = format!("archive_sources[{index}]");
                self.errors.push(source.fault(&field, problem));
            }
        }
        let (public_header, header_name) = self.public_header(source, &raw, &include);
        let own = self.own_files(source, &raw.consumer);
        if self.errors.len() > before {
            return Ok(None);
        }
        let (flags, more) = flags::rooted(&raw.flags);
        let published = trees.of(&[include.clone(), more].concat())?;
        let source_folders = source_folders(&archive_sources);
        let seen = match archive_sources.is_empty() {
            true => include.clone(),
            false => [include.clone(), source_folders.clone()].concat(),
        };
        let library = trees.of(&seen)?;
        let private_includes = own.private_includes(self.tree, &include);
        Ok(Some(Consumer {
            id: raw.id,
            path: source.path.to_owned(),
            public_header,
            header_name,
            archive_sources,
            source: own.source,
            files: own.files,
            file: own.name,
            private_includes,
            include,
            published,
            library,
            source_folders,
            changed: None,
            flags,
            link: raw.link,
            forbidden: raw.forbid_consumer_decls,
            expect_stdout: raw.expect_stdout,
            expect_exit: i32::try_from(raw.expect_exit).unwrap_or_default(),
            timeout_s: u32::try_from(raw.timeout_s).unwrap_or_default(),
            expect_class: raw.expect_class,
        }))
    }

    fn check_values(&mut self, source: &Source<'_>, raw: &RawConsumer) {
        let mut refuse = |field: &str, problem: String| {
            self.errors.push(source.fault(field, problem));
        };
        if let Err(problem) = ids::check(&raw.id) {
            refuse("id", problem.to_string());
        }
        let code = raw.expect_exit;
        if !(0..=255).contains(&code) {
            let problem = format!("expected an exit code from 0 to 255, found {code}");
            refuse("expect_exit", problem);
        }
        let timeout = raw.timeout_s;
        if !(1..=LONGEST_TIMEOUT).contains(&timeout) {
            let problem = format!("expected 1 to {LONGEST_TIMEOUT} seconds, found {timeout}");
            refuse("timeout_s", problem);
        }
        for (index, name) in raw.forbid_consumer_decls.iter().enumerate() {
            let is_word = |part: &str| {
                let start = |c: char| c.is_alphabetic() || c == '_';
                part.starts_with(start) && part.chars().all(|c| c.is_alphanumeric() || c == '_')
            };
            let inner = name.trim_start_matches("::").trim_end_matches("::");
            if !inner.split("::").all(is_word) {
                let shown = name.escape_debug();
                let problem = format!("`{shown}` is no namespace; expected one such as `demo::`");
                refuse(&format!("forbid_consumer_decls[{index}]"), problem);
            }
        }
        for (field, flags) in [("flags", &raw.flags), ("link", &raw.link)] {
            self.errors.extend(flags::faults(flags, field, source));
        }
        let known = expectable(GRADER);
        if !known.contains(&raw.expect_class.as_str()) {
            let shown = raw.expect_class.escape_debug();
            let error = source.fault(
                "expect_class",
                format!("`{shown}` is no class of a consumer"),
            );
            self.errors
                .push(error.hint(nearest::hint(&raw.expect_class, &known)));
        }
    }

    /// The paths of the list `field`, in one spelling.
    fn paths(
        &mut self,
        source: &Source<'_>,
        field: &str,
        paths: &[String],
        spelt: impl Fn(&str) -> Result<String, &'static str>,
    ) -> Vec<String> {
        let mut spelt_paths = Vec::new();
        for (index, path) in paths.iter().enumerate() {
            match spelt(path) {
                Ok(path) => spelt_paths.push(path),
                Err(problem) => {
                    let problem = format!("`{}` {problem}", path.escape_debug());
                    let field = format!("{field}[{index}]");
                    self.errors.push(source.fault(&field, problem));
                }
            }
        }
        spelt_paths
    }

    /// The public header from the root, and from its include folder.
    fn public_header(
        &mut self,
        source: &Source<'_>,
        raw: &RawConsumer,
        include: &[String],
    ) -> (String, String) {
        let field = "public_header";
        let shown = raw.public_header.escape_debug();
        let path = match tree::inside(&raw.public_header) {
            Ok(path) => path,
            Err(problem) => {
                self.errors
                    .push(source.fault(field, format!("`{shown}` {problem}")));
                return Default::default();
            }
        };
        if path.contains(['"', '\n', '\\']) {
            let problem = format!("`{shown}` cannot stand in an #include");
            self.errors.push(source.fault(field, problem));
        }
        let Some(name) = include_name(&path, include).map(str::to_owned) else {
            let problem = format!("`{shown}` lies in no include folder");
            let hint = format!(
                "include folders: {}; `include` names them",
                include.join(", ")
            );
            self.errors.push(source.fault(field, problem).hint(hint));
            return Default::default();
        };
        (path, name)
    }

    /// The consumer's source and what it includes from its own folder.
    fn own_files(&mut self, source: &Source<'_>, named: &str) -> OwnFiles {
        let shown = named.escape_debug();
        let own = match tree::inside(named) {
            Ok(path) => OwnFiles::read(self.tree, path).map_err(|error| error.problem),
            Err(problem) => Err(problem.to_owned()),
        };
        own.unwrap_or_else(|problem| {
            let problem = format!("`{shown}` {problem}");
            self.errors.push(source.fault("consumer", problem));
            OwnFiles::default()
        })
    }
}

#[cfg(test)]
mod tests;
