//! Faults that link in silence, and honest libraries that look a little like them.

use serde_json::json;

use super::bench::{Bench, shown};

const MAIN: &str = "#include \"demo.hpp\"\n#include <cstdio>\n\
    int main() { std::printf(\"%d\\n\", demo::f()); }\n";

#[test]
fn a_symbol_of_the_consumers_that_replaces_the_librarys_is_found() {
    let main = format!("extern \"C\" int helper() {{ return 5; }}\n{MAIN}");
    let bench = Bench::new(
        "#pragma once\nnamespace demo { int f(); }\n",
        "#include \"demo.hpp\"\nextern \"C\" int helper();\nint demo::f() { return helper(); }\n",
        &main,
        "5\n",
    );
    let bench = bench.with(|bench| {
        bench.sources.push((
            "helper.cpp",
            "extern \"C\" int helper() { return 1; }\n".into(),
        ));
    });
    for verdict in bench.is("odr_or_duplicate") {
        assert_eq!(verdict.evidence["confirmed_by"], "whole_archive");
        assert_eq!(
            verdict.evidence["duplicates"][0]["kind"],
            "consumer_and_archive"
        );
    }
    bench.links_as("odr_or_duplicate");
}

#[test]
fn a_symbol_that_two_members_of_the_archive_define_is_found_though_one_is_never_linked() {
    let with_second = |second: &str| {
        let bench = Bench::new(
            "#pragma once\nnamespace demo { int f(); }\n",
            "#include \"demo.hpp\"\n__attribute__((weak)) int again() { return 1; }\n\
             template <class T> T same(T t) { return t; }\n\
             template int same<int>(int);\nint demo::f() { return 5; }\n",
            MAIN,
            "5\n",
        );
        let second = second.to_owned();
        bench.with(|bench| bench.sources.push(("second.cpp", second)))
    };
    for verdict in with_second("namespace demo { int f() { return 6; } }\n").is("odr_or_duplicate")
    {
        assert_eq!(verdict.evidence["duplicates"][0]["kind"], "library");
        assert_eq!(verdict.evidence["mode"], "archive");
    }
    with_second(
        "__attribute__((weak)) int again() { return 1; }\n\
         template <class T> T same(T t) { return t; }\ntemplate int same<int>(int);\n",
    )
    .is("pass");
}

/// A header whose `body` depends on a macro that the library's source defines.
fn by_macro(header: &str, source: &str, main: &str, stdout: &str) -> Bench {
    let source = format!("#define FAST 1\n#include \"demo.hpp\"\n{source}\n");
    Bench::new(header, &source, main, stdout)
}

#[test]
fn an_inline_body_that_depends_on_a_macro_is_found_whatever_it_prints() {
    let header = "#pragma once\nnamespace demo {\n#ifdef FAST\ninline int pick() { return 5; }\n#else\ninline int pick() { return 2 + 3; }\n#endif\nint f();\n}\n";
    let different = header.replace("2 + 3", "3");
    for header in [header.to_owned(), different] {
        let main = "#include \"demo.hpp\"\n#include <cstdio>\nint main() { std::printf(\"%d %d\\n\", demo::pick(), demo::f()); }\n";
        let bench = by_macro(
            &header,
            "int demo::f() { volatile int one = 1; return pick() * one; }",
            main,
            "5 5\n",
        );
        let verdicts = ["g++", "clang++"].map(|compiler| bench.graded_with(compiler));
        for verdict in verdicts {
            if header.contains("2 + 3") {
                // Both compile to the same: evidence alone.
                assert_eq!(verdict.outcome.class, "pass", "{}", shown(&verdict));
                assert!(
                    verdict.evidence["suspicions"][0]
                        .as_str()
                        .unwrap()
                        .contains("pick")
                );
            } else {
                assert_eq!(
                    verdict.outcome.class,
                    "odr_or_duplicate",
                    "{}",
                    shown(&verdict)
                );
                assert_eq!(verdict.evidence["name"], "demo::pick");
                assert_eq!(verdict.evidence["at"]["path"], "include/demo.hpp");
            }
        }
    }
}

