//! Are these the bytes that were expected? Exactly, after trimming, or within a tolerance.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use crate::model::text::is_format;

/// Which blanks do not count, on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trim {
    /// Every byte counts.
    #[default]
    None,
    /// Blanks at each line's end and at the end of the output do not.
    Trailing,
    /// Nor do blanks at each line's start and at the start of the output.
    All,
}

/// Whether `\r\n` is a newline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Newlines {
    /// Every byte counts.
    #[default]
    Exact,
    /// `\r\n` and `\r` are `\n`.
    Normalize,
}

/// How far apart two numbers may be. They are equal if any of the three holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Absolute difference.
    pub abs: f64,
    /// Difference relative to the larger magnitude.
    pub rel: f64,
    /// Representable doubles between them.
    pub ulps: u64,
}

/// How output is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Blanks.
    pub trim: Trim,
    /// Newlines.
    pub newlines: Newlines,
    /// Numbers; `None` compares bytes.
    pub tolerance: Option<Tolerance>,
}

impl Comparison {
    /// Whether `actual` is what was `expected`.
    #[must_use]
    pub fn equal(&self, expected: &[u8], actual: &[u8]) -> bool {
        let (expected, actual) = (self.normal(expected), self.normal(actual));
        match self.tolerance {
            None => expected == actual,
            Some(tolerance) => tolerance.equal(&expected, &actual),
        }
    }

    /// Whether more bytes after `actual` could still make it equal to `expected`. Only exact
    /// comparison can say no.
    #[must_use]
    pub fn may_become(&self, expected: &[u8], actual: &[u8]) -> bool {
        *self != Self::default() || expected.starts_with(actual)
    }

    fn normal(&self, bytes: &[u8]) -> Vec<u8> {
        let bytes = match self.newlines {
            Newlines::Exact => bytes.to_vec(),
            Newlines::Normalize => newlines(bytes),
        };
        match self.trim {
            Trim::None => bytes,
            Trim::Trailing => trimmed(&bytes, <[u8]>::trim_ascii_end),
            Trim::All => trimmed(
                trimmed(&bytes, <[u8]>::trim_ascii).trim_ascii_start(),
                |line| line,
            ),
        }
    }
}

fn newlines(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => {}
            b'\r' => out.push(b'\n'),
            other => out.push(*other),
        }
    }
    out
}

/// Every line through `trim`, then no blanks at the end of the whole.
fn trimmed(bytes: &[u8], trim: impl Fn(&[u8]) -> &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').map(trim).collect();
    let mut out = lines.join(&b'\n');
    out.truncate(out.trim_ascii_end().len());
    out
}

impl Tolerance {
    /// Compares token by token: numbers within the tolerance, everything else as bytes.
    fn equal(&self, expected: &[u8], actual: &[u8]) -> bool {
        let (expected, actual) = (tokens(expected), tokens(actual));
        expected.len() == actual.len()
            && expected
                .iter()
                .zip(&actual)
                .all(|(e, a)| e == a || self.near(e, a))
    }

    fn near(&self, expected: &[u8], actual: &[u8]) -> bool {
        let (Some(expected), Some(actual)) = (number(expected), number(actual)) else {
            return false;
        };
        if expected.is_nan() || actual.is_nan() {
            return expected.is_nan() && actual.is_nan();
        }
        if !expected.is_finite() || !actual.is_finite() {
            return expected == actual;
        }
        let difference = (expected - actual).abs();
        difference <= self.abs
            || difference <= self.rel * expected.abs().max(actual.abs())
            || ordinal(expected).abs_diff(ordinal(actual)) <= self.ulps
    }
}

/// Maximal runs of bytes that can stand in a number or word, and every other byte by itself.
fn tokens(bytes: &[u8]) -> Vec<&[u8]> {
    let in_word =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
    bytes.chunk_by(|a, b| in_word(*a) && in_word(*b)).collect()
}

fn number(token: &[u8]) -> Option<f64> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// Doubles as integers in the same order, so that neighbours differ by one.
fn ordinal(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    if bits < 0 {
        i64::MIN.wrapping_sub(bits)
    } else {
        bits
    }
}

/// The lines shown of a difference, and the bytes of each.
const SHOWN_LINES: usize = 40;
const SHOWN_BYTES: usize = 200;

/// What differs, as evidence: a small line diff, sizes and the first byte that differs.
#[must_use]
pub fn difference(expected: &[u8], actual: &[u8]) -> Value {
    const COMPARED: usize = 1 << 16;
    let first = expected.iter().zip(actual).position(|(e, a)| e != a);
    let first = first.unwrap_or_else(|| expected.len().min(actual.len()));
    let start = expected[..first]
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    let window = |bytes: &'_ [u8]| bytes[start..bytes.len().min(start + COMPARED)].to_vec();
    let (old, new) = (window(expected), window(actual));
    let diff = TextDiff::from_lines(old.as_slice(), new.as_slice());
    let mut lines = Vec::new();
    for change in diff.iter_all_changes() {
        if lines.len() == SHOWN_LINES {
            lines.push("...".to_owned());
            break;
        }
        let sign = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        lines.push(format!("{sign}{}", shown(change.value())));
    }
    json!({
        "diff": lines.join("\n"),
        "expected_bytes": expected.len(),
        "actual_bytes": actual.len(),
        "first_difference": first,
    })
}

