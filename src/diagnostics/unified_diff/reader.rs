//! From the bytes of a patch to its hunks.

use super::{Fault, FilePatch, Hunk, Line, shown, split_end};

/// What git writes between `diff --git` and `---` for changes that are not of text.
const NOT_TEXT: [(&str, &str); 12] = [
    ("old mode ", "changes the mode of a file"),
    ("new mode ", "changes the mode of a file"),
    ("new file mode ", "creates a file"),
    ("deleted file mode ", "deletes a file"),
    ("rename from ", "renames a file"),
    ("rename to ", "renames a file"),
    ("copy from ", "copies a file"),
    ("copy to ", "copies a file"),
    ("similarity index ", "renames a file"),
    ("dissimilarity index ", "rewrites a file"),
    ("GIT binary patch", "is binary"),
    ("Binary files ", "is binary"),
];

/// Reads a patch, and nothing but a patch: lines before the first header and one code fence
/// behind the last hunk may surround it.
///
/// # Errors
/// The first thing that is no part of a unified diff of text files that exist before and after.
pub fn parse(patch: &[u8]) -> Result<Vec<FilePatch<'_>>, Fault> {
    let lines: Vec<&[u8]> = patch.split_inclusive(|byte| *byte == b'\n').collect();
    if let Some(at) = lines.iter().position(|line| line.contains(&0)) {
        return Err(Fault::at(at + 1, "contains a NUL byte"));
    }
    let mut reader = Reader { lines, at: 0 };
    reader.skip_preamble()?;
    let mut files = Vec::new();
    while let Some(line) = reader.peek() {
        let text = text_of(line);
        if text.trim_ascii().is_empty() {
            reader.at += 1;
        } else if is_fence(text) {
            reader.at += 1;
            reader.nothing_more()?;
        } else {
            files.push(reader.file()?);
        }
    }
    if files.is_empty() {
        return Err(Fault::whole("changes no file"));
    }
    Ok(files)
}

