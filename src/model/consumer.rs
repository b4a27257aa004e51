//! A stranger's program that uses a library of the checkout, and what it must see and do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::source_tree::{SourceText, SourceTree};

/// A consumer, loaded and checked, with the library as the checkout holds it.
#[derive(Clone, Debug)]
pub struct Consumer {
    /// Its id.
    pub id: String,
    /// The file that defines it, from the root.
    pub path: String,
    /// The header it uses, from the root. It may be missing: that is a verdict.
    pub public_header: String,
    /// The public header from its include folder: what stands in `#include "..."`.
    pub header_name: String,
    /// The library's sources, from the root; none if it is all in headers. They may be missing.
    pub archive_sources: Vec<String>,
    /// The consumer's source, from the root.
    pub source: String,
    /// The consumer's source and the files of its own that it includes, by path from its folder.
    pub files: BTreeMap<String, SourceText>,
    /// The name of the consumer's source in its folder.
    pub file: String,
    /// What the consumer includes that nobody publishes: names as written, with their lines.
    pub private_includes: Vec<(String, u32)>,
    /// The include folders, in the order of the search, from the root; `.` is the root itself.
    pub include: Vec<String>,
    /// What a stranger sees: every file in the include folders.
    pub published: Arc<SourceTree>,
    /// What the library is built from: the include folders and the folders of its sources.
    pub library: Arc<SourceTree>,
    /// The folders of the library's own sources, from the root.
    pub source_folders: Vec<String>,
    /// The files of `library` that the change touched; `None` where there is no base.
    pub changed: Option<Arc<BTreeSet<String>>>,
    /// Flags of the consumer and its second unit, after those of the grader.
    pub flags: Vec<String>,
    /// What is added to the link.
    pub link: Vec<String>,
    /// Namespaces in which the consumer must not declare anything, such as `demo::`.
    pub forbidden: Vec<String>,
    /// The bytes on standard output; not compared if absent.
    pub expect_stdout: Option<String>,
    /// The exit code.
    pub expect_exit: i32,
    /// CPU seconds; the wall cap is three times that.
    pub timeout_s: u32,
    /// The class it must get; a known-bad seed has another one than `pass`.
    pub expect_class: String,
}

impl Consumer {
    /// The CPU limit of the program.
    #[must_use]
    pub fn cpu_limit(&self) -> Duration {
        Duration::from_secs(u64::from(self.timeout_s))
    }
}
