//! A consumer's own source files, and what of the checkout it reaches for besides.

use std::collections::BTreeMap;

use super::places::folder_of;
use crate::diagnostics::includes::{Form, Mention, active_mentions};
use crate::error::InputError;
use crate::model::source_tree::SourceText;
use crate::model::tree_path::{include_name, joined};
use crate::suite::tree::Tree;

/// How many files of its own a consumer may include.
const MOST_FILES: usize = 256;

/// A consumer's source and its own files.
#[derive(Default)]
pub(super) struct OwnFiles {
    /// Their folder, from the root.
    folder: String,
    /// The source from the root.
    pub(super) source: String,
    /// The source from its folder.
    pub(super) name: String,
    /// All of them, by path from that folder.
    pub(super) files: BTreeMap<String, SourceText>,
}

impl OwnFiles {
    /// Reads the source at `path` (from the root) and what it includes from its own folder.
    ///
    /// # Errors
    /// When the source itself is not there or cannot be read.
    pub(super) fn read(tree: &dyn Tree, path: String) -> Result<Self, InputError> {
        let mut own = Self {
            folder: folder_of(&path).to_owned(),
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            source: path,
            files: BTreeMap::new(),
        };
        let Some(bytes) = tree.read_text(&own.source)? else {
            return Err(InputError::new(&own.source, "does not exist"));
        };
        own.files.insert(own.name.clone(), SourceText::new(bytes));
        let mut waiting = vec![own.name.clone()];
        while let Some(name) = waiting.pop() {
            for inner in own.includes_beside(&name) {
                if own.files.contains_key(&inner) || own.files.len() >= MOST_FILES {
                    continue;
                }
                if let Ok(Some(bytes)) = tree.read_text(&own.in_root(&inner)) {
                    own.files.insert(inner.clone(), SourceText::new(bytes));
                    waiting.push(inner);
                }
            }
        }
        Ok(own)
    }

    fn mentions(&self, name: &str) -> Vec<Mention> {
        let text = self.files.get(name);
        text.map(|text| active_mentions(&text.bytes))
            .unwrap_or_default()
    }

    /// What the file `name` may mean to include from its own folder.
    fn includes_beside(&self, name: &str) -> Vec<String> {
        let mentions = self.mentions(name).into_iter();
        let quoted = mentions.filter(|mention| mention.form == Form::Quoted);
        quoted
            .filter_map(|mention| joined(folder_of(name), &mention.name))
            .collect()
    }

    fn in_root(&self, name: &str) -> String {
        match self.folder.as_str() {
            "." => name.to_owned(),
            folder => format!("{folder}/{name}"),
        }
    }

    /// What they include that exists in the checkout and that nobody publishes: names as written,
    /// with their lines.
    pub(super) fn private_includes(
        &self,
        tree: &dyn Tree,
        include: &[String],
    ) -> Vec<(String, u32)> {
        let mut private = Vec::new();
        for name in self.files.keys() {
            for mention in self.mentions(name) {
                if self.is_private(tree, include, (name, &mention)) {
                    private.push((mention.name.clone(), mention.line));
                }
            }
        }
        private
    }

    fn is_private(
        &self,
        tree: &dyn Tree,
        include: &[String],
        (file, mention): (&str, &Mention),
    ) -> bool {
        let is_there = |path: &str| matches!(tree.read_text(path), Ok(Some(_)));
        let is_public = |path: &str| include_name(path, include).is_some();
        let beside = joined(folder_of(file), &mention.name);
        let is_own = mention.form == Form::Quoted
            && beside.is_some_and(|path| self.files.contains_key(&path));
        let published: Vec<String> = include
            .iter()
            .filter_map(|folder| joined(folder, &mention.name))
            .collect();
        if is_own
            || published
                .iter()
                .any(|path| is_public(path) && is_there(path))
        {
            return false;
        }
        let folder = self.in_root(file);
        let elsewhere = [folder_of(&folder), "."].map(|folder| joined(folder, &mention.name));
        let mut places = published.into_iter().chain(elsewhere.into_iter().flatten());
        places.any(|path| !is_public(&path) && is_there(&path))
    }
}
