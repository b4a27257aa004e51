//! Text broken into lines that fit a width.

use std::io::{self, Write};

use super::style::{Style, cut, no_command, one_line};

/// The most characters of a sentence.
const SENTENCE: usize = 400;

/// The lines of `text`, broken between words so that none is longer than `width` characters
/// unless a single word is: paths and commands stay whole, to be copied. Empty text has no line.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::<String>::new();
    let mut room = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if length < room => {
                line.push(' ');
                line.push_str(word);
                room -= length + 1;
            }
            _ => {
                lines.push(word.to_owned());
                room = width.saturating_sub(length);
            }
        }
    }
    lines.iter().map(|line| no_command(line)).collect()
}

/// `text` cut to `width` characters out of its middle, with a mark where something was cut: both
/// ends of an id tell more than its middle.
#[must_use]
pub fn cut_middle(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let tail = width / 2;
    let head = width.saturating_sub(tail + 1);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{start}\u{2026}{end}")
}

/// `text` on one line, safe to show, and cut where it goes on for too long.
#[must_use]
pub fn sentence(text: &str) -> String {
    cut(one_line(text).trim(), SENTENCE)
}

/// `text` after `label`, broken to the width, its further lines under its first.
///
/// # Errors
/// When `out` cannot be written.
pub fn hanging(label: &str, text: &str, style: Style, out: &mut impl Write) -> io::Result<()> {
    let indent = label.chars().count();
    let lines = wrapped(text, style.width.saturating_sub(indent));
    for (index, line) in lines.iter().enumerate() {
        if index == 0 {
            writeln!(out, "{label}{line}")?;
        } else {
            writeln!(out, "{:indent$}{line}", "")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_never_inside_one() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two", 6), ["one", "two"]);
        assert_eq!(
            wrapped("a path/that/is/long b", 6),
            ["a", "path/that/is/long", "b"]
        );
        assert!(wrapped("  ", 5).is_empty());
        assert_eq!(wrapped("a b", 0), ["a", "b"]);
    }

    #[test]
    fn both_ends_survive_a_cut() {
        assert_eq!(cut_middle("abcdef", 6), "abcdef");
        assert_eq!(cut_middle("abcdefgh", 5), "ab\u{2026}gh");
        assert_eq!(cut_middle("abc", 0).chars().count(), 1);
    }
}
