//! Preprocessed texts with the places of their tokens.

use super::*;

use proptest::prelude::*;

fn places(text: &str) -> Vec<String> {
    located(text.as_bytes())
        .map(|one| {
            let text = String::from_utf8_lossy(&one.token.text).into_owned();
            format!("{text} {}:{}", one.file, one.line)
        })
        .collect()
}

#[test]
fn every_token_has_its_place() {
    let text = "# 0 \"a.cpp\"\n# 0 \"<built-in>\"\n# 1 \"a.cpp\"\n# 1 \"inc/a.h\" 1\n\nx\n# 9 \"inc/a.h\" 3 4\ny\n\
        # 2 \"a.cpp\" 2\n\nz\n#line 70\nv\n#line 5 \"g.y\"\nw";
    assert_eq!(
        places(text),
        [
            "x inc/a.h:2",
            "y inc/a.h:9",
            "z a.cpp:3",
            "v a.cpp:70",
            "w g.y:5"
        ]
    );
    let entered: Vec<_> = files(text.as_bytes()).into_iter().collect();
    let entered: Vec<&str> = entered.iter().map(AsRef::as_ref).collect();
    assert_eq!(entered, ["<built-in>", "a.cpp", "g.y", "inc/a.h"]);
}

#[test]
fn escapes_of_paths_are_read() {
    for (written, wanted) in [
        (r"a\\b.h", r"a\b.h"),
        (r#"a\"b.h"#, "a\"b.h"),
        (r"\303\251.h", "\u{e9}.h"),
        ("\u{e9}.h", "\u{e9}.h"),
        (r"\1018", "A8"),
    ] {
        let text = format!("# 3 \"{written}\" 1\nx");
        assert_eq!(places(&text), [format!("x {wanted}:3")]);
    }
}

#[test]
fn a_raw_string_holds_no_marker() {
    let text = "# 1 \"a\"\nR\"(\n# 9 \"b\"\n)\" x";
    assert_eq!(places(text).last().map(String::as_str), Some("x a:3"));
}

#[test]
fn other_directives_are_kept() {
    let text = "# 4 \"a\"\n#pragma pack(1)\n# 7 \"b\"\n#ident # 3 \"c\"\n#\nx";
    let kept = places(text);
    assert_eq!(kept.first().map(String::as_str), Some("# a:4"));
    assert_eq!(kept.last().map(String::as_str), Some("x b:9"));
    assert_eq!(places("x\n\ny"), ["x :1", "y :3"]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(located(&bytes).count() <= bytes.len());
    }

    #[test]
    fn any_pieces_are_read_to_their_end(pieces in prop::collection::vec(prop::sample::select(vec![
        "#", " 1", " 99999999999 ", "\"a\"", "\"\\", "\\7", "line", "\n", "x", "\"", " 3 4", "pragma",
    ]), 0..60)) {
        let text = pieces.concat();
        let read: Vec<_> = located(text.as_bytes()).collect();
        prop_assert!(read.len() <= tokens(text.as_bytes()).count());
        prop_assert!(files(text.as_bytes()).len() <= text.len());
    }

    #[test]
    fn every_token_of_a_run_is_in_its_file(
        runs in prop::collection::vec(("[a-z/]{1,6}\\.h", 1_u32..1000, 0_usize..4), 0..20),
    ) {
        let mut text = String::new();
        let mut wanted = Vec::new();
        for (file, line, count) in &runs {
            text += &format!("# {line} \"{file}\" 1 3\n");
            for (number, at) in (*line..).enumerate().take(*count) {
                text += &format!("t{number}\n");
                wanted.push(format!("t{number} {file}:{at}"));
            }
        }
        prop_assert_eq!(places(&text), wanted);
        let entered = files(text.as_bytes());
        prop_assert!(runs.iter().all(|run| entered.contains(run.0.as_str())));
    }
}