#[test]
fn a_unit_that_is_too_large_to_be_read_hides_no_body() {
    let header = "#pragma once\nnamespace demo {\n#ifdef FAST\ninline int pick() { return 5; }\n#else\ninline int pick() { return 3; }\n#endif\nint f();\n}\n";
    // Nothing but text: its 72 MiB mean one number.
    let large = format!(
        "#define A \"{}\"\n#define B A A A A A A A A\n#define C B B B B B B B B\n\
         #define D C C C C C C\nint large() {{ return sizeof(D D D) > 1; }}\n",
        "a".repeat(1 << 16)
    );
    let source =
        format!("{large}int keep() {{ return demo::pick(); }}\nint demo::f() {{ return 5; }}");
    let main = format!("{MAIN}int keep_ours() {{ return demo::pick(); }}\n");
    let bench = by_macro(header, &source, &main, "5\n");
    let bench = bench.with(|bench| bench.settings["levels"] = json!(["-O0"]));
    let verdict = bench.graded_with("g++");
    assert_eq!(
        verdict.outcome.class,
        "odr_or_duplicate",
        "{}",
        shown(&verdict)
    );
    assert_eq!(verdict.evidence["confirmed_by"], "objects");
    assert_eq!(verdict.evidence["unread"], json!(["src/demo.cpp"]));
}

#[test]
fn a_class_whose_layout_depends_on_a_macro_is_found_though_it_prints_what_it_should() {
    let header = "#pragma once\nnamespace demo {\nstruct Cfg {\n#ifdef FAST\n  long more[4];\n#endif\n  int n;\n};\nint size();\nint f();\n}\n";
    let source = "int demo::f() { return 5; }\nint demo::size() { return sizeof(Cfg); }";
    for verdict in by_macro(header, source, MAIN, "5\n").is("odr_or_duplicate") {
        assert_eq!(verdict.evidence["name"], "demo::Cfg");
        assert_eq!(verdict.evidence["confirmed_by"], "size");
    }
    let main = "#include \"demo.hpp\"\n#include <cstdio>\nint main() { std::printf(\"%d\\n\", demo::size()); }\n";
    for verdict in by_macro(header, source, main, "4\n").is("odr_or_duplicate") {
        assert_eq!(verdict.evidence["confirmed_by"], "run");
    }
}

#[test]
fn a_class_whose_members_change_places_is_found_where_the_compiler_can() {
    let header = "#pragma once\nnamespace demo {\nstruct Cfg {\n#ifdef FAST\n  float x; int n;\n#else\n  int n; float x;\n#endif\n};\nint f(const Cfg &);\n}\n";
    let source = "int demo::f(const Cfg &c) { return c.n; }";
    let main = "#include \"demo.hpp\"\n#include <cstdio>\nint main() { demo::Cfg c{}; std::printf(\"%d\\n\", demo::f(c)); }\n";
    let bench = by_macro(header, source, main, "0\n");
    let verdict = bench.graded_with("g++");
    assert_eq!(
        verdict.outcome.class,
        "odr_or_duplicate",
        "{}",
        shown(&verdict)
    );
    assert_eq!(verdict.evidence["confirmed_by"], "whole_program");
    let verdict = bench.graded_with("clang++");
    assert_eq!(
        verdict.evidence["suspicions"][0],
        "demo::Cfg",
        "{}",
        shown(&verdict)
    );
}

#[test]
fn a_macro_of_the_consumers_own_counts_too() {
    let header = "#pragma once\nnamespace demo {\ninline int pick() {\n#ifdef FAST\n return 5;\n#else\n return 3;\n#endif\n}\nint f();\n}\n";
    let bench = Bench::new(
        header,
        "#include \"demo.hpp\"\nint demo::f() { return pick(); }\n",
        MAIN,
        "3\n",
    );
    let bench = bench.with(|bench| {
        bench.main = format!(
            "#define FAST\n{}",
            MAIN.replace("demo::f()", "demo::pick()")
        );
        bench.stdout = None;
    });
    bench.is("odr_or_duplicate");
}

