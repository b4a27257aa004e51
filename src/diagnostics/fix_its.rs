//! What gcc and clang print with `-fdiagnostics-parseable-fixits`: edits that would repair a unit.

use crate::model::quoted::quoted;

use super::text_lines::{MOST_BYTES, lines};

/// How many edits of one text are kept: its first ones.
pub const MOST_FIX_ITS: usize = 1000;

/// A position in a file, by which a compiler means the byte it stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in bytes.
    pub column: u32,
}

/// What is between two positions becomes `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixIt {
    /// The file as the compiler names it.
    pub path: String,
    /// The first byte that goes.
    pub start: Position,
    /// The first byte that stays.
    pub end: Position,
    /// What is put there.
    pub text: String,
}

impl FixIt {
    /// The header, if the edit adds one line that includes it: what stands between `<>` or `""`.
    #[must_use]
    pub fn include(&self) -> Option<&str> {
        let name = self.text.strip_prefix("#include ")?.strip_suffix('\n')?;
        let angled = name.strip_prefix('<').and_then(|n| n.strip_suffix('>'));
        let quoted = || name.strip_prefix('"').and_then(|n| n.strip_suffix('"'));
        let header = angled.or_else(quoted)?;
        (self.start == self.end && !header.contains('\n')).then_some(header)
    }
}

/// The edits in what a compiler printed, in its order. One whose positions or quotes do not parse,
/// or whose text is no UTF-8 or longer than is read of a line, is no edit.
#[must_use]
pub fn parse(text: &[u8]) -> Vec<FixIt> {
    let whole = lines(text).filter(|line| line.len() < MOST_BYTES);
    whole
        .filter_map(|line| fix_it(&line))
        .take(MOST_FIX_ITS)
        .collect()
}

/// `fix-it:"path":{1:2-3:4}:"text"`
fn fix_it(line: &str) -> Option<FixIt> {
    let (path, rest) = in_quotes(line.strip_prefix("fix-it:")?)?;
    let (range, rest) = rest.strip_prefix(":{")?.split_once("}:")?;
    let (start, end) = range.split_once('-')?;
    let (start, end) = (position(start)?, position(end)?);
    let (text, rest) = in_quotes(rest)?;
    (rest.is_empty() && start <= end).then_some(FixIt {
        path,
        start,
        end,
        text,
    })
}

fn position(text: &str) -> Option<Position> {
    let (line, column) = text.split_once(':')?;
    let number = |digits: &str| digits.parse().ok().filter(|number| *number > 0);
    Some(Position {
        line: number(line)?,
        column: number(column)?,
    })
}

/// The text in the quotes at the start of `text`, and what follows them. Both compilers write a
/// byte that is not printable as three octal digits.
fn in_quotes(text: &str) -> Option<(String, &str)> {
    let (bytes, rest) = quoted(text.as_bytes())?;
    let rest = text.get(text.len() - rest.len()..)?;
    Some((String::from_utf8(bytes).ok()?, rest))
}

#[cfg(test)]
mod tests;
