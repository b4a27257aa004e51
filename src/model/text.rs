//! What characters do to the text around them.

/// Whether `line` shows all there is to it: no control characters but tabs, and no characters
/// that change how others are shown.
#[must_use]
pub fn is_plain(line: &str) -> bool {
    line.chars()
        .all(|c| c == '\t' || !(c.is_control() || is_format(c)))
}

/// `text` with what [`is_plain`] finds fault with spelled out, as in `\n`: on one line, with nothing
/// lost.
#[must_use]
pub fn visible(text: &str) -> String {
    let hidden = |c: char| c.is_control() || is_format(c);
    let spelled = |c: char| match hidden(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(spelled).collect()
}

/// Whether `c` changes how others are shown: bidirectional controls, zero widths, breaks, tags.
#[must_use]
pub fn is_format(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
