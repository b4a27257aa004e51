//! What a compiler or linker read outside its scratch tree, from the dependency lists that it
//! wrote: one digest over names that do not depend on where a toolchain is installed, and bytes.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::file_digests::FileDigests;
use super::work_tree::WorkTree;
use crate::diagnostics::dependency_list::prerequisites;
use crate::model::digest::{Digest, Hasher};

/// Longest dependency list that is read.
const MAX_LIST: u64 = 64 << 20;

/// Flags that name a folder, joined or as the next argument.
const FOLDER_FLAGS: &[&str] = &["-I", "-L", "-iquote", "-isystem", "-idirafter"];

/// Where the lists are, and what their paths are seen from.
pub(super) struct Reads<'a> {
    /// The current folder of the process.
    pub(super) work: &'a WorkTree,
    /// The scratch folder of the run: what lies in it is an input or a temporary file.
    pub(super) scratch: &'a Path,
    /// Folders whose place does not matter, only the path below them.
    pub(super) search_folders: Vec<PathBuf>,
}

impl Reads<'_> {
    /// The digest of everything outside the scratch folder that is named in `lists`; `None` if
    /// there is no list, or a list or a file cannot be read.
    pub(super) fn digest(&self, lists: &[String], digests: &FileDigests) -> Option<Digest> {
        if lists.is_empty() {
            return None;
        }
        let mut paths = BTreeSet::new();
        for list in lists {
            let bytes = self.work.read(list, MAX_LIST)?;
            paths.extend(prerequisites(&bytes));
        }
        let folders: Vec<_> = self
            .search_folders
            .iter()
            .map(|folder| normalised(folder))
            .collect();
        let mut read = BTreeSet::new();
        for path in paths {
            let path = self.work.path().join(OsStr::from_bytes(&path));
            let normal = normalised(&path);
            if normal.starts_with(self.scratch) {
                continue;
            }
            let digest = digests.digest(&path).ok()?;
            read.insert((label(&normal, &folders).to_owned(), digest));
        }
        let mut hasher = Hasher::default();
        hasher.part(b"driftgate/reads/1");
        for (label, digest) in read {
            hasher.part(label.as_os_str().as_bytes());
            hasher.part(digest.to_string().as_bytes());
        }
        Some(hasher.finish())
    }
}

/// `path` below the longest of `folders` that holds it, else as it is.
fn label<'a>(path: &'a Path, folders: &[PathBuf]) -> &'a Path {
    folders
        .iter()
        .filter_map(|folder| path.strip_prefix(folder).ok())
        .min_by_key(|rest| rest.as_os_str().len())
        .unwrap_or(path)
}

/// The absolute folders that `args` name for headers and libraries.
pub(super) fn folders_in(args: &[String]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let Some(flag) = FOLDER_FLAGS.iter().find(|flag| arg.starts_with(**flag)) else {
            continue;
        };
        let joined = &arg[flag.len()..];
        let folder = if joined.is_empty() {
            args.next().map_or("", String::as_str)
        } else {
            joined
        };
        if folder.starts_with('/') {
            folders.push(PathBuf::from(folder));
        }
    }
    folders
}

/// `path` without `.` and `..`, by its text alone: `a/../b` becomes `b` though `a` may be a link.
fn normalised(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn paths_are_normalised_by_text() {
        assert_eq!(
            normalised(Path::new("/a/./b/../../c//d")),
            Path::new("/c/d")
        );
        assert_eq!(normalised(Path::new("/../x")), Path::new("/x"));
    }

    #[test]
    fn folders_are_found_in_both_spellings() {
        let args = [
            "-I/a",
            "-I",
            "/b",
            "-isystem",
            "/c",
            "-L/d",
            "-iquote/e",
            "-Irel",
            "-I",
        ];
        let args = args.map(str::to_owned);
        let expected = ["/a", "/b", "/c", "/d", "/e"].map(PathBuf::from);
        assert_eq!(folders_in(&args), expected);
    }

    /// The digest of a list that names `file`, seen from the work folder of a step.
    fn digest_of(file: &Path, search_folders: &[PathBuf]) -> Option<Digest> {
        let scratch = tempfile::tempdir().unwrap();
        let work = scratch.path().join("0/work");
        fs::create_dir_all(&work).unwrap();
        // Files of the scratch tree count for nothing, also those that are gone by now.
        let list = format!(
            "a.o: a.cpp ../tmp/x.o {}/1/y {}\n",
            scratch.path().display(),
            file.display()
        );
        fs::write(work.join("a.d"), list).unwrap();
        let work = WorkTree::new(work);
        let reads = Reads {
            work: &work,
            scratch: scratch.path(),
            search_folders: search_folders.to_vec(),
        };
        reads.digest(&["a.d".to_owned()], &FileDigests::default())
    }

    #[test]
    fn the_digest_depends_on_names_below_a_search_folder_and_on_bytes() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let header = |folder: &Path, text: &str| {
            fs::create_dir_all(folder.join("bits")).unwrap();
            fs::write(folder.join("bits/h"), text).unwrap();
            folder.join("bits/../bits/h")
        };
        let (a, b) = (header(one.path(), "same"), header(other.path(), "same"));
        let folders = [
            PathBuf::from("/"),
            one.path().into(),
            other.path().join("bits/.."),
        ];
        let digest = |path: &Path, folders: &[PathBuf]| digest_of(path, folders).unwrap();
        assert_eq!(digest(&a, &folders), digest(&b, &folders));
        assert_ne!(digest(&a, &[]), digest(&b, &[]));
        header(other.path(), "another");
        assert_ne!(digest(&a, &folders), digest(&b, &folders));
        assert_eq!(digest_of(&one.path().join("missing"), &[]), None);
    }

    #[test]
    fn a_missing_list_or_none_at_all_has_no_digest() {
        let scratch = tempfile::tempdir().unwrap();
        let work = WorkTree::new(scratch.path().to_owned());
        let reads = Reads {
            work: &work,
            scratch: scratch.path(),
            search_folders: Vec::new(),
        };
        let digests = FileDigests::default();
        assert_eq!(reads.digest(&[], &digests), None);
        fs::write(scratch.path().join("a.d"), "a.o: a.cpp\n").unwrap();
        assert!(reads.digest(&["a.d".to_owned()], &digests).is_some());
        assert_eq!(
            reads.digest(&["a.d".to_owned(), "b.d".to_owned()], &digests),
            None
        );
    }
}
