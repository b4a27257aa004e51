//! Texts as compilers write them, texts made at random, and bytes that are no text.

use proptest::prelude::*;

use super::*;

fn place(path: &str, line: u32, column: Option<u32>) -> Place {
    Place {
        path: path.to_owned(),
        line,
        column,
    }
}

fn only(text: &str) -> Diagnostic {
    let mut read = parse(text.as_bytes());
    assert_eq!(read.len(), 1, "{text}: {read:#?}");
    read.remove(0)
}

/// A line; severity, place, speaker, message and flag.
type Row = (
    &'static str,
    Severity,
    Option<Place>,
    Option<&'static str>,
    &'static str,
    Option<&'static str>,
);

#[test]
fn a_line_is_taken_apart() {
    #[rustfmt::skip]
    let rows: &[Row] = &[
        ("a.cpp:1:2: error: no", Severity::Error, Some(place("a.cpp", 1, Some(2))), None, "no", None),
        ("a.cpp:1: error: no", Severity::Error, Some(place("a.cpp", 1, None)), None, "no", None),
        ("C:\\a b.h:1:2: warning: x [-Wfoo]", Severity::Warning, Some(place("C:\\a b.h", 1, Some(2))), None, "x", Some("-Wfoo")),
        ("a:1:2: error: x [-Werror=foo]", Severity::Error, Some(place("a", 1, Some(2))), None, "x", Some("-Wfoo")),
        ("a:1:2: error: x [-Werror,-Wfoo]", Severity::Error, Some(place("a", 1, Some(2))), None, "x", Some("-Wfoo")),
        ("a:1:2: error: x [-Werror,-Wfoo,Semantic Issue]", Severity::Error, Some(place("a", 1, Some(2))), None, "x", Some("-Wfoo")),
        ("a:1:2: error: x [-fpermissive]", Severity::Error, Some(place("a", 1, Some(2))), None, "x", Some("-fpermissive")),
        ("a:1:2: error: array [3]", Severity::Error, Some(place("a", 1, Some(2))), None, "array [3]", None),
        ("a:1:2: error: a: error: b", Severity::Error, Some(place("a", 1, Some(2))), None, "a: error: b", None),
        ("a:1:2: internal compiler error: Segmentation fault", Severity::Fatal, Some(place("a", 1, Some(2))), None, "Segmentation fault", None),
        ("a:1:2: sorry, unimplemented: x", Severity::Error, Some(place("a", 1, Some(2))), None, "x", None),
        ("cc1plus: fatal error: x.cpp: No such file or directory", Severity::Fatal, None, Some("cc1plus"), "x.cpp: No such file or directory", None),
        ("<command-line>: fatal error: x.h: No such file or directory", Severity::Fatal, None, Some("<command-line>"), "x.h: No such file or directory", None),
        ("g++: fatal error: Killed signal terminated program cc1plus", Severity::Fatal, None, Some("g++"), "Killed signal terminated program cc1plus", None),
        ("cc1plus: out of memory allocating 65536 bytes after a total of 1", Severity::Fatal, None, Some("cc1plus"), "out of memory allocating 65536 bytes after a total of 1", None),
        ("clang++-19: error: no input files", Severity::Error, None, Some("clang++-19"), "no input files", None),
        ("error: unable to open output file", Severity::Error, None, None, "unable to open output file", None),
        ("/usr/bin/clang: error while loading shared libraries: libz.so: x", Severity::Fatal, None, Some("/usr/bin/clang"), "error while loading shared libraries: libz.so: x", None),
        ("{standard input}: Error: x", Severity::Error, None, Some("{standard input}"), "x", None),
        ("a.s:3: Error: no such instruction", Severity::Error, Some(place("a.s", 3, None)), None, "no such instruction", None),
    ];
    for (line, severity, place, speaker, message, flag) in rows {
        let read = only(line);
        assert_eq!(read.severity, *severity, "{line}");
        assert_eq!(read.place, *place, "{line}");
        assert_eq!(read.speaker.as_deref(), *speaker, "{line}");
        assert_eq!(read.message, *message, "{line}");
        assert_eq!(read.flag.as_deref(), *flag, "{line}");
    }
}

