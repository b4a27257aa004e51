//! The public headers that must stand alone: a list that people commit, globs in the
//! configuration, and templates with a call.

mod list;
mod reach;

use std::collections::BTreeMap;
use std::sync::Arc;

use globset::GlobSet;
use list::Declared;
use reach::Reach;

use super::config::{self, StandaloneHeader};
use super::flags;
use super::globs::{self, Star};
use super::source_trees::{SourceTrees, normal};
use super::tree::Tree;
use crate::error::InputError;
use crate::graders;
use crate::model::class::Level;
use crate::model::header::{Header, Language};
use crate::model::row::At;
use crate::model::source_tree::{SourceText, SourceTree};
use crate::model::tree_path::include_name;

/// The list, from the root.
pub const LIST: &str = "goldens/headers/public_headers.txt";
/// The folder of the templates.
const TEMPLATES: &str = "goldens/headers";
/// What a template says in place of the header's name.
const PLACEHOLDER: &str = "HEADER_PATH";
/// The kind of grader.
pub const GRADER: &str = "standalone_header";
/// The class of a header that stands alone.
pub const CLEAN: &str = "clean";

/// What is to be looked at.
#[derive(Clone, Debug, Default)]
pub struct PublicHeaders {
    /// Where people declared them; `None` if they declared none.
    pub declared: Option<At>,
    /// The headers, by path.
    pub headers: Vec<PublicHeader>,
}

/// A header and what is expected of it.
#[derive(Clone, Debug)]
pub struct PublicHeader {
    /// The header.
    pub header: Arc<Header>,
    /// The class it must get; a known-bad one has another than `clean`.
    pub expect_class: String,
    /// Where it is declared.
    pub at: At,
}

/// Reads the headers of `tree`.
///
/// # Errors
/// Every line of the list and every template that cannot be meant.
pub(super) fn load(
    tree: &dyn Tree,
    trees: &mut SourceTrees<'_>,
    config: &StandaloneHeader,
) -> Result<PublicHeaders, Vec<InputError>> {
    let mut loader = Loader {
        tree,
        errors: Vec::new(),
        declared: BTreeMap::new(),
    };
    let listed = loader.list();
    let globbed = config.headers.as_ref().map(|_| at(config::FILE, 1));
    let Some(declared_at) = listed.or(globbed) else {
        return Ok(PublicHeaders::default());
    };
    let include = folders(&config.include);
    let (_, more) = flags::rooted(&config.flags);
    let seen = [include.clone(), more].concat();
    let sources = trees.of(&seen).map_err(|error| vec![error])?;
    if let Some(globs) = &config.headers {
        loader.globs(globs, &sources);
    }
    loader.c_headers(&config.c_headers);
    let headers = loader.headers(&include, &sources, &Reach::new(&sources, &seen));
    loader.errors.sort();
    if loader.errors.is_empty() {
        Ok(PublicHeaders {
            declared: Some(declared_at),
            headers,
        })
    } else {
        Err(loader.errors)
    }
}

/// The include folders of `config`, in one spelling. The loader of the configuration has refused
/// those that leave the root.
pub(super) fn folders(include: &[String]) -> Vec<String> {
    include
        .iter()
        .filter_map(|folder| normal(folder).ok())
        .collect()
}

fn at(path: &str, line: u32) -> At {
    At {
        path: path.to_owned(),
        line,
    }
}

struct Loader<'a> {
    tree: &'a dyn Tree,
    errors: Vec<InputError>,
    declared: BTreeMap<String, Declared>,
}

