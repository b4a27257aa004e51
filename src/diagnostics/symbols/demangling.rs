//! Raw names made readable, at bounded length: a short name can stand for gigabytes of text.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// The longest text that a name is spelled out to.
const MOST_BYTES: usize = 64 * 1024;

/// The longest raw name that is looked at.
const MOST_RAW_BYTES: usize = 16 * 1024;

/// How deep a name may nest: what fits on half the stack of a thread. Of the 78,000 names in LLVM
/// and the library of gcc, as many as one in 7,000 more would be spelled out with 96.
const MOST_NESTING: u32 = 64;

/// A text that refuses to grow beyond the limit.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MOST_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The declaration that a raw name stands for; the name itself where it is not mangled, does not
/// parse or would be too long. Suffixes such as `.constprop.0` are left out.
#[must_use]
pub fn demangled(name: &str) -> String {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    spelled_out(stem).map_or_else(|| name.to_owned(), as_linkers_write)
}

/// The crate's `{vtable(A)}` as `vtable for A`.
fn as_linkers_write(text: String) -> String {
    for (start, written) in [("{vtable(", "vtable for "), ("{vtt(", "VTT for ")] {
        let class = text.strip_prefix(start);
        if let Some(class) = class.and_then(|class| class.strip_suffix(")}")) {
            return format!("{written}{class}");
        }
    }
    text
}

fn spelled_out(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > MOST_RAW_BYTES {
        return None;
    }
    let limits = ParseOptions::default().recursion_limit(MOST_NESTING);
    let symbol = Symbol::new_with_options(name, &limits).ok()?;
    let limits = DemangleOptions::new().recursion_limit(MOST_NESTING);
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, &limits).ok()?;
    Some(text.0)
}