struct Reader<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.lines.get(self.at).copied()
    }

    /// A fault in the line that comes next.
    fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::at(self.at + 1, problem)
    }

    fn starts(&self, ahead: usize, with: &[u8]) -> bool {
        let line = self.lines.get(self.at + ahead);
        line.is_some_and(|line| line.starts_with(with))
    }

    /// Goes to the first header.
    fn skip_preamble(&mut self) -> Result<(), Fault> {
        while self.peek().is_some() {
            let plain = self.starts(0, b"--- ") && self.starts(1, b"+++ ");
            if plain || self.starts(0, b"diff --git ") {
                return Ok(());
            }
            if self.starts(0, b"@@ -") {
                return Err(self.fault("a hunk, and no `---` and `+++` lines before it"));
            }
            self.at += 1;
        }
        let problem = "holds no unified diff: there is no `---` line with a `+++` line below it";
        Err(Fault::whole(problem))
    }

    fn nothing_more(&mut self) -> Result<(), Fault> {
        while let Some(line) = self.peek() {
            if !text_of(line).trim_ascii().is_empty() {
                return Err(self.fault("text behind the end of the diff"));
            }
            self.at += 1;
        }
        Ok(())
    }

    /// The header and the hunks of one file.
    fn file(&mut self) -> Result<FilePatch<'a>, Fault> {
        let git = self.git_header()?;
        let line = self.at + 1;
        let old = self.name(b"--- ", "the old file's name, `--- NAME`")?;
        let new = self.name(b"+++ ", "the new file's name, `+++ NAME`")?;
        for (name, does) in [(old, "creates"), (new, "deletes")] {
            if name == "/dev/null" {
                return Err(Fault::at(line, format!("{does} a file")));
            }
        }
        if let Some((number, names)) = git
            && names != format!("{old} {new}").as_bytes()
        {
            let problem = "names other files than the `---` and `+++` lines below it";
            return Err(Fault::at(number, problem));
        }
        let mut hunks = Vec::new();
        while self.starts(0, b"@@ ") {
            hunks.push(self.hunk()?);
        }
        if hunks.is_empty() {
            return Err(self.fault(format!("expected a hunk, found {}", self.found())));
        }
        Ok(FilePatch {
            old,
            new,
            line,
            hunks,
        })
    }

    /// What git puts before the names: the line and the names it has there.
    fn git_header(&mut self) -> Result<Option<(usize, &'a [u8])>, Fault> {
        let Some(names) = self.peek().and_then(|line| {
            let rest = line.strip_prefix(b"diff --git ")?;
            Some(text_of(rest))
        }) else {
            return Ok(None);
        };
        let number = self.at + 1;
        self.at += 1;
        while let Some(line) = self.peek() {
            let not_text = NOT_TEXT
                .iter()
                .find(|(word, _)| line.starts_with(word.as_bytes()));
            if let Some((_, does)) = not_text {
                return Err(self.fault(*does));
            }
            if !line.starts_with(b"index ") {
                break;
            }
            self.at += 1;
        }
        Ok(Some((number, names)))
    }

    fn name(&mut self, mark: &[u8], expected: &str) -> Result<&'a str, Fault> {
        let name = self.peek().and_then(|line| line.strip_prefix(mark));
        let Some(name) = name else {
            return Err(self.fault(format!("expected {expected}, found {}", self.found())));
        };
        // A timestamp stands behind a tab.
        let name = text_of(name).split(|byte| *byte == b'\t').next();
        let name = std::str::from_utf8(name.unwrap_or_default())
            .map_err(|_| self.fault("the file's name is not UTF-8"))?;
        self.at += 1;
        Ok(name)
    }

    fn hunk(&mut self) -> Result<Hunk<'a>, Fault> {
        let header = self.peek().map(text_of).and_then(ranges);
        let Some([(start, mut old_left), (_, mut new_left)]) = header else {
            let expected = "`@@ -LINE,COUNT +LINE,COUNT @@`";
            return Err(self.fault(format!("expected {expected}, found {}", self.found())));
        };
        let before = if old_left == 0 {
            Some(start)
        } else {
            start.checked_sub(1)
        };
        let Some(before) = before else {
            return Err(self.fault("there is no line 0; lines are counted from 1"));
        };
        let mut hunk = Hunk {
            line: self.at + 1,
            before,
            old: Vec::new(),
            new: Vec::new(),
        };
        self.at += 1;
        while old_left > 0 || new_left > 0 {
            let (in_old, in_new) = self.line(&mut hunk, (old_left > 0, new_left > 0))?;
            old_left -= usize::from(in_old);
            new_left -= usize::from(in_new);
        }
        if self
            .peek()
            .is_some_and(|line| matches!(line.first(), Some(b' ' | b'+')))
            || (self.starts(0, b"-") && !(self.starts(0, b"--- ") && self.starts(1, b"+++ ")))
        {
            return Err(self.fault(format!(
                "the hunk at line {} has more lines than its header counts",
                hunk.line
            )));
        }
        Ok(hunk)
    }

    /// Reads one line into `hunk` and says on which sides it is. `open` are the sides that still
    /// miss lines.
    fn line(&mut self, hunk: &mut Hunk<'a>, open: (bool, bool)) -> Result<(bool, bool), Fault> {
        let Some(whole) = self.peek() else {
            return Err(self.fault(format!(
                "the patch ends, and the hunk at line {} has fewer lines than its header counts",
                hunk.line
            )));
        };
        let (bare, _) = split_end(whole);
        let (sides, text) = match whole.split_first() {
            Some((b' ', text)) => ((true, true), text),
            Some((b'-', text)) => ((true, false), text),
            Some((b'+', text)) => ((false, true), text),
            // An empty context line whose blank was trimmed away.
            _ if bare.is_empty() => ((true, true), whole),
            _ => {
                return Err(self.fault(format!(
                    "expected a line of the hunk at line {}, whose header counts more lines, found {}",
                    hunk.line,
                    self.found()
                )));
            }
        };
        if (sides.0 && !open.0) || (sides.1 && !open.1) {
            return Err(self.fault(format!(
                "the hunk at line {} has more lines of this kind than its header counts",
                hunk.line
            )));
        }
        let line = self.line_of(text);
        for (side, lines) in [(sides.0, &mut hunk.old), (sides.1, &mut hunk.new)] {
            if !side {
                continue;
            }
            if lines.last().is_some_and(|last| last.end.is_empty()) {
                let problem = "a line without a newline is not the last of its file";
                return Err(Fault::at(line.number, problem));
            }
            lines.push(line);
        }
        Ok(sides)
    }

    /// Takes the line that comes next, whose text without its first column is `text`, and the
    /// note below it that it has no newline.
    fn line_of(&mut self, text: &'a [u8]) -> Line<'a> {
        let number = self.at + 1;
        self.at += 1;
        let (bare, end) = split_end(text);
        if let Some(note) = self.peek().filter(|line| line.starts_with(b"\\ ")) {
            self.at += 1;
            // Only if the patch itself has CR LF line ends is a CR before its LF not the file's.
            let text = if note.ends_with(b"\r\n") {
                bare
            } else {
                text.strip_suffix(b"\n").unwrap_or(text)
            };
            return Line {
                number,
                text,
                end: b"",
            };
        }
        // The patch's own last newline was trimmed away: it ended as the line before it.
        let above = self.lines.iter().rev().nth(1);
        let trimmed = above.map_or(b"\n".as_slice(), |line| split_end(line).1);
        let end = if end.is_empty() { trimmed } else { end };
        Line {
            number,
            text: bare,
            end,
        }
    }

    /// The line that comes next, for a message.
    fn found(&self) -> String {
        match self.peek() {
            Some(line) => format!("`{}`", shown(text_of(line))),
            None => "the end of the patch".to_owned(),
        }
    }
}

/// A line without its end.
fn text_of(line: &[u8]) -> &[u8] {
    split_end(line).0
}

fn is_fence(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.len() >= 3 && text.iter().all(|byte| *byte == b'`')
        || text.len() >= 3 && text.iter().all(|byte| *byte == b'~')
}

/// Start and count, old and new, of a hunk's header.
fn ranges(header: &[u8]) -> Option<[(usize, usize); 2]> {
    let rest = header.strip_prefix(b"@@ -")?;
    let (old, rest) = range(rest)?;
    let (new, rest) = range(rest.strip_prefix(b" +")?)?;
    let rest = rest.strip_prefix(b" @@")?;
    matches!(rest.first(), None | Some(b' ')).then_some([old, new])
}

fn range(text: &[u8]) -> Option<((usize, usize), &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => {
            let (count, rest) = number(rest)?;
            Some(((start, count), rest))
        }
        None => Some(((start, 1), rest)),
    }
}

/// A decimal number of at most nine digits.
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 9 {
        return None;
    }
    let (digits, rest) = text.split_at_checked(digits)?;
    let value = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((value, rest))
}
