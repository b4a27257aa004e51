//! The translation unit of a candidate: fixture and completion put together.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::unified_diff::Fault;
use crate::model::case::{Assemble, Case, MARKER};
use crate::model::step::Content;

use super::patched;

/// The name under which every unit is compiled, so that renaming a fixture moves nothing.
pub const UNIT: &str = "candidate.cpp";

/// What is compiled for a candidate.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The unit's source.
    pub source: Arc<[u8]>,
    /// The fixture with no completion in it, where there is one.
    pub fixture: Option<Arc<[u8]>>,
    /// Files beside it.
    pub files: BTreeMap<String, Content>,
    /// The same files with nothing of the completion in them.
    pub plain_files: BTreeMap<String, Content>,
}

impl Unit {
    /// Puts `completion` into the fixture of `case`.
    ///
    /// # Errors
    /// The completion is to be a patch and is none of these files.
    pub fn assemble(case: &Case, completion: &[u8]) -> Result<Self, Fault> {
        let fixture: &[u8] = &case.fixture.bytes;
        let plain_files: BTreeMap<String, Content> = case
            .files
            .iter()
            .map(|file| (file.beside.clone(), Content::Bytes(Arc::clone(&file.bytes))))
            .collect();
        let mut files = plain_files.clone();
        let (source, fixture) = match case.assemble {
            Assemble::Append => (
                [fixture, b"\n", completion].concat(),
                Some(fixture.to_vec()),
            ),
            Assemble::Insert => {
                let (before, after) = around_marker(fixture);
                let gap: &[u8] = if completion.ends_with(b"\n") {
                    b""
                } else {
                    b"\n"
                };
                (
                    [before, completion, gap, after].concat(),
                    Some([before, after].concat()),
                )
            }
            Assemble::Replace => (completion.to_vec(), None),
            Assemble::Patch => {
                let patched = patched::apply(case, completion)?;
                for (beside, bytes) in patched.files {
                    files.insert(beside, Content::Bytes(bytes.into()));
                }
                (patched.fixture, Some(fixture.to_vec()))
            }
        };
        Ok(Self {
            source: source.into(),
            fixture: fixture.map(Arc::from),
            files,
            plain_files,
        })
    }

    /// The unit with the files beside it.
    #[must_use]
    pub fn inputs(&self) -> BTreeMap<String, Content> {
        let mut inputs = self.files.clone();
        let source = Content::Bytes(Arc::clone(&self.source));
        inputs.insert(UNIT.to_owned(), source);
        inputs
    }

    /// `source` in place of the unit, and nothing of the completion beside it: what shows
    /// whether a fault is the completion's.
    #[must_use]
    pub fn inputs_without_completion(&self, source: Content) -> BTreeMap<String, Content> {
        let mut inputs = self.plain_files.clone();
        inputs.insert(UNIT.to_owned(), source);
        inputs
    }
}

/// The fixture before and after the line that holds the marker. Without one (the loader
/// refuses that) everything is before.
fn around_marker(fixture: &[u8]) -> (&[u8], &[u8]) {
    let marker = MARKER.as_bytes();
    let Some(found) = fixture
        .windows(marker.len())
        .position(|window| window == marker)
    else {
        return (fixture, b"");
    };
    let start = fixture[..found]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let end = fixture[found..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(fixture.len(), |at| found + at + 1);
    (&fixture[..start], &fixture[end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::case;

    fn assembled(assemble: Assemble, fixture: &str, completion: &str) -> (String, Option<String>) {
        let unit = Unit::assemble(&case(assemble, fixture), completion.as_bytes()).unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&unit.source), unit.fixture.as_deref().map(text))
    }

    #[test]
    fn append_puts_the_completion_after_a_newline() {
        let (source, fixture) = assembled(Assemble::Append, "int f();", "int f() {}");
        assert_eq!(source, "int f();\nint f() {}");
        assert_eq!(fixture.as_deref(), Some("int f();"));
    }

    #[test]
    fn insert_replaces_the_marker_line_and_nothing_else() {
        for (completion, expected) in [("b\n", "a\nb\nc\n"), ("b", "a\nb\nc\n"), ("", "a\n\nc\n")] {
            let (source, fixture) = assembled(
                Assemble::Insert,
                "a\n  // DRIFTGATE_COMPLETION here\nc\n",
                completion,
            );
            assert_eq!(source, expected);
            assert_eq!(fixture.as_deref(), Some("a\nc\n"));
        }
        assert_eq!(
            assembled(Assemble::Insert, "a\n//DRIFTGATE_COMPLETION", "b").0,
            "a\nb\n"
        );
    }

    #[test]
    fn replace_is_the_completion_alone() {
        assert_eq!(
            assembled(Assemble::Replace, "x", "y"),
            ("y".to_owned(), None)
        );
    }

    #[test]
    fn patch_is_the_patched_fixture_and_the_probes_see_nothing_of_it() {
        let patch = "--- a/c.cpp\n+++ b/c.cpp\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(
            assembled(Assemble::Patch, "a\n", patch),
            ("b\n".to_owned(), Some("a\n".to_owned()))
        );
        let mut case = case(Assemble::Patch, "a\n");
        let mut file = case.fixture.clone();
        file.path = "goldens/fixtures/h.h".to_owned();
        file.beside = "h.h".to_owned();
        case.files.push(file);
        let unit = Unit::assemble(&case, patch.replace("c.cpp", "h.h").as_bytes()).unwrap();
        let plain = unit.inputs_without_completion(Content::from("x"));
        let digest = |inputs: &BTreeMap<String, Content>| inputs["h.h"].digest();
        assert_eq!(digest(&unit.inputs()), Content::from("b\n").digest());
        assert_eq!(digest(&plain), Content::from("a\n").digest());
        assert!(Unit::assemble(&case, b"no patch").is_err());
    }
}
