//! Where an include goes in a header: behind its last one, else behind its guard, else behind the
//! comment that it begins with.

use crate::model::text::is_plain;

/// The line before which an include goes that must be there before the line `used`, from 1.
pub(super) fn line(text: &[u8], used: u32) -> u32 {
    let mut reader = Reader::default();
    let mut number = 0_u32;
    for line in text.split(|byte| *byte == b'\n') {
        number = number.saturating_add(1);
        if number >= used && number > 1 {
            break;
        }
        reader.line(line.trim_ascii(), number);
    }
    reader.place.saturating_add(1)
}

/// The text of the line above `line` and of `line` itself, where `text` has them; `None` if one
/// of them is no plain text that ends with a newline alone.
pub(super) fn between(text: &[u8], line: u32) -> Option<[Option<String>; 2]> {
    let lines = text.strip_suffix(b"\n").unwrap_or(text);
    let lines: Vec<&[u8]> = match text {
        [] => Vec::new(),
        _ => lines.split(|byte| *byte == b'\n').collect(),
    };
    let below = usize::try_from(line).ok()?.checked_sub(1)?;
    let plain = |index: Option<usize>| match index.and_then(|index| lines.get(index)) {
        None => Some(None),
        Some(line) => {
            let line = str::from_utf8(line).ok().filter(|line| is_plain(line))?;
            Some(Some(line.to_owned()))
        }
    };
    Some([plain(below.checked_sub(1))?, plain(Some(below))?])
}

/// What has been read of a header.
#[derive(Default)]
struct Reader {
    /// The last line that an include may follow.
    place: u32,
    /// How many conditions are open, without the guard.
    depth: u32,
    guard: Guard,
    in_comment: bool,
    /// Whether anything but comments and the guard was read.
    in_code: bool,
}

#[derive(Default, PartialEq, Eq)]
enum Guard {
    #[default]
    Unseen,
    /// `#ifndef` was the first directive.
    Opened,
    /// `#define` followed it.
    Closed,
}

impl Reader {
    fn line(&mut self, line: &[u8], number: u32) {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if self.is_comment(line) {
            if !self.in_code && self.guard == Guard::Unseen {
                self.place = number;
            }
            return;
        }
        match line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) {
            Some(directive) => self.directive(directive, number),
            None => self.in_code |= !line.is_empty(),
        }
    }

    /// Whether the line is nothing but a comment, or part of one.
    fn is_comment(&mut self, line: &[u8]) -> bool {
        let ends = |line: &[u8]| line.windows(2).any(|pair| pair == b"*/");
        if self.in_comment {
            self.in_comment = !ends(line);
            return true;
        }
        if line.starts_with(b"/*") {
            self.in_comment = !ends(line);
            return self.in_comment || line.ends_with(b"*/");
        }
        line.starts_with(b"//")
    }

    fn directive(&mut self, directive: &[u8], number: u32) {
        let length = directive
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let (word, rest) = directive.split_at(length);
        match word {
            b"ifndef" if !self.in_code && self.depth == 0 && self.guard == Guard::Unseen => {
                self.guard = Guard::Opened;
            }
            b"define" if self.guard == Guard::Opened => {
                self.guard = Guard::Closed;
                self.place = number;
            }
            b"pragma" if rest.trim_ascii_start().starts_with(b"once") => {
                self.place = number;
                self.guard = Guard::Closed;
            }
            b"include" if self.depth == 0 => {
                self.place = number;
                self.in_code = true;
            }
            b"if" | b"ifdef" | b"ifndef" => {
                self.depth += 1;
                self.in_code = true;
            }
            b"endif" => self.depth = self.depth.saturating_sub(1),
            _ => self.in_code = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_around_are_told_as_they_are_or_not_at_all() {
        let told = |text: &[u8], line| between(text, line);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(told(b"a\n\tb\n", 1), Some([None, some("a")]));
        assert_eq!(told(b"a\n\tb\n", 2), Some([some("a"), some("\tb")]));
        assert_eq!(told(b"a\n\tb\n", 3), Some([some("\tb"), None]));
        assert_eq!(told(b"a\n\nb", 2), Some([some("a"), some("")]));
        assert_eq!(told(b"", 1), Some([None, None]));
        assert_eq!(told(b"\n", 1), Some([None, some("")]));
        for other in [
            &b"a\r\nb\r\n"[..],
            b"a\nb\xff\n",
            "\u{feff}a\nb\n".as_bytes(),
        ] {
            assert_eq!(told(other, 2), None);
        }
    }

    #[test]
    fn an_include_goes_behind_the_last_one_or_behind_what_a_header_begins_with() {
        for (text, expected) in [
            ("int f();\n", 1),
            ("", 1),
            ("#pragma once\nint f();\n", 2),
            ("// licence\n// more\n\n#pragma once\n\nint f();\n", 5),
            ("/* licence\n * more */\nint f();\n", 3),
            ("#ifndef A\n#define A\nint f();\n#endif\n", 3),
            ("#pragma once\n#include <a>\n#include <b>\nint f();\n", 4),
            ("#ifndef A\n#define A\n#include <a>\nint f();\n#endif\n", 4),
            (
                "#pragma once\n#ifdef _WIN32\n#include <a>\n#endif\nint f();\n",
                2,
            ),
            ("\u{feff}#pragma once\r\n#include <a>\r\nint f();\r\n", 3),
        ] {
            assert_eq!(line(text.as_bytes(), u32::MAX), expected, "{text}");
        }
    }

    #[test]
    fn an_include_goes_before_the_line_that_needs_it() {
        let text = b"#pragma once\n#include <a>\nint f();\n#include \"impl.h\"\n";
        assert_eq!(line(text, 3), 3);
        assert_eq!(line(text, u32::MAX), 5);
    }
}
