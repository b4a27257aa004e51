//! What applies, what is refused and where, and that nothing panics.

use proptest::prelude::*;
use similar::TextDiff;

use super::*;

/// The first file of `patch` applied to `original`.
fn applied(patch: &str, original: &str) -> Result<String, String> {
    let files = parse(patch.as_bytes()).map_err(|fault| fault.to_string())?;
    let bytes = files[0]
        .apply(original.as_bytes())
        .map_err(|fault| fault.to_string())?;
    Ok(String::from_utf8(bytes).unwrap())
}

const HEAD: &str = "--- a/f.cpp\n+++ b/f.cpp\n";

#[test]
fn a_hunk_goes_where_its_header_says_or_to_the_one_other_place() {
    let file = "a\nb\nc\nd\nb\n";
    for (hunk, expected) in [
        ("@@ -2 +2 @@\n-b\n+B\n", "a\nB\nc\nd\nb\n"),
        ("@@ -5,1 +5,1 @@ int f()\n-b\n+B\n", "a\nb\nc\nd\nB\n"),
        ("@@ -1,2 +1,2 @@\n c\n-d\n+D\n", "a\nb\nc\nD\nb\n"),
        ("@@ -900,1 +900,1 @@\n-c\n+C\n", "a\nb\nC\nd\nb\n"),
        ("@@ -0,0 +1 @@\n+0\n", "0\na\nb\nc\nd\nb\n"),
        ("@@ -5,0 +6 @@\n+e\n", "a\nb\nc\nd\nb\ne\n"),
        ("@@ -1,2 +0,0 @@\n-a\n-b\n", "c\nd\nb\n"),
        (
            "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-c\n+C\n",
            "A\nb\nC\nd\nb\n",
        ),
        ("@@ -1 +1 @@\n-a\n+A", "A\nb\nc\nd\nb\n"),
    ] {
        let said = applied(&format!("{HEAD}{hunk}"), file);
        assert_eq!(said.as_deref(), Ok(expected), "{hunk}");
    }
}

/// Hunks that do not fit `a b c d b`, a letter a line, and what is said of them.
const REFUSED: &[(&str, &str)] = &[
    (
        "@@ -1 +1 @@\n-x\n+y\n",
        "line 4 of the patch: line 1 of the file is `a`, and the hunk wants `x`",
    ),
    (
        "@@ -1 +1 @@\n-b\n+y\n",
        "line 3 of the patch: the hunk's old text does not stand at line 1, and stands at line 2 as well as at line 5",
    ),
    (
        "@@ -9 +9 @@\n-x\n+y\n",
        "line 4 of the patch: the hunk wants line 9 to be `x`, and the file has 5 lines",
    ),
    (
        "@@ -1 +1 @@\n-a\r\n+y\r\n",
        "line 4 of the patch: line 1 of the file ends with LF, and the hunk wants CR LF",
    ),
    (
        "@@ -9,0 +9 @@\n+y\n",
        "line 3 of the patch: the hunk adds lines behind line 9 of a file that has 5",
    ),
    (
        "@@ -2,2 +2 @@\n-b\n-c\n+C\n@@ -3 +3 @@\n-c\n+C\n",
        "line 7 of the patch: this hunk overlaps",
    ),
    (
        "@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n",
        "line 6 of the patch: this hunk overlaps",
    ),
    (
        "@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n",
        "line 3 of the patch: a line without a newline",
    ),
    (
        "@@ -1,2 +1,2 @@\n-a\n\\ No newline\n b\n",
        "line 6 of the patch: a line without a newline",
    ),
    (
        "@@ -1,2 +1 @@\n-a\n+A\n",
        "line 6 of the patch: the patch ends, and the hunk at line 3 has fewer",
    ),
    (
        "@@ -1,3 +1,3 @@\n-a\n+A\n```\n",
        "line 6 of the patch: expected a line of the hunk at line 3, whose header counts more lines, found `````",
    ),
    (
        "@@ -1 +1,2 @@\n-a\n-b\n+A\n",
        "line 5 of the patch: the hunk at line 3 has more lines of this kind",
    ),
    (
        "@@ -1 +1 @@\n-a\n+A\n b\n",
        "line 6 of the patch: the hunk at line 3 has more lines than",
    ),
    (
        "@@ -1 +1 @@\n-a\n+A\n-b\n",
        "line 6 of the patch: the hunk at line 3 has more lines than",
    ),
    (
        "@@ -0 +1 @@\n-a\n+A\n",
        "line 3 of the patch: there is no line 0",
    ),
    (
        "@@ ... @@\n-a\n+A\n",
        "line 3 of the patch: expected `@@ -LINE",
    ),
    (
        "@@ -1 +1 @@\n-a\n+A\nand so on\n",
        "line 6 of the patch: expected the old file's name",
    ),
    (
        "@@ -1 +1 @@\n-a\n+A\n```\nThis fixes it.\n",
        "line 7 of the patch: text behind the end",
    ),
    (
        "@@ -99999999999999999999 +1 @@\n-a\n+A\n",
        "line 3 of the patch: expected `@@ -LINE",
    ),
    (
        "",
        "line 3 of the patch: expected a hunk, found the end of the patch",
    ),
];

