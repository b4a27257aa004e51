//! Sources with the tokens they are cut into.

use super::*;

use proptest::prelude::*;

fn texts(source: &str) -> Vec<String> {
    tokens(source.as_bytes())
        .map(|token| String::from_utf8_lossy(&token.text).into_owned())
        .collect()
}

#[test]
fn source_is_cut_into_tokens() {
    for (source, wanted) in [
        ("a::b->c...", "a :: b -> c ..."),
        ("x>>y", "x > > y"),
        ("1'000'000u+0x1p-3 .5e+1.2", "1'000'000u + 0x1p-3 .5e+1.2"),
        ("u8\"a\"L'b' R\"x(a)\")x\"z", "u8\"a\" L'b' R\"x(a)\")x\" z"),
        ("\"a\\\"b\"c", "\"a\\\"b\" c"),
        ("a/*b*/c//d\ne", "a c e"),
        ("a// b\\\nc\nd", "a d"),
        ("in\\\nt in\\\r\nt in\\ \nt", "int int int"),
        ("<%%><::>%: a<::b", "{ } [ ] # a < :: b"),
        ("a<:::b", "a [ :: b"),
        ("\u{feff}a", "a"),
        ("'a\n\"b\nc", "'a \"b c"),
        ("/* a", ""),
        ("R\"(a", "R\"(a"),
        ("/\\\n* a *\\\n/ b", "b"),
    ] {
        assert_eq!(texts(source).join(" "), wanted, "{source}");
    }
}

#[test]
fn lines_are_those_of_the_source() {
    let source = b"a\n/*\n*/b R\"(\n)\"c\\\nd e\n\nf";
    let read: Vec<_> = tokens(source).map(|token| token.line).collect();
    assert_eq!(read, [1, 3, 3, 4, 5, 7]);
}

#[test]
fn a_directive_lasts_for_its_line() {
    let source = b"/**/ # define A \\\n B /*\n*/ C\nd # e\n%:f";
    let read: Vec<_> = tokens(source).map(|token| token.is_directive).collect();
    assert_eq!(
        read,
        [
            true, true, true, true, true, false, false, false, true, true
        ]
    );
}

#[test]
fn a_header_is_one_token() {
    let header = |source: &str| {
        tokens(source.as_bytes())
            .find(|token| token.kind == Kind::Header)
            .map(|token| String::from_utf8_lossy(&token.text).into_owned())
    };
    assert_eq!(header("#include <a'//b.h>").as_deref(), Some("<a'//b.h>"));
    assert_eq!(
        header("# /**/ include /**/ \"a\\\" b").as_deref(),
        Some("\"a\\\"")
    );
    assert_eq!(header("#import <a").as_deref(), Some("<a"));
    assert_eq!(header("#if a < b"), None);
    assert_eq!(header("include <a>"), None);
}

#[test]
fn a_raw_string_keeps_its_lines() {
    assert_eq!(texts("R\"(a\\\nb)\" c"), ["R\"(a\\\nb)\"", "c"]);
    // No raw string starts with such a delimiter.
    assert_eq!(texts("R\"a b(\" c"), ["R\"a b(\"", "c"]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
        let read: Vec<_> = tokens(&bytes).collect();
        prop_assert!(read.len() <= bytes.len());
        prop_assert!(read.iter().all(|token| !token.text.is_empty()));
        prop_assert!(read.is_sorted_by_key(|token| token.line));
        prop_assert!(read.iter().all(|token| (token.line as usize) <= lines));
    }

    #[test]
    fn joints_and_comments_change_no_token(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "b1", "12", "::", "\"s\"", "'c'", "{", "...", "->", "R\"(x)\"",
        ]), 0..30),
        gap in prop::sample::select(vec![" ", "\n", "/* x\n */", "// y\n", " \\\n ", "\\\r\n\t"]),
    ) {
        prop_assert_eq!(texts(&pieces.join(gap)), pieces);
    }

    #[test]
    fn any_pieces_are_read_to_their_end(pieces in prop::collection::vec(prop::sample::select(vec![
        "R\"", "(", ")", "\"", "\\", "\n", "\\\n", "'", "/*", "*/", "//", "#", "include", "<", ">",
        "u8", "%:", ":", ".", "1", "e+", "\r", "\\ ", "\u{e9}",
    ]), 0..60)) {
        let text = pieces.concat();
        prop_assert!(tokens(text.as_bytes()).count() <= text.len());
    }
}
