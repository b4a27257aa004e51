//! What a compiler or linker read outside its scratch tree, from the dependency lists that it
//! wrote: one digest over names that do not depend on where a toolchain is installed, and bytes.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::file_digests::FileDigests;
use super::work_tree::WorkTree;
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

/// The prerequisites of all rules of a Makefile-style list, as gcc and clang (`-MD`) and linkers
/// (`--dependency-file`) write them. Total over any bytes; what is no rule yields nothing.
fn prerequisites(list: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut words = Words { bytes: list };
    let mut after_colon = false;
    while let Some(token) = words.next_token() {
        match token {
            Token::EndOfRule => after_colon = false,
            Token::Target => after_colon = true,
            Token::Word(word) if after_colon => found.push(word),
            Token::Word(_) => {}
        }
    }
    found
}

/// A piece of a dependency list.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(Vec<u8>),
    /// The first word of a rule that ends in a colon.
    Target,
    EndOfRule,
}

/// The words of a list, unescaped.
struct Words<'a> {
    bytes: &'a [u8],
}

impl Words<'_> {
    fn next_token(&mut self) -> Option<Token> {
        self.skip_blanks();
        if *self.bytes.first()? == b'\n' {
            self.bytes = &self.bytes[1..];
            return Some(Token::EndOfRule);
        }
        let mut word = Vec::new();
        let mut colon = false;
        while let Some(&byte) = self.bytes.first() {
            match byte {
                b' ' | b'\t' | b'\n' => break,
                b'\r' if self.bytes.get(1) == Some(&b'\n') => break,
                b'\\' if !self.backslashes(&mut word) => break,
                b'\\' => colon = false,
                b'$' if self.bytes.get(1) == Some(&b'$') => {
                    word.push(b'$');
                    self.bytes = &self.bytes[2..];
                    colon = false;
                }
                _ => {
                    word.push(byte);
                    self.bytes = &self.bytes[1..];
                    colon = byte == b':';
                }
            }
        }
        Some(if colon {
            Token::Target
        } else {
            Token::Word(word)
        })
    }

    /// Skips blanks and continued line ends.
    fn skip_blanks(&mut self) {
        loop {
            self.bytes = match self.bytes {
                [b' ' | b'\t', rest @ ..]
                | [b'\\', b'\n', rest @ ..]
                | [b'\\', b'\r', b'\n', rest @ ..] => rest,
                [b'\r', b'\n', ..] => &self.bytes[1..],
                _ => return,
            };
        }
    }

    /// Takes a run of backslashes with what it escapes into `word`. Backslashes are doubled only
    /// before a blank. Returns false if the word ends here.
    fn backslashes(&mut self, word: &mut Vec<u8>) -> bool {
        let count = self.bytes.iter().take_while(|byte| **byte == b'\\').count();
        let (run, rest) = self.bytes.split_at(count);
        let odd = count % 2 == 1;
        match rest {
            [blank @ (b' ' | b'\t'), rest @ ..] => {
                word.extend_from_slice(&run[..count / 2]);
                if odd {
                    word.push(*blank);
                    self.bytes = rest;
                } else {
                    self.bytes = &self.bytes[count..];
                }
                odd
            }
            [escaped @ (b'#' | b':'), rest @ ..] => {
                word.extend_from_slice(&run[1..]);
                word.push(*escaped);
                self.bytes = rest;
                true
            }
            [b'\n', ..] | [b'\r', b'\n', ..] => {
                word.extend_from_slice(&run[1..]);
                // The last backslash is left for the blanks to skip.
                self.bytes = &self.bytes[count - 1..];
                false
            }
            _ => {
                word.extend_from_slice(run);
                self.bytes = rest;
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn parsed(list: &str) -> Vec<String> {
        let paths = prerequisites(list.as_bytes());
        paths
            .into_iter()
            .map(|path| String::from_utf8(path).unwrap())
            .collect()
    }

    #[test]
    fn lists_of_compilers_and_linkers_are_read() {
        let gcc =
            "a.o: a.cpp /usr/include/x.h \\\n /usr/include/y.h \\\n  z.h\n\n/usr/include/x.h:\n";
        assert_eq!(
            parsed(gcc),
            ["a.cpp", "/usr/include/x.h", "/usr/include/y.h", "z.h"]
        );
        let bfd = "a: \\\n  /lib/crt1.o \\\n  a.o\n\n/lib/crt1.o:\n\na.o:\n";
        assert_eq!(parsed(bfd), ["/lib/crt1.o", "a.o"]);
        assert_eq!(parsed("a b : c\r\nd: \\\r\n e"), ["c", "e"]);
        assert_eq!(parsed("a:b: c:d\n"), ["c:d"]);
        assert_eq!(parsed("no rule at all"), Vec::<String>::new());
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(
            parsed(r"a.o: with\ blank cash$$.h \#hash.h c\:d.h"),
            ["with blank", "cash$.h", "#hash.h", "c:d.h"]
        );
        assert_eq!(
            parsed(r"a: b\\\ c d\\ e f\g $x"),
            [r"b\ c", r"d\", "e", r"f\g", "$x"]
        );
        assert_eq!(parsed("a: b\\\nc"), ["b", "c"]);
    }

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

    /// Escapes as gcc does.
    fn escaped(path: &str) -> String {
        let mut text = String::new();
        let mut run = 0;
        for c in path.chars() {
            match c {
                ' ' => text.push_str(&"\\".repeat(run + 1)),
                '#' => text.push('\\'),
                '$' => text.push('$'),
                _ => {}
            }
            run = if c == '\\' { run + 1 } else { 0 };
            text.push(c);
        }
        text
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let _ = prerequisites(&bytes);
        }

        #[test]
        fn bytes_that_matter_are_read_without_a_panic(text in "[a\\\\ \t\r\n:#$]{0,40}") {
            let _ = prerequisites(text.as_bytes());
        }

        #[test]
        fn what_a_compiler_escapes_reads_back(paths in prop::collection::vec("[a$# \\\\]{0,6}z", 0..5)) {
            let words: Vec<_> = paths.iter().map(|path| escaped(path)).collect();
            prop_assert_eq!(parsed(&format!("a.o: {}\n", words.join(" \\\n "))), paths);
        }
    }
}
