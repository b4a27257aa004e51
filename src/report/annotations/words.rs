//! What an annotation says. It is shown as plain text, within the limits of GitHub's API.

use crate::model::row::Row;
use crate::report::evidence::{command, fix_it, texts, verdict};
use crate::report::plain::{basic_plane, no_mention, plain};
use crate::report::style::{cut, no_command, one_line};

/// The most characters of a title.
pub(super) const TITLE: usize = 255;
/// The most characters of a path.
pub(super) const PATH: usize = 1024;
/// The most bytes of a message and of its details, before a third more for broken commands. Both
/// may have 64 KB; fifty of them go into one request.
const MESSAGE: usize = 16_000;
const DETAILS: usize = 44_000;
/// The most bytes of each text in the details.
const TEXT: usize = 12_000;
/// The most characters of a sentence, and of a name in one.
const SENTENCE: usize = 1_000;
pub(super) const NAME: usize = 128;

/// What is said, as it came.
pub(super) struct Words {
    pub(super) title: String,
    pub(super) message: String,
    /// Empty if there are none.
    pub(super) details: String,
}

/// The words for one row.
pub(super) fn of(row: &Row) -> Words {
    let title = format!("{}: {}", name(&row.class), row.id);
    let mut message = format!("{}\n", sentence(&row.why));
    let verdict = verdict(row);
    let moved: Vec<_> = row.moved.iter().map(|input| input.as_str()).collect();
    if !verdict.is_empty() {
        message.push_str(&format!("Verdict: {verdict}"));
        if !moved.is_empty() {
            message.push_str(&format!("; moved: {}", moved.join(", ")));
        }
        message.push('\n');
    }
    if let Some(edit) = fix_it(&row.evidence) {
        let sentence = edit.sentence(&name(edit.path));
        message.push_str(&format!(
            "\n{sentence}\n```suggestion\n{}\n```\n",
            edit.text
        ));
    }
    message.push_str(&next(row));
    Words {
        title,
        message,
        details: proof(row),
    }
}

/// What to do, and how to see it again.
pub(super) fn next(row: &Row) -> String {
    let next = match row.next.as_str() {
        "" => String::new(),
        next => format!("\nNext: {}\n", sentence(next)),
    };
    match command(row) {
        Some(command) => format!("{next}Reproduce: {command}\n"),
        None => next,
    }
}

/// The texts in the row's evidence, one below the other.
pub(super) fn proof(row: &Row) -> String {
    let texts = texts(&row.evidence);
    let parts = texts.iter().map(|text| {
        let shown = plain(text.text, TEXT);
        format!(
            "{}:\n{}\n",
            name(&text.label()),
            shown.trim_end_matches('\n')
        )
    });
    parts.collect::<Vec<_>>().join("\n")
}

fn sentence(text: &str) -> String {
    one_line(&cut(text, SENTENCE))
}

/// A name in a sentence.
pub(super) fn name(text: &str) -> String {
    one_line(&cut(text, NAME))
}

/// One line of at most `limit` characters, however they are counted.
pub(super) fn line(text: &str, limit: usize) -> String {
    let line = one_line(&cut(text, limit));
    // Spelling a character out makes the line longer: cut again, and this time nothing is spelled.
    cut(&no_command(&no_mention(&basic_plane(&line))), limit)
}

/// A path as GitHub knows it: what makes it safe to show must not make it another one.
pub(super) fn path(text: &str) -> String {
    cut(&basic_plane(&one_line(text)), PATH)
}

pub(super) fn message(text: &str) -> String {
    let text = no_mention(&basic_plane(&plain(text, MESSAGE)));
    text.trim_matches('\n').to_owned()
}

pub(super) fn details(text: &str) -> String {
    let text = basic_plane(&plain(text, DETAILS));
    text.trim_end_matches('\n').to_owned()
}
