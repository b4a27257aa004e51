//! Edits as compilers write them, made at random, and bytes that are none.

use proptest::prelude::*;

use super::*;

fn position(line: u32, column: u32) -> Position {
    Position { line, column }
}

#[test]
fn an_edit_is_read() {
    let text = "fix-it:\"a \\\"b\\303\\251\\\\.h\":{1:2-3:4}:\"#include <new>\\n\\t\"\r\n";
    let expected = FixIt {
        path: "a \"b\u{e9}\\.h".to_owned(),
        start: position(1, 2),
        end: position(3, 4),
        text: "#include <new>\n\t".to_owned(),
    };
    assert_eq!(parse(text.as_bytes()), [expected]);
}

#[test]
fn what_does_not_parse_is_no_edit() {
    for line in [
        "fix-it:",
        "fix-it:\"a\":{1:1-1:1}:\"x",
        "fix-it:\"a\":{1:1-1:1}:\"x\" y",
        "fix-it:\"a\":{1:1-1:1}:\"\\9\"",
        "fix-it:\"a\":{1:1-1:1}:\"\\+12\"",
        "fix-it:\"a\":{1:1-1:1}:\"\\777\"",
        "fix-it:\"a\":{1:1-1:1}:\"\\377\"",
        "fix-it:\"a\":{2:1-1:1}:\"x\"",
        "fix-it:\"a\":{0:1-1:1}:\"x\"",
        "fix-it:\"a\":{1-1}:\"x\"",
        "fix-it:\"a\":{1:1-1:99999999999}:\"x\"",
        " fix-it:\"a\":{1:1-1:1}:\"x\"",
        "note: fix-it:\"a\":{1:1-1:1}:\"x\"",
    ] {
        assert_eq!(parse(line.as_bytes()), [], "{line}");
    }
}

#[test]
fn an_include_is_told_from_other_edits() {
    for (text, end, header) in [
        ("#include <new>\n", 1, Some("new")),
        ("#include \"a/b.h\"\n", 1, Some("a/b.h")),
        ("#include <new>\n", 2, None),
        ("#include <new>", 1, None),
        ("const", 1, None),
        ("#include <a>\n#include <b>\n", 1, None),
    ] {
        let edit = FixIt {
            path: String::new(),
            start: position(1, 1),
            end: position(1, end),
            text: text.to_owned(),
        };
        assert_eq!(edit.include(), header, "{text}");
    }
}

/// A string as both compilers write it.
fn escaped(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'"' => "\\\"".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    });
    bytes.collect()
}

proptest! {
    #[test]
    fn what_was_escaped_comes_back(
        path in any::<String>(),
        text in any::<String>(),
        start in (1..u32::MAX, 1..u32::MAX),
        more in 0..1000_u32,
    ) {
        let edit = FixIt {
            path,
            start: position(start.0, start.1),
            end: position(start.0.saturating_add(more), start.1),
            text,
        };
        let (from, to) = (edit.start, edit.end);
        let line = format!(
            "fix-it:\"{}\":{{{}:{}-{}:{}}}:\"{}\"",
            escaped(&edit.path), from.line, from.column, to.line, to.column, escaped(&edit.text)
        );
        prop_assert_eq!(parse(format!("x\r\n{line}\r\ny").as_bytes()), std::slice::from_ref(&edit));
        prop_assert_eq!(parse(line.as_bytes()), [edit]);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        at in any::<prop::sample::Index>(),
    ) {
        let _ = parse(&bytes);
        let mut near = b"fix-it:\"a\\303\\251\":{1:2-3:4}:\"\\n\\\\x\"".to_vec();
        let at = at.index(near.len());
        near.splice(at..at + 1, bytes);
        let _ = parse(&near);
    }
}
