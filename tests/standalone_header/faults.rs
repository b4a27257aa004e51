//! The table of faults.

use driftgate::model::header::Language;
use driftgate::model::trial::Judgement;
use serde_json::{Value, json};

use crate::bench::{Asked, Bench, COMPILERS};

/// A header, the class it gets, and pieces of evidence that must be there.
struct Row {
    fault: &'static str,
    files: Vec<(&'static str, Vec<u8>)>,
    class: &'static str,
    evidence: Value,
}

fn row(fault: &'static str, text: &str, class: &'static str, evidence: Value) -> Row {
    Row {
        fault,
        files: vec![("lib/a.hpp", text.as_bytes().to_vec())],
        class,
        evidence,
    }
}

fn std_row(name: &'static str, text: &str, header: &str) -> Row {
    let text = format!("#pragma once\n{text}");
    let evidence = json!({
        "repaired_by": ["standard library"],
        "suggestion": {
            "path": "include/lib/a.hpp", "line": 2, "header": header,
            "text": format!("#include <{header}>\n"), "proven": true,
        },
    });
    row(name, &text, "missing_declaration", evidence)
}

fn other(fault: &'static str, text: &str) -> Row {
    let text = format!("#pragma once\n{text}");
    row(fault, &text, "other_compile_error", json!({}))
}

impl Row {
    fn beside(mut self, path: &'static str, text: &str) -> Self {
        self.files.push((path, text.as_bytes().to_vec()));
        self
    }
}

/// Whether everything in `expected` is in `found`.
fn holds(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => expected
            .iter()
            .all(|(key, value)| found.get(key).is_some_and(|found| holds(found, value))),
        _ => found == expected,
    }
}