#[test]
fn what_does_not_fit_is_refused_with_its_line() {
    let file = "a\nb\nc\nd\nb\n";
    for (hunk, expected) in REFUSED {
        let said = applied(&format!("{HEAD}{hunk}"), file).unwrap_err();
        assert!(said.starts_with(expected), "{said}\nis not\n{expected}");
    }
}

#[test]
fn only_text_of_existing_files_is_changed() {
    let git =
        |line: &str| format!("diff --git a/f b/f\n{line}\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(
        applied(&git("index 1..2 100644"), "a\n").as_deref(),
        Ok("b\n")
    );
    for (line, expected) in [
        ("new file mode 100644", "creates a file"),
        ("deleted file mode 100644", "deletes a file"),
        ("old mode 100644", "changes the mode"),
        ("rename from f", "renames"),
        ("similarity index 100%", "renames"),
        ("copy from f", "copies"),
        ("GIT binary patch", "is binary"),
        ("Binary files a/f and b/f differ", "is binary"),
        ("what", "expected the old file's name"),
    ] {
        let said = applied(&git(line), "a\n").unwrap_err();
        assert!(
            said.starts_with(&format!("line 2 of the patch: {expected}")),
            "{said}"
        );
    }
    for (patch, expected) in [
        (
            "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n",
            "line 1 of the patch: creates a file",
        ),
        (
            "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "line 1 of the patch: deletes a file",
        ),
        (
            "diff --git a/f b/g\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
            "line 1 of the patch: names other files",
        ),
        (
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+\0\n",
            "line 5 of the patch: contains a NUL",
        ),
        (
            "@@ -1 +1 @@\n-a\n+b\n",
            "line 1 of the patch: a hunk, and no",
        ),
        ("", "holds no unified diff"),
        ("I would not change it.\n", "holds no unified diff"),
    ] {
        let said = applied(patch, "a\n").unwrap_err();
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn prose_before_a_diff_and_a_fence_around_it_are_no_part_of_it() {
    let diff = format!("{HEAD}@@ -1 +1 @@\n-a\n+b\n");
    for text in [
        diff.clone(),
        format!("Here it is:\n\n---\n```diff\n{diff}```\n\n"),
        format!("```\n{diff}```"),
        format!("\n{diff}\n\n"),
        format!("diff --git a/f.cpp b/f.cpp\nindex 1..2\n{diff}"),
        diff.replace("f.cpp\n", "f.cpp\t2026-01-01 00:00:00 +0000\n"),
    ] {
        assert_eq!(applied(&text, "a\n").as_deref(), Ok("b\n"), "{text}");
    }
}

#[test]
fn line_ends_are_bytes_like_others() {
    let crlf = format!("{HEAD}@@ -1,2 +1,2 @@\n x\n-a\n+b\n").replace('\n', "\r\n");
    assert_eq!(applied(&crlf, "x\r\na\r\n").as_deref(), Ok("x\r\nb\r\n"));
    assert!(applied(&crlf, "x\na\n").is_err());
    let trimmed = crlf.trim_end();
    assert_eq!(applied(trimmed, "x\r\na\r\n").as_deref(), Ok("x\r\nb\r\n"));
    // Headers of LF around lines of CR LF are what `git diff` prints.
    let mixed = format!("{HEAD}@@ -1,2 +1,2 @@\n x\r\n-a\r\n+b\n");
    assert_eq!(applied(&mixed, "x\r\na\r\n").as_deref(), Ok("x\r\nb\n"));
}

#[test]
fn a_missing_last_newline_is_kept_made_and_removed() {
    let note = "\\ No newline at end of file\n";
    for (hunk, before, after) in [
        (format!("-a\n{note}+b\n{note}"), "a", "b"),
        (format!("-a\n{note}+b\n"), "a", "b\n"),
        (format!("-a\n+b\n{note}"), "a\n", "b"),
    ] {
        let patch = format!("{HEAD}@@ -1 +1 @@\n{hunk}");
        assert_eq!(applied(&patch, before).as_deref(), Ok(after), "{hunk}");
        let crlf = patch.replace('\n', "\r\n");
        let ends = |text: &str| text.replace('\n', "\r\n");
        assert_eq!(applied(&crlf, &ends(before)), Ok(ends(after)), "{hunk}");
    }
    let added = format!("{HEAD}@@ -1,0 +2 @@\n+b\n");
    assert!(
        applied(&added, "a")
            .unwrap_err()
            .contains("without a newline")
    );
    let context = format!("{HEAD}@@ -1,1 +1,2 @@\n a\n+b\n");
    assert!(
        applied(&context, "a")
            .unwrap_err()
            .contains("ends with no newline")
    );
}

#[test]
fn an_empty_context_line_may_have_lost_its_blank() {
    let patch = format!("{HEAD}@@ -1,3 +1,3 @@\n a\n\n-c\n+C\n");
    assert_eq!(applied(&patch, "a\n\nc\n").as_deref(), Ok("a\n\nC\n"));
}

/// Texts of few different lines, among them such as look like parts of a diff.
fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "a",
        "b",
        "}",
        "-- a/f",
        "++ b/f",
        "--- a/f",
        "+++ b/f",
        "@@ -1 +1 @@",
        "```",
        "\\ No newline at end of file",
        "diff --git a/f b/f",
        " ",
        "é",
    ]);
    let end = prop_oneof![4 => Just("\n"), 1 => Just("\r\n")];
    let lines = prop::collection::vec((line, end), 0..14);
    (lines, any::<bool>()).prop_map(|(lines, ended)| {
        let mut text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
        if !ended {
            let bare = text.strip_suffix("\r\n").or(text.strip_suffix('\n'));
            text.truncate(bare.map_or(0, str::len));
        }
        text
    })
}

