//! A place in a source that steps over what joins continued lines.

use std::borrow::Cow;

#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    source: &'a [u8],
    at: usize,
    /// The line of the next byte, from 1.
    pub(super) line: u32,
}

pub(super) fn is_blank(byte: u8) -> bool {
    // A form feed and a vertical tab are white space; a lone carriage return is to GCC.
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

pub(super) fn starts_identifier(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

pub(super) fn continues_identifier(byte: u8) -> bool {
    starts_identifier(byte) || byte.is_ascii_digit()
}

/// How long the joint is that `text` starts with: a backslash, white space, which compilers warn
/// about and accept, and the end of the line.
fn joint(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"\\")?;
    let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
    (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 2)
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        let mark = if source.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        Self {
            source,
            at: mark,
            line: 1,
        }
    }

    fn rest(&self, at: usize) -> &'a [u8] {
        self.source.get(at..).unwrap_or_default()
    }

    /// The byte at or behind `at`, with its place.
    fn look(&self, mut at: usize) -> Option<(usize, u8)> {
        while let Some(length) = joint(self.rest(at)) {
            at += length;
        }
        self.source.get(at).map(|byte| (at, *byte))
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.look(self.at).map(|(_, byte)| byte)
    }

    pub(super) fn peek_second(&self) -> Option<u8> {
        let (first, _) = self.look(self.at)?;
        self.look(first + 1).map(|(_, byte)| byte)
    }

    pub(super) fn peek_third(&self) -> Option<u8> {
        let (first, _) = self.look(self.at)?;
        let (second, _) = self.look(first + 1)?;
        self.look(second + 1).map(|(_, byte)| byte)
    }

    /// Steps over joints, so that a token starts where its first byte stands.
    pub(super) fn start(&mut self) -> usize {
        while let Some(length) = joint(self.rest(self.at)) {
            self.at += length;
            self.line = self.line.saturating_add(1);
        }
        self.at
    }

    pub(super) fn bump(&mut self) -> Option<u8> {
        let at = self.start();
        let byte = *self.source.get(at)?;
        self.step(1);
        Some(byte)
    }

    pub(super) fn bump_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
    }

    /// Past `length` bytes as they are, joints among them.
    fn step(&mut self, length: usize) {
        let passed = self.rest(self.at).get(..length).unwrap_or_default();
        let lines = passed.iter().filter(|byte| **byte == b'\n').count();
        self.line = self
            .line
            .saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.at += passed.len();
    }

    /// Past a comment, which starts here.
    pub(super) fn skip_comment(&mut self) {
        self.bump();
        self.bump();
        while let Some(byte) = self.bump() {
            if byte == b'*' && self.peek() == Some(b'/') {
                self.bump();
                return;
            }
        }
    }

    /// Past the rest of a raw string whose quote has been read. No step is taken where no raw
    /// string can start.
    pub(super) fn skip_raw(&mut self, most_delimiter: usize) -> bool {
        let rest = self.rest(self.at);
        let opening = rest
            .iter()
            .take(most_delimiter + 1)
            .position(|byte| *byte == b'(');
        let Some(delimiter) = opening.and_then(|length| rest.get(..length)) else {
            return false;
        };
        if delimiter
            .iter()
            .any(|byte| byte.is_ascii_whitespace() || b")\\\"".contains(byte))
        {
            return false;
        }
        let ending = [b")", delimiter, b"\""].concat();
        let text = rest.get(delimiter.len()..).unwrap_or_default();
        let length = match text
            .windows(ending.len())
            .position(|window| window == ending)
        {
            Some(found) => delimiter.len() + found + ending.len(),
            None => rest.len(),
        };
        self.step(length);
        true
    }

    /// What has been passed since `start`, without joints; raw strings keep theirs.
    pub(super) fn since(&self, start: usize) -> Cow<'a, [u8]> {
        let text = self.source.get(start..self.at).unwrap_or_default();
        let quote = text.iter().position(|byte| *byte == b'"');
        let prefix = quote.and_then(|quote| text.get(..quote));
        let is_raw = prefix.is_some_and(|prefix| prefix.ends_with(b"R"));
        if is_raw || !text.contains(&b'\n') {
            return Cow::Borrowed(text);
        }
        let mut joined = Vec::with_capacity(text.len());
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            if let Some(length) = text.get(at..).and_then(joint) {
                at += length;
            } else {
                joined.push(*byte);
                at += 1;
            }
        }
        Cow::Owned(joined)
    }
}
