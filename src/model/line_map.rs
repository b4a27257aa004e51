//! Where the lines of one version of a file stand in another one.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// From the lines of one version to those of another. Pure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMap {
    ops: Vec<DiffOp>,
    /// How many lines the other version has.
    count: usize,
}

impl LineMap {
    /// From `one` to `other`: any bytes; lines end with `\n`.
    #[must_use]
    pub fn between(one: &[u8], other: &[u8]) -> Self {
        let lines = |text| <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect::<Vec<_>>();
        let (one, other) = (lines(one), lines(other));
        Self {
            ops: capture_diff_slices(Algorithm::Myers, &one, &other),
            count: other.len(),
        }
    }

    /// Where the line `line`, from 1, stands in the other version; where it does not, the line
    /// that follows its surroundings. At least 1, and at most the last line.
    #[must_use]
    pub fn line(&self, line: u32) -> u32 {
        let index = usize::try_from(line)
            .unwrap_or(usize::MAX)
            .saturating_sub(1);
        let op = self.ops.iter().find(|op| op.old_range().contains(&index));
        let there = match op {
            Some(DiffOp::Equal {
                old_index,
                new_index,
                ..
            }) => new_index + (index - old_index),
            Some(op) => op.new_range().start,
            None => self.count,
        };
        let there = there.saturating_add(1).min(self.count).max(1);
        u32::try_from(there).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_where_its_text_does() {
        let map = |one: &str, other: &str, line| {
            LineMap::between(one.as_bytes(), other.as_bytes()).line(line)
        };
        let one = "a\nb\nc\nd\n";
        for (other, lines) in [
            (one, [1, 2, 3, 4]),
            ("new\nnew\na\nb\nc\nd\n", [3, 4, 5, 6]),
            ("b\nc\nd\n", [1, 1, 2, 3]),
            ("a\nB\nB\nc\nd", [1, 2, 4, 5]),
            ("a\nd\n", [1, 2, 2, 2]),
            ("", [1, 1, 1, 1]),
        ] {
            let found = [1, 2, 3, 4].map(|line| map(one, other, line));
            assert_eq!(found, lines, "{other:?}");
        }
        // What is no line of it is shown at its end.
        assert_eq!((map(one, one, 0), map(one, one, 9)), (1, 4));
        assert_eq!(map("", one, 1), 4);
    }

    #[test]
    fn any_bytes_have_lines() {
        let odd: &[u8] = b"\xff\r\n\0\n\n";
        assert_eq!(LineMap::between(odd, odd).line(3), 3);
        assert_eq!(LineMap::between(odd, b"").line(u32::MAX), 1);
    }
}
