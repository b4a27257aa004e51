//! What must hold of Markdown whatever went into it.

use crate::model::text::is_format;

/// Fails unless the Markdown `text` is only text: no tag but ours, no mention, no link, no fence
/// left open, and tables of `columns`.
pub(in crate::report) fn assert_harmless(text: &str, columns: usize) {
    let mut outside = outside_fences(text);
    for tag in ["details", "summary", "code"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        assert_eq!(
            outside.matches(&open).count(),
            outside.matches(&close).count()
        );
        outside = outside.replace(&open, "").replace(&close, "");
    }
    let lower = outside.to_lowercase();
    for forbidden in ["<", "@", "://", "www.", "##["] {
        assert!(!lower.contains(forbidden), "{forbidden} in:\n{outside}");
    }
    let hidden = |c: char| !matches!(c, '\n' | '\t') && (c.is_control() || is_format(c));
    assert!(!text.contains(hidden), "{text:?}");
    assert!(!text.contains("<!--"), "{text}");
    assert!(!text.contains("##["), "{text}");
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("::"), "{line}");
    }
    for line in outside.lines().filter(|line| line.starts_with('|')) {
        assert_eq!(line.matches('|').count(), columns + 1, "{line}");
    }
}

/// The text outside fences, which must all be closed.
fn outside_fences(text: &str) -> String {
    let mut fence: Option<String> = None;
    let mut out = String::new();
    for line in text.lines() {
        let run: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if run.len() >= 3 => fence = Some(run),
            None => out.push_str(&format!("{line}\n")),
        }
    }
    assert_eq!(fence, None, "a fence is left open:\n{text}");
    out
}
