//! Sources with what they may include, and small trees.

use std::collections::BTreeSet;

use super::*;

use proptest::prelude::*;

fn names(source: &str) -> Vec<String> {
    let found = mentions(source.as_bytes());
    found.names.into_iter().map(|one| one.name).collect()
}

#[test]
fn blank_lines_and_many_signs_of_a_line_take_no_more_time_than_others() {
    // Each took minutes when what had been passed was looked at again.
    for source in [
        "\n".repeat(1 << 20),
        " ".repeat(1 << 19) + &"#include ".repeat(1 << 16),
    ] {
        assert_eq!(names(&source), <[&str; 0]>::default());
    }
    // A backslash that ends a line joins it to the next one, and not to the one behind that.
    assert_eq!(names("a\\\\\n \n#include <a.h>"), ["a.h"]);
    assert_eq!(mentions(b"\\\n\\\n#include <a.h>\n").names[0].line, 3);
}

#[test]
fn every_spelling_is_a_mention() {
    for source in [
        "#include <a.h>",
        "#include \"a.h\"",
        "#include\"a.h\"",
        "\u{feff}#include<a.h>",
        " \t# /* x */ include /* y\n */ \"a.h\" // z",
        "#inc\\\nlude \\\r\n<a.h>",
        "#include \\ \n\"a\\\n.h\"",
        "%: include <a.h>",
        "??=include <a.h>",
        "#include_next <a.h>",
        "#import \"a.h\"",
        "#embed \"a.h\" limit(1)",
        "#if 0\n#include <a.h>\n#endif",
        "// #include <a.h>",
        "/* #include <a.h> */",
        "R\"(\n#include <a.h>\n)\"",
        "#if __has_include(<a.h>)",
        "#if defined X && __has_include /**/ ( \"a.h\" )",
        "import <a.h>;",
        "export import \"a.h\";",
        "x # include <a.h>",
        "#/*#include*/include <a.h>",
    ] {
        assert_eq!(names(source), ["a.h"], "{source}");
    }
}

#[test]
fn a_source_is_opaque_where_a_name_is_not_written() {
    for source in [
        "#include BOOST_PP_ITERATE()",
        "  %: /**/ include X",
        "/* a\n */ #include X",
        "#include",
        "#include <a.h",
        "#if __has_include(X)",
        "#pragma GCC dependency \"a.h\"",
        "#pragma include_alias(\"a.h\", \"b.h\")",
        "// x??/\ny",
        "asm(\".incbin \\\"a\\\"\");",
        "#include </usr/include/a.h>",
    ] {
        assert!(mentions(source.as_bytes()).is_opaque, "{source}");
    }
    assert!(mentions(b"#include <a\xff>").is_opaque);
    assert!(mentions(format!("#{}include X", "/**/".repeat(9)).as_bytes()).is_opaque);
}

#[test]
fn ordinary_sources_are_not_opaque() {
    for source in [
        "#include <a.h>\n#ifdef __has_include\n#  if __has_include(<b.h>)\n#endif\n#endif",
        "// the #include above, and what # include files are",
        "import module_name;",
        "#define include x\n#pragma once\n#error don't include this",
        "#include \"\"",
    ] {
        assert!(!mentions(source.as_bytes()).is_opaque, "{source}");
    }
}

#[test]
fn lines_are_those_of_the_source() {
    let found = mentions(b"\n#inc\\\nlude <a>\r\n\\\n\n#include /*\n*/ <b>");
    let lines: Vec<_> = found.names.iter().map(|one| one.line).collect();
    assert_eq!(lines, [3, 7]);
}

#[test]
fn comments_and_strings_hold_no_active_mention() {
    let source =
        b"// #include <a>\n/*\n#include <b> */ R\"(\n#include <c>\n)\"\n#if 0\n# include <d>\n\
        #endif\n#include \"e\" // f\n#include X\n#include <g\n";
    let found = active_mentions(source);
    let found: Vec<_> = found
        .iter()
        .map(|one| (one.name.as_str(), one.form, one.line))
        .collect();
    assert_eq!(found, [("d", Form::Angled, 7), ("e", Form::Quoted, 9)]);
}