fn judge_all(rows: &[Row]) {
    let mut wrong = Vec::new();
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        for row in rows {
            let files: Vec<_> = row
                .files
                .iter()
                .map(|(path, text)| (*path, text.as_slice()))
                .collect();
            let (judgement, asks) = bench.judge(&Asked::of(&files));
            let evidence = Value::Object(judgement.verdict.evidence.clone());
            let as_expected = judgement.verdict.outcome.class == row.class
                && holds(&evidence, &row.evidence)
                && asks < 64;
            if !as_expected {
                wrong.push(format!(
                    "{compiler}, {}, {asks} asks: {:#?}",
                    row.fault, judgement.verdict
                ));
            }
            assert_is_clean_of_paths(&judgement);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn assert_is_clean_of_paths(judgement: &Judgement) {
    let text = serde_json::to_string(&judgement.verdict).unwrap();
    assert!(
        !text.contains("/tmp/") && !text.contains("checkout/"),
        "{text}"
    );
}

#[test]
fn a_header_in_order_is_clean() {
    judge_all(&[
        row(
            "guarded",
            "#pragma once\n#include <string>\nstd::string f();\n",
            "clean",
            json!({}),
        ),
        row(
            "bom",
            "\u{feff}#pragma once\nint f();\n",
            "clean",
            json!({}),
        ),
        row("crlf", "#pragma once\r\nint f();\r\n", "clean", json!({})),
        row("empty", "", "clean", json!({})),
        row("declarations alone", "int f();\n", "clean", json!({})),
    ]);
}

#[test]
fn a_header_that_leans_on_the_standard_library_is_told_what_to_include() {
    judge_all(&[
        std_row("type", "uint32_t f();\n", "cstdint"),
        std_row(
            "template argument",
            "template <class T> struct B {};\nB<uint32_t> f();\n",
            "cstdint",
        ),
        std_row("string, nothing of std", "std::string f();\n", "string"),
        std_row("vector", "std::vector<int> f();\n", "vector"),
        std_row(
            "max",
            "inline int f(int a) { return std::max(a, 2); }\n",
            "algorithm",
        ),
        std_row("array", "std::array<int, 3> f();\n", "array"),
        std_row(
            "function of C",
            "inline int f(const char* a) { return strlen(a) == 3; }\n",
            "cstring",
        ),
        std_row("macro", "inline int* f() { return NULL; }\n", "cstddef"),
        std_row("size_t", "size_t f();\n", "cstddef"),
        std_row(
            "typeid",
            "inline bool f(int a) { return typeid(a) == typeid(int); }\n",
            "typeinfo",
        ),
        row(
            "two of them",
            "#pragma once\nstd::string f(uint32_t);\n",
            "missing_declaration",
            json!({"repaired_by": ["standard library"]}),
        ),
        row(
            "incomplete type of std",
            "#pragma once\n#include <iosfwd>\ninline void f() { std::ostringstream o; }\n",
            "missing_declaration",
            json!({"repaired_by": ["standard library"], "suggestion": {"header": "sstream", "line": 3}}),
        ),
        row(
            "initializer list",
            "#pragma once\ninline int f() { auto a = {1, 2}; (void)a; return 0; }\n",
            "missing_declaration",
            json!({"suggestion": {"header": "initializer_list"}}),
        ),
        row(
            "placement new",
            "#pragma once\nstruct A {};\ninline A* f(void* p) { return new (p) A; }\n",
            "missing_declaration",
            json!({"repaired_by": ["standard library"], "suggestion": {"header": "new", "proven": true}}),
        ),
    ]);
}

#[test]
fn a_header_that_leans_on_a_neighbour_is_told_which() {
    let thing = "#pragma once\nnamespace lib { struct Thing { int a; }; }\n";
    let by_thing = json!({
        "repaired_by": ["include/lib/thing.hpp"],
        "suggestion": {"header": "lib/thing.hpp", "text": "#include \"lib/thing.hpp\"\n", "line": 2, "proven": true},
    });
    let leans = |fault, text: &str| {
        let text = format!("#pragma once\n{text}");
        row(fault, &text, "missing_declaration", by_thing.clone())
            .beside("lib/thing.hpp", thing)
            .beside(
                "lib/dirty.hpp",
                "struct Dirty { lib::Thing a; uint64_t b; };\n",
            )
    };
    judge_all(&[
        leans("namespace", "lib::Thing f();\n"),
        leans(
            "name in a namespace",
            "namespace lib { struct Other; }\ninline int f(lib::Thing a) { return a.a; }\n",
        ),
        leans("parameter", "namespace lib { int f(Thing); }\n"),
        leans("base class", "namespace lib { struct B : Thing {}; }\n"),
        leans(
            "incomplete member",
            "namespace lib { struct Thing; struct B { Thing a; }; }\n",
        ),
        leans(
            "incomplete access",
            "namespace lib { struct Thing; inline int f(Thing* a) { return a->a; } }\n",
        ),
        row(
            "template",
            "#pragma once\nVec<int> f();\n",
            "missing_declaration",
            json!({"repaired_by": ["include/lib/vec.hpp"], "name": "Vec"}),
        )
        .beside(
            "lib/vec.hpp",
            "#pragma once\ntemplate <class T> struct Vec {};\n",
        ),
        row(
            "macro of another header",
            "#pragma once\nLIB_API int f();\n",
            "missing_declaration",
            json!({"repaired_by": ["include/lib/export.hpp"]}),
        )
        .beside("lib/export.hpp", "#pragma once\n#define LIB_API\n"),
        row(
            "both",
            "#pragma once\nstd::vector<lib::Thing> f();\n",
            "missing_declaration",
            json!({
                "repaired_by": ["standard library", "include/lib/thing.hpp"],
                "suggestion": {"text": "#include <vector>\n#include \"lib/thing.hpp\"\n", "proven": true},
            }),
        )
        .beside("lib/thing.hpp", thing)
        .beside("lib/all.hpp", "#pragma once\n#include <vector>\n#include \"thing.hpp\"\ntypedef lib::Thing A;\n"),
    ]);
}

#[test]
fn a_file_that_is_not_there_outranks_everything_else() {
    judge_all(&[
        row(
            "private header",
            "#pragma once\nuint32_t f();\n#include \"detail/x.hpp\"\n",
            "header_missing",
            json!({"name": "detail/x.hpp", "at": {"path": "include/lib/a.hpp", "line": 3}, "itself": false,
                   "fault": "detail/x.hpp"}),
        ),
        row(
            "elsewhere",
            "#pragma once\n#include \"x.hpp\"\n",
            "header_missing",
            json!({"elsewhere": ["include/other/x.hpp"]}),
        )
        .beside("other/x.hpp", ""),
        row(
            "neighbour in angle brackets",
            "#include <b.hpp>\n",
            "header_missing",
            json!({"name": "b.hpp"}),
        )
        .beside("lib/b.hpp", "#pragma once\n"),
        row(
            "of a neighbour",
            "#pragma once\n#include \"b.hpp\"\n",
            "header_missing",
            json!({"at": {"path": "include/lib/b.hpp", "line": 2}, "name": "gone.hpp"}),
        )
        .beside("lib/b.hpp", "#pragma once\n#include <gone.hpp>\n"),
    ]);
}

#[test]
fn what_nothing_repairs_is_another_error() {
    let deep: String = "template <int N> struct D { static constexpr int v = D<N - 1>::v; };\n\
        template <> struct D<0> { static constexpr int v = nope; };\nint x = D<20>::v;\n"
        .to_owned();
    judge_all(&[
        other("typo", "#include <vector>\nstd::vectr<int> f();\n"),
        other("undefined macro", "LIB_API int f();\n"),
        other("syntax", "int f(;\n"),
        other("#error", "#error \"not here\"\n"),
        other(
            "#error that speaks of a file",
            "#error x.hpp: No such file or directory\n",
        ),
        other(
            "#error that speaks as clang does",
            "#error 'x.hpp' file not found\n",
        ),
        other(
            "static_assert",
            "static_assert(sizeof(int) == 1, \"bad int\");\n",
        ),
        other("unused parameter", "inline int f(int a) { return 0; }\n"),
        other("deep templates", &deep),
        other(
            "error inside the standard library",
            "#include <algorithm>\n#include <vector>\nstruct N {};\n\
             inline void f(std::vector<N>& v) { std::sort(v.begin(), v.end()); }\n",
        ),
        other("incomplete user type", "struct F;\nstruct A { F f; };\n"),
        row(
            "self include",
            "#include \"a.hpp\"\nint f();\n",
            "other_compile_error",
            json!({}),
        ),
        row(
            "bytes that are no text",
            "#pragma once\n\0\0\u{1}\u{2}\0int f(\n",
            "other_compile_error",
            json!({}),
        ),
    ]);
}

#[test]
fn a_header_without_a_guard_is_told_apart() {
    judge_all(&[row(
        "struct",
        "struct NG { int a; };\n",
        "not_reincludable",
        json!({"at": {"path": "include/lib/a.hpp", "line": 1}}),
    )]);
}

#[test]
fn names_with_blanks_and_quotes_are_included() {
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        for name in [
            "lib/a b.hpp",
            "lib/a'b.hpp",
            "lib/a\"b.hpp",
            "lib/ä.hpp",
            "unit.cpp",
        ] {
            let (judgement, _) = bench.judge(&Asked::of(&[(name, b"#pragma once\nint f();\n")]));
            assert_eq!(
                judgement.verdict.outcome.class, "clean",
                "{compiler}: {judgement:?}"
            );
        }
    }
}

#[test]
fn a_header_of_c_is_compiled_as_c_where_it_may_be() {
    let text: &[u8] =
        b"#ifndef A_H\n#define A_H\n#include <stdint.h>\nuint32_t f(int class);\n#endif\n";
    let says_cxx: &[u8] = b"#pragma once\n#ifdef __cplusplus\n#endif\nint f(int class);\n";
    let leans: &[u8] = b"#ifndef A_H\n#define A_H\nuint32_t f(int class);\n#endif\n";
    let table = [
        ("a.h", text, Language::Either, "clean"),
        ("a.h", text, Language::C, "clean"),
        ("a.h", text, Language::Cxx, "other_compile_error"),
        ("a.hpp", text, Language::Either, "other_compile_error"),
        ("a.h", says_cxx, Language::Either, "other_compile_error"),
        ("a.h", leans, Language::C, "missing_declaration"),
    ];
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        for (name, text, language, class) in table {
            let files = [(name, text)];
            let asked = Asked {
                language,
                ..Asked::of(&files)
            };
            let verdict = bench.judge(&asked).0.verdict;
            assert_eq!(
                verdict.outcome.class, class,
                "{compiler} {language:?}: {verdict:#?}"
            );
            if class == "missing_declaration" {
                assert_eq!(
                    verdict.evidence["suggestion"]["header"], "stdint.h",
                    "{verdict:#?}"
                );
            }
            assert_eq!(
                verdict.evidence.contains_key("language"),
                language == Language::C || class == "clean"
            );
        }
    }
}

