//! Every fault that a header can have, as gcc and clang tell it.

use driftgate::diagnostics::compiler_text::{
    Diagnostic, Lack, Severity, innermost_user_frame, missing_include, parse, suggested_include,
    unknown_name,
};
use driftgate::diagnostics::fix_its;

use crate::tools::{Folder, need_linker};

const GCC: &str = "g++ -fdiagnostics-plain-output";
const CLANG: &str = "clang++ -fdiagnostics-color=never -fno-caret-diagnostics";
/// Clang prints no fix-its without its quotes of the source.
const CLANG_WITH_CARETS: &str = "clang++ -fdiagnostics-color=never";
const FLAGS: &str = "-std=c++17 -fdiagnostics-parseable-fixits -fsyntax-only";

/// What the first error of a compiler is read as.
#[derive(Clone, Copy)]
enum Read {
    /// A name and where it was looked for.
    Unknown(&'static str, Option<&'static str>),
    /// A type that is not defined.
    Undefined(&'static str, Option<&'static str>),
    /// A file that is not there.
    Missing(&'static str),
    /// A message that names nothing.
    Plain(&'static str),
}
use Read::{Missing, Plain, Undefined, Unknown};

struct Row {
    fault: &'static str,
    unit: &'static str,
    gcc: Read,
    clang: Read,
    /// The header that gcc suggests for it, in whichever diagnostic.
    suggested: Option<&'static str>,
}

const fn row(fault: &'static str, unit: &'static str, gcc: Read, clang: Read) -> Row {
    Row {
        fault,
        unit,
        gcc,
        clang,
        suggested: None,
    }
}

const fn std_row(
    fault: &'static str,
    unit: &'static str,
    gcc: Read,
    clang: Read,
    suggested: &'static str,
) -> Row {
    Row {
        fault,
        unit,
        gcc,
        clang,
        suggested: Some(suggested),
    }
}

const STD: Option<&str> = Some("std");
const LIB: Option<&str> = Some("lib");

#[rustfmt::skip]
const ROWS: &[Row] = &[
    std_row("type", "struct S { uint32_t v; };\n",
        Unknown("uint32_t", None), Unknown("uint32_t", None), "cstdint"),
    std_row("type as template argument", "template <class T> struct V {};\nV<uint32_t> v;\n",
        Unknown("uint32_t", None), Unknown("uint32_t", None), "cstdint"),
    std_row("nothing of std", "std::string s;\n",
        Unknown("string", STD), Unknown("std", None), "string"),
    std_row("template of std", "#include <utility>\nstd::vector<int> v;\n",
        Unknown("vector", STD), Unknown("vector", STD), "vector"),
    row("function of std", "#include <cstddef>\nint f(int a) { return std::max(a, 1); }\n",
        Unknown("max", STD), Unknown("max", STD)),
    std_row("function of C", "int f(const char *s) { return strlen(s); }\n",
        Unknown("strlen", None), Unknown("strlen", None), "cstring"),
    std_row("macro constant", "int n = INT_MAX;\n",
        Unknown("INT_MAX", None), Unknown("INT_MAX", None), "climits"),
    row("namespace", "int f() { return lib::g(); }\n",
        Unknown("lib", None), Unknown("lib", None)),
    row("name in a namespace", "namespace lib {}\nlib::Thing t;\n",
        Unknown("Thing", LIB), Unknown("Thing", LIB)),
    row("function in a namespace", "namespace lib {}\nint n = lib::count();\n",
        Unknown("count", LIB), Unknown("count", LIB)),
    row("type of a parameter", "void g(int, Missing m);\n",
        Unknown("Missing", None), Unknown("Missing", None)),
    row("template", "Vec<int> v;\n", Unknown("Vec", None), Unknown("Vec", None)),
    row("base class", "struct A : Gone {};\n",
        Plain("expected class-name before '{' token"), Plain("expected class name")),
    row("type of std only declared", "#include <iosfwd>\nvoid f() { std::ostringstream o; }\n",
        Undefined("ostringstream", STD), Undefined("basic_ostringstream", STD)),
    row("incomplete member", "struct Fwd;\nstruct S { Fwd f; };\n",
        Undefined("Fwd", None), Undefined("Fwd", None)),
    row("member of an incomplete type", "struct Fwd;\nint g(Fwd &f) { return f.x; }\n",
        Undefined("Fwd", None), Undefined("Fwd", None)),
    row("primary template", "template <class T> struct Tr;\nint n = Tr<int>::v;\n",
        Undefined("Tr", None), Undefined("Tr", None)),
    std_row("braces", "auto l = {1, 2};\n",
        Plain("deducing from brace-enclosed initializer list requires '#include <initializer_list>'"),
        Plain("cannot deduce type of initializer list because std::initializer_list was not found; include <initializer_list>"),
        "initializer_list"),
    std_row("typeid", "const void *f(int &i) { return &typeid(i); }\n",
        Plain("must '#include <typeinfo>' before using 'typeid'"),
        Plain("you need to include <typeinfo> before using the 'typeid' operator"), "typeinfo"),
    row("placement new", "int *f(void *p) { return new (p) int; }\n",
        Plain("no matching function for call to 'operator new(sizetype, void*&)'"),
        Plain("no matching 'operator new' function for non-allocating placement new expression; include <new>")),
    row("export macro", "LIB_API int f();\n", Unknown("LIB_API", None), Unknown("LIB_API", None)),
    row("export macro of a class", "class LIB_EXPORT Foo {};\n",
        Undefined("LIB_EXPORT", None), Undefined("LIB_EXPORT", None)),
    row("included file", "#include \"detail/x.hpp\"\n",
        Missing("detail/x.hpp"), Missing("detail/x.hpp")),
    row("sibling in angles", "#include <sibling.h>\n",
        Missing("sibling.h"), Missing("sibling.h")),
    row("#error", "#error \"no way\"\n", Plain("#error \"no way\""), Plain("\"no way\"")),
    row("static_assert", "static_assert(sizeof(int) == 2, \"bad int\");\n",
        Plain("static assertion failed: bad int"),
        Plain("static_assert failed due to requirement 'sizeof(int) == 2' \"bad int\"")),
    row("no guard", "#include \"sibling.h\"\n#include \"sibling.h\"\n",
        Plain("redefinition of 'struct Sibling'"), Plain("redefinition of 'Sibling'")),
    row("self-include", "#include \"selfish.h\"\n",
        Plain("#include nested depth 200 exceeds maximum of 200 (use -fmax-include-depth=DEPTH to increase the maximum)"),
        Plain("#include nested too deeply")),
    row("C++20", "template <class T> concept C = true;\n",
        Unknown("concept", None), Unknown("concept", None)),
    row("typo", "#include <vector>\nstd::vectr<int> v;\n",
        Unknown("vectr", STD), Unknown("vectr", STD)),
    row("template body", "template <class T> int f(T t) { return t.nope(); }\nint n = f(1);\n",
        Plain("request for member 'nope' in 't', which is of non-class type 'int'"),
        Plain("member reference base type 'int' is not a structure or union")),
    row("warning as error", "#pragma GCC diagnostic error \"-Wunused-variable\"\nvoid f() { int u; }\n",
        Plain("unused variable 'u'"), Plain("unused variable 'u'")),
    row("exception specification", "int f() noexcept;\nint f();\n",
        Plain("declaration of 'int f()' has a different exception specifier"),
        Plain("'f' is missing exception specification 'noexcept'")),
    row("exception specification of an override",
        "struct B { virtual void g() noexcept; };\nstruct D : B { void g(); };\n",
        Plain("looser exception specification on overriding virtual function 'virtual void D::g()'"),
        Plain("exception specification of overriding function is more lax than base version")),
];

fn folder() -> Folder {
    let selfish = "#include \"selfish.h\"\n";
    Folder::with(&[
        ("sibling.h", "struct Sibling {};\n"),
        ("selfish.h", selfish),
    ])
}

/// The text of a compiler about a unit.
fn text(folder: &Folder, compiler: &str, unit: &str) -> Vec<u8> {
    folder.write("u.cpp", unit);
    folder.run(&format!("{compiler} {FLAGS} u.cpp")).stderr
}

/// The first error that says something about the code. Gcc calls a function whose parameter has
/// an unknown type a variable first.
fn first_error<'a>(diagnostics: &'a [Diagnostic], context: &str) -> &'a Diagnostic {
    let mut errors = diagnostics.iter().filter(|one| one.severity.is_error());
    errors
        .next()
        .unwrap_or_else(|| panic!("{context}: no error in {diagnostics:#?}"))
}

