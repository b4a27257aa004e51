//! From the bytes of a diff to the lines it touches.

use super::super::quoted::quoted;
use super::{ChangedLines, Lines, Touched};

/// Everything that `diff` tells.
pub(super) fn read(diff: &[u8]) -> ChangedLines {
    let mut changed = ChangedLines::default();
    let mut lines = Cursor::new(diff);
    while let Some(line) = lines.peek() {
        if line.starts_with(b"diff --git ") || lines.is_plain_header() {
            let (file, end) = File::read(&mut lines);
            file.note(end, &mut changed);
        } else if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
            // What a merge commit changed against both parents counts otherwise.
            let name = line.splitn(3, |byte| *byte == b' ').nth(2);
            lines.skip();
            changed.add(name.map_or_else(String::new, whole_name), Lines::Unknown);
        } else {
            changed.is_cut |= !is_between_files(line);
            lines.skip();
        }
    }
    changed
}

/// The hunks of one file, without any header.
pub(super) fn hunks(patch: &[u8]) -> Lines {
    let mut lines = Cursor::new(patch);
    let touched = touched(&mut lines);
    match (touched, lines.peek()) {
        (Some(touched), None) => Lines::Known(touched),
        (Some(_) | None, _) => Lines::Unknown,
    }
}

/// Whether a line may stand between files: blank, or the details of a combined diff.
fn is_between_files(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || line.starts_with(b"index ")
}

/// The lines of a diff, each without its end.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    fn peek(&self) -> Option<&'a [u8]> {
        (!self.rest.is_empty()).then(|| first_line(self.rest).0)
    }

    fn skip(&mut self) {
        self.rest = first_line(self.rest).1;
    }

    /// The next line with the `\r` that it may end with.
    fn peek_whole(&self) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    fn is_plain_header(&self) -> bool {
        self.rest.starts_with(b"--- ") && first_line(self.rest).1.starts_with(b"+++ ")
    }
}

/// The first line without `\n` or `\r\n`, and what follows it.
fn first_line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b'\n');
    let (line, rest) = match end {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &text[text.len()..]),
    };
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}

/// What the lines before the hunks of a file say.
#[derive(Default)]
struct File {
    /// The name that both sides have, if they have one.
    both: Option<String>,
    /// The name before; `None` where there was no file.
    old: Option<String>,
    /// The name now; `None` where there is no file.
    new: Option<String>,
    /// Whether there is a patch that is not of lines, or a name that changed without one.
    is_opaque: bool,
    is_deleted: bool,
    /// Whether a hunk is other than its header says, or none follows the names.
    is_broken: bool,
}

impl File {
    /// Reads the headers and the hunks of one file.
    fn read(lines: &mut Cursor<'_>) -> (Self, Lines) {
        let mut file = Self::default();
        if let Some(names) = lines
            .peek()
            .and_then(|line| line.strip_prefix(b"diff --git "))
        {
            file.both = common_name(names);
            lines.skip();
            while let Some(line) = lines.peek().filter(|line| file.git_header(line)) {
                lines.skip();
                if line == b"GIT binary patch" {
                    skip_binary(lines);
                }
            }
        }
        if lines.is_plain_header() {
            file.old = file.names(lines, b"--- ", b"a/");
            file.new = file.names(lines, b"+++ ", b"b/");
            file.is_deleted |= file.new.is_none();
            file.is_broken = !lines.peek().is_some_and(|line| line.starts_with(b"@@ "));
        }
        let touched = touched(lines).filter(|_| !file.is_broken);
        file.is_broken |= touched.is_none();
        let known = match touched {
            Some(touched) if !file.is_opaque => Lines::Known(touched),
            Some(touched) if touched != Touched::default() => Lines::Known(touched),
            Some(_) | None => Lines::Unknown,
        };
        (file, known)
    }

    /// Notes a line of git's own header; `false` if it is none.
    fn git_header(&mut self, line: &[u8]) -> bool {
        let known: [&[u8]; 6] = [
            b"old mode ",
            b"new mode ",
            b"new file mode ",
            b"index ",
            b"dissimilarity index ",
            b"similarity index ",
        ];
        if let Some(name) = line
            .strip_prefix(b"rename from ")
            .or_else(|| line.strip_prefix(b"copy from "))
        {
            self.old = line.starts_with(b"rename").then(|| whole_name(name));
            self.is_opaque = true;
        } else if let Some(name) = line
            .strip_prefix(b"rename to ")
            .or_else(|| line.strip_prefix(b"copy to "))
        {
            self.new = Some(whole_name(name));
        } else if line.starts_with(b"Binary files ") || line == b"GIT binary patch" {
            self.is_opaque = true;
        } else if line.starts_with(b"deleted file mode ") {
            self.is_deleted = true;
        } else {
            return known.iter().any(|start| line.starts_with(start));
        }
        true
    }