fn graph(files: &[(&str, &str)], folders: &[&str]) -> IncludeGraph {
    let folders: Vec<_> = folders.iter().map(|one| (*one).to_owned()).collect();
    let files = files.iter().map(|(path, text)| (*path, text.as_bytes()));
    IncludeGraph::new(files, &folders)
}

#[test]
fn a_closure_follows_every_file_a_name_might_mean() {
    let graph = graph(
        &[
            ("include/a.h", "#include \"b.h\"\n#include <c.h>"),
            ("include/b.h", "#include \"../src/d.h\""),
            ("include/c.h", ""),
            ("other/c.h", "#include X"),
            ("src/d.h", "#include \"a.h\"\n#include \"../../out.h\""),
            ("src/e.h", "#include <d.h>"),
        ],
        &["include", "./other/", "/usr/include", ".."],
    );
    let reached = graph.closure_of("include/a.h");
    let all = [
        "include/a.h",
        "include/b.h",
        "include/c.h",
        "other/c.h",
        "src/d.h",
    ];
    assert_eq!(reached.files, BTreeSet::from(all));
    assert!(reached.is_opaque);
    // What is in brackets is not looked for beside the file.
    let reached = graph.closure_of("./src/x/../e.h");
    assert_eq!(reached.files, BTreeSet::from(["src/e.h"]));
    assert!(!reached.is_opaque);
    assert_eq!(graph.closure_of("none.h"), Closure::default());
}

#[test]
fn a_text_outside_of_the_tree_reaches_into_it() {
    let graph = graph(
        &[("include/a.h", ""), ("a.h", ""), ("t/b.h", "")],
        &["include"],
    );
    let consumer = mentions(b"#include \"a.h\"\n#include \"b.h\"");
    let reached = |folder| graph.closure_of_text(&consumer, folder).files;
    assert_eq!(reached(None), BTreeSet::from(["include/a.h"]));
    assert_eq!(reached(Some("")), BTreeSet::from(["include/a.h", "a.h"]));
    assert_eq!(reached(Some("t")), BTreeSet::from(["include/a.h", "t/b.h"]));
}

fn source() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "#",
        "include",
        "import",
        " ",
        "\n",
        "\\\n",
        "<a>",
        "\"b\"",
        "/*",
        "*/",
        "//",
        "\"",
        "'",
        "R\"(",
        ")\"",
        "__has_include",
        "(",
        "x",
        "??/",
        "%:",
        "_next",
        "\r\n",
        "#if 0\n",
        "\t",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn what_is_active_is_mentioned(source in source()) {
        let all = mentions(&source);
        let missed = active_mentions(&source).into_iter().find(|one| {
            !all.names.iter().any(|other| (&other.name, other.form) == (&one.name, one.form))
        });
        prop_assert_eq!(missed, None);
    }

    #[test]
    fn a_directive_that_names_nothing_is_opaque(source in source()) {
        let mut before = None;
        let mut last_line = 0;
        let mut is_hidden = false;
        for token in super::tokens(&source) {
            let is_include = token.is_directive && token.is("include");
            is_hidden |= before == Some((true, token.line))
                && is_include
                && !super::tokens(&source).any(|one| one.kind == Kind::Header);
            // A second `#` makes another token of both.
            let is_first = token.line != last_line;
            before = Some((is_first && token.is("#") && token.is_directive, token.line));
            last_line = token.line;
        }
        prop_assert!(!is_hidden || mentions(&source).is_opaque);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
        let found = mentions(&bytes);
        prop_assert!(found.names.iter().all(|one| (one.line as usize) <= lines));
        prop_assert!(active_mentions(&bytes).len() <= bytes.len());
    }

    #[test]
    fn a_closure_holds_the_closures_of_its_files(
        edges in prop::collection::vec((0_usize..8, 0_usize..8), 0..20),
    ) {
        let files: Vec<_> = (0..8).map(|file| {
            let out = edges.iter().filter(|edge| edge.0 == file);
            let text: String = out.map(|edge| format!("#include \"{}.h\"\n", edge.1)).collect();
            (format!("{file}.h"), text)
        }).collect();
        let graph = IncludeGraph::new(
            files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())),
            &[],
        );
        let whole = graph.closure_of("0.h").files;
        prop_assert!(whole.contains("0.h"));
        for file in &whole {
            prop_assert!(graph.closure_of(file).files.is_subset(&whole));
        }
    }
}
