//! Diffs as git and GitHub write them, and bytes that are none.

use proptest::prelude::*;

use super::*;

const EDIT: &str = "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n\
@@ -2,3 +2,4 @@ fn x() {\n one\n-two\n+deux\n+deux et demi\n three\n";

fn added(changed: &ChangedLines, path: &str) -> Vec<u32> {
    let touches = |line: &u32| changed.touches(path, *line) == Some(true);
    (1..100).filter(touches).collect()
}

#[test]
fn added_and_rewritten_lines_are_touched_and_no_other() {
    let changed = ChangedLines::parse(EDIT.as_bytes());
    assert_eq!(added(&changed, "a.txt"), [3, 4]);
    assert_eq!(changed.first_line("a.txt"), Some(3));
    assert_eq!(changed.touches("other", 1), Some(false));
    assert!(changed.is_complete());
    let with_cr = ChangedLines::parse(EDIT.replace('\n', "\r\n").as_bytes());
    assert_eq!(with_cr, changed.without_text());
}

#[test]
fn the_text_of_a_line_is_told_where_the_diff_shows_it_as_it_is() {
    let changed = ChangedLines::parse(EDIT.as_bytes());
    let texts: Vec<_> = (1..7).map(|line| changed.text("a.txt", line)).collect();
    let (one, three) = (Some("one"), Some("three"));
    let expected = [None, one, Some("deux"), Some("deux et demi"), three, None];
    assert_eq!(texts, expected);
    assert_eq!(changed.text("b.txt", 2), None);
    let hunk =
        b"--- a/x\n+++ b/x\n@@ -1,5 +1,6 @@\n \n\n+\tint a;\r\n a\xff\n \xe2\x80\xaeb\n +c\n";
    let changed = ChangedLines::parse(hunk);
    let texts: Vec<_> = (1..7).map(|line| changed.text("x", line)).collect();
    assert_eq!(texts, [Some(""), None, None, None, None, Some("+c")]);
    let within = changed.seen_from("x");
    assert_eq!(within.text("x", 1), None);
}

