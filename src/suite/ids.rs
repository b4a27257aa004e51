//! What an id may look like. Ids become file names, so the rule keeps them inside a folder.

/// The most bytes of an id.
pub const LONGEST: usize = 128;

/// Whether `id` can be an id.
///
/// # Errors
/// What is wrong with it, and what was expected.
pub fn check(id: &str) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if id.is_empty() {
        return Err("an id is not empty".to_owned());
    }
    if id.len() > LONGEST {
        return Err(format!(
            "an id has at most {LONGEST} bytes, this one has {}",
            id.len()
        ));
    }
    for segment in id.split('/') {
        if segment.is_empty() {
            return Err(format!(
                "`{id}` has an empty segment: single `/` stand between segments"
            ));
        }
        if segment.starts_with(['-', '.']) {
            return Err(format!("`{id}` has a segment that starts with `-` or `.`"));
        }
        if let Some(bad) = segment.chars().find(|c| !allowed(*c)) {
            return Err(format!(
                "{id:?} contains {bad:?}: an id is made of letters, digits, `.`, `_`, `-` and `/`"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_segments_joined_by_single_slashes() {
        for good in [
            "a",
            "split-range-001",
            "a/b.c/d_e",
            "A.b",
            "0",
            &"x".repeat(128),
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/a",
            "a/",
            "a//b",
            "-a",
            "a/-b",
            ".a",
            "a/..",
            "..",
            "a b",
            "ä",
            "a\0",
            "a\\b",
            &"x".repeat(129),
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}