    fn names(&self, lines: &mut Cursor<'_>, mark: &[u8], prefix: &[u8]) -> Option<String> {
        let line = lines.peek()?.strip_prefix(mark)?;
        lines.skip();
        // A timestamp stands behind a tab; git puts one behind a name with blanks.
        let name = match quoted(line) {
            Some((name, _)) => name,
            None => line
                .split(|byte| *byte == b'\t')
                .next()
                .unwrap_or_default()
                .to_vec(),
        };
        (name != b"/dev/null").then(|| without(&name, prefix))
    }

    fn note(self, lines: Lines, changed: &mut ChangedLines) {
        let now = match self.is_deleted {
            true => None,
            false => self.new.clone().or_else(|| self.both.clone()),
        };
        changed.is_cut |= self.is_broken;
        let gone = self.old.clone().or_else(|| self.both.clone());
        let gone = gone.filter(|old| now.as_ref() != Some(old));
        if now.is_none() && gone.is_none() {
            changed.is_cut = true;
        }
        if let Some(now) = now {
            changed.add(now, lines);
        }
        if let Some(gone) = gone {
            changed.add(gone, Lines::Known(Touched::default()));
        }
    }
}

/// Goes behind the lines of a binary patch: two blocks, each with an empty line behind it.
fn skip_binary(lines: &mut Cursor<'_>) {
    while lines
        .peek()
        .is_some_and(|line| !line.starts_with(b"diff --git "))
    {
        lines.skip();
    }
}

/// A name that is all that is left of its line.
fn whole_name(text: &[u8]) -> String {
    let name = quoted(text).map_or_else(|| text.to_vec(), |(name, _)| name);
    String::from_utf8_lossy(&name).into_owned()
}

fn without(name: &[u8], prefix: &[u8]) -> String {
    let name = name.strip_prefix(prefix).unwrap_or(name);
    String::from_utf8_lossy(name).into_owned()
}

/// The name in `a/NAME b/NAME`, if both are the same: blanks in it do not say where it ends.
fn common_name(names: &[u8]) -> Option<String> {
    if let Some((old, rest)) = quoted(names) {
        let new = rest.strip_prefix(b" ")?;
        let new = quoted(new).map_or_else(|| new.to_vec(), |(new, _)| new);
        let (old, new) = (without(&old, b"a/"), without(&new, b"b/"));
        return (old == new).then_some(old);
    }
    let middle = names.len() / 2;
    let (old, new) = (names.get(..middle)?, names.get(middle + 1..)?);
    let (old, new) = (old.strip_prefix(b"a/")?, new.strip_prefix(b"b/")?);
    (old == new && names.get(middle) == Some(&b' ')).then(|| without(new, b""))
}

/// What the hunks that come next touch; `None` where one has fewer or other lines than it says.
/// Stops behind the last hunk.
fn touched(lines: &mut Cursor<'_>) -> Option<Touched> {
    let mut touched = Touched::default();
    while let Some(line) = lines.peek().filter(|line| line.starts_with(b"@@ ")) {
        lines.skip();
        let header = ranges(line)?;
        let behind = touched.added.last().map_or(0, |range| *range.end());
        if header.new_start < behind {
            return None;
        }
        hunk(lines, &header, &mut touched)?;
    }
    Some(touched)
}

/// The header of a hunk.
struct Ranges {
    old_count: u32,
    new_start: u32,
    new_count: u32,
}

/// `@@ -1,2 +3,4 @@ what it is in`
fn ranges(line: &[u8]) -> Option<Ranges> {
    let line = std::str::from_utf8(line.get(..line.len().min(64))?)
        .or_else(|error| std::str::from_utf8(&line[..error.valid_up_to()]))
        .ok()?;
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let (_, old_count) = range(old)?;
    let (start, new_count) = range(new)?;
    // The lines of an empty side are counted from the one before.
    let new_start = if new_count == 0 {
        start.checked_add(1)?
    } else {
        start
    };
    new_start.checked_add(new_count)?;
    (new_start > 0).then_some(Ranges {
        old_count,
        new_start,
        new_count,
    })
}

fn range(text: &str) -> Option<(u32, u32)> {
    let number = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    };
    match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}

fn hunk(lines: &mut Cursor<'_>, header: &Ranges, touched: &mut Touched) -> Option<()> {
    let (mut old_left, mut new_left) = (header.old_count, header.new_count);
    let mut line = header.new_start;
    while old_left > 0 || new_left > 0 {
        let text = lines.peek()?;
        let whole = lines.peek_whole();
        lines.skip();
        if matches!(text.first(), Some(b'+' | b' ')) {
            touched.show(line, &whole[1..]);
        }
        match text.first() {
            Some(b'+') => {
                new_left = new_left.checked_sub(1)?;
                touched.add(line);
                line += 1;
            }
            Some(b'-') => {
                old_left = old_left.checked_sub(1)?;
                touched.removed_at.get_or_insert(line);
            }
            Some(b'\\') => {}
            // A trimmed blank line has lost its mark.
            Some(b' ') | None => {
                (old_left, new_left) = (old_left.checked_sub(1)?, new_left.checked_sub(1)?);
                line += 1;
            }
            Some(_) => return None,
        }
    }
    while lines.peek().is_some_and(|line| line.starts_with(b"\\ ")) {
        lines.skip();
    }
    Some(())
}
