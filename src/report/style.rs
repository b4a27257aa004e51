//! Colour for terminals, and text that is safe to show.

use crate::model::class::Level;
use crate::model::text::is_format;

/// How text is laid out for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether escape sequences are written.
    pub colour: bool,
    /// The characters of a line.
    pub width: usize,
}

/// The width where nobody says how wide lines may be: a file, a pipe, the log of a CI job.
pub const PLAIN_WIDTH: usize = 100;

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

/// `line` with a mark in what a CI runner takes for a command to itself: `::` at its beginning,
/// however far it is indented, and `##[` anywhere (`ActionCommand.cs` of actions/runner).
#[must_use]
pub fn no_command(line: &str) -> String {
    let start = line.len() - line.trim_start().len();
    let (blank, rest) = line.split_at(start);
    let rest = rest.replace("##[", "##\\[");
    if rest.starts_with("::") {
        format!("{blank}\\{rest}")
    } else {
        format!("{blank}{rest}")
    }
}

/// The JSON `text` with what a CI runner takes for a command spelled otherwise: it stands in strings
/// only, and they stay the same to whoever reads them.
#[must_use]
pub fn no_command_in_json(text: &str) -> String {
    text.replace("##[", "#\\u0023[")
}

/// `text`, whose lines may hold what others wrote, as it may stand in a log: no line is a command,
/// and nothing of it acts on a terminal.
#[must_use]
pub fn harmless(text: &str) -> String {
    let lines: Vec<_> = text
        .split('\n')
        .map(|line| no_command(&one_line(line)))
        .collect();
    lines.join("\n")
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
    #[test]
    fn json_without_a_command_says_the_same() {
        let text = no_command_in_json("[\"##[error]x\"]");
        assert!(!text.contains("##["));
        let read: Vec<String> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, ["##[error]x"]);
    }

    #[test]
    fn an_error_of_many_lines_has_no_command_in_any() {
        assert_eq!(
            harmless("error: a\n::error::x\n    hint\x1b[2J ##[group]\r\n"),
            "error: a\n\\::error::x\n    hint[2J ##\\[group]\n"
        );
    }

    #[test]
    fn no_line_is_a_command_to_the_runner() {
        assert_eq!(no_command("  ::error::x"), "  \\::error::x");
        assert_eq!(no_command("a ##[group]x"), "a ##\\[group]x");
        assert_eq!(no_command("a ::error::x"), "a ::error::x");
    }
}