#[test]
fn summaries_and_lines_of_others_are_no_diagnostics() {
    for line in [
        "compilation terminated.",
        "2 errors generated.",
        "1 warning and 3 errors generated.",
        "cc1plus: all warnings being treated as errors",
        "/usr/bin/ld: a.o: in function `main':",
        "a.cpp:(.text+0x1): undefined reference to `f()'",
        "/usr/bin/ld.bfd: a.o: warning: relocation against `x' in read-only section `.text'",
        "ld.lld: error: undefined symbol: f()",
        "mold: error: undefined symbol: f()",
        "a.o:a.cpp:function main: error: undefined reference to 'f()'",
        "a.cpp:3: error: undefined reference to 'f()'",
        "collect2: error: ld returned 1 exit status",
        "    3 | puts(\"x: error: y\");",
        "  x: error: indented",
        "a.cpp:1:99999999999: error: no such column",
        ":1:2: error: no file",
        "a.cpp: In function 'int f()':",
        "",
    ] {
        assert_eq!(parse(line.as_bytes()), [], "{line}");
    }
}

#[test]
fn both_ways_to_tell_includes_are_read_innermost_first() {
    let chain = [
        place("b.h", 1, None),
        place("c.h", 2, None),
        place("d.cpp", 3, None),
    ];
    for text in [
        "In file included from b.h:1,\n                 from c.h:2,\n                 from d.cpp:3:\na.h:1:1: error: x\n",
        "In file included from d.cpp:3:\nIn file included from c.h:2:\nIn file included from b.h:1:\na.h:1:1: error: x\n",
        "In file included from b.h:1,\r\n                 from c.h:2,\r\n                 from d.cpp:3:\r\na.h:1:1: error: x\r\n",
    ] {
        assert_eq!(*only(text).included_from, chain, "{text}");
    }
}

#[test]
fn a_second_diagnostic_in_a_file_has_the_includes_of_the_first() {
    let text = "In file included from m.cpp:1:\na.h:1:1: error: x\na.h:2:1: error: y\nm.cpp:9:1: error: z\na.h:3:1: error: w\n";
    let lengths: Vec<usize> = parse(text.as_bytes())
        .iter()
        .map(|one| one.included_from.len())
        .collect();
    assert_eq!(lengths, [1, 1, 0, 1]);
}

#[test]
fn what_instantiated_a_place_is_read_from_both() {
    let gcc = "a.h: In instantiation of 'int f(T) [with T = int]':\na.h:9:3:   required from 'int g(T) [with T = int]'\nm.cpp:2:19:   required from here\na.h:1:42: error: x\na.h:2:1: error: y\na.h: In function 'h':\na.h:3:1: error: z\n";
    let clang = "a.h:1:42: error: x\na.h:9:3: note: in instantiation of function template specialization 'f<int>' requested here\nm.cpp:2:19: note: in instantiation of function template specialization 'g<int>' requested here\n";
    let frames = [place("a.h", 9, Some(3)), place("m.cpp", 2, Some(19))];
    for text in [gcc, clang] {
        let read = parse(text.as_bytes());
        assert_eq!(*read[0].instantiated_from, frames, "{text}");
        let user = innermost_user_frame(&read, |path| path == "m.cpp");
        assert_eq!(user, Some(&frames[1]));
    }
    let read = parse(gcc.as_bytes());
    assert_eq!(*read[1].instantiated_from, frames);
    assert!(read[2].instantiated_from.is_empty());
    let inlined = "In function 'f',\n    inlined from 'int main()' at m.cpp:5:3:\na.h:1:1: warning: x [-Wstringop-overflow=]\n";
    assert_eq!(
        *only(inlined).instantiated_from,
        [place("m.cpp", 5, Some(3))]
    );
}

#[test]
fn an_include_is_missing_only_where_a_source_asks_for_it() {
    for (line, file) in [
        (
            "a.cpp:1:2: fatal error: x.h: No such file or directory",
            Some("x.h"),
        ),
        (
            "a.cpp:1:2: fatal error: 'd/x.h' file not found",
            Some("d/x.h"),
        ),
        (
            "<stdin>:1:2: fatal error: 'x.h' file not found",
            Some("x.h"),
        ),
        ("<built-in>:1:2: fatal error: 'x.h' file not found", None),
        (
            "cc1plus: fatal error: a.cpp: No such file or directory",
            None,
        ),
        ("cc1plus: warning: /d: No such file or directory", None),
        ("a.cpp:1:2: warning: x.h: No such file or directory", None),
    ] {
        assert_eq!(only(line).missing_include(), file, "{line}");
    }
}