#[test]
fn a_header_that_c_may_include_is_told_what_both_languages_have() {
    let both: &[u8] = b"#pragma once\nuint32_t f(void);\n";
    let guarded: &[u8] =
        b"#pragma once\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nsize_t f(void);\n#ifdef __cplusplus\n}\n#endif\n";
    let of_cxx: &[u8] = b"#pragma once\nnamespace a { uint32_t f(); }\n";
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        for (text, header) in [
            (both, "stdint.h"),
            (guarded, "stddef.h"),
            (of_cxx, "cstdint"),
        ] {
            let files = [("a.h", text)];
            let asked = Asked {
                language: Language::Either,
                ..Asked::of(&files)
            };
            let verdict = bench.judge(&asked).0.verdict;
            assert_eq!(
                verdict.evidence["suggestion"]["header"], header,
                "{compiler}: {verdict:#?}"
            );
        }
    }
}

#[test]
fn a_standard_that_is_too_old_is_no_missing_include() {
    let text: &[u8] = b"#pragma once\ntemplate <class T> concept C = true;\n";
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        let files = [("a.hpp", text)];
        for (flags, class) in [
            (json!({"flags": ["-std=c++17"]}), "other_compile_error"),
            (json!({}), "clean"),
            (json!({"flags": ["-std=c++9999"]}), "incomplete"),
        ] {
            let asked = Asked {
                settings: flags,
                ..Asked::of(&files)
            };
            let verdict = bench.judge(&asked).0.verdict;
            assert_eq!(verdict.outcome.class, class, "{compiler}: {verdict:#?}");
        }
    }
}

