//! Unified diffs: read strictly, applied byte for byte.
//!
//! A hunk goes where its header says, or to the one other place where its old text stands. There
//! is no fuzz: a patch that applies only by leaving out context applies to something else than
//! what its author saw.

mod reader;

use std::fmt;

pub use reader::parse;

/// Why a text is no patch, or does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line of the patch, from 1, if it is about one.
    pub line: Option<usize>,
    /// What is wrong and what was expected.
    pub problem: String,
}

impl Fault {
    /// A fault of the patch as a whole.
    #[must_use]
    pub fn whole(problem: impl Into<String>) -> Self {
        Self {
            line: None,
            problem: problem.into(),
        }
    }

    /// A fault in the patch's line `line`, from 1.
    #[must_use]
    pub fn at(line: usize, problem: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            problem: problem.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line} of the patch: ")?;
        }
        f.write_str(&self.problem)
    }
}

/// The changes to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch<'a> {
    /// The name behind `---`, as it stands there.
    pub old: &'a str,
    /// The name behind `+++`, as it stands there.
    pub new: &'a str,
    /// The patch's line with `---`, from 1.
    pub line: usize,
    hunks: Vec<Hunk<'a>>,
}

/// One hunk: at a place, an old text becomes a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk<'a> {
    /// The patch's line with `@@`.
    line: usize,
    /// How many lines of the file lie before it, as its header says.
    before: usize,
    old: Vec<Line<'a>>,
    new: Vec<Line<'a>>,
}

/// A line of a file as a hunk shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line<'a> {
    /// The patch's line.
    number: usize,
    text: &'a [u8],
    /// What ends it: `\n`, `\r\n`, or nothing at the end of a file.
    end: &'static [u8],
}

impl Line<'_> {
    fn is(&self, line: &[u8]) -> bool {
        line.strip_suffix(self.end) == Some(self.text)
    }
}

impl FilePatch<'_> {
    /// `original` with every hunk applied.
    ///
    /// # Errors
    /// The first hunk that has no place, more than one, or one that an earlier hunk has passed.
    pub fn apply(&self, original: &[u8]) -> Result<Vec<u8>, Fault> {
        let lines: Vec<&[u8]> = original.split_inclusive(|byte| *byte == b'\n').collect();
        let mut out = Vec::with_capacity(original.len());
        let mut done = 0;
        for hunk in &self.hunks {
            let at = hunk.place(&lines)?;
            let Some(between) = lines.get(done..at) else {
                let problem = "this hunk overlaps the one before it, or stands before it";
                return Err(Fault::at(hunk.line, problem));
            };
            for line in between {
                push(&mut out, hunk.line, line)?;
            }
            for line in &hunk.new {
                push(&mut out, line.number, line.text)?;
                out.extend(line.end);
            }
            done = at + hunk.old.len();
        }
        let last = self.hunks.last().map_or(self.line, |hunk| hunk.line);
        for line in lines.get(done..).unwrap_or_default() {
            push(&mut out, last, line)?;
        }
        Ok(out)
    }
}

/// Adds a line, unless what is there has no end: two lines must not become one.
fn push(out: &mut Vec<u8>, number: usize, line: &[u8]) -> Result<(), Fault> {
    if !out.is_empty() && !out.ends_with(b"\n") {
        let problem = "a line without a newline is not the last of its file";
        return Err(Fault::at(number, problem));
    }
    out.extend(line);
    Ok(())
}

