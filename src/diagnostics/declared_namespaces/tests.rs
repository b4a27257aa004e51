//! Consumers with what they declare.

use super::*;

use crate::diagnostics::linemarkers::located;
use proptest::prelude::*;

fn found(source: &str, forbid: &[&str]) -> Vec<Declared> {
    let forbid: Vec<_> = forbid.iter().map(|one| (*one).to_owned()).collect();
    declared(&located(source.as_bytes()).collect::<Vec<_>>(), &forbid)
}

fn names(source: &str) -> Vec<String> {
    let found = found(source, &["demo::"]);
    found.into_iter().map(|one| one.name).collect()
}

/// Sources with the name that each declares.
const DECLARATIONS: &[(&str, &str)] = &[
    ("namespace demo { int f(); }", "demo"),
    ("namespace /**/ demo\n<% struct S; %>", "demo"),
    ("namespace demo::detail { int f(); }", "demo::detail"),
    (
        "namespace a {} namespace [[x]] demo __attribute__((y(1))) { int f(); }",
        "demo",
    ),
    ("inline namespace demo { int f(); }", "demo"),
    (
        "inline namespace v1 { namespace demo { int f(); } }",
        "v1::demo",
    ),
    (
        "namespace { namespace demo { int f(); } }",
        "(anonymous)::demo",
    ),
    ("extern \"C++\" { namespace demo { int f(); } }", "demo"),
    ("extern \"C\" { int demo::f(int) { return 1; } }", "demo::f"),
    ("void broken( { namespace demo { int f(); }", "demo"),
    ("void f() { if (x { ; namespace demo { int f(); }", "demo"),
    ("int demo::f(int) { return 1; }", "demo::f"),
    ("int demo::f(int);", "demo::f"),
    ("int ::demo::f(int);", "demo::f"),
    ("extern \"C++\" int demo::f(int);", "demo::f"),
    ("int demo::x = 1;", "demo::x"),
    ("int demo::x{1};", "demo::x"),
    ("int demo::x[3] = {};", "demo::x"),
    ("const demo::S *demo::k;", "demo::k"),
    ("demo::S::S() {}", "demo::S::S"),
    ("demo::S::S() : a{1}, b(2) {}", "demo::S::S"),
    ("inline demo::S::~S() = default;", "demo::S::~S"),
    (
        "demo::S::operator bool() const { return true; }",
        "demo::S::operator bool",
    ),
    (
        "bool demo::operator==(S a, S b) { return true; }",
        "demo::operator ==",
    ),
    ("void demo::S::operator()(int) {}", "demo::S::operator ()"),
    ("auto demo::f() -> int { return 1; }", "demo::f"),
    ("decltype(auto) demo::f() { return 1; }", "demo::f"),
    ("int (*demo::p)(int) = nullptr;", "demo::p"),
    ("template<> struct demo::T<X> { int x; };", "demo::T"),
    (
        "template<> struct demo::T<X> : B<int> { int x; };",
        "demo::T",
    ),
    ("template<> struct demo::T<X>;", "demo::T"),
    ("template<> int demo::f<int>(int) { return 1; }", "demo::f"),
    (
        "template<class A, class B = std::less<A>> int demo::T<A>::f() { return 1; }",
        "demo::T::f",
    ),
    ("template<> constexpr bool demo::v<X> = true;", "demo::v"),
    ("struct demo::S { int x; };", "demo::S"),
    ("enum class demo::E : int { a };", "demo::E"),
    ("namespace d = demo; int d::f() { return 1; }", "d::f"),
    ("using T = demo::S; void T::f() {}", "T::f"),
    ("using demo::S; void S::f() {}", "S::f"),
    ("int a = {1}; int demo::f() { return 1; }", "demo::f"),
    (
        "struct A { int x{1}; A() : x{2} {} } a; int demo::f();",
        "demo::f",
    ),
];

#[test]
fn declarations_are_found() {
    for (source, name) in DECLARATIONS {
        assert_eq!(names(source), [*name], "{source}");
    }
}

