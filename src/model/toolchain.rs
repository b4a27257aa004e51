//! The compiler as a fact: what it is, and what flags make of it.

use std::collections::BTreeMap;

use super::digest::Digest;

/// Prefixes of flags that choose another tool, target or CPU, so that the identity of the
/// toolchain depends on them.
const SELECTING: &[&str] = &[
    "--gcc-toolchain",
    "--sysroot",
    "--target",
    "-B",
    "-fuse-ld",
    "-isysroot",
    "-m32",
    "-m64",
    "-march=native",
    "-mcpu=native",
    "-mtune=native",
    "-mx32",
    "-specs",
    "-stdlib",
    "-target",
];

/// A compiler that was found, ran, and built a program that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// How to start it: path, then leading arguments.
    pub cxx: Vec<String>,
    /// One line for people; never compared.
    pub version: String,
    /// The identity without flags.
    pub digest: Digest,
    /// The identity under each set of selecting flags that was probed.
    pub selected: BTreeMap<Vec<String>, Digest>,
    /// Whether the linker can list what it read.
    pub lists_link_reads: bool,
}

impl Toolchain {
    /// The flags among `flags` that choose another tool, target or CPU.
    #[must_use]
    pub fn selecting(flags: &[String]) -> Vec<String> {
        flags
            .iter()
            .filter(|flag| SELECTING.iter().any(|prefix| flag.starts_with(prefix)))
            .cloned()
            .collect()
    }

    /// The identity of the toolchain as used with `flags`. A set of selecting flags that was
    /// not probed still gets an identity of its own.
    #[must_use]
    pub fn identity(&self, flags: &[String]) -> Digest {
        let selecting = Self::selecting(flags);
        if selecting.is_empty() {
            return self.digest;
        }
        self.selected.get(&selecting).copied().unwrap_or_else(|| {
            let base = self.digest.to_string();
            let parts = selecting.iter().map(String::as_bytes);
            Digest::of_parts(std::iter::once(base.as_bytes()).chain(parts))
        })
    }
}

/// The toolchain, or why there is none.
pub type Compiler = Result<Toolchain, String>;