impl Hunk<'_> {
    /// How many of `lines` lie before it.
    fn place(&self, lines: &[&[u8]]) -> Result<usize, Fault> {
        if self.old.is_empty() {
            return if self.before <= lines.len() {
                Ok(self.before)
            } else {
                let problem = format!(
                    "the hunk adds lines behind line {} of a file that has {}",
                    self.before,
                    lines.len()
                );
                Err(Fault::at(self.line, problem))
            };
        }
        if self.stands_at(lines, self.before) {
            return Ok(self.before);
        }
        match self.places(lines) {
            (Some(at), None) => Ok(at),
            (Some(first), Some(second)) => {
                let problem = format!(
                    "the hunk's old text does not stand at line {}, and stands at line {} as well as at line {}",
                    self.before + 1,
                    first + 1,
                    second + 1
                );
                Err(Fault::at(self.line, problem))
            }
            (None, _) => Err(self.differs(lines)),
        }
    }

    /// The first two places where its old text stands. Like Knuth, Morris and Pratt, it looks at no
    /// line of the file twice: a long file and a long hunk of equal lines would take for ever.
    fn places(&self, lines: &[&[u8]]) -> (Option<usize>, Option<usize>) {
        let whole = |line: &Line<'_>| [line.text, line.end].concat();
        let fallbacks = fallbacks(&self.old.iter().map(whole).collect::<Vec<_>>());
        let mut places = Vec::new();
        let mut matched = 0;
        for (at, line) in lines.iter().enumerate() {
            let fits = |matched: usize| self.old.get(matched).is_some_and(|old| old.is(line));
            while matched > 0 && !fits(matched) {
                matched = fallbacks.get(matched - 1).copied().unwrap_or(0);
            }
            matched += usize::from(fits(matched));
            if matched == self.old.len() {
                places.push(at + 1 - matched);
            }
            if places.len() == 2 {
                break;
            }
        }
        (places.first().copied(), places.get(1).copied())
    }

    fn stands_at(&self, lines: &[&[u8]], at: usize) -> bool {
        let end = at.checked_add(self.old.len());
        let there = end.and_then(|end| lines.get(at..end));
        there.is_some_and(|there| self.old.iter().zip(there).all(|(old, line)| old.is(line)))
    }

    /// The first line that is not where the header says.
    fn differs(&self, lines: &[&[u8]]) -> Fault {
        for (offset, old) in self.old.iter().enumerate() {
            let number = self.before.saturating_add(offset);
            let wanted = shown(old.text);
            let Some(found) = lines.get(number) else {
                let problem = format!(
                    "the hunk wants line {} to be `{wanted}`, and the file has {} lines",
                    number.saturating_add(1),
                    lines.len()
                );
                return Fault::at(old.number, problem);
            };
            if !old.is(found) {
                let (text, end) = split_end(found);
                let why = if text == split_end(old.text).0 {
                    format!(
                        "ends with {}, and the hunk wants {}",
                        end_name(end),
                        end_name(old.end)
                    )
                } else {
                    format!("is `{}`, and the hunk wants `{wanted}`", shown(text))
                };
                let problem = format!(
                    "line {} of the file {why}; the hunk's old text stands nowhere else either",
                    number + 1
                );
                return Fault::at(old.number, problem);
            }
        }
        Fault::at(self.line, "the hunk's old text does not stand in the file")
    }
}

/// For each beginning of `pattern`, how long the longest shorter one is that it also ends with.
fn fallbacks<T: PartialEq>(pattern: &[T]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::with_capacity(pattern.len());
    let mut length = 0_usize;
    for (at, item) in pattern.iter().enumerate() {
        let fits = |length: usize| pattern.get(length) == Some(item);
        while length > 0 && !fits(length) {
            length = found.get(length - 1).copied().unwrap_or(0);
        }
        length += usize::from(at > 0 && fits(length));
        found.push(length);
    }
    found
}

/// A line and its end.
fn split_end(line: &[u8]) -> (&[u8], &'static [u8]) {
    if let Some(text) = line.strip_suffix(b"\r\n") {
        (text, b"\r\n")
    } else if let Some(text) = line.strip_suffix(b"\n") {
        (text, b"\n")
    } else {
        (line, b"")
    }
}

fn end_name(end: &[u8]) -> &'static str {
    match end {
        b"\r\n" => "CR LF",
        b"\n" => "LF",
        _ => "no newline",
    }
}

/// A line for a message: at most 80 characters, nothing a terminal would act on.
fn shown(line: &[u8]) -> String {
    const MOST: usize = 80;
    let text = String::from_utf8_lossy(line.get(..4 * MOST).unwrap_or(line)).into_owned();
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < line.len() {
        short.push_str("...");
    }
    short.escape_debug().to_string()
}

#[cfg(test)]
mod tests;