fn check(read: Read, error: &Diagnostic, context: &str) {
    let name = unknown_name(&error.message);
    let found = name.map(|name| (name.name, name.within, name.lack));
    let (name, file) = match read {
        Unknown(name, within) => (Some((name, within, Lack::Declaration)), None),
        Undefined(name, within) => (Some((name, within, Lack::Definition)), None),
        Missing(file) => (None, Some(file)),
        Plain(message) => {
            assert_eq!(error.message, message, "{context}");
            (None, None)
        }
    };
    assert_eq!(found, name, "{context}: {error:?}");
    assert_eq!(error.missing_include(), file, "{context}: {error:?}");
}

#[test]
fn every_fault_of_a_header_is_read_from_both_compilers() {
    let folder = folder();
    for row in ROWS {
        for (compiler, read) in [(GCC, row.gcc), (CLANG, row.clang)] {
            let context = format!("{}, {compiler}", row.fault);
            let text = text(&folder, compiler, row.unit);
            let diagnostics = parse(&text);
            let error = first_error(&diagnostics, &context);
            check(read, error, &context);
            assert!(error.place.is_some(), "{context}");
            let mut suggested = diagnostics
                .iter()
                .filter_map(|one| suggested_include(&one.message));
            if compiler == GCC {
                assert_eq!(suggested.next(), row.suggested, "{context}");
                let edits = fix_its::parse(&text);
                let edited = edits.iter().find_map(fix_its::FixIt::include);
                assert_eq!(edited, row.suggested, "{context}: {edits:?}");
            }
            let crlf = String::from_utf8_lossy(&text).replace('\n', "\r\n");
            assert_eq!(parse(crlf.as_bytes()), diagnostics, "{context}");
            let frame = innermost_user_frame(&diagnostics, |path| !path.starts_with('/'));
            assert!(frame.is_some(), "{context}");
        }
    }
}

