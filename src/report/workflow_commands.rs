//! Annotations where there is no `checks: write`: lines in the log that the runner acts on.

use super::check_run::{Annotation, AnnotationLevel};
use crate::model::text::is_format;

/// The most of each kind that the runner takes of a step (`ExecutionContext.cs`).
const MOST: usize = 10;
/// The most characters of a message; the runner cuts there, and we leave room for its mark.
const MESSAGE: usize = 4096;

/// The lines for `annotations`: at most ten of each kind, failures first. If some are left out,
/// the last line counts them, and it is within the ten.
#[must_use]
pub fn workflow_commands(annotations: &[Annotation]) -> Vec<String> {
    let kinds = [
        AnnotationLevel::Failure,
        AnnotationLevel::Warning,
        AnnotationLevel::Notice,
    ];
    let of = |kind| annotations.iter().filter(move |one| one.level == kind);
    let fits = kinds.iter().all(|kind| of(*kind).count() <= MOST);
    // The line that counts is a notice.
    let most = |kind| match kind {
        AnnotationLevel::Notice if !fits => MOST - 1,
        AnnotationLevel::Failure | AnnotationLevel::Warning | AnnotationLevel::Notice => MOST,
    };
    let shown = kinds.iter().flat_map(|kind| of(*kind).take(most(*kind)));
    let mut lines: Vec<_> = shown.map(command).collect();
    let left = annotations.len() - lines.len();
    if left > 0 {
        lines.push(format!(
            "::notice title=driftgate::{left} more findings: the summary and the report list them."
        ));
    }
    lines
}

fn command(annotation: &Annotation) -> String {
    let word = match annotation.level {
        AnnotationLevel::Failure => "error",
        AnnotationLevel::Warning => "warning",
        AnnotationLevel::Notice => "notice",
    };
    format!(
        "::{word} file={},line={},endLine={},title={}::{}",
        property(&annotation.path),
        annotation.start_line,
        annotation.end_line,
        property(&annotation.title),
        data(cut(&annotation.message))
    )
}

/// The start of `text` that has no more UTF-16 code units than the runner takes.
fn cut(text: &str) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > MESSAGE
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// `text` as the data of a command (`core/src/command.ts` of actions/toolkit).
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// `text` as the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// `text`, with whatever a child wrote in it, so that the runner acts on none of its lines; with
/// a last newline. `token` must be one that the child could not know; where it stands in the text
/// all the same, it is struck out.
#[must_use]
pub fn fenced(text: &str, token: &str) -> String {
    let kept = |c: &char| matches!(c, '\n' | '\t') || !(c.is_control() || is_format(*c));
    let text: String = text.chars().filter(kept).collect();
    let text = without(&text, token);
    let text = text.trim_end_matches('\n');
    format!("::stop-commands::{token}\n{text}\n::{token}::\n")
}

/// The runner compares without regard to case.
fn without(text: &str, token: &str) -> String {
    let lower = (text.to_ascii_lowercase(), token.to_ascii_lowercase());
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in lower.0.match_indices(&lower.1) {
        out.push_str(&text[done..at]);
        out.push_str("***");
        done = at + token.len();
    }
    out + &text[done..]
}

#[cfg(test)]
mod tests;
