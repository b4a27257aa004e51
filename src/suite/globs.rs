//! Globs that people write. One that is too long or too deep is refused with the others that are
//! none: what would be made of it may need more memory or stack than there is.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The most bytes of a glob.
const MOST_BYTES: usize = 1024;

/// How `*` reads a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Star {
    /// It stays in its folder; `**` does not.
    InFolder,
    /// It stands for any text.
    Anywhere,
}

/// What matches as `glob` does.
///
/// # Errors
/// Why it is no glob, as the end of a sentence that begins with it.
pub fn matcher(glob: &str, star: Star) -> Result<GlobSet, String> {
    if glob.len() > MOST_BYTES {
        return Err(format!("is longer than {MOST_BYTES} bytes"));
    }
    let told = |error: globset::Error| format!("is no glob: {}", error.kind());
    let glob = GlobBuilder::new(glob)
        .literal_separator(star == Star::InFolder)
        .build()
        .map_err(told)?;
    // A set of one: the matcher of a single glob panics where it cannot be made.
    GlobSetBuilder::new().add(glob).build().map_err(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_in_its_folder_or_does_not() {
        let matches = |star| matcher("a/*.h", star).unwrap().is_match("a/b/c.h");
        assert!(matches(Star::Anywhere) && !matches(Star::InFolder));
    }

    #[test]
    fn what_no_matcher_can_be_made_of_is_refused() {
        for (glob, why) in [
            ("[".to_owned(), "is no glob: unclosed character class"),
            ("a".repeat(1025), "is longer than 1024 bytes"),
        ] {
            let found = matcher(&glob, Star::Anywhere).unwrap_err();
            assert!(found.starts_with(why), "{found}");
        }
        for glob in [
            "{".repeat(500) + &"}".repeat(500),
            "[\u{0}-\u{10ffff}]".repeat(100),
        ] {
            let _ = matcher(&glob, Star::InFolder);
        }
    }
}