/// What the first error of both compilers is in.
fn both(folder: &Folder, unit: &str, check: impl Fn(&str, &[Diagnostic])) {
    for compiler in [GCC, CLANG] {
        check(compiler, &parse(&text(folder, compiler, unit)));
    }
}

#[test]
fn a_typo_is_said_to_be_one() {
    let unit = "int counter;\nint f() { return countr; }\n";
    both(&folder(), unit, |compiler, diagnostics| {
        let error = first_error(diagnostics, compiler);
        let name = unknown_name(&error.message).unwrap();
        assert_eq!(
            (name.name, name.meant),
            ("countr", Some("counter")),
            "{compiler}"
        );
    });
    let folder = folder();
    let edits = fix_its::parse(&text(&folder, GCC, unit));
    assert_eq!(edits.len(), 1);
    let (start, end) = (edits[0].start, edits[0].end);
    assert_eq!(
        (start.line, start.column, end.line, end.column),
        (2, 18, 2, 24)
    );
    assert_eq!(edits[0].text, "counter");
    let with_carets = text(&folder, CLANG_WITH_CARETS, unit);
    assert_eq!(edits, fix_its::parse(&with_carets));
    let without = text(&folder, CLANG, unit);
    assert_eq!(parse(&with_carets), parse(&without));
    assert_eq!(fix_its::parse(&without), []);
}

#[test]
fn a_fix_it_in_a_file_with_an_odd_name_is_read() {
    let name = "\u{e9}.h";
    let folder = Folder::with(&[(name, "int counter;\nint n = countr;\n"), ("u.cpp", "")]);
    for compiler in [GCC, CLANG_WITH_CARETS] {
        let output = folder.run(&format!("{compiler} {FLAGS} -include {name} u.cpp"));
        let edits = fix_its::parse(&output.stderr);
        let edit = edits
            .first()
            .unwrap_or_else(|| panic!("{compiler}: {output:?}"));
        assert!(edit.path.ends_with(name), "{compiler}: {edit:?}");
    }
}

#[test]
fn the_includes_that_lead_to_a_place_are_known_for_every_diagnostic_in_it() {
    let folder = folder();
    folder.write("outer.h", "#include \"inner.h\"\n");
    folder.write("inner.h", "\nnope a;\nnope b;\n");
    both(
        &folder,
        "\n#include \"outer.h\"\nnope c;\n",
        |compiler, diagnostics| {
            let includes: Vec<Vec<(&str, u32)>> = diagnostics
                .iter()
                .map(|one| {
                    let places = one.included_from.iter();
                    places
                        .map(|place| (place.path.trim_start_matches("./"), place.line))
                        .collect()
                })
                .collect();
            let inner = vec![("outer.h", 1), ("u.cpp", 2)];
            assert_eq!(includes, [inner.clone(), inner, vec![]], "{compiler}");
        },
    );
}

#[test]
fn an_error_in_a_standard_header_leads_to_the_line_that_caused_it() {
    let unit = "#include <algorithm>\n#include <vector>\nstruct T {};\n\
                void f(std::vector<T> &v) {\n  std::sort(v.begin(), v.end());\n}\n";
    both(&folder(), unit, |compiler, diagnostics| {
        let error = first_error(diagnostics, compiler);
        let place = error.place.as_ref().unwrap();
        assert!(place.path.starts_with('/'), "{compiler}: {error:?}");
        let frame = innermost_user_frame(diagnostics, |path| !path.starts_with('/')).unwrap();
        assert_eq!(
            (frame.path.as_str(), frame.line),
            ("u.cpp", 5),
            "{compiler}"
        );
    });
}