#[test]
fn what_a_standard_library_brings_by_chance_is_advice() {
    judge_all(&[row(
        "chance",
        "#pragma once\n#include <string>\nstd::string f(uint32_t);\n",
        "clean",
        json!({"advice": [
            {"kind": "transitive_only", "name": "uint32_t", "header": "cstdint", "line": 3},
        ]}),
    )]);
}

/// A file below the header's folder for each of `count` includes, one including the next.
fn chain(count: usize) -> Row {
    let mut row = row(
        "chain",
        "#pragma once\n#include \"d0.hpp\"\n",
        "clean",
        json!({}),
    );
    for number in 0..count {
        let path: &'static str = Box::leak(format!("lib/d{number}.hpp").into_boxed_str());
        let text = format!("#pragma once\n#include \"d{}.hpp\"\n", number + 1);
        row = row.beside(path, &text);
    }
    row
}

#[test]
fn includes_may_be_deep() {
    let last = "#pragma once\nuint32_t f();\n";
    let mut good = chain(150).beside("lib/d150.hpp", "#pragma once\n");
    good.fault = "deep and clean";
    let mut leans = chain(150).beside("lib/d150.hpp", last);
    leans.fault = "deep and leaning";
    leans.class = "missing_declaration";
    leans.evidence = json!({
        "at": {"path": "include/lib/d150.hpp", "line": 2},
        "suggestion": {"path": "include/lib/d150.hpp", "line": 2, "header": "cstdint"},
    });
    let mut missing = chain(150);
    missing.fault = "deep and missing";
    missing.class = "header_missing";
    missing.evidence =
        json!({"at": {"path": "include/lib/d149.hpp", "line": 2}, "name": "d150.hpp"});
    let mut too_deep = chain(205).beside("lib/d205.hpp", "");
    too_deep.fault = "too deep";
    too_deep.class = "other_compile_error";
    judge_all(&[good, leans, missing, too_deep]);
}

#[test]
fn a_template_of_the_team_decides_what_is_called() {
    let text: &[u8] = b"#pragma once\ntemplate <class T> int f(T a) { return a.nope; }\n";
    let x_macro: &[u8] = b"ITEM(one)\nITEM(two)\n";
    let unguarded: &[u8] = b"struct NG {};\n";
    let calls = "#include \"a.hpp\"\nint x = f(1);\n";
    let defines = "#define ITEM(x) int x();\n#include \"a.hpp\"\n";
    let table = [
        (text, None, false, "clean"),
        (text, Some(calls), false, "other_compile_error"),
        (x_macro, None, true, "other_compile_error"),
        (x_macro, Some(defines), true, "clean"),
        (unguarded, None, true, "clean"),
        (
            unguarded,
            Some("#include \"a.hpp\""),
            false,
            "not_reincludable",
        ),
        (unguarded, Some("#include <gone.h>\n"), false, "incomplete"),
    ];
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        for (text, probe, once_only, class) in table {
            let files = [("a.hpp", text)];
            let asked = Asked {
                probe,
                once_only,
                ..Asked::of(&files)
            };
            let verdict = bench.judge(&asked).0.verdict;
            assert_eq!(
                verdict.outcome.class, class,
                "{compiler} {probe:?}: {verdict:#?}"
            );
        }
    }
}

#[test]
fn what_was_read_of_the_system_is_known() {
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        for text in [
            "#pragma once\n#include <vector>\n",
            "#pragma once\n#include <vector>\nint f(;\n",
        ] {
            let files = [("a.hpp", text.as_bytes())];
            assert!(
                bench.judge(&Asked::of(&files)).0.system.is_some(),
                "{compiler}: {text}"
            );
        }
    }
}
