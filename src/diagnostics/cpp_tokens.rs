//! The tokens of C++ source, as far as one file's bytes tell: nothing is expanded or evaluated.
//!
//! Comments are gone, continued lines are joined, digraphs are written as what they stand for, and
//! a token on a directive's line says so. Trigraphs are read as the bytes they are: compilers do
//! not agree on them.

mod cursor;

use std::borrow::Cow;

use cursor::{Cursor, continues_identifier, is_blank, starts_identifier};

/// The longest delimiter of a raw string that the language knows.
const MOST_DELIMITER: usize = 16;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A name or a keyword.
    Identifier,
    /// A number, with digit separators and suffix.
    Number,
    /// A string with its prefix and quotes. A suffix of the user's is the next token.
    String,
    /// A character with its prefix and quotes.
    Char,
    /// What stands in `<>` or `""` behind `#include` and its like, with these. No escapes.
    Header,
    /// `::`, `->`, `...`, and any other byte on its own: `>>` is two tokens.
    Punctuation,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its bytes, without what joins continued lines.
    pub text: Cow<'a, [u8]>,
    /// The line it starts on, from 1.
    pub line: u32,
    /// Whether it stands on a directive's line, as `#` and what follows it does.
    pub is_directive: bool,
}

impl Token<'_> {
    /// Whether this is the punctuation or the identifier `text`.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Punctuation | Kind::Identifier) && *self.text == *text.as_bytes()
    }

    /// The name, of an identifier.
    #[must_use]
    pub fn identifier(&self) -> Option<&str> {
        match self.kind {
            Kind::Identifier => std::str::from_utf8(&self.text).ok(),
            Kind::Number | Kind::String | Kind::Char | Kind::Header | Kind::Punctuation => None,
        }
    }
}

/// The tokens of `source`, in its order. What is not closed ends with its line or the text, as the
/// language has it.
#[must_use]
pub fn tokens(source: &[u8]) -> Tokens<'_> {
    Tokens {
        cursor: Cursor::new(source),
        line: Line::Start,
    }
}

/// What has been read of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// No token yet.
    Start,
    /// Code.
    Code,
    /// A directive's `#`.
    Hash,
    /// A directive that names a header next.
    Include,
    /// Any other part of a directive.
    Directive,
}

/// An iterator over the tokens of a source.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    cursor: Cursor<'a>,
    line: Line,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blanks();
        let start = self.cursor.start();
        let line = self.cursor.line;
        let kind = self.read()?;
        let text = match (kind, self.cursor.since(start)) {
            (Kind::Punctuation, text) => spelled_out(text),
            (_, text) => text,
        };
        self.line = self.line.after(kind, &text);
        Some(Token {
            kind,
            text,
            line,
            is_directive: self.line != Line::Code,
        })
    }
}

impl Line {
    fn after(self, kind: Kind, text: &[u8]) -> Self {
        match self {
            Self::Start if kind == Kind::Punctuation && text == b"#" => Self::Hash,
            Self::Start | Self::Code => Self::Code,
            Self::Hash => match text {
                b"include" | b"include_next" | b"import" | b"embed" => Self::Include,
                _ => Self::Directive,
            },
            Self::Include | Self::Directive => Self::Directive,
        }
    }
}

/// A digraph as what it stands for.
fn spelled_out(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match &*text {
        b"<%" => Cow::Borrowed(b"{"),
        b"%>" => Cow::Borrowed(b"}"),
        b"<:" => Cow::Borrowed(b"["),
        b":>" => Cow::Borrowed(b"]"),
        b"%:" => Cow::Borrowed(b"#"),
        _ => text,
    }
}

