//! How long each part of a page may be, so that the whole is never too long.

/// The most of each part, as [`cost`] counts.
pub(in crate::report) struct Room {
    pub(in crate::report) said: usize,
    pub(in crate::report) next: usize,
    pub(in crate::report) table: usize,
    /// None at all where the room is 0.
    pub(in crate::report) details: usize,
    pub(in crate::report) commands: usize,
    pub(in crate::report) lanes: usize,
    pub(in crate::report) scope: usize,
    pub(in crate::report) notes: usize,
}

/// What the parts that have no room of their own take at most: headline, facts, one command,
/// and the lines that count what was left out.
#[cfg(test)]
pub(in crate::report) const FIXED: usize = 7_500;

impl Room {
    /// A comment of GitHub has at most 65,536 characters.
    pub(in crate::report) const COMMENT: Self = Self {
        said: 2_000,
        next: 3_000,
        table: 23_000,
        details: 16_000,
        commands: 2_900,
        lanes: 4_000,
        scope: 2_000,
        notes: 4_000,
    };
    /// The summary of a check run has at most 65,535 characters, and the evidence of its rows is
    /// in annotations.
    pub(in crate::report) const CHECK: Self = Self {
        said: 3_000,
        next: 4_000,
        table: 37_000,
        details: 0,
        commands: 0,
        lanes: 5_000,
        scope: 3_000,
        notes: 5_000,
    };
    /// The summary of a job's step has at most 1 MiB; one that is longer is not shown at all.
    pub(in crate::report) const JOB: Self = Self {
        said: 20_000,
        next: 10_000,
        table: 300_000,
        details: 500_000,
        commands: 2_900,
        lanes: 40_000,
        scope: 20_000,
        notes: 40_000,
    };

    #[cfg(test)]
    pub(in crate::report) fn whole(&self) -> usize {
        let Self {
            said,
            next,
            table,
            details,
            commands,
            lanes,
            scope,
            notes,
        } = self;
        said + next + table + details + commands + lanes + scope + notes + FIXED
    }
}

/// The bytes of `text` once each character above U+FFFF is spelled as `\u{10ffff}`: no fewer
/// than the characters, code units or bytes that anybody may count.
pub(in crate::report) fn cost(text: &str) -> usize {
    let spelled = "\\u{10ffff}".len();
    let cost = |c: char| {
        if c.len_utf8() > 3 {
            spelled
        } else {
            c.len_utf8()
        }
    };
    text.chars().map(cost).sum()
}

/// As many of `items` as fit into `room`, and how many do not. What does not fit is not made.
pub(super) fn within<T>(
    room: usize,
    items: impl IntoIterator<Item = T>,
    shown: impl Fn(T) -> String,
) -> (String, usize) {
    let (mut kept, mut used) = (String::new(), 0);
    let mut items = items.into_iter();
    while let Some(item) = items.next() {
        let text = shown(item);
        used += cost(&text);
        if used > room {
            return (kept, 1 + items.count());
        }
        kept.push_str(&text);
    }
    (kept, 0)
}

/// A line on what was left out, if anything was.
pub(super) fn more(left: usize, start: &str, what: &str) -> String {
    match left {
        0 => String::new(),
        left => format!("{start}and {left} more {what}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_page_fit_into_the_whole() {
        // What GitHub takes, less what stands before a comment.
        assert!(Room::COMMENT.whole() < 65_536 - 500);
        assert!(Room::CHECK.whole() < 65_535);
        assert!(Room::JOB.whole() < 1024 * 1024);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let twice = |n: u32| format!("{n}{n}");
        assert_eq!(within(4, [1, 2, 3, 4], twice), ("1122".to_owned(), 2));
        assert_eq!(within(9, [1], twice), ("11".to_owned(), 0));
        assert_eq!(cost("aé\u{1f600}"), 13);
    }
}