#[test]
fn uses_are_no_declarations() {
    for source in [
        "int main() { return demo::f(1); }",
        "using namespace demo;",
        "using demo::f;",
        "namespace d = demo;",
        "namespace demo {}",
        "demo::S s;",
        "demo::S s(1);",
        "demo::S s{1};",
        "demo::S f();",
        "demo::S ::g();",
        "auto x = demo::f();",
        "std::vector<demo::S> v;",
        "std::map<int, demo::S> f(demo::S a, int (*b)(demo::S)) { return {}; }",
        "struct A : demo::S { friend int demo::f(int); friend struct demo::T; };",
        "struct A : demo::S { using demo::S::S; demo::S f() { return {}; } };",
        "struct demo::S s{1};",
        "enum demo::E e = demo::a;",
        "int demo::S::*p = nullptr;",
        "int (demo::S::*p)(int) = nullptr;",
        "template struct demo::T<int>;",
        "extern template int demo::f<int>(int);",
        "template<> struct std::hash<demo::S> { int f(); };",
        "auto [a, b] = demo::f();",
        "const auto x = [](demo::S s) { return demo::f(s); };",
        "static_assert(demo::x == 1);",
        "A::A() : demo::B{1}, demo::C(2) {}",
        "bool operator==(demo::A a, demo::A b) { return true; }",
        "namespace mine { namespace demo { int f(); } int demo::g(); }",
        "namespace demos { int f(); }",
        "using S = demo::S; S f() { return {}; } S s;",
        "demo::T<int>::type x = demo::T<int>::make();",
        "const char *s = \"namespace demo { int f(); }\";",
        "template<class T> concept C = requires(T t) { demo::f(t); };",
        "int x = demo::a < 3, y = 1;",
        "unsigned long long demo_x = sizeof(demo::S);",
    ] {
        assert_eq!(names(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn an_entry_is_read_as_it_is_written() {
    for entry in ["a::b", "::a::b", "a::b::", " a :: b "] {
        let read = found(
            "\nnamespace a { namespace b { int f(); } int g(); }",
            &[entry],
        );
        let wanted = Declared {
            namespace: "a::b".to_owned(),
            name: "a::b".to_owned(),
            line: 2,
        };
        assert_eq!(read, [wanted]);
    }
    assert_eq!(found("namespace a { int f(); }", &["", "::"]), []);
    assert_eq!(found("namespace a { int f(); }", &["a::b"]), []);
}

#[test]
fn a_class_can_be_forbidden() {
    for (source, count) in [
        ("namespace demo { struct S; }", 1),
        ("namespace demo { struct S { int x; }; int f(); }", 1),
        ("namespace demo { struct T { int x; }; }", 0),
        ("int demo::S::f() { return 1; }", 1),
        ("int demo::f() { return 1; }", 0),
        ("demo::S s;", 0),
    ] {
        assert_eq!(found(source, &["demo::S"]).len(), count, "{source}");
    }
}

#[test]
fn an_alias_of_itself_does_not_grow() {
    let source = "namespace a = a::a; ".repeat(100);
    assert_eq!(found(&source, &["demo"]), []);
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "namespace ",
        "demo",
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
        "template",
        "using ",
        "extern \"C\" ",
        "operator",
        ":",
        ",",
        "[[",
        "]]",
        "~",
        "*",
        "inline ",
        "__attribute__",
        "final ",
        "enum ",
        "#pragma x\n",
        "[",
        "]",
        "friend ",
        "requires ",
    ]);
    prop::collection::vec(piece, 0..50).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_pieces_are_read_to_their_end(source in pieces()) {
        prop_assert!(found(&source, &["demo"]).len() <= source.len());
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let tokens: Vec<_> = located(&bytes).collect();
        prop_assert!(declared(&tokens, &["demo".to_owned()]).len() <= tokens.len());
    }

    #[test]
    fn a_namespace_is_found_behind_anything(before in pieces()) {
        // What opened it before may be a namespace of another name, which is the one it is in.
        prop_assume!(!before.contains("namespace"));
        let source = format!("{before};namespace demo {{ int f(); }}");
        let read = found(&source, &["demo"]);
        prop_assert!(!read.is_empty(), "{}", source);
    }

    #[test]
    fn nothing_is_found_where_the_name_is_not(source in pieces()) {
        prop_assert_eq!(found(&source, &["other"]), []);
    }
}

#[test]
fn namespaces_without_end_take_no_more_time_than_others() {
    // Minutes, when every namespace walked through all around it.
    for opened in [
        "namespace {",
        "namespace a {",
        "inline namespace b { int c; ",
    ] {
        assert_eq!(names(&opened.repeat(1 << 15)), <[&str; 0]>::default());
    }
    let deep = "namespace {".repeat(MOST_SCOPES - 1) + "namespace demo { int f(); }";
    assert_eq!(names(&deep).len(), 1);
    assert_eq!(names(&format!("namespace {{ {deep}")).len(), 0);
}
