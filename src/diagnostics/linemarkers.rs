//! What `g++ -E` and `clang++ -E` print without `-P`: one text out of many files, which lines like
//! `# 12 "a.h" 1 3` tell apart.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::cpp_tokens::{Kind, Token, Tokens, tokens};

/// A token of a preprocessed text with the place it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<'a> {
    /// The token. Its own line is that of the preprocessed text.
    pub token: Token<'a>,
    /// The file it stands in, or the one a macro was used in, as the compiler was told to open it.
    /// Empty before the first marker; `<built-in>` and the like are kept.
    pub file: Arc<str>,
    /// The line in that file.
    pub line: u32,
}

/// The tokens of a preprocessed text, without its markers. Other directives, as `#pragma`, are
/// among them and say that they are directives.
#[must_use]
pub fn located(text: &[u8]) -> Origins<'_> {
    Origins {
        tokens: tokens(text),
        waiting: VecDeque::new(),
        directive: 0,
        file: Arc::from(""),
        // Before any marker, the text is its own file.
        marked: Marked { line: 1, at: 0 },
        files: BTreeSet::new(),
    }
}

/// All files that a preprocessed text entered, also those that left no token in it.
#[must_use]
pub fn files(text: &[u8]) -> BTreeSet<Arc<str>> {
    let mut origins = located(text);
    while origins.next().is_some() {}
    origins.files
}

/// The line of a file that follows a marker.
#[derive(Clone, Copy, Debug)]
struct Marked {
    line: u32,
    /// The marker's own line.
    at: u32,
}

/// An iterator over the tokens of a preprocessed text.
#[derive(Clone, Debug)]
pub struct Origins<'a> {
    tokens: Tokens<'a>,
    /// Tokens that were read to see whether they are a marker.
    waiting: VecDeque<Token<'a>>,
    /// The line of the last directive, or 0.
    directive: u32,
    file: Arc<str>,
    marked: Marked,
    files: BTreeSet<Arc<str>>,
}

impl<'a> Iterator for Origins<'a> {
    type Item = Located<'a>;

    fn next(&mut self) -> Option<Located<'a>> {
        loop {
            let token = match self.waiting.pop_front() {
                Some(token) => token,
                None => self.tokens.next()?,
            };
            // Only the first `#` of a directive makes it one.
            let is_first = token.is_directive && token.line != self.directive;
            if !(is_first && token.is("#") && self.skip_marker(token.line)) {
                return Some(self.place(token));
            }
        }
    }
}

impl<'a> Origins<'a> {
    /// The files entered so far.
    #[must_use]
    pub fn files(&self) -> &BTreeSet<Arc<str>> {
        &self.files
    }

    fn place(&self, token: Token<'a>) -> Located<'a> {
        let behind = token.line.saturating_sub(self.marked.at.saturating_add(1));
        Located {
            file: Arc::clone(&self.file),
            line: self.marked.line.saturating_add(behind),
            token,
        }
    }

    /// Reads on behind a `#`. Where that is a marker, it is applied and passed.
    fn skip_marker(&mut self, line: u32) -> bool {
        self.directive = line;
        let is_more = |token: &Token| token.is_directive && token.line == line;
        let mut seen = 0;
        while self.waiting.get(seen).is_some_and(is_more) {
            seen += 1;
        }
        while seen == self.waiting.len() {
            let Some(token) = self.tokens.next() else {
                break;
            };
            seen += usize::from(is_more(&token));
            self.waiting.push_back(token);
        }
        let rest = self.waiting.make_contiguous();
        let rest = rest.get(..seen).unwrap_or_default();
        let Some((number, name)) = marker(rest) else {
            return false;
        };
        self.waiting.drain(..seen);
        self.marked = Marked {
            line: number,
            at: line,
        };
        if let Some(name) = name {
            let known = self.files.get(name.as_str()).cloned();
            self.file = known.unwrap_or_else(|| Arc::from(name));
            self.files.insert(Arc::clone(&self.file));
        }
        true
    }
}

/// The line and the file that a marker or `#line` names.
fn marker(rest: &[Token<'_>]) -> Option<(u32, Option<String>)> {
    let rest = match rest {
        [word, rest @ ..] if word.is("line") => rest,
        _ => rest,
    };
    let (number, rest) = rest.split_first()?;
    let digits = std::str::from_utf8(&number.text).ok()?;
    let line = digits.parse().ok()?;
    let name = rest.first().filter(|token| token.kind == Kind::String);
    Some((line, name.and_then(|token| unescaped(&token.text))))
}

/// What stands in the quotes of `text`, whose escapes are of C.
fn unescaped(text: &[u8]) -> Option<String> {
    let mut inner = text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut name = Vec::with_capacity(inner.len());
    while let [byte, rest @ ..] = inner {
        inner = rest;
        if *byte != b'\\' {
            name.push(*byte);
            continue;
        }
        let digits = inner.iter().take(3);
        let digits = digits
            .take_while(|byte| (b'0'..=b'7').contains(*byte))
            .count();
        let (escaped, rest) = inner.split_at_checked(digits.max(1))?;
        inner = rest;
        if digits == 0 {
            name.extend_from_slice(escaped);
        } else {
            let value = escaped
                .iter()
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            name.push(u8::try_from(value).unwrap_or(u8::MAX));
        }
    }
    Some(String::from_utf8_lossy(&name).into_owned())
}

#[cfg(test)]
mod tests;
