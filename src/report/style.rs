//! Colour for terminals, and text that is safe to show.

use crate::model::class::Level;

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether escape sequences are written.
    pub colour: bool,
}

impl Style {
    /// `text` in the colour of `level`.
    #[must_use]
    pub fn level(self, level: Level, text: &str) -> String {
        self.paint(
            match level {
                Level::Ok => "32",
                Level::Review => "33",
                Level::Incomplete => "35",
                Level::Fail => "1;31",
            },
            text,
        )
    }

    /// `text` in bold.
    #[must_use]
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// `text` faint.
    #[must_use]
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// `text` without control characters, so that nothing a candidate printed can move a cursor,
/// start a workflow command or hide a line. Newlines become spaces.
#[must_use]
pub fn one_line(text: &str) -> String {
    let safe = text
        .chars()
        .map(|c| if c == '\n' || c == '\t' { ' ' } else { c });
    safe.filter(|c| !c.is_control() && !is_format(*c)).collect()
}

/// Characters that change how others are shown: bidirectional controls, zero widths, breaks.
pub(super) fn is_format(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// `text` cut to `width` characters, with a mark where something was cut.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}\u{2026}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_candidate_printed_reaches_the_terminal_as_control() {
        assert_eq!(
            one_line("a\x1b[31mb\r\n::error::c\u{202e}d"),
            "a[31mb ::error::cd"
        );
    }
}