/// A header, a source and the statements of a consumer that prints `5`.
type Honest = (&'static str, &'static str, &'static str);

#[rustfmt::skip]
const HONEST: &[Honest] = &[
    ("int f();", "int demo::f() { return 5; }", "std::printf(\"%d\\n\", demo::f());"),
    ("inline int f() { return 5; }", "int use() { return demo::f(); }", "std::printf(\"%d\\n\", demo::f());"),
    ("template <class T> T f(T t) { return t; }", "int use() { return demo::f(1); }", "std::printf(\"%d\\n\", demo::f(5));"),
    ("struct S { int n; int get() const; };", "int demo::S::get() const { return n; }", "demo::S s{5}; std::printf(\"%d\\n\", s.get());"),
    ("struct V { virtual ~V(); virtual int get(); };", "demo::V::~V() {}\nint demo::V::get() { return 5; }", "demo::V v; std::printf(\"%d\\n\", v.get());"),
    ("struct V { virtual ~V() = default; virtual int get() { return 5; } };", "int use() { return demo::V().get(); }", "demo::V v; std::printf(\"%d\\n\", v.get());"),
    ("extern const int n; inline constexpr int m = 5;", "const int demo::n = m;", "std::printf(\"%d\\n\", demo::n);"),
    ("inline int count = 0; int next();", "int demo::next() { return ++count; }", "demo::count = 4; std::printf(\"%d\\n\", demo::next());"),
    ("std::string name();", "std::string demo::name() { return \"5\"; }", "std::printf(\"%s\\n\", demo::name().c_str());"),
    ("std::vector<int> all();", "std::vector<int> demo::all() { return {1, 5}; }", "std::printf(\"%d\\n\", demo::all().at(1));"),
    ("std::map<std::string, int> table();", "std::map<std::string, int> demo::table() { return {{\"a\", 5}}; }", "std::printf(\"%d\\n\", demo::table()[\"a\"]);"),
    ("std::unique_ptr<int> own();", "std::unique_ptr<int> demo::own() { return std::make_unique<int>(5); }", "std::printf(\"%d\\n\", *demo::own());"),
    ("struct E : std::runtime_error { using std::runtime_error::runtime_error; }; void fail();", "void demo::fail() { throw E(\"5\"); }", "try { demo::fail(); } catch (const demo::E &e) { std::printf(\"%s\\n\", e.what()); }"),
    ("inline namespace v1 { int f(); }", "int demo::v1::f() { return 5; }", "std::printf(\"%d\\n\", demo::f());"),
    ("int apply(std::function<int()> f);", "int demo::apply(std::function<int()> f) { return f(); }", "std::printf(\"%d\\n\", demo::apply([] { return 5; }));"),
    ("enum class C { a = 5 }; int of(C);", "int demo::of(C c) { return static_cast<int>(c); }", "std::printf(\"%d\\n\", demo::of(demo::C::a));"),
    ("template <class T> struct B { T t; T get() const { return t; } }; extern template struct B<int>;", "template struct demo::B<int>;", "std::printf(\"%d\\n\", demo::B<int>{5}.get());"),
    ("struct P { struct I; P(); ~P(); int get() const; std::unique_ptr<I> i; };", "struct demo::P::I { int n = 5; };\ndemo::P::P() : i(new I) {}\ndemo::P::~P() = default;\nint demo::P::get() const { return i->n; }", "std::printf(\"%d\\n\", demo::P().get());"),
    ("class D { public: static D &get() { static D d; return d; } int n = 5; };", "int use() { return demo::D::get().n; }", "std::printf(\"%d\\n\", demo::D::get().n);"),
    ("void sort(std::vector<int> &v);", "#include <algorithm>\nvoid demo::sort(std::vector<int> &v) { std::sort(v.begin(), v.end()); }", "std::vector<int> v{9, 5}; demo::sort(v); std::printf(\"%d\\n\", v[0]);"),
    ("int f();", "#define NDEBUG\n#include <cassert>\nint demo::f() { assert(false); return 5; }", "std::printf(\"%d\\n\", demo::f());"),
];

/// Names and the headers they need.
const STANDARD: &[(&str, &str)] = &[
    ("std::string", "string"),
    ("std::vector", "vector"),
    ("std::map", "map"),
    ("std::unique_ptr", "memory"),
    ("std::runtime_error", "stdexcept"),
    ("std::function", "functional"),
];

#[test]
fn honest_libraries_pass_without_a_suspicion() {
    for (at, (header, source, body)) in HONEST.iter().enumerate() {
        let needs = STANDARD.iter().filter(|(name, _)| header.contains(name));
        let needs: String = needs
            .map(|(_, include)| format!("#include <{include}>\n"))
            .collect();
        let header = format!("#pragma once\n{needs}namespace demo {{ {header} }}\n");
        let source = format!("#include \"demo.hpp\"\n{source}\n");
        let main = format!("#include \"demo.hpp\"\n#include <cstdio>\nint main() {{ {body} }}\n");
        let bench = Bench::new(&header, &source, &main, "5\n");
        let compiler = if at % 2 == 0 { "g++" } else { "clang++" };
        let verdict = bench.graded_with(compiler);
        assert_eq!(
            verdict.outcome.class,
            "pass",
            "{at} {compiler}: {}",
            shown(&verdict)
        );
        assert!(
            !verdict.evidence.contains_key("suspicions"),
            "{at} {compiler}: {}",
            shown(&verdict)
        );
    }
}

#[test]
fn a_library_that_is_all_in_headers_needs_no_sources() {
    let bench = Bench::new(
        "#pragma once\nnamespace demo { inline int f() { return 5; } }\n",
        "",
        MAIN,
        "5\n",
    );
    bench.with(|bench| bench.sources.clear()).is("pass");
}
