//! Which files a source names to be included, twice: all that any compiler might read for it, which
//! may be too many and never too few, and those its directives name.

mod graph;

use super::cpp_tokens::{Kind, tokens};

pub use self::graph::{Closure, IncludeGraph};
pub use self::scan::mentions;

mod scan;

/// How a header is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// In `<>`: looked for in the folders for includes.
    Angled,
    /// In `""`: looked for beside the file first.
    Quoted,
}

/// A header that a source names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// The name, as it is written.
    pub name: String,
    /// How it is written.
    pub form: Form,
    /// The line of the name, from 1.
    pub line: u32,
}

/// All that a source may include.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// The headers named, in the source's order, comments and all branches included.
    pub names: Vec<Mention>,
    /// Whether it may read a file whose name does not stand in it as it is: a macro's, an absolute
    /// path, what a trigraph or a pragma changes, what an assembler reads.
    pub is_opaque: bool,
}

/// The headers that `#include` and its like name in all branches, in the source's order; none in
/// comments or strings, and no name that a macro makes.
#[must_use]
pub fn active_mentions(source: &[u8]) -> Vec<Mention> {
    tokens(source)
        .filter(|token| token.kind == Kind::Header)
        .filter_map(|token| mention(&token.text, token.line))
        .collect()
}

/// The mention that `text` is, with its brackets or quotes.
fn mention(text: &[u8], line: u32) -> Option<Mention> {
    let (form, name) = match text {
        [b'<', name @ .., b'>'] => (Form::Angled, name),
        [b'"', name @ .., b'"'] => (Form::Quoted, name),
        _ => return None,
    };
    let name = std::str::from_utf8(name).ok()?;
    (!name.is_empty()).then(|| Mention {
        name: name.to_owned(),
        form,
        line,
    })
}

#[cfg(test)]
mod tests;
