//! What ELF objects, archives and shared objects define and want, read from their bytes.
//!
//! Names are raw; [`demangled`] makes them readable. Bodies in COMDAT groups (inline functions,
//! instances of templates) have a digest, so that two units can be asked whether they agree.

mod absence;
mod comdat;
mod demangling;
mod landmarks;
mod reader;

use std::collections::BTreeMap;
use std::fmt;

pub use absence::{Absence, explain_undefined};
pub use demangling::demangled;

/// A symbol of one name, in one or more objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbol {
    /// The size in bytes, the largest where objects differ; 0 where it is undefined.
    pub size: u64,
    /// In how many objects it is.
    pub objects: usize,
}

/// A COMDAT group: of all objects' groups of one name, a link keeps one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comdat {
    /// The bytes of its sections.
    pub size: u64,
    /// SHA-256 over its sections: names, bytes, and relocations by the names they lead to, so that
    /// it is the same in two units that agree and were compiled alike.
    pub digest: [u8; 32],
}

/// The symbols of an object, an archive or a shared object, by raw name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Defined for every other object, once.
    pub defined_global: BTreeMap<String, Symbol>,
    /// Defined for every other object, weakly: most are in COMDAT groups.
    pub defined_weak: BTreeMap<String, Symbol>,
    /// Defined for its own object alone: `static`, or in an anonymous namespace. In a shared object
    /// also what was hidden before it was linked.
    pub local: BTreeMap<String, Symbol>,
    /// Defined with hidden or internal visibility: not for who will link with a shared object.
    pub hidden: BTreeMap<String, Symbol>,
    /// Wanted and not defined in the same object, weak wishes apart. In an archive another member
    /// may define it.
    pub undefined: BTreeMap<String, Symbol>,
    /// The differing bodies of each COMDAT group. Two or more: objects disagree.
    pub comdats: BTreeMap<String, Vec<Comdat>>,
    /// Members of an archive that are no ELF object, or not to be read.
    pub unread: Vec<String>,
}

/// Why bytes have no symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// They are no ELF file or archive, or a broken one; with the reason.
    Format(String),
    /// They hold more than any real file of their length would.
    Limit(&'static str),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(reason) => write!(f, "no object or archive: {reason}"),
            Self::Limit(what) => write!(f, "no honest object or archive: too many {what}"),
        }
    }
}

impl std::error::Error for Unreadable {}

impl Symbols {
    /// The symbols in a file.
    ///
    /// # Errors
    /// The bytes are no object, archive or shared object, or too much is in them. A single broken
    /// member of an archive is no error; it is in [`Symbols::unread`].
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        reader::read(bytes)
    }

    /// Whether others can link with it.
    #[must_use]
    pub fn defines(&self, name: &str) -> bool {
        self.defined_global.contains_key(name) || self.defined_weak.contains_key(name)
    }

    /// Names that are wanted and that nothing here defines.
    pub fn wanted(&self) -> impl Iterator<Item = &str> {
        let names = self.undefined.keys().map(String::as_str);
        names.filter(|name| !self.defines(name) && !self.hidden.contains_key(*name))
    }

    /// COMDAT groups whose bodies differ from those here of the same name.
    pub fn disagreements<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        self.comdats.iter().filter_map(|(name, ours)| {
            let theirs = other.comdats.get(name)?;
            (ours != theirs).then_some(name.as_str())
        })
    }
}

#[cfg(test)]
mod tests;
