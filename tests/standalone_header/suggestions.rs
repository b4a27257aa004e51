//! What is told as proven is applied as it is told, and judged again.

use serde_json::{Value, json};

use crate::bench::{Asked, Bench, COMPILERS};

const NEEDS: &str = "inline std::string one() { return \"1\"; }\n";
const C_API: (&str, &str) = (
    "c_api.h",
    "#ifndef C_API\n#define C_API\nint c_api(int);\n#endif\n",
);

/// What stands before and behind the line that lacks `<string>`, and the line of the suggestion that
/// is proven, if one is.
#[rustfmt::skip]
const LACKING: &[(&str, &str, &str, Option<u32>)] = &[
    ("pragma once", "#pragma once\n", "", Some(2)),
    ("guard", "#ifndef A\n#define A\n", "#endif\n", Some(3)),
    ("licence", "/* MIT\n * x */\n#pragma once\n\n", "", Some(4)),
    ("includes", "#pragma once\n#include <cstddef>\n\n", "", Some(3)),
    ("nothing in front", "", "", None),
    ("a block of C", "#pragma once\n\nextern \"C\" {\n#include \"c_api.h\"\n}\n\n", "", Some(2)),
    ("a namespace", "#pragma once\nnamespace detail {\n#include \"c_api.h\"\n}\n", "", Some(2)),
    ("a comment behind code",
        "#pragma once\ninline int two() { return 2; } /* use:\n#include <mylib.hpp>\n*/\n", "", Some(2)),
    ("a comment behind an include",
        "#pragma once\n#include <cstddef> /* size_t\n  and friends */\n", "", Some(2)),
    ("a comment behind the guard", "#pragma once /* once\n  only */\n", "", None),
    ("a raw string",
        "#pragma once\ninline const char* help() { return R\"(\n#include <x>\n)\"; }\n", "", Some(2)),
    ("a continued guard", "#ifndef A_HPP\n#define A_HPP \\\n  1\n\n", "#endif\n", Some(4)),
    ("a default before the guard",
        "#ifndef LIB_MODE\n#define LIB_MODE 1\n#endif\n#ifndef A_HPP\n#define A_HPP\n", "#endif\n", Some(6)),
    ("a default before all",
        "#ifndef LIB_MODE\n#define LIB_MODE 1\n#endif\n#pragma once\n", "", Some(5)),
    ("a condition that is no guard",
        "#ifndef LIB_MODE\n#define LIB_MODE 1\nint mode();\n#else\n", "#endif\n", None),
    ("between two that belong together",
        "#pragma once\n#include \"begin.h\"\n\n", "#include \"end.h\"\n", Some(2)),
];

/// `text` with the edit, as a page puts it in.
fn applied(text: &str, edit: &Value) -> String {
    let line = usize::try_from(edit["line"].as_u64().unwrap()).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(line - 1, edit["text"].as_str().unwrap().trim_end());
    lines.join("\n") + "\n"
}

fn suggested(bench: &Bench, files: &[(&str, &str)], settings: &Value) -> (String, Value) {
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes()))
        .collect();
    let asked = Asked {
        settings: settings.clone(),
        ..Asked::of(&files)
    };
    let verdict = bench.judge(&asked).0.verdict;
    let edit = verdict.evidence.get("suggestion").cloned();
    (verdict.outcome.class, edit.unwrap_or_default())
}

#[test]
fn a_suggestion_is_proven_where_it_goes_or_not_at_all() {
    let settings = json!({"flags": ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-DLIB_MODE=2"]});
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        for (what, before, after, line) in LACKING {
            if compiler == "clang++" && after.contains("end.h") {
                // It takes no block that is closed in another file.
                continue;
            }
            let text = format!("{before}{NEEDS}{after}");
            let judged = |text: &str| {
                let beside = [("begin.h", "extern \"C\" {\n"), ("end.h", "}\n"), C_API];
                let files = [&[("a.hpp", text)][..], &beside].concat();
                suggested(&bench, &files, &settings)
            };
            let (class, edit) = judged(&text);
            let told = format!("{compiler}, {what}: {class} {edit}");
            let proven = edit["line"].as_u64().filter(|_| edit["proven"] == true);
            assert_eq!(proven, line.map(u64::from), "{told}");
            if proven.is_some() {
                let after = applied(&text, &edit);
                assert_eq!(judged(&after).0, "clean", "{told}\n{after}");
            }
        }
    }
}

#[test]
fn a_header_is_told_what_goes_into_itself() {
    let a = format!("#pragma once\n{NEEDS}");
    for compiler in COMPILERS {
        let bench = Bench::new(compiler);
        for (own, proven) in [
            ("#pragma once\n#include \"a.hpp\"\nint f();\n", false),
            (
                "#pragma once\n#include \"a.hpp\"\nstd::vector<int> two();\n",
                false,
            ),
            (
                "#pragma once\n#include \"a.hpp\"\nstd::string two();\n",
                true,
            ),
        ] {
            let (class, edit) =
                suggested(&bench, &[("b.hpp", own), ("a.hpp", a.as_str())], &json!({}));
            assert_eq!(class, "missing_declaration");
            assert_eq!(edit["proven"], proven, "{compiler}: {edit}");
            if proven {
                assert_eq!(edit["path"], "include/b.hpp");
                assert_eq!(edit["line"], 2);
                let after = applied(own, &edit);
                let files = [("b.hpp", after.as_str()), ("a.hpp", a.as_str())];
                assert_eq!(suggested(&bench, &files, &json!({})).0, "clean");
            } else {
                assert_eq!(edit["path"], "include/a.hpp");
            }
        }
    }
}