impl Tokens<'_> {
    /// White space and comments.
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.cursor.peek() {
            match (byte, self.cursor.peek_second()) {
                (b'\n', _) => {
                    self.line = Line::Start;
                    self.cursor.bump();
                }
                (b'/', Some(b'/')) => {
                    self.cursor.bump_while(|byte| byte != b'\n');
                }
                (b'/', Some(b'*')) => self.cursor.skip_comment(),
                _ if is_blank(byte) => {
                    self.cursor.bump();
                }
                _ => return,
            }
        }
    }

    fn read(&mut self) -> Option<Kind> {
        let byte = self.cursor.bump()?;
        let next = self.cursor.peek();
        Some(match byte {
            b'<' | b'"' if self.line == Line::Include => self.header(byte),
            b'"' => self.quoted(b'"', Kind::String),
            b'\'' => self.quoted(b'\'', Kind::Char),
            b'.' if next.is_some_and(|next| next.is_ascii_digit()) => self.number(),
            _ if byte.is_ascii_digit() => self.number(),
            _ if starts_identifier(byte) => self.identifier(byte),
            _ => self.punctuation(byte),
        })
    }

    fn header(&mut self, opening: u8) -> Kind {
        let closing = if opening == b'<' { b'>' } else { opening };
        self.cursor
            .bump_while(|byte| byte != closing && byte != b'\n');
        if self.cursor.peek() == Some(closing) {
            self.cursor.bump();
        }
        Kind::Header
    }

    fn quoted(&mut self, quote: u8, kind: Kind) -> Kind {
        while let Some(byte) = self.cursor.peek().filter(|byte| *byte != b'\n') {
            self.cursor.bump();
            if byte == quote {
                break;
            }
            // The byte behind a backslash is no quote, and the line's end still ends it all.
            if byte == b'\\' && self.cursor.peek().is_some_and(|next| next != b'\n') {
                self.cursor.bump();
            }
        }
        kind
    }

    fn number(&mut self) -> Kind {
        let mut before = b'0';
        while let Some(byte) = self.cursor.peek() {
            let is_sign =
                matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
            let is_separator = byte == b'\''
                && self
                    .cursor
                    .peek_second()
                    .is_some_and(|next| next.is_ascii_alphanumeric() || next == b'_');
            if !(continues_identifier(byte) || byte == b'.' || is_sign || is_separator) {
                break;
            }
            before = byte;
            self.cursor.bump();
        }
        Kind::Number
    }

    fn identifier(&mut self, first: u8) -> Kind {
        // No prefix of a literal is longer than `u8R`.
        let mut name = vec![first];
        while let Some(byte) = self
            .cursor
            .peek()
            .filter(|byte| continues_identifier(*byte))
        {
            if name.len() < 4 {
                name.push(byte);
            }
            self.cursor.bump();
        }
        match (self.cursor.peek(), name.as_slice()) {
            (Some(b'"'), b"R" | b"u8R" | b"uR" | b"UR" | b"LR") => {
                self.cursor.bump();
                if self.cursor.skip_raw(MOST_DELIMITER) {
                    Kind::String
                } else {
                    self.quoted(b'"', Kind::String)
                }
            }
            (Some(b'"'), b"u8" | b"u" | b"U" | b"L") => {
                self.cursor.bump();
                self.quoted(b'"', Kind::String)
            }
            (Some(b'\''), b"u8" | b"u" | b"U" | b"L") => {
                self.cursor.bump();
                self.quoted(b'\'', Kind::Char)
            }
            _ => Kind::Identifier,
        }
    }

    fn punctuation(&mut self, byte: u8) -> Kind {
        let more = match (byte, self.cursor.peek(), self.cursor.peek_second()) {
            // `<::x` is `<` and `::x`, so that `a<::b>` reads as written.
            (b'<', Some(b':'), Some(b':')) => match self.cursor.peek_third() {
                Some(b':' | b'>') => 1,
                _ => 0,
            },
            (b':', Some(b':' | b'>'), _)
            | (b'-', Some(b'>'), _)
            | (b'<', Some(b'%' | b':'), _)
            | (b'%', Some(b'>' | b':'), _) => 1,
            (b'.', Some(b'.'), Some(b'.')) => 2,
            _ => 0,
        };
        for _ in 0..more {
            self.cursor.bump();
        }
        Kind::Punctuation
    }
}

#[cfg(test)]
mod tests;