#[test]
fn what_a_message_names_is_read_in_every_wording() {
    let named = |message| unknown_name(message).map(|name| (name.name, name.within, name.meant));
    for (message, expected) in [
        (
            "'X' in class 'lib::S' does not name a type",
            Some(("X", Some("lib::S"), None)),
        ),
        (
            "'std::chrono' has not been declared",
            Some(("chrono", Some("std"), None)),
        ),
        ("'::f' has not been declared", Some(("f", None, None))),
        (
            "no template named 'v' in namespace 'std'; did you mean 'w'?",
            Some(("v", Some("std"), Some("w"))),
        ),
        (
            "no member named 'f' in the global namespace",
            Some(("f", None, None)),
        ),
        ("no member named 'nope' in 'S'", None),
        ("request for member 'x' in 's'", None),
        ("expected ';'", None),
        ("'' does not name a type", None),
        ("'", None),
    ] {
        assert_eq!(named(message), expected, "{message}");
    }
    for (message, header) in [
        (
            "'uint32_t' is defined in header '<cstdint>'; this is probably fixable by adding '#include <cstdint>'",
            Some("cstdint"),
        ),
        ("x; include <new>", Some("new")),
        ("include <", None),
        ("include <a b>", None),
        ("include <>", None),
    ] {
        assert_eq!(suggested_include(message), header, "{message}");
    }
}

#[test]
fn errors_are_kept_whatever_is_said_around_them() {
    let mut text = String::new();
    for line in 1..=3 * MOST_REMARKS {
        text += &format!("a.cpp:{line}:1: note: x\n");
    }
    for line in 1..=2 * MOST_ERRORS {
        text += &format!("a.cpp:{line}:1: error: x\n");
    }
    let read = parse(text.as_bytes());
    let errors = read.iter().filter(|one| one.severity.is_error()).count();
    assert_eq!(
        (read.len(), errors),
        (MOST_REMARKS + MOST_ERRORS, MOST_ERRORS)
    );
}

/// A line that says something about a place, and how bad that is.
fn said() -> impl Strategy<Value = (Severity, String)> {
    let severity = prop_oneof![
        Just((Severity::Fatal, "fatal error")),
        Just((Severity::Error, "error")),
        Just((Severity::Warning, "warning")),
        Just((Severity::Note, "note")),
    ];
    let path = "(/usr/include/)?[a-z]{1,8}( [a-z]{1,3})?\\.(h|cpp)";
    (severity, path, 1..9999_u32, 1..200_u32, "[ -~]{0,60}").prop_map(
        |((severity, word), path, line, column, message)| {
            (
                severity,
                format!("{path}:{line}:{column}: {word}: {message}"),
            )
        },
    )
}

/// A line that is not a diagnostic.
fn between() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("compilation terminated.".to_owned()),
        "[1-9] errors generated\\.",
        "   [1-9] \\| [ -~]{0,40}\n      \\| {1,8}\\^~{0,5}",
        "In file included from [a-z]{1,5}\\.h:[1-9]:",
        "[a-z]\\.cpp: In function '[a-z]\\(\\)':",
    ]
}

proptest! {
    #[test]
    fn no_error_is_lost_and_none_is_added(
        lines in prop::collection::vec((said(), prop::option::of(between())), 0..40),
    ) {
        let mut text = String::new();
        for ((_, line), between) in &lines {
            // A message of `^^` would say that the line before it is source.
            text += between.as_deref().unwrap_or("");
            text += "\n";
            text += line;
            text += "\n";
        }
        let expected: Vec<_> = lines.iter().map(|((severity, _), _)| *severity).collect();
        let read = parse(text.as_bytes());
        let found: Vec<_> = read.iter().map(|one| one.severity).collect();
        prop_assert_eq!(found, expected);
        let crlf = text.replace('\n', "\r\n");
        prop_assert_eq!(parse(crlf.as_bytes()), read);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let read = parse(&bytes);
        prop_assert!(read.len() <= bytes.len());
    }

    #[test]
    fn any_pieces_are_read_to_their_end(pieces in prop::collection::vec(prop_oneof![
        Just(": error: "), Just("a.h:1:2"), Just("\n"), Just("In file included from "),
        Just("    from "), Just(":"), Just("required from "), Just(" [-W"), Just("]"), Just("'"),
        Just("<"), Just("::"), Just("' does not name a "), Just("include <"), Just("\r"),
        Just("^~"), Just("note: in instantiation of "), Just("\u{2018}"), Just("; did you mean '"),
    ], 0..60)) {
        let text: String = pieces.concat();
        let read = parse(text.as_bytes());
        for one in &read {
            let _ = (unknown_name(&one.message), suggested_include(&one.message), one.missing_include());
            prop_assert!(one.message.len() <= text.len());
        }
        prop_assert!(read.len() <= pieces.len());
        let _ = (unknown_name(&text), suggested_include(&text), missing_include(&text));
    }
}