/// A line for people: its newline dropped or its absence said, blanks at its end and bytes that
/// are not printable made visible.
fn shown(line: &[u8]) -> String {
    let (line, mark) = match line.strip_suffix(b"\n") {
        Some(line) => (line, ""),
        None => (line, " (no newline at the end)"),
    };
    let (line, cut) = if line.len() > SHOWN_BYTES {
        (&line[..SHOWN_BYTES], "...")
    } else {
        (line, "")
    };
    let body = line.trim_ascii_end();
    let blanks = line[body.len()..].iter().map(|byte| match byte {
        b'\t' => '\u{2192}',
        b'\r' => '\u{240d}',
        _ => '\u{b7}',
    });
    let blanks: String = blanks.collect();
    format!("{}{blanks}{cut}{mark}", printable(body))
}

/// Text with bytes that are no UTF-8 as `\xNN`, and control characters and those that change how
/// others are shown (bidirectional controls, zero widths) escaped.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if (c.is_control() && c != '\t') || is_format(c) {
                out.extend(c.escape_default());
            } else {
                out.push(c);
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_changes_how_text_is_shown_is_escaped() {
        let shown = printable("a\tb\u{1b}[m\u{202e}c\u{200b}".as_bytes());
        assert_eq!(shown, "a\tb\\u{1b}[m\\u{202e}c\\u{200b}");
    }

    fn with(trim: Trim, newlines: Newlines) -> Comparison {
        Comparison {
            trim,
            newlines,
            tolerance: None,
        }
    }

    #[test]
    fn exact_comparison_counts_every_byte() {
        let exact = Comparison::default();
        assert!(exact.equal(b"7\n", b"7\n"));
        for actual in [b"7".as_slice(), b"7 \n", b"7\r\n", b"7\n\n", b"", b"\xff"] {
            assert!(!exact.equal(b"7\n", actual), "{actual:?}");
        }
    }

    #[test]
    fn trailing_trim_forgives_blanks_at_ends_only() {
        let trailing = with(Trim::Trailing, Newlines::Exact);
        assert!(trailing.equal(b"a b\nc\n", b"a b \t\nc  \n\n"));
        assert!(trailing.equal(b"7 ", b"7"));
        assert!(!trailing.equal(b"a b\n", b" a b\n"));
        assert!(!trailing.equal(b"a b\n", b"a  b\n"));
    }

    #[test]
    fn full_trim_forgives_blanks_at_both_ends_and_never_inside() {
        let all = with(Trim::All, Newlines::Exact);
        assert!(all.equal(b"a b\nc", b"\n  a b \n\tc\n"));
        assert!(!all.equal(b"a b", b"a  b"));
        assert!(!all.equal(b"a\n\nb", b"a\nb"));
    }

    #[test]
    fn newlines_are_one_thing_only_when_normalised() {
        assert!(with(Trim::None, Newlines::Normalize).equal(b"a\nb\n", b"a\r\nb\r"));
        assert!(!with(Trim::None, Newlines::Exact).equal(b"a\nb\n", b"a\r\nb\n"));
    }

    #[test]
    fn tolerance_compares_numbers_near_and_words_exactly() {
        let near = |abs, rel, ulps, e: &str, a: &str| {
            let tolerance = Some(Tolerance { abs, rel, ulps });
            Comparison {
                tolerance,
                ..Comparison::default()
            }
            .equal(e.as_bytes(), a.as_bytes())
        };
        assert!(near(0.01, 0.0, 0, "x = 1.00, y\n", "x = 1.005, y\n"));
        assert!(!near(0.01, 0.0, 0, "x = 1.00\n", "x = 1.02\n"));
        assert!(near(0.0, 0.01, 0, "1000", "1009"));
        assert!(!near(0.0, 0.01, 0, "1000", "1011"));
        assert!(near(0.0, 0.0, 1, "0.1", "0.10000000000000002"));
        assert!(!near(0.0, 0.0, 1, "0.1", "0.10000000000000005"));
        assert!(near(0.0, 0.0, 0, "nan inf", "NaN inf"));
        assert!(!near(1e9, 1e9, 9, "inf", "1"));
        assert!(!near(1e9, 1e9, 9, "1 2", "1  2"));
        assert!(!near(1e9, 1e9, 9, "cat", "dog"));
        assert!(near(0.0, 0.0, 1, "-0.0", "0.0"));
    }

    #[test]
    fn a_difference_shows_blanks_and_raw_bytes() {
        let value = difference(b"a\n7\n", b"a\n7 \xff \n");
        assert_eq!(value["diff"], "-7\n+7 \\xff\u{b7}");
        assert_eq!(value["first_difference"], 3);
        assert_eq!(
            difference(b"x\n", b"x")["diff"],
            "-x\n+x (no newline at the end)"
        );
    }

    proptest! {
        #[test]
        fn equal_bytes_are_equal_under_every_comparison(bytes: Vec<u8>, trim in 0..3_usize, normal: bool, near: bool) {
            let comparison = Comparison {
                trim: [Trim::None, Trim::Trailing, Trim::All][trim],
                newlines: if normal { Newlines::Normalize } else { Newlines::Exact },
                tolerance: near.then(Tolerance::default),
            };
            prop_assert!(comparison.equal(&bytes, &bytes));
        }

        #[test]
        fn a_difference_of_any_bytes_is_bounded(expected: Vec<u8>, actual: Vec<u8>) {
            let value = difference(&expected, &actual);
            prop_assert!(value["diff"].as_str().unwrap().lines().count() <= SHOWN_LINES + 1);
        }
    }
}
