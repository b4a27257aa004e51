//! Qualified names in a declaration's head.

use std::borrow::Borrow;

use crate::diagnostics::cpp_tokens::Token;

/// Types that qualify nothing.
const FUNDAMENTAL: &[&str] = &[
    "auto", "bool", "char", "char16_t", "char32_t", "char8_t", "double", "float", "int", "long",
    "short", "signed", "unsigned", "void", "wchar_t",
];

/// A name as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::diagnostics) struct Name {
    /// Whether it starts with `::`.
    pub(in crate::diagnostics) is_global: bool,
    /// Its parts, without arguments of templates. A destructor's starts with `~`, an operator's is
    /// `operator` and its sign.
    pub(in crate::diagnostics) parts: Vec<String>,
    /// The arguments of the last part, with `<>`, or nothing.
    pub(in crate::diagnostics) arguments: String,
    /// Its line in its file.
    pub(in crate::diagnostics) line: u32,
}

impl Name {
    /// The parts as they are written, without arguments.
    pub(in crate::diagnostics) fn joined(&self) -> String {
        self.parts.join("::")
    }
}

/// A place in a head's tokens, which no attributes are among.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'h, 'a> {
    pub(super) head: &'h [(&'h Token<'a>, u32)],
    pub(super) at: usize,
}

impl<'h, 'a> Reader<'h, 'a> {
    pub(super) fn peek(&self) -> Option<&'h Token<'a>> {
        self.head.get(self.at).map(|(token, _)| *token)
    }

    pub(super) fn next_is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    /// Steps over `text`.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_next = self.next_is(text);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn take_any(&mut self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.take(text))
    }

    /// Steps over a group in parentheses, brackets or braces that starts here.
    pub(super) fn take_group(&mut self) -> bool {
        let mut depth = 0_usize;
        let rest = self.head.get(self.at..).unwrap_or_default();
        for (passed, (token, _)) in rest.iter().enumerate() {
            match &*token.text {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                self.at += passed + 1;
                return passed > 0;
            }
        }
        false
    }

    /// Steps over the arguments of a template that start here.
    pub(super) fn take_arguments(&mut self) -> bool {
        let mut reader = *self;
        let mut depth = 0_usize;
        while let Some(token) = reader.peek() {
            match &*token.text {
                b"<" => depth += 1,
                b">" => depth = depth.saturating_sub(1),
                b"(" | b"[" | b"{" => {
                    if !reader.take_group() {
                        return false;
                    }
                    continue;
                }
                b")" | b"]" | b"}" | b";" => return false,
                _ => {}
            }
            reader.at += 1;
            if depth == 0 {
                *self = reader;
                return true;
            }
        }
        false
    }

    /// The text of the tokens since `from`.
    pub(super) fn since(&self, from: usize) -> String {
        let tokens = self.head.get(from..self.at).unwrap_or_default();
        spelled(tokens.iter().map(|(token, _)| *token))
    }

    /// Reads a qualified name, and whether it ends with `::`, as before the `*` of a pointer to a
    /// member.
    pub(super) fn name(&mut self) -> Option<(Name, bool)> {
        let line = self.head.get(self.at).map(|(_, line)| *line)?;
        let mut name = Name {
            line,
            ..Name::default()
        };
        name.is_global = self.take("::");
        loop {
            self.take("template");
            let Some(part) = self.part() else {
                return (!name.parts.is_empty()).then_some((name, true));
            };
            let is_qualifier = !FUNDAMENTAL.contains(&part.as_str());
            name.parts.push(part);
            if !is_qualifier {
                // `int ::f()` declares `::f`.
                return Some((name, false));
            }
            let from = self.at;
            if self.next_is("<") && self.take_arguments() {
                name.arguments = self.since(from);
            } else {
                name.arguments.clear();
            }
            if !self.take("::") {
                return Some((name, false));
            }
        }
    }

    fn part(&mut self) -> Option<String> {
        if self.take("operator") {
            return Some(self.operator());
        }
        let from = self.at;
        let is_destructor = self.take("~");
        let Some(word) = self.peek().and_then(Token::identifier) else {
            self.at = from;
            return None;
        };
        self.at += 1;
        Some(if is_destructor {
            format!("~{word}")
        } else {
            word.to_owned()
        })
    }

    /// The rest of an operator's name: its sign, or the type it converts to.
    fn operator(&mut self) -> String {
        let from = self.at;
        if self.take("(") {
            self.take(")");
        }
        while self.peek().is_some() && !self.next_is("(") && !self.next_is(";") {
            self.at += 1;
        }
        format!("operator {}", self.since(from))
    }
}

/// Tokens as one text, which is the same for the same tokens.
pub(super) fn spelled<'a, T: Borrow<Token<'a>>>(tokens: impl Iterator<Item = T>) -> String {
    let mut text = String::new();
    for token in tokens {
        let token: &Token<'_> = token.borrow();
        let joins = |end: Option<char>| end.is_some_and(|end| end.is_alphanumeric() || end == '_');
        let part = String::from_utf8_lossy(&token.text);
        if joins(text.chars().next_back()) && joins(part.chars().next()) {
            text.push(' ');
        }
        text.push_str(&part);
    }
    text
}