impl Loader<'_> {
    fn refuse(&mut self, at: &At, problem: impl Into<String>, hint: &str) {
        let error = InputError::new(&at.path, problem).at(Some((at.line, 1)));
        self.errors.push(error.hint(hint));
    }

    /// Adds what the globs of the configuration match.
    fn globs(&mut self, globs: &[String], sources: &SourceTree) {
        let (out, into): (Vec<&String>, Vec<&String>) =
            globs.iter().partition(|glob| glob.starts_with('!'));
        let out: Vec<_> = out.iter().filter_map(|glob| matcher(&glob[1..])).collect();
        let into: Vec<_> = into.iter().filter_map(|glob| matcher(glob)).collect();
        let any = |globs: &[GlobSet], path: &str| globs.iter().any(|glob| glob.is_match(path));
        for path in sources.files().keys() {
            if any(&into, path) && !any(&out, path) && !self.declared.contains_key(path) {
                let declared = Declared::plain(at(config::FILE, 1));
                self.declared.insert(path.clone(), declared);
            }
        }
    }

    fn c_headers(&mut self, globs: &[String]) {
        let globs: Vec<_> = globs.iter().filter_map(|glob| matcher(glob)).collect();
        for (path, declared) in &mut self.declared {
            declared.is_c |= globs.iter().any(|glob| glob.is_match(path));
        }
    }

    fn headers(
        &mut self,
        include: &[String],
        sources: &Arc<SourceTree>,
        reach: &Reach<'_>,
    ) -> Vec<PublicHeader> {
        let declared = std::mem::take(&mut self.declared);
        let public: Arc<[String]> = declared.keys().cloned().collect();
        let mut templates = self.templates();
        let mut headers = Vec::new();
        for (path, declared) in declared {
            let Some(name) = self.name(&path, &declared.at, include, sources) else {
                continue;
            };
            let probe = template_of(&path, &name, &mut templates);
            let language = match (declared.is_c, path.ends_with(".h")) {
                (true, _) => Language::C,
                (false, true) => Language::Either,
                (false, false) => Language::Cxx,
            };
            headers.push(PublicHeader {
                header: Arc::new(Header {
                    reach: reach.of(&path, probe.as_ref()),
                    probe,
                    name,
                    path,
                    include: include.to_vec(),
                    tree: Arc::clone(sources),
                    language,
                    once_only: declared.once_only,
                    public: Arc::clone(&public),
                }),
                expect_class: declared.expect_class,
                at: declared.at,
            });
        }
        for path in templates.into_keys() {
            let error = InputError::new(&path, "is a template of no listed header");
            let hint = "it is named probe_<path of the header with / as __>.cpp.in";
            self.errors.push(error.hint(hint));
        }
        headers
    }

    /// The header's path from its include folder. It may be missing from the tree: a candidate
    /// can delete it.
    fn name(
        &mut self,
        path: &str,
        at: &At,
        include: &[String],
        sources: &SourceTree,
    ) -> Option<String> {
        let shown = path.escape_debug();
        let is_folder = format!("{path}/");
        let mut below = sources.files().range(is_folder.clone()..);
        if below
            .next()
            .is_some_and(|(file, _)| file.starts_with(&is_folder))
            || path == "."
        {
            let hint = "list its headers, or match them with `standalone_header.headers` in \
                        driftgate.yml";
            self.refuse(at, format!("`{shown}` is a folder"), hint);
            return None;
        }
        if path.contains(['"', '\n', '\\']) {
            let hint = "rename the file";
            self.refuse(at, format!("`{shown}` cannot stand in an #include"), hint);
            return None;
        }
        let name = include_name(path, include).map(str::to_owned);
        if name.is_none() {
            let known = include.join(", ");
            let hint = format!(
                "include folders: {known}; `standalone_header.include` in driftgate.yml names \
                 them"
            );
            self.refuse(at, format!("`{shown}` lies in no include folder"), &hint);
        }
        name
    }

    /// The templates, by path.
    fn templates(&mut self) -> BTreeMap<String, Vec<u8>> {
        let mut templates = BTreeMap::new();
        let listed = self.tree.list(TEMPLATES).unwrap_or_else(|error| {
            self.errors.push(error);
            Vec::new()
        });
        for path in listed {
            let Some(name) = path.strip_prefix(TEMPLATES) else {
                continue;
            };
            if !name.starts_with("/probe_") || !name.ends_with(".cpp.in") {
                continue;
            }
            match self.tree.read_text(&path) {
                Ok(bytes) => templates.extend(bytes.map(|bytes| (path, bytes))),
                Err(error) => self.errors.push(error),
            }
        }
        templates
    }
}

/// Where a template of the header at `path` from the root, included as `name`, may lie.
#[must_use]
pub fn templates_of(path: &str, name: &str) -> [String; 2] {
    [path, name].map(|path| {
        let path = path.replace('/', "__");
        format!("{TEMPLATES}/probe_{path}.cpp.in")
    })
}

/// The unit that a template makes of a header, named by its path from the root or from its
/// include folder.
fn template_of(
    path: &str,
    name: &str,
    templates: &mut BTreeMap<String, Vec<u8>>,
) -> Option<SourceText> {
    let named = templates_of(path, name);
    let bytes = named.iter().find_map(|named| templates.remove(named))?;
    let text = String::from_utf8_lossy(&bytes);
    let rendered = text.replace(PLACEHOLDER, name);
    Some(SourceText::new(rendered.into_bytes()))
}

/// Those of `headers` that are in `tree` too, as they are there. Includes are looked for in
/// `folders`.
pub(super) fn moved_to<'a>(
    headers: impl Iterator<Item = &'a Arc<Header>>,
    tree: &Arc<SourceTree>,
    folders: &[String],
) -> BTreeMap<String, Arc<Header>> {
    let mut reach = None;
    let there = headers.filter(|header| tree.get(&header.path).is_some());
    let moved = there.map(|header| {
        let moved = if Arc::ptr_eq(tree, &header.tree) {
            Arc::clone(header)
        } else {
            let reach = reach.get_or_insert_with(|| Reach::new(tree, folders));
            Arc::new(Header {
                reach: reach.of(&header.path, header.probe.as_ref()),
                tree: Arc::clone(tree),
                ..Header::clone(header)
            })
        };
        (header.path.clone(), moved)
    });
    moved.collect()
}

/// A glob whose `*` stays in its folder. The loader of the configuration has refused what is none.
fn matcher(glob: &str) -> Option<GlobSet> {
    globs::matcher(glob, Star::InFolder).ok()
}

/// The classes of the grader `kind` that people may expect: all that it gives by itself.
pub(super) fn expectable(kind: &str) -> Vec<&'static str> {
    let classes = graders::find(kind).map_or(&[][..], |kind| kind.classes);
    let own = classes.iter().filter(|class| class.level != Level::Review);
    own.map(|class| class.name).collect()
}

#[cfg(test)]
mod tests;
