//! Faults of headers, sources and consumers.

use serde_json::json;

use super::bench::Bench;

const HEADER: &str = "#pragma once\nnamespace demo { int add(int a, int b); }\n";
const SOURCE: &str = "#include \"demo.hpp\"\nint demo::add(int a, int b) { return a + b; }\n";
const MAIN: &str = "#include \"demo.hpp\"\n#include <cstdio>\n\
    int main() { std::printf(\"%d\\n\", demo::add(2, 3)); }\n";

fn honest() -> Bench {
    Bench::new(HEADER, SOURCE, MAIN, "5\n")
}

#[test]
fn an_honest_library_passes_in_every_mode() {
    honest().is("pass");
    let shared = honest().with(|bench| {
        bench.settings = json!({"mode": "shared"});
        bench.headers[0].1 = HEADER.replace(
            "int add",
            "__attribute__((visibility(\"default\"))) int add",
        );
    });
    shared.is("pass");
}

#[test]
fn a_header_that_is_not_there_is_missing() {
    let absent = honest().with(|bench| {
        bench.headers[0].0 = "other.hpp";
        bench.sources[0].1 = "namespace demo { int add(int a, int b) { return a + b; } }".into();
    });
    for verdict in absent.is("header_missing") {
        assert_eq!(verdict.evidence["name"], "demo.hpp");
    }
}

#[test]
fn a_header_that_includes_a_private_one_is_missing_it() {
    let leaks = honest().with(|bench| {
        bench.headers[0].1 = format!("#include \"detail.hpp\"\n{HEADER}");
        bench.sources.push(("detail.hpp", String::new()));
    });
    for verdict in leaks.is("header_missing") {
        assert_eq!(verdict.evidence["private"], "src/detail.hpp");
        assert_eq!(
            verdict.evidence["at"],
            json!({"path": "include/demo.hpp", "line": 1})
        );
    }
}

#[test]
fn a_header_in_a_published_folder_is_missed_there_and_a_systems_on_the_machine() {
    let wanting = |include: &str| {
        let text = format!("#include {include}\n{HEADER}");
        honest().with(|bench| {
            bench.headers[0].1 = text;
            // What it says of the sources comes first, so none needs the header.
            bench.sources[0].1 =
                "namespace demo { int add(int a, int b) { return a + b; } }".into();
        })
    };
    let own = wanting("<demo/gone.hpp>");
    let own = own.with(|bench| bench.headers.push(("demo/there.hpp", String::new())));
    own.is("header_missing");
    wanting("\"gone.hpp\"").is("header_missing");
    let system = wanting("<not/there.hpp>");
    system.is("environment");
    system
        .with(|bench| bench.changed = Some(vec!["include/demo.hpp"]))
        .is("header_missing");
}

#[test]
fn what_a_header_does_not_declare_is_a_missing_declaration() {
    let silent = honest().with(|bench| {
        bench.headers[0].1 = "#pragma once\nnamespace demo {}\n".into();
        bench.sources[0].1 = "namespace demo { int add(int, int); }\nint demo::add(int a, int b) { return a + b; }\n".into();
    });
    for verdict in silent.is("missing_declaration") {
        assert_eq!(verdict.evidence["archive"], "defines it");
    }
    let other = honest().with(|bench| {
        bench.headers[0].1 = HEADER.replace("(int a, int b)", "(int a)");
        bench.sources[0].1 =
            SOURCE.replace("(int a, int b) { return a + b; }", "(int a) { return a; }");
    });
    other.is("missing_declaration");
    let leaning = honest().with(|bench| {
        bench.headers[0].1 = HEADER.replace("int add(", "std::string name(); int add(");
    });
    let leaning = leaning.with(|bench| bench.sources[0].1 = format!("#include <string>\n{SOURCE}"));
    leaning.is("missing_declaration");
}

