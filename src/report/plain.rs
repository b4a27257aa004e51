//! Text that is shown as it stands, where nothing is markup: made safe, and cut.

use super::markdown::cost;
use super::style::no_command;
use crate::model::text::is_format;

/// `text` without what acts on a terminal, a reader's eye or a CI runner, in at most `room`
/// bytes (as [`cost`] counts, and a third more where every line had to be broken). What was cut
/// is counted.
pub(super) fn plain(text: &str, room: usize) -> String {
    let mut kept = String::new();
    let mut left = room;
    for (at, c) in text.char_indices() {
        if c.is_control() && !matches!(c, '\n' | '\t') || is_format(c) {
            continue;
        }
        let cost = cost(c.encode_utf8(&mut [0; 4]));
        if cost > left {
            let rest = text.len() - at;
            kept.push_str(&format!("\n... {rest} more bytes"));
            break;
        }
        left -= cost;
        kept.push(c);
    }
    let lines: Vec<_> = kept.split('\n').map(no_command).collect();
    lines.join("\n")
}

/// `text` with a blank behind each `@` before a name, so that it is nobody's name any more.
pub(super) fn no_mention(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '@' && chars.peek().is_some_and(|next| next.is_alphanumeric()) {
            out.push(' ');
        }
    }
    out
}

/// `text` with characters above U+FFFF spelled out, which GitHub's API for checks does not take.
pub(super) fn basic_plane(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c.len_utf8() {
            4 => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_commands_go_and_lines_stay() {
        assert_eq!(
            plain("a\x1b[31m\r\n\tb\u{202e}\n::error::c ##[x]", 99),
            "a[31m\n\tb\n\\::error::c ##\\[x]"
        );
    }

    #[test]
    fn what_is_cut_is_cut_between_characters_and_counted() {
        assert_eq!(plain("äöü", 4), "äö\n... 2 more bytes");
        assert_eq!(plain("äöü", 6), "äöü");
        assert_eq!(plain("\u{1f600}", 9), "\n... 4 more bytes");
    }

    #[test]
    fn nobody_is_mentioned() {
        assert_eq!(
            no_mention("hi @you, a@b.c @@x @ y"),
            "hi @ you, a@ b.c @@ x @ y"
        );
    }

    #[test]
    fn what_checks_do_not_take_is_spelled() {
        assert_eq!(basic_plane("a\u{1f600}\u{ffff}é"), "a\\u{1f600}\u{ffff}é");
    }
}
