//! Faults that show when everything is linked.

use serde_json::json;

use super::bench::Bench;

const MAIN: &str = "#include \"demo.hpp\"\n#include <cstdio>\n\
    int main() { std::printf(\"%d\\n\", demo::f()); }\n";
const HEADER: &str = "#pragma once\nnamespace demo { int f(); }\n";

fn defined_as(source: &str) -> Bench {
    Bench::new(
        HEADER,
        &format!("#include \"demo.hpp\"\n{source}\n"),
        MAIN,
        "5\n",
    )
}

#[test]
fn the_reason_for_an_undefined_symbol_is_named() {
    for (source, kind) in [
        ("int g() { return 5; }", "absent"),
        (
            "namespace demo { int f(int) { return 5; } }",
            "other_signature",
        ),
        (
            "namespace demo { namespace { [[maybe_unused]] int f() { return 5; } int (*keep)() = f; } int (*get())() { return keep; } }",
            "local",
        ),
    ] {
        let bench = defined_as(source);
        let bench = if kind == "local" {
            bench.with(|bench| bench.sources[0].1 = source.to_owned())
        } else {
            bench
        };
        for verdict in bench.is("link_undefined") {
            assert_eq!(
                verdict.evidence["kind"],
                kind,
                "{}",
                super::bench::shown(&verdict)
            );
        }
        bench.links_as("link_undefined");
    }
}

#[test]
fn a_hidden_symbol_is_missed_in_a_shared_object_alone() {
    let bench = defined_as("int demo::f() { return 5; }");
    bench.is("pass");
    let shared = bench.with(|bench| bench.settings = json!({"mode": "both"}));
    for verdict in shared.is("link_undefined") {
        assert_eq!(verdict.evidence["kind"], "hidden");
        assert_eq!(verdict.evidence["mode"], "shared");
    }
    shared.links_as("link_undefined");
}

#[test]
fn a_source_in_c_is_compiled_as_c() {
    let bench = |header: &str| {
        let source = "#include \"demo.hpp\"\nint f(void) { int class = 5; return class; }\n";
        let main = MAIN.replace("demo::f", "f");
        Bench::new(header, source, &main, "5\n").with(|bench| {
            bench.sources[0].0 = "demo.c";
            bench.settings = json!({
                "mode": "both",
                "flags": ["-std=c++20", "-Wall", "-Werror", "-Wold-style-cast", "-Weffc++"],
            });
        })
    };
    bench("int f(void);\n").is("link_undefined");
    bench(
        "#ifdef __cplusplus\nextern \"C\"\n#endif\n__attribute__((visibility(\"default\"))) int f(void);\n",
    )
    .is("pass");
}

#[test]
fn what_no_public_header_promises_is_the_consumers_own_wish() {
    let wanting = |declaration: &str, header: &str| {
        let main = MAIN.replace(
            "int main() {",
            &format!("{declaration}\nint main() {{ more();"),
        );
        Bench::new(header, "int demo_f() { return 5; }\n", &main, "5\n")
    };
    let whole = "#pragma once\nnamespace demo { inline int f() { return 5; } }\n";
    for verdict in wanting("int more();", whole).is("consumer_error") {
        assert!(
            verdict.detail.contains("`more()`, which no public header"),
            "{}",
            verdict.detail
        );
    }
    wanting("int more();", whole).links_as("consumer_error");
    let promised = format!("{whole}int more();\n");
    wanting("int more();", &promised).is("link_undefined");
    // What the library promises besides is missing.
    wanting("int more();", HEADER).is("link_undefined");
}

#[test]
fn a_system_library_that_nobody_names_is_named() {
    let bench =
        defined_as("#include <crypt.h>\nint demo::f() { return crypt(\"a\", \"ab\") ? 5 : 0; }");
    for verdict in bench.is("link_undefined") {
        assert_eq!(
            verdict.evidence["kind"],
            "system",
            "{}",
            super::bench::shown(&verdict)
        );
    }
    bench.links_as("link_undefined");
    bench.with(|bench| bench.link = vec!["-lcrypt"]).is("pass");
}

#[test]
fn a_library_that_is_not_installed_is_the_environment() {
    let bench = defined_as("int demo::f() { return 5; }");
    let bench = bench.with(|bench| bench.link = vec!["-lnot-there-at-all"]);
    bench.links_as("environment");
}

#[test]
fn a_function_without_inline_is_there_twice() {
    let bench = defined_as("int demo::f() { return g(); }");
    let bench =
        bench.with(|bench| bench.headers[0].1 = format!("{HEADER}int g() {{ return 5; }}\n"));
    for verdict in bench.is("odr_or_duplicate") {
        assert_eq!(verdict.evidence["duplicates"][0]["kind"], "missing_inline");
    }
    bench.links_as("odr_or_duplicate");
}

#[test]
fn a_class_without_its_first_virtual_function_has_no_vtable() {
    let header =
        "#pragma once\nnamespace demo { struct V { virtual ~V(); virtual int g(); }; int f(); }\n";
    let bench = defined_as("int demo::f() { return V().g(); }\nint demo::V::g() { return 5; }");
    let bench = bench.with(|bench| bench.headers[0].1 = header.into());
    for verdict in bench.is("link_undefined") {
        let items = verdict.evidence["undefined"].as_array().unwrap();
        assert!(
            items.iter().any(|item| item["kind"] == "vtable"),
            "{items:?}"
        );
    }
    bench.links_as("link_undefined");
}

#[test]
fn some_faults_show_at_one_level_only() {
    let member = Bench::new(
        "#pragma once\nnamespace demo { struct C { static const int n = 5; }; int f(const int &); }\n",
        "#include \"demo.hpp\"\nint demo::f(const int &n) { return n; }\n",
        "#include \"demo.hpp\"\n#include <cstdio>\nint main() { const int &n = demo::C::n; std::printf(\"%d\\n\", n); }\n",
        "5\n",
    );
    for verdict in member.is("link_undefined") {
        assert_eq!(verdict.evidence["level"], "-O0");
    }
    let template = Bench::new(
        "#pragma once\nnamespace demo { template <class T> T f(T); int g(); }\n",
        "#include \"demo.hpp\"\ntemplate <class T> T demo::f(T t) { return t; }\nint demo::g() { return f(5); }\n",
        "#include \"demo.hpp\"\n#include <cstdio>\nint main() { std::printf(\"%d\\n\", demo::f(5) + demo::g()); }\n",
        "10\n",
    );
    for verdict in template.is("link_undefined") {
        assert_eq!(verdict.evidence["level"], "-O2");
        assert_eq!(verdict.evidence["kind"], "template_instance");
    }
}

#[test]
fn a_symbol_that_speaks_like_a_machine_earns_no_excuse() {
    let bench = defined_as(
        "int gone() asm(\"No space left on device\");\nint demo::f() { return gone(); }",
    );
    let verdicts = ["g++", "clang++"].map(|compiler| bench.graded_with(compiler));
    for verdict in verdicts {
        assert_eq!(
            verdict.outcome.status.as_str(),
            "fail",
            "{}",
            super::bench::shown(&verdict)
        );
    }
}
