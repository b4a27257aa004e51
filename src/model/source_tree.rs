//! Files that belong together, as a value: what a library publishes, or what it is built from.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::digest::{Digest, Hasher};
use super::tree_path;

/// The folder of a scratch tree under which steps see a tree of the checkout.
pub const CHECKOUT: &str = "checkout";

/// Where a step sees the file or folder `path` of the checkout; `.` is the root.
#[must_use]
pub fn in_checkout(path: &str) -> String {
    match path {
        "." => CHECKOUT.to_owned(),
        _ => format!("{CHECKOUT}/{path}"),
    }
}

/// The path from the root of what a step sees at `path`, if that lies in the checkout.
#[must_use]
pub fn from_checkout(path: &str) -> Option<String> {
    let path = tree_path::joined("", path)?;
    let inner = tree_path::below(&path, CHECKOUT)?;
    (!inner.is_empty()).then(|| inner.to_owned())
}

/// Files by their path from the root of the checkout, `/`-separated.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceTree {
    files: BTreeMap<String, SourceText>,
    digest: Digest,
}

impl Default for SourceTree {
    fn default() -> Self {
        Self::new(BTreeMap::new())
    }
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Their digest.
    pub digest: Digest,
}

impl SourceText {
    /// The content `bytes`.
    #[must_use]
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            digest: Digest::of(&bytes),
            bytes,
        }
    }
}

impl SourceTree {
    /// The tree of these files.
    #[must_use]
    pub fn new(files: BTreeMap<String, SourceText>) -> Self {
        let digest = digest(files.iter().map(|(path, text)| (path.as_str(), text)));
        Self { files, digest }
    }

    /// The digest over all paths and contents.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The digest over the files among `paths` that are there, as if they were all.
    #[must_use]
    pub fn digest_of<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> Digest {
        let files = paths.into_iter().filter_map(|path| {
            let (path, text) = self.files.get_key_value(path)?;
            Some((path.as_str(), text))
        });
        digest(files)
    }

    /// All files, by path.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, SourceText> {
        &self.files
    }

    /// The content of the file at `path`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&SourceText> {
        self.files.get(path)
    }

    /// Whether the file at `path` is the same here and in `other`: both lack it, or both hold the
    /// same bytes.
    #[must_use]
    pub fn agrees(&self, other: &Self, path: &str) -> bool {
        let digest = |tree: &Self| tree.get(path).map(|text| text.digest);
        digest(self) == digest(other)
    }
}

fn digest<'a>(files: impl Iterator<Item = (&'a str, &'a SourceText)>) -> Digest {
    let mut hasher = Hasher::default();
    hasher.part(b"driftgate/tree/1");
    for (path, text) in files {
        hasher.part(path.as_bytes());
        hasher.part(text.digest.to_string().as_bytes());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> SourceTree {
        let text = |(path, text): &(&str, &str)| {
            let text = SourceText::new(text.as_bytes());
            ((*path).to_owned(), text)
        };
        SourceTree::new(files.iter().map(text).collect())
    }

    #[test]
    fn the_digest_depends_on_paths_and_contents_alone() {
        let one = tree(&[("a", "1"), ("b", "2")]);
        assert_eq!(one.digest(), tree(&[("b", "2"), ("a", "1")]).digest());
        for other in [
            tree(&[]),
            tree(&[("a", "1")]),
            tree(&[("a", "2"), ("b", "1")]),
            tree(&[("a", "1"), ("c", "2")]),
        ] {
            assert_ne!(one.digest(), other.digest());
        }
        assert_eq!(SourceTree::default().digest(), tree(&[]).digest());
    }

    #[test]
    fn a_part_has_the_digest_of_a_tree_of_its_own() {
        let whole = tree(&[("a", "1"), ("b", "2")]);
        assert_eq!(whole.digest_of(["a", "none"]), tree(&[("a", "1")]).digest());
    }

    #[test]
    fn trees_agree_on_a_file_that_both_hold_alike_or_both_lack() {
        let (one, two) = (
            tree(&[("a", "1"), ("b", "2")]),
            tree(&[("a", "1"), ("b", "3")]),
        );
        assert!(one.agrees(&two, "a") && one.agrees(&two, "none"));
        assert!(!one.agrees(&two, "b") && !one.agrees(&tree(&[]), "a"));
    }
}
