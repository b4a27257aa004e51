//! Patches: as a completion that edits the files of a case, and as made from two texts.

use std::sync::Arc;

use driftgate::diagnostics::unified_diff;
use driftgate::graders::patched;
use driftgate::model::case::{Assemble, Case, Expect, SourceFile};
use driftgate::model::changed_lines::ChangedLines;
use driftgate::model::digest::Digest;
use similar::{ChangeTag, TextDiff};

use super::parts;

/// Takes `bytes` for a patch. Where they name files, the one called `patch` is it, the others are
/// what it may edit, and a patch from the first to the second is made too.
pub fn check(bytes: &[u8]) {
    let mut files = parts::files(bytes);
    let patch = files.iter().position(|(path, _)| *path == "patch");
    let patch = patch.map_or(bytes, |at| files.remove(at).1);
    if let [(_, old), (_, new), ..] = files.as_slice() {
        leads_from(&plain(old), &plain(new));
    }
    applies_within(&case(&files), patch);
    let changed = ChangedLines::parse(patch);
    for path in changed.paths() {
        assert!(changed.first_line(path).is_none_or(|line| line > 0));
    }
}

/// What a patch makes of `case` is its own files, no longer than they and the patch together.
fn applies_within(case: &Case, patch: &[u8]) {
    let parsed = unified_diff::parse(patch);
    let Ok(patched) = patched::apply(case, patch) else {
        return;
    };
    assert!(parsed.is_ok(), "applied, and is no patch");
    assert!(patched.fixture.len() <= case.fixture.bytes.len() + patch.len());
    for (path, bytes) in &patched.files {
        let own = case.files.iter().find(|file| file.beside == *path);
        let own = own.unwrap_or_else(|| unreachable!("{path} is none of the case's files"));
        assert!(bytes.len() <= own.bytes.len() + patch.len());
    }
}

/// A patch that another program makes of two texts leads from the one to the other.
fn leads_from(old: &[u8], new: &[u8]) {
    if old == new {
        return;
    }
    let diff = TextDiff::from_lines(old, new);
    let mut patch = Vec::new();
    let made = diff
        .unified_diff()
        .header("a/x", "b/x")
        .to_writer(&mut patch);
    assert!(made.is_ok(), "nothing is written to a file");
    match unified_diff::parse(&patch).as_deref() {
        Ok([file]) => assert_eq!(file.apply(old).as_deref(), Ok(new)),
        other => unreachable!("{other:?}"),
    }
    let changed = ChangedLines::parse(&patch);
    for change in diff.iter_all_changes() {
        if let Some(index) = change.new_index() {
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let is_new = change.tag() == ChangeTag::Insert;
            assert_eq!(changed.touches("x", line), Some(is_new), "line {line}");
            let shown = changed.text("x", line);
            let text = change.value().strip_suffix(b"\n").unwrap_or(change.value());
            assert!(shown.is_none_or(|shown| shown.as_bytes() == text));
        }
    }
}

/// A text without what patches cannot hold, and what this maker of patches takes for line ends or
/// replaces.
fn plain(text: &[u8]) -> Vec<u8> {
    let is_plain = |byte: &&u8| byte.is_ascii() && !matches!(byte, 0 | b'\r');
    text.iter().filter(is_plain).copied().collect()
}

/// A case with these files, of which the first is the fixture.
fn case(files: &[(&str, &[u8])]) -> Case {
    let file = |(path, bytes): &(&str, &[u8])| SourceFile {
        path: format!("goldens/{path}"),
        beside: (*path).to_owned(),
        bytes: Arc::from(*bytes),
        digest: Digest::of(bytes),
    };
    let (first, others) = files
        .split_first()
        .unwrap_or((&("c.cpp", b"int a;\n"), &[]));
    Case {
        id: "c".to_owned(),
        path: "goldens/cases/c.json".to_owned(),
        prompt_path: "goldens/prompts/c.md".to_owned(),
        prompt: Digest::of(b""),
        fixture: file(first),
        files: others.iter().map(file).collect(),
        assemble: Assemble::Patch,
        flags: Vec::new(),
        args: Vec::new(),
        stdin: String::new(),
        expect: Expect {
            exit_code: 0,
            stdout: None,
            stderr_empty: true,
        },
        graders: Vec::new(),
        timeout_s: 1,
        tags: Vec::new(),
    }
}
