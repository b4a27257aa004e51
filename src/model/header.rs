//! A public header that must stand alone.

use std::sync::Arc;

use super::digest::Digest;
use super::source_tree::{SourceText, SourceTree};

/// A public header of the checkout, with everything that may be seen when it is compiled alone.
#[derive(Clone, Debug)]
pub struct Header {
    /// Its path from the root.
    pub path: String,
    /// Its path from its include folder: what stands in `#include "..."`.
    pub name: String,
    /// The include folders, in the order of the search, from the root; `.` is the root itself.
    pub include: Vec<String>,
    /// Every file in the include folders.
    pub tree: Arc<SourceTree>,
    /// What of the tree compiling it can come to depend on.
    pub reach: Digest,
    /// The unit that a template makes of it; `None`: it is included, and nothing is called.
    pub probe: Option<SourceText>,
    /// How it is compiled.
    pub language: Language,
    /// Whether it may be included once only: an X-macro.
    pub once_only: bool,
    /// The public headers of the checkout, paths from the root, itself too.
    pub public: Arc<[String]>,
}

impl Header {
    /// Whether the same is asked of it as of `other`, whatever stands in their trees.
    #[must_use]
    pub fn is_asked_like(&self, other: &Self) -> bool {
        let probe = |header: &Self| header.probe.as_ref().map(|probe| probe.digest);
        probe(self) == probe(other)
            && self.name == other.name
            && self.include == other.include
            && self.language == other.language
            && self.once_only == other.once_only
    }
}

/// The language that a header is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C++.
    Cxx,
    /// C.
    C,
    /// C++ or, if it is none and says nothing of C++, C: a `.h` of which nobody said which.
    Either,
}

impl Language {
    /// The word used in digests and evidence.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cxx => "c++",
            Self::C => "c",
            Self::Either => "c++ or c",
        }
    }
}