fn diff(old: &str, new: &str, context: usize) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(context)
        .header("a/f", "b/f")
        .to_string()
}

proptest! {
    #[test]
    fn the_diff_of_two_texts_makes_the_second_of_the_first(
        old in text(), new in text(), context in 0..4_usize,
    ) {
        prop_assume!(old != new);
        let patch = diff(&old, &new, context);
        prop_assert_eq!(applied(&patch, &old), Ok(new), "{}", patch);
    }

    #[test]
    fn a_damaged_patch_is_applied_or_refused(
        old in text(), new in text(), at: prop::sample::Index, byte: u8, cut: bool,
    ) {
        prop_assume!(old != new);
        let mut patch = diff(&old, &new, 3).into_bytes();
        let at = at.index(patch.len());
        if cut { patch.truncate(at); } else { patch[at] = byte; }
        if let Ok(files) = parse(&patch) {
            for file in files {
                let _ = file.apply(old.as_bytes());
            }
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes: Vec<u8>, file: Vec<u8>) {
        for head in ["", HEAD, "--- a\n+++ b\n@@ -1,3 +1,3 @@\n"] {
            let text = [head.as_bytes(), &bytes].concat();
            if let Ok(files) = parse(&text) {
                for patch in files {
                    let _ = patch.apply(&file);
                }
            }
        }
    }
}

#[test]
fn a_hunk_of_equal_lines_is_looked_for_in_a_long_file_in_no_time() {
    let file = "a\n".repeat(40_000);
    let hunk = format!("@@ -1,20001 +1,20000 @@\n{}-b\n", " a\n".repeat(20_000));
    let patch = format!("--- x\n+++ x\n{hunk}");
    let parsed = parse(patch.as_bytes()).unwrap();
    let problem = parsed[0].apply(file.as_bytes()).unwrap_err().problem;
    assert!(problem.contains("stands nowhere else either"), "{problem}");
    let once = [file.as_bytes(), b"b\n"].concat();
    assert_eq!(parsed[0].apply(&once).unwrap(), file.as_bytes());
    let twice = [once.as_slice(), &once].concat();
    let problem = parsed[0].apply(&twice).unwrap_err().problem;
    assert!(
        problem.contains("stands at line 20001 as well as at line 60002"),
        "{problem}"
    );
}
