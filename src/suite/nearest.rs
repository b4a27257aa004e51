//! The known name that somebody most likely meant.

/// The name among `known` that is closest to `typed`, if it is close enough to be meant.
#[must_use]
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = typed.to_lowercase();
    // Measuring costs the product of the lengths; nothing that long is a slip of the pen.
    if lower.len() > 200 {
        return None;
    }
    let allowed = (typed.chars().count() / 3).max(1);
    known
        .into_iter()
        .filter(|name| name.len() <= 200)
        .map(|name| (strsim::osa_distance(&lower, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, name)| name)
}

/// What to say of `typed`: the name that was meant, if any is near, and what `known` holds.
#[must_use]
pub fn hint(typed: &str, known: &[&str]) -> String {
    const SHOWN: usize = 24;
    let mut text = nearest(typed, known.iter().copied())
        .map(|name| format!("did you mean `{name}`? "))
        .unwrap_or_default();
    if known.is_empty() {
        text.push_str("none is known here");
        return text;
    }
    let mut sorted = known.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let rest = sorted.len().saturating_sub(SHOWN);
    sorted.truncate(SHOWN);
    text.push_str("known: ");
    text.push_str(&sorted.join(", "));
    if rest > 0 {
        text.push_str(&format!(" and {rest} more"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_another_word_finds_none() {
        let known = ["stdout", "stderr_empty", "exit_code"];
        for (typed, expected) in [
            ("stduot", Some("stdout")),
            ("STDOUT", Some("stdout")),
            ("exitcode", Some("exit_code")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), expected, "{typed}");
        }
    }

    #[test]
    fn the_hint_lists_what_is_known() {
        assert_eq!(
            hint("stduot", &["stdout", "args"]),
            "did you mean `stdout`? known: args, stdout"
        );
        assert_eq!(hint("zzz", &["stdout"]), "known: stdout");
        assert_eq!(hint("zzz", &[]), "none is known here");
    }
}