#[test]
fn a_flag_is_named_the_same_by_both_compilers() {
    let unit = "#pragma GCC diagnostic error \"-Wunused-variable\"\nvoid f() { int u; }\n";
    both(&folder(), unit, |compiler, diagnostics| {
        let flag = first_error(diagnostics, compiler).flag.as_deref();
        assert_eq!(flag, Some("-Wunused-variable"), "{compiler}");
    });
    let folder = folder();
    folder.write("w.cpp", "void f() { int u; }\n");
    for compiler in [GCC, CLANG] {
        for (werror, severity) in [("", Severity::Warning), ("-Werror", Severity::Error)] {
            let output = folder.run(&format!("{compiler} -Wall {werror} -fsyntax-only w.cpp"));
            let diagnostics = parse(&output.stderr);
            assert_eq!(diagnostics.len(), 1, "{compiler} {werror}: {diagnostics:?}");
            assert_eq!(diagnostics[0].severity, severity, "{compiler}");
            assert_eq!(
                diagnostics[0].flag.as_deref(),
                Some("-Wunused-variable"),
                "{compiler}"
            );
        }
    }
}

#[test]
fn a_file_that_is_missing_elsewhere_is_no_missing_include() {
    let folder = folder();
    folder.write("u.cpp", "int n;\n");
    for (command, words) in [
        (format!("{GCC} -c gone.cpp"), "gone.cpp"),
        (format!("{CLANG} -c gone.cpp"), "gone.cpp"),
        (format!("{GCC} -include gone.h -c u.cpp"), "gone.h"),
        (format!("{CLANG} -include gone.h -c u.cpp"), "gone.h"),
        (format!("{GCC} -c u.cpp -o gone/u.o"), "gone/u.o"),
        (format!("{CLANG} -c u.cpp -o gone/u.o"), "gone/u.o"),
        (format!("{GCC} u.o"), ""),
    ] {
        let output = folder.run(&command);
        assert!(!output.status.success(), "{command}");
        let diagnostics = parse(&output.stderr);
        assert!(
            diagnostics
                .iter()
                .all(|one| one.missing_include().is_none()),
            "{diagnostics:?}"
        );
        let said = diagnostics
            .iter()
            .any(|one| one.message.contains(words) && !words.is_empty());
        assert_eq!(said, !words.is_empty(), "{command}: {diagnostics:?}");
    }
    let output = folder.run(&format!("{GCC} -Wmissing-include-dirs -I/gone -c u.cpp"));
    let diagnostics = parse(&output.stderr);
    assert_eq!(diagnostics[0].severity, Severity::Warning);
    assert!(missing_include(&diagnostics[0].message).is_some());
    assert_eq!(diagnostics[0].missing_include(), None);
}

#[test]
fn a_compiler_that_the_machine_stops_is_told_from_one_that_refuses() {
    let folder = folder();
    folder.write("u.cpp", "#include <regex>\nstd::regex r;\n");
    folder.write("limited", "ulimit -v 60000\nexec \"$@\"\n");
    let output = folder.run(&format!("sh limited {GCC} -fsyntax-only u.cpp"));
    let diagnostics = parse(&output.stderr);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(diagnostics.iter().any(Diagnostic::blames_machine), "{said}");
    let output = folder.run(&format!("sh limited {CLANG} -fsyntax-only u.cpp"));
    let diagnostics = parse(&output.stderr);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(diagnostics.iter().any(Diagnostic::blames_machine), "{said}");
    both(
        &folder,
        "int f( {\n#error out of memory\n",
        |compiler, diagnostics| {
            assert!(
                !diagnostics.iter().any(Diagnostic::blames_machine),
                "{compiler}"
            );
        },
    );
}

#[test]
fn quoted_source_is_no_diagnostic() {
    let unit = "void puts(int);\nint n = puts(\"x: error: y\"), m = nope;\n";
    let folder = folder();
    folder.write("u.cpp", unit);
    for compiler in ["g++", "clang++"] {
        let with = folder.run(&format!("{compiler} -fsyntax-only u.cpp"));
        let plain = if compiler == "g++" { GCC } else { CLANG };
        let without = folder.run(&format!("{plain} -fsyntax-only u.cpp"));
        assert_ne!(with.stderr, without.stderr);
        assert_eq!(parse(&with.stderr), parse(&without.stderr), "{compiler}");
    }
}

#[test]
fn lines_of_a_linker_are_not_taken_for_a_compilers() {
    let folder = folder();
    folder.write("u.cpp", "int gone();\nint main() { return gone(); }\n");
    for linker in ["bfd", "gold", "lld", "mold"] {
        need_linker(linker);
        for debug in ["", "-g"] {
            let output = folder.run(&format!("{GCC} {debug} -fuse-ld={linker} u.cpp"));
            assert!(!output.status.success(), "{linker}");
            assert_eq!(parse(&output.stderr), [], "{linker} {debug}");
        }
    }
}
