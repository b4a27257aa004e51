//! Where an include goes in a header: behind its last one, else behind its guard, else behind the
//! comment that it begins with. These are guesses by the look of the text, to be tried.

use std::collections::BTreeSet;

use crate::diagnostics::cpp_tokens::{Kind, tokens};
use crate::model::text::is_plain;

/// The lines before which an include may go, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// Behind the last include, if there is one.
    pub(super) behind_includes: u32,
    /// Before all code.
    pub(super) before_code: u32,
}

/// The places for an include that must be there before the line `used`.
pub(super) fn places(text: &[u8], used: u32) -> Places {
    let mut reader = Reader {
        includes: includes(text),
        ..Reader::default()
    };
    let mut number = 0_u32;
    for line in text.split(|byte| *byte == b'\n') {
        number = number.saturating_add(1);
        if number >= used && number > 1 {
            break;
        }
        reader.line(line.trim_ascii(), number);
    }
    Places {
        behind_includes: reader.place.saturating_add(1),
        before_code: reader.head.saturating_add(1),
    }
}

/// The lines of the includes that stand in no braces, comment or string.
fn includes(text: &[u8]) -> BTreeSet<u32> {
    let mut depth = 0_u32;
    let mut lines = BTreeSet::new();
    for token in tokens(text) {
        if token.kind == Kind::Header && depth == 0 {
            lines.insert(token.line);
        } else if token.is("{") && !token.is_directive {
            depth = depth.saturating_add(1);
        } else if token.is("}") && !token.is_directive {
            depth = depth.saturating_sub(1);
        }
    }
    lines
}

/// `text` with `added`, which are whole lines, before `line`.
pub(super) fn inserted(text: &[u8], line: u32, added: &str) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let ends_with_return = lines.first().is_some_and(|line| line.ends_with(b"\r\n"));
    let end: &[u8] = if ends_with_return { b"\r\n" } else { b"\n" };
    let index = usize::try_from(line).unwrap_or(usize::MAX);
    let below = lines.split_off(index.saturating_sub(1).min(lines.len()));
    let mut bytes = lines.concat();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.extend(end);
    }
    for line in added.lines() {
        bytes.extend(line.as_bytes());
        bytes.extend(end);
    }
    bytes.extend(below.concat());
    bytes
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
    /// The lines of its includes.
    includes: BTreeSet<u32>,
    /// The last line that an include may follow.
    place: u32,
    /// The same, before all code.
    head: u32,
    /// What `head` was before the guard.
    before_guard: u32,
    /// How many conditions are open, without the guard.
    depth: u32,
    guard: Guard,
    in_comment: bool,
    /// Whether the next line belongs to this one.
    is_continued: bool,
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
    /// `#endif` too: what follows shows that it was none.
    Ended,
}

impl Reader {
    fn line(&mut self, line: &[u8], number: u32) {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if std::mem::replace(&mut self.is_continued, line.ends_with(b"\\")) {
            for place in [&mut self.place, &mut self.head] {
                if place.saturating_add(1) == number {
                    *place = number;
                }
            }
            return;
        }
        if self.is_comment(line) {
            if !self.in_code && self.guard == Guard::Unseen {
                self.begins_behind(number);
            }
            return;
        }
        if self.guard == Guard::Ended && !line.is_empty() {
            self.guard = Guard::Unseen;
            self.begins_behind(self.before_guard);
        }
        match line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) {
            Some(directive) => self.directive(directive, number),
            None => self.in_code |= !line.is_empty(),
        }
    }

    /// An include may follow the line `number`, and code comes later.
    fn begins_behind(&mut self, number: u32) {
        self.head = number;
        self.place = number;
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
                self.before_guard = self.head;
            }
            b"define" if self.guard == Guard::Opened => {
                self.guard = Guard::Closed;
                self.begins_behind(number);
            }
            b"pragma" if rest.trim_ascii_start().starts_with(b"once") => {
                self.begins_behind(number);
                self.guard = Guard::Closed;
            }
            b"include" if self.depth == 0 && self.includes.contains(&number) => {
                self.place = number;
                self.in_code = true;
            }
            b"if" | b"ifdef" | b"ifndef" => {
                self.depth += 1;
                self.in_code = true;
            }
            b"endif" if self.depth == 0 => self.guard = Guard::Ended,
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
            ("#pragma once\nextern \"C\" {\n#include \"a\"\n}\n", 2),
            ("#pragma once\nint a; /*\n#include <a>\n*/\n", 2),
            ("#pragma once\nauto a = R\"(\n#include <a>\n)\";\n", 2),
            ("#ifndef A\n#define A \\\n  1\nint f();\n#endif\n", 4),
            (
                "#ifndef M\n#define M 1\n#endif\n#pragma once\nint f();\n",
                5,
            ),
            ("#ifndef M\n#define M 1\n#endif\nint f();\n", 1),
            (
                "#ifndef M\n#define M 1\n#endif\n#ifndef A\n#define A\nint f();\n#endif\n",
                6,
            ),
        ] {
            let place = places(text.as_bytes(), u32::MAX).behind_includes;
            assert_eq!(place, expected, "{text}");
        }
    }

    #[test]
    fn an_include_goes_before_the_line_that_needs_it() {
        let text = b"#pragma once\n#include <a>\nint f();\n#include \"impl.h\"\n";
        let behind = |used| places(text, used).behind_includes;
        assert_eq!((behind(3), behind(u32::MAX)), (3, 5));
        assert_eq!(places(text, u32::MAX).before_code, 2);
    }

    #[test]
    fn lines_are_put_in_as_the_file_ends_its_own() {
        let edited = |text: &str, line| {
            let bytes = inserted(text.as_bytes(), line, "#include <a>\n");
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(edited("a\nb\n", 2), "a\n#include <a>\nb\n");
        assert_eq!(edited("a\r\nb\r\n", 1), "#include <a>\r\na\r\nb\r\n");
        assert_eq!(edited("a", 2), "a\n#include <a>\n");
        assert_eq!(edited("a\n", 2), "a\n#include <a>\n");
        assert_eq!(edited("", 1), "#include <a>\n");
    }
}
