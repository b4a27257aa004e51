//! The one comment of a pull request.

use super::check_run::Context;
use super::markdown::{Page, Room};
use super::records::encoded;
use crate::model::digest::Digest;
use crate::model::report::Report;

/// The most bytes of a name in a marker; longer ones stand there by their digest.
const NAME: usize = 200;

/// What the comment of the check `name` starts with: an HTML comment, which is not shown. No text
/// of a report makes one, no two names have the same, and none is the beginning of another.
#[must_use]
pub fn marker(name: &str) -> String {
    format!("<!-- driftgate/comment/{} -->", in_marker(name))
}

/// The name of a check as markers have it.
pub(super) fn in_marker(name: &str) -> String {
    // `--` may not stand within an HTML comment.
    let plain = encoded(name).replace('-', "%2D");
    match plain.len() {
        0..=NAME => plain,
        _ => format!("sha256/{}", Digest::of(name.as_bytes())),
    }
}

/// `report` as a comment: starts with the marker and is shorter than 65,536 characters, code
/// units or bytes, whatever GitHub counts.
#[must_use]
pub fn comment(report: &Report, context: &Context<'_>) -> String {
    let page = Page::of(report, context, &Room::COMMENT);
    // A blank line ends the block of HTML that the marker is.
    format!("{}\n\n{}", marker(context.name), page.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_marker_of_its_own() {
        assert_eq!(marker("driftgate"), "<!-- driftgate/comment/driftgate -->");
        assert_eq!(
            marker("a --> <b>"),
            "<!-- driftgate/comment/a%20%2D%2D%3E%20%3Cb%3E -->"
        );
        let long = marker(&"x".repeat(201));
        assert!(long.len() < 300, "{long}");
        assert_ne!(long, marker(&"x".repeat(202)));
    }
}
