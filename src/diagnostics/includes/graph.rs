//! What the files of a tree include, directly and through others.

use std::collections::{BTreeSet, HashMap};

use super::{Form, Mentions, mentions};
use crate::model::tree_path::joined;

/// The files of a tree and what each may include: every file that a mention might mean, where the
/// folders hold several of one name. Paths are relative to the root, with `/`; what leads out of
/// it is not in the graph.
#[derive(Clone, Debug, Default)]
pub struct IncludeGraph {
    files: Vec<File>,
    places: HashMap<String, usize>,
    folders: Vec<String>,
}

#[derive(Clone, Debug)]
struct File {
    path: String,
    includes: Vec<usize>,
    is_opaque: bool,
}

/// What is reached from some files, these included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure<'a> {
    /// The files of the tree.
    pub files: BTreeSet<&'a str>,
    /// Whether any of them may include what no name tells.
    pub is_opaque: bool,
}

impl IncludeGraph {
    /// The graph of `files`, by path, with `folders` for includes. The root is `""` or `.`.
    #[must_use]
    pub fn new<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        folders: &[String],
    ) -> Self {
        let read = files.into_iter().map(|(path, text)| (path, mentions(text)));
        Self::from_mentions(read, folders)
    }

    /// The same, of files that have been read before.
    #[must_use]
    pub fn from_mentions<'a>(
        files: impl IntoIterator<Item = (&'a str, Mentions)>,
        folders: &[String],
    ) -> Self {
        let mut graph = Self {
            folders: folders.iter().filter_map(|one| joined("", one)).collect(),
            ..Self::default()
        };
        let mut read = Vec::new();
        for (path, mentions) in files {
            // A path that is there twice is its first file.
            let Some(path) = joined("", path).filter(|path| !graph.places.contains_key(path))
            else {
                continue;
            };
            graph.places.insert(path.clone(), graph.files.len());
            graph.files.push(File {
                path,
                includes: Vec::new(),
                is_opaque: mentions.is_opaque,
            });
            read.push(mentions);
        }
        let mut known = HashMap::new();
        for (at, mentions) in read.iter().enumerate() {
            let Some(folder) = graph
                .files
                .get(at)
                .map(|file| folder_of(&file.path).to_owned())
            else {
                continue;
            };
            let includes = graph.targets(mentions, &folder, &mut known);
            if let Some(file) = graph.files.get_mut(at) {
                file.includes = includes;
            }
        }
        graph
    }

    /// What the file at `path` reaches. A path that is not in the graph reaches nothing.
    #[must_use]
    pub fn closure_of(&self, path: &str) -> Closure<'_> {
        let start = joined("", path).and_then(|path| self.places.get(&path));
        self.reach(start.copied().into_iter().collect(), false)
    }

    /// What a text that is not in the graph reaches, which stands in `folder`, or in none.
    #[must_use]
    pub fn closure_of_text(&self, mentions: &Mentions, folder: Option<&str>) -> Closure<'_> {
        // Nothing is beside a file that is nowhere.
        let folder = folder.and_then(|folder| joined("", folder));
        let beside = folder.as_deref().unwrap_or("..");
        let starts = self.targets(mentions, beside, &mut HashMap::new());
        self.reach(starts, mentions.is_opaque)
    }

    fn reach(&self, starts: Vec<usize>, is_opaque: bool) -> Closure<'_> {
        let mut seen = vec![false; self.files.len()];
        let mut open = starts;
        let mut reached = Closure {
            is_opaque,
            ..Closure::default()
        };
        while let Some(at) = open.pop() {
            let (Some(seen), Some(file)) = (seen.get_mut(at), self.files.get(at)) else {
                continue;
            };
            if !std::mem::replace(seen, true) {
                reached.files.insert(&file.path);
                reached.is_opaque |= file.is_opaque;
                open.extend(&file.includes);
            }
        }
        reached
    }

    /// Every file that the mentions of a file in `folder` might mean. `known` holds what names mean
    /// in the folders for includes.
    fn targets<'m>(
        &self,
        mentions: &'m Mentions,
        folder: &str,
        known: &mut HashMap<&'m str, Vec<usize>>,
    ) -> Vec<usize> {
        let mut targets = BTreeSet::new();
        for mention in &mentions.names {
            if mention.form == Form::Quoted {
                targets.extend(self.file_in(folder, &mention.name));
            }
            let common = known.entry(&mention.name).or_insert_with(|| {
                let found = self.folders.iter();
                found
                    .filter_map(|one| self.file_in(one, &mention.name))
                    .collect()
            });
            targets.extend(common.iter().copied());
        }
        targets.into_iter().collect()
    }

    fn file_in(&self, folder: &str, name: &str) -> Option<usize> {
        self.places.get(&joined(folder, name)?).copied()
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
