//! Reads every name that a compiler might take for a header's, by bytes and not by tokens, so that
//! nothing that compilers read differently hides one.

use super::{Mentions, mention};

/// How long a name may be. What is longer is no file's, and makes the source opaque.
const MOST_NAME: usize = 1024;

/// How many comments may stand between the parts of a directive. More make the source opaque.
const MOST_COMMENTS: usize = 8;

/// All that `source` may include, too much rather than too little: what `#include`,
/// `#include_next`, `#import`, `#embed`, `import` and `__has_include` name, also in comments,
/// strings and branches that are not taken.
#[must_use]
pub fn mentions(source: &[u8]) -> Mentions {
    let text = Joined::new(source);
    let mut scan = Scan {
        text: &text.bytes,
        closings: closings(&text.bytes),
        before: b"",
        found: Mentions::default(),
    };
    // With trigraphs a comment or a line may end elsewhere, and some compilers read them.
    scan.found.is_opaque = has(source, b"??/") || has(source, b"??=");
    scan.read();
    let mut found = scan.found;
    // `#import` is read as a directive and as a word.
    found.names.dedup();
    for one in &mut found.names {
        one.line = text.line_of(one.line as usize);
    }
    found
}

fn has(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Where `*/` stands.
fn closings(text: &[u8]) -> Vec<usize> {
    let pairs = text.windows(2).enumerate();
    pairs
        .filter(|(_, pair)| pair == b"*/")
        .map(|(at, _)| at)
        .collect()
}

/// A text whose continued lines are joined.
struct Joined {
    bytes: Vec<u8>,
    /// Where in `bytes` each line but the first of the source starts.
    starts: Vec<usize>,
}

impl Joined {
    fn new(source: &[u8]) -> Self {
        let mut bytes: Vec<u8> = Vec::with_capacity(source.len());
        let mut starts = Vec::new();
        let mut lines = source.split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            if lines.peek().is_none() {
                bytes.extend_from_slice(line);
                break;
            }
            // White space behind the backslash does not count, though it is warned about.
            let end = line.trim_ascii_end();
            match end.strip_suffix(b"\\").or(end.strip_suffix(b"??/")) {
                Some(kept) => bytes.extend_from_slice(kept),
                None => {
                    bytes.extend_from_slice(line);
                    bytes.push(b'\n');
                }
            }
            starts.push(bytes.len());
        }
        Self { bytes, starts }
    }

    fn line_of(&self, at: usize) -> u32 {
        let line = self.starts.partition_point(|start| *start <= at) + 1;
        u32::try_from(line).unwrap_or(u32::MAX)
    }
}

struct Scan<'a> {
    text: &'a [u8],
    closings: Vec<usize>,
    /// The identifier before the one that is read.
    before: &'a [u8],
    /// With places for lines.
    found: Mentions,
}

/// What a gap between the parts of a directive ends with.
enum Gap {
    /// The place of the next part.
    Ends(usize),
    /// Too many comments.
    TooLong,
}

impl<'a> Scan<'a> {
    fn rest(&self, at: usize) -> &'a [u8] {
        self.text.get(at..).unwrap_or_default()
    }

    fn read(&mut self) {
        let mut at = 0;
        let mut line_start = 0;
        while let Some(byte) = self.text.get(at) {
            let rest = self.rest(at);
            if matches!(byte, b'\n' | b'\r') {
                line_start = at + 1;
            }
            let sign = ["#", "%:", "??="]
                .iter()
                .find(|sign| rest.starts_with(sign.as_bytes()));
            if let Some(sign) = sign {
                self.directive(at + sign.len(), line_start, at);
                at += sign.len();
            } else if let word @ [_, ..] = identifier(rest) {
                self.word(word, at + word.len());
                self.before = word;
                at += word.len();
            } else {
                at += 1;
            }
        }
    }

    /// What may be a directive whose sign stands at `sign`.
    fn directive(&mut self, at: usize, line_start: usize, sign: usize) {
        let at = match self.gap(at) {
            Gap::Ends(at) => at,
            Gap::TooLong => return self.found.is_opaque = true,
        };
        let word = identifier(self.rest(at));
        if !matches!(word, b"include" | b"include_next" | b"import" | b"embed") {
            return;
        }
        let is_named = self.name(at + word.len());
        // In prose and strings, `#include` is followed by anything. A directive starts its line,
        // or follows a comment.
        let before = self.text.get(line_start..sign).unwrap_or_default();
        // Only blanks next to the sign are passed: a line may hold many signs behind many blanks.
        let before = before.trim_ascii_end();
        let is_first = before.is_empty() || before.ends_with(b"*/") || before == b"\xef\xbb\xbf";
        self.found.is_opaque |= !is_named && is_first;
    }

    /// What may name a header without a sign before it, or read a file in another way.
    fn word(&mut self, word: &[u8], end: usize) {
        match word {
            b"__has_include" | b"__has_include_next" | b"__has_embed" => match self.gap(end) {
                Gap::Ends(at) if self.text.get(at) == Some(&b'(') => {
                    self.found.is_opaque |= !self.name(at + 1);
                }
                Gap::Ends(_) => {}
                Gap::TooLong => self.found.is_opaque = true,
            },
            // A header unit. Without a name it is a module.
            b"import" => {
                self.name(end);
            }
            b"include_alias" | b"incbin" => self.found.is_opaque = true,
            b"dependency" if self.before == b"GCC" => self.found.is_opaque = true,
            _ => {}
        }
    }

    /// Reads the name behind a gap at `at`. False where no literal name stands there.
    fn name(&mut self, at: usize) -> bool {
        let Gap::Ends(at) = self.gap(at) else {
            return false;
        };
        let rest = self.rest(at);
        let closing = match rest.first() {
            Some(b'<') => b'>',
            Some(b'"') => b'"',
            _ => return false,
        };
        let inner = rest.get(1..).unwrap_or_default();
        let inner = inner.get(..MOST_NAME).unwrap_or(inner);
        let length = inner.iter().position(|byte| *byte == closing);
        let text = length.and_then(|length| rest.get(..length + 2));
        let Some(text) = text.filter(|text| !text.contains(&b'\n')) else {
            return false;
        };
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        let Some(mention) = mention(text, place) else {
            // No file has an empty name; one that is not UTF-8 is a file's that is not known.
            return text.len() == 2;
        };
        self.found.is_opaque |= mention.name.starts_with('/');
        self.found.names.push(mention);
        true
    }

    /// Past white space and comments in one line.
    fn gap(&self, mut at: usize) -> Gap {
        for _ in 0..=MOST_COMMENTS {
            let rest = self.rest(at);
            let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c);
            at += rest.iter().take_while(is_blank).count();
            if !self.rest(at).starts_with(b"/*") {
                return Gap::Ends(at);
            }
            let next = self.closings.partition_point(|closing| *closing < at + 2);
            match self.closings.get(next) {
                Some(closing) => at = closing + 2,
                None => return Gap::Ends(self.text.len()),
            }
        }
        Gap::TooLong
    }
}

/// The identifier that `text` starts with, or nothing.
fn identifier(text: &[u8]) -> &[u8] {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let length = text.iter().take_while(is_part).count();
    text.get(..length).unwrap_or_default()
}