#[test]
fn a_source_that_does_not_compile_is_the_candidates() {
    let broken = honest().with(|bench| bench.sources[0].1 = "int f( {".into());
    broken.is("candidate_build_error");
    let broken = honest().with(|bench| bench.headers[0].1 = format!("{HEADER}int f( {{"));
    broken.is("candidate_build_error");
    let lacking = honest().with(|bench| {
        bench.sources[0].1 = format!("#include <not/there.hpp>\n{SOURCE}");
        bench.changed = Some(vec!["src/demo.cpp"]);
    });
    lacking.is("candidate_build_error");
    lacking
        .with(|bench| bench.changed = Some(vec![]))
        .is("environment");
}

#[test]
fn a_consumer_with_a_mistake_of_its_own_is_told_so() {
    for mistake in [
        "int main() { return 0 }",
        "int main() { int x = \"no\"; return x; }",
    ] {
        let wrong =
            honest().with(|bench| bench.main = format!("#include \"demo.hpp\"\n{mistake}\n"));
        wrong.is("consumer_error");
    }
    let headless = honest().with(|bench| bench.main = "#include \"demo.hpp\"\n".into());
    headless.is("consumer_error");
    let foreign = honest().with(|bench| bench.main = format!("#include <not/there.hpp>\n{MAIN}"));
    foreign.is("environment");
}

#[test]
fn a_consumer_that_includes_what_is_private_is_no_stranger() {
    let prying = honest().with(|bench| bench.private_includes = vec![("x.hpp".into(), 3)]);
    prying.is("invalid_consumer");
}

#[test]
fn a_consumer_that_declares_for_the_library_is_no_stranger() {
    let declaring = |text: &str| {
        let main = MAIN.replace("int main", &format!("{text}\nint main"));
        honest().with(|bench| bench.main = main)
    };
    for verdict in declaring("namespace demo { int more(); }").is("invalid_consumer") {
        assert_eq!(
            verdict.evidence["at"],
            json!({"path": "goldens/consumers/c/main.cpp", "line": 3})
        );
    }
    declaring("#if 0\nnamespace demo { int more(); }\n#endif").is("pass");
    declaring("using namespace demo; namespace d = demo;").is("pass");
    for marker in [
        "# 1 \"x.hpp\"",
        "#line 1 \"x.hpp\"",
        "%: 7 \"checkout/include/demo.hpp\"",
    ] {
        let hidden = declaring(&format!("{marker}\nnamespace demo {{ int more(); }}"));
        let hidden = hidden.with(|bench| {
            bench.settings["flags"] = json!(["-std=c++20"]);
        });
        for verdict in hidden.is("invalid_consumer") {
            assert_eq!(verdict.evidence["at"]["line"], 4);
        }
    }
    // It does not compile, and would not be a stranger if it did.
    let silent = declaring("namespace demo { int add(int, int); }");
    silent
        .with(|bench| bench.headers.clear())
        .is("invalid_consumer");
}

#[test]
fn a_library_that_declares_by_macros_in_the_consumers_name_is_judged() {
    let sly = honest().with(|bench| {
        bench.headers[0].1 =
            format!("{HEADER}#define main demo_main; namespace demo {{ int x; }} int main\n");
    });
    for verdict in sly.is("pass") {
        assert!(!verdict.evidence.contains_key("declares"));
    }
}

#[test]
fn a_library_that_gives_itself_out_for_the_consumer_is_judged() {
    let sly = honest().with(|bench| {
        let marker = "# 1 \"consumer/main.cpp\"\n";
        bench.headers[0].1 =
            format!("{HEADER}{marker}namespace demo {{ inline int x() {{ return 1; }} }}\n");
        bench.main = format!("#define MORE 1\n{MAIN}");
        bench.settings["flags"] = json!(["-std=c++20"]);
    });
    for verdict in sly.is("pass") {
        assert!(!verdict.evidence.contains_key("declares"));
    }
}

#[test]
fn a_header_for_another_system_is_left_out_of_the_second_unit() {
    let bench = honest().with(|bench| {
        bench
            .headers
            .push(("other.hpp", "#include <not/of/this/system.h>\n".into()));
        bench.main = format!("#ifdef NOT_HERE\n#include \"other.hpp\"\n#endif\n{MAIN}");
    });
    bench.is("pass");
}
