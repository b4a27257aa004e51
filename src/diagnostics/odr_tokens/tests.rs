//! Pairs of units with what differs between them.

use super::*;

use proptest::prelude::*;

fn read(text: &str) -> Definitions {
    Definitions::read(format!("# 1 \"a.h\"\n{text}").as_bytes(), |file| {
        file == "a.h"
    })
}

fn names(a: &str, b: &str) -> Vec<String> {
    let found = differing(&read(a), &read(b));
    found.into_iter().map(|one| one.name).collect()
}

#[test]
fn what_differs_is_found() {
    for (a, b, wanted) in [
        (
            "inline int f() { return 1; }",
            "inline int f() { return 2; }",
            vec!["f"],
        ),
        (
            "struct S { int x; };",
            "struct S { int x; int y; };",
            vec!["S"],
        ),
        (
            "namespace n { enum class E : int { a }; }",
            "namespace n { enum class E : int { b }; }",
            vec!["n::E"],
        ),
        (
            "namespace n::m { struct S { int f() const { return 1; } }; }",
            "namespace n::m { struct S { int f() const { return 2; } }; }",
            vec!["n::m::S", "n::m::S::f"],
        ),
        (
            "template<> struct T<int> { int x; }; template<> struct T<char> { int x; };",
            "template<> struct T<int> { int x; }; template<> struct T<char> { };",
            vec!["T<char>"],
        ),
        (
            "S::S() : a{1}, b(2) { }",
            "S::S() : a{1}, b(3) { }",
            vec!["S::S"],
        ),
        (
            "bool operator<(S a, S b) { return 1; }",
            "bool operator<(S a, S b) { return 0; }",
            vec!["operator <"],
        ),
        (
            "struct S { S() : x{1} { g(); } int x; };",
            "struct S { S() : x{1} { } int x; };",
            vec!["S", "S::S"],
        ),
        (
            "extern \"C\" { inline int f() { return 1; } }",
            "extern \"C\" { inline int f() { return 2; } }",
            vec!["f"],
        ),
    ] {
        assert_eq!(names(a, b), wanted, "{a}");
        assert_eq!(names(b, a), wanted, "{b}");
    }
}

#[test]
fn what_may_differ_is_no_difference() {
    for (a, b) in [
        (
            "struct [[nodiscard]] S { int x; };",
            "struct __attribute__((x(1)))\n\nS { int x; };",
        ),
        ("int f() { return 1; }", ""),
        ("void f(int) { a(); }", "void f(long) { b(); }"),
        (
            "static int f() { return 1; }",
            "static int f() { return 2; }",
        ),
        (
            "namespace { int f() { return 1; } }",
            "namespace { int f() { return 2; } }",
        ),
        ("struct { int x; } a;", "struct { int y; } a;"),
        ("int x = 1;", "int x = 2;"),
        ("void f() { a(); } void f() { b(); }", "void f() { b(); }"),
        (
            "int f() {\n#pragma x\n return 1; }",
            "int f() { return 1; }",
        ),
    ] {
        assert_eq!(names(a, b), Vec::<String>::new(), "{a}");
        assert_eq!(names(b, a), Vec::<String>::new(), "{b}");
    }
}

#[test]
fn equals_are_compared_by_their_order_or_as_sets() {
    let a = "void f() { a(); }\nvoid f() { b(); }\n";
    assert_eq!(names(a, "void f() { a(); } void f() { c(); }"), ["f"]);
    assert_eq!(names(a, "void f() { c(); }"), ["f", "f"]);
    assert_eq!(names(a, "void f() { a(); }"), Vec::<String>::new());
}

#[test]
fn only_project_files_count() {
    let text = |number| {
        format!(
            "# 1 \"/usr/x.h\" 3\nstruct S {{ int x{number}; }};\n# 7 \"a.h\"\n\nint f() {{ return {number}; }}"
        )
    };
    let unit = |number| Definitions::read(text(number).as_bytes(), |file| file == "a.h");
    let wanted = Differing {
        name: "f".to_owned(),
        file: "a.h".to_owned(),
        line: 8,
        kind: DefinitionKind::Function,
    };
    assert_eq!(differing(&unit(1), &unit(2)), [wanted]);
    assert_eq!(unit(1).count(), 1);
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "namespace ",
        "S",
        "::",
        "{",
        "}",
        ";",
        "(",
        ")",
        "<",
        ">",
        "int ",
        "struct ",
        "f",
        "=",
        "1",
        "template",
        "operator",
        ":",
        ",",
        "[[",
        "]]",
        "enum ",
        "\n#pragma x\n",
        "public:",
        "static ",
        "int f() { return 1; }",
        "struct S { int x; };",
    ]);
    prop::collection::vec(piece, 0..50).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_unit_does_not_differ_from_itself(text in pieces()) {
        let unit = read(&text);
        prop_assert_eq!(differing(&unit, &unit), []);
        // Nor where its lines or the files around it are others.
        let moved = read(&format!("\n\n{text}"));
        prop_assert_eq!(differing(&unit, &moved), []);
    }

    #[test]
    fn any_two_units_are_compared(a in pieces(), b in pieces()) {
        let (a, b) = (read(&a), read(&b));
        let there = differing(&a, &b).len();
        prop_assert!(there <= a.count());
        prop_assert_eq!(there == 0, differing(&b, &a).is_empty());
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Definitions::read(&bytes, |_| true).count() <= bytes.len());
    }
}
