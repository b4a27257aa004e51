//! The lines of a tool's output, each of bounded length and without its end.

use std::borrow::Cow;

/// How many bytes of a line are read. The rest of a longer one is not looked at.
pub(super) const MOST_BYTES: usize = 16 * 1024;

/// The lines of `text`. Bytes that are no UTF-8 become U+FFFD; carriage returns at the end of a
/// line belong to its end.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    text.split(|byte| *byte == b'\n').map(|line| {
        let returns = line.iter().rev().take_while(|byte| **byte == b'\r').count();
        let length = line.len() - returns;
        String::from_utf8_lossy(line.get(..length.min(MOST_BYTES)).unwrap_or(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_before_its_carriage_return() {
        let read: Vec<_> = lines(b"a\r\nb\rc\n\xff\r\r\n").collect();
        assert_eq!(read, ["a", "b\rc", "\u{fffd}", ""]);
    }

    #[test]
    fn a_long_line_is_cut() {
        let long = vec![b'x'; MOST_BYTES + 5];
        assert_eq!(lines(&long).next().unwrap().len(), MOST_BYTES);
    }
}