#[test]
fn lines_that_look_like_headers_are_lines_of_their_hunk() {
    let text = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n--- a/b\n+++ b/c\n x\n@@ -9 +9 @@\n-y\n+z\n";
    let changed = ChangedLines::parse(text.as_bytes());
    assert_eq!(added(&changed, "a"), [1, 9]);
    assert_eq!(changed.paths().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn where_lines_were_only_taken_out_the_next_one_is_shown() {
    for (hunk, first) in [
        ("@@ -3,3 +3,2 @@\n a\n-b\n c\n", 4),
        ("@@ -5,2 +4,0 @@\n-a\n-b\n", 5),
        ("@@ -1 +0,0 @@\n-a\n", 1),
    ] {
        let files = [("x".to_owned(), Some(hunk.to_owned()))];
        let changed = ChangedLines::from_files(files);
        assert_eq!(changed.first_line("x"), Some(first), "{hunk}");
        assert_eq!(added(&changed, "x"), [0_u32; 0]);
    }
}

#[test]
fn created_deleted_and_renamed_files_are_told() {
    let text = "diff --git a/new b/new\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n\
diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
diff --git a/old name b/new name\nsimilarity index 90%\nrename from old name\nrename to new name\nindex 1..2 100644\n--- a/old name\t\n+++ b/new name\t\n@@ -7 +7 @@\n-x\n\\ No newline at end of file\n+y\n\
diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n\
diff --git a/empty file b/empty file\nnew file mode 100644\nindex 0..1\n";
    let changed = ChangedLines::parse(text.as_bytes());
    let paths: Vec<_> = changed.paths().collect();
    assert_eq!(
        paths,
        ["empty file", "gone", "mode", "new", "new name", "old name"]
    );
    assert!(changed.is_complete(), "{changed:?}");
    assert_eq!(added(&changed, "new"), [1]);
    assert_eq!(added(&changed, "new name"), [7]);
    assert_eq!(changed.first_line("gone"), None);
    assert_eq!(changed.touches("mode", 1), Some(false));
}

#[test]
fn a_file_without_lines_to_read_is_unknown_and_not_untouched() {
    let text = "diff --git a/pic b/pic\nindex 1..2\nBinary files a/pic and b/pic differ\n\
diff --git a/was b/is\nsimilarity index 100%\nrename from was\nrename to is\n\
diff --git a/blob b/blob\nindex 1..2\nGIT binary patch\nliteral 3\nKcmb\n\nliteral 0\nKcmb\n\n\
diff --cc both\nindex 1,2..3\n--- a/both\n+++ b/both\n@@@ -1,1 -1,1 +1,2 @@@\n++x\n";
    let changed = ChangedLines::parse(text.as_bytes());
    for path in ["pic", "is", "blob", "both"] {
        assert_eq!(changed.touches(path, 1), None, "{path}");
        assert_eq!(changed.first_line(path), None, "{path}");
    }
    assert!(!changed.is_complete());
    let files = [
        ("x".to_owned(), None),
        ("y".to_owned(), Some(String::new())),
    ];
    let changed = ChangedLines::from_files(files);
    assert_eq!(
        (changed.touches("x", 1), changed.touches("y", 1)),
        (None, Some(false))
    );
}

#[test]
fn names_in_quotes_are_read_and_bytes_that_are_no_text_replaced() {
    let text = "diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"\n--- \"a/caf\\303\\251\"\n+++ \"b/caf\\303\\251\"\n@@ -1 +1 @@\n-a\n+b\n\
diff --git \"a/x\\377\" \"b/x\\377\"\nold mode 1\nnew mode 2\n";
    let changed = ChangedLines::parse(text.as_bytes());
    assert_eq!(changed.paths().collect::<Vec<_>>(), ["café", "x\u{fffd}"]);
    assert_eq!(added(&changed, "café"), [1]);
}

#[test]
fn a_diff_that_is_cut_or_lies_makes_its_file_unknown() {
    for text in [
        "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n",
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n?x\n+y\n",
        "--- a/a\n+++ b/a\n@@ -1 +99999999999 @@\n-x\n+y\n",
        "--- a/a\n+++ b/a\n@@ -9 +9 @@\n-x\n+y\n@@ -1 +1 @@\n-x\n+y\n",
        "--- a/a\n+++ b/a\n@@ nonsense\n",
    ] {
        let changed = ChangedLines::parse(text.as_bytes());
        assert_eq!(changed.touches("a", 1), None, "{text}");
        assert!(!changed.is_complete(), "{text}");
    }
    assert!(!ChangedLines::parse(b"{\"message\": \"Not Found\"}").is_complete());
    assert!(ChangedLines::parse(b"").is_complete());
}

#[test]
fn a_suite_in_a_folder_asks_from_there() {
    let text = EDIT.replace("/a.txt", "/suite/a.txt");
    let changed = ChangedLines::parse(text.as_bytes()).seen_from("suite/");
    assert_eq!(changed.first_line("a.txt"), Some(3));
    assert_eq!(changed.in_repository("a.txt"), "suite/a.txt");
    assert_eq!(changed.paths().collect::<Vec<_>>(), ["suite/a.txt"]);
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>) {
        let _ = ChangedLines::parse(&bytes);
    }

    #[test]
    fn a_damaged_diff_is_read_and_lines_are_counted_from_one(
        cut in 0..EDIT.len(), at in 0..EDIT.len(), byte: u8
    ) {
        let mut bytes = EDIT.repeat(2).into_bytes();
        bytes[at] = byte;
        bytes.truncate(EDIT.len() + cut);
        let changed = ChangedLines::parse(&bytes);
        for path in changed.paths() {
            prop_assert!(changed.first_line(path).is_none_or(|line| line > 0));
        }
    }
}

#[test]
fn a_file_that_a_list_cut_off_does_not_name_may_be_touched() {
    let files = [("a".to_owned(), Some("@@ -1 +1 @@\n-a\n+b".to_owned()))];
    let changed = ChangedLines::from_files(files);
    assert_eq!(changed.touches("b", 1), Some(false));
    let changed = changed.cut_off();
    assert_eq!(changed.touches("b", 1), None);
    assert_eq!(changed.touches("a", 1), Some(true));
}
