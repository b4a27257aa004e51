//! Wordings that no test can provoke here, order of importance, and bytes that are no text.

use proptest::prelude::*;

use super::*;

fn only(text: &str) -> Finding {
    let mut read = parse(text.as_bytes());
    assert_eq!(read.len(), 1, "{text}: {read:#?}");
    read.remove(0)
}

/// A text; kind, symbol, object and the other object.
type Row = (
    &'static str,
    Kind,
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
);

#[test]
fn wordings_of_other_versions_are_read() {
    use Kind::{
        CannotOpen, LibraryNotFound, Machine, MultipleDefinition, Other, Relocation,
        UndefinedSymbol, WrongFormat,
    };
    #[rustfmt::skip]
    let rows: &[Row] = &[
        ("/usr/bin/ld: cannot find -lx", LibraryNotFound, None, Some("x"), None),
        ("/usr/bin/x86_64-linux-gnu-ld: cannot find -lx", LibraryNotFound, None, Some("x"), None),
        ("/usr/bin/ld: cannot find -l:libx.a: No such file or directory", LibraryNotFound, None, Some(":libx.a"), None),
        ("b.o: In function `f()':\nb.cpp:(.text+0x0): multiple definition of `f()'\na.o:a.cpp:(.text+0x0): first defined here", MultipleDefinition, Some("f()"), Some("b.o"), Some("a.o")),
        ("/usr/bin/ld: lib.a(m.o): in function `f()':\nm.cpp:(.text+0x1): undefined reference to `g()'", UndefinedSymbol, Some("g()"), Some("lib.a(m.o)"), None),
        ("ld.lld: error: undefined hidden symbol: f()\n>>> referenced by a.cpp:3 (/x/a.cpp:3)\n>>>               a.o:(main)", UndefinedSymbol, Some("f()"), Some("a.o"), None),
        ("ld.lld: error: undefined symbol: f()\n>>> referenced by m.cpp\n>>>               m.o:(g()) in archive lib.a", UndefinedSymbol, Some("f()"), Some("lib.a(m.o)"), None),
        ("ld.lld: error: relocation R_X86_64_32 cannot be used against symbol 'x'; recompile with -fPIC\n>>> defined in a.o\n>>> referenced by a.cpp", Relocation, Some("x"), Some("a.o"), None),
        ("a.o: in function `f':\na.cpp:(.text+0x3): relocation truncated to fit: R_X86_64_PC32 against symbol `x' defined in .bss section in b.o", Relocation, Some("x"), Some("a.o"), None),
        ("collect2: fatal error: ld terminated with signal 9 [Killed]\ncompilation terminated.", Machine, None, None, None),
        ("clang: error: unable to execute command: Killed", Machine, None, None, None),
        ("/usr/bin/ld: final link failed: No space left on device", Machine, None, None, None),
        ("g++: error: gone.o: No such file or directory", CannotOpen, None, Some("gone.o"), None),
        ("/usr/bin/ld: a.o: file not recognized: file truncated", WrongFormat, None, Some("a.o"), None),
        ("ld.lld: error: something new", Other, None, None, None),
    ];
    for (text, kind, symbol, object, other) in rows {
        let read = only(text);
        let found = (
            read.kind,
            read.symbol.as_deref(),
            read.object.as_deref(),
            read.other.as_deref(),
        );
        assert_eq!(found, (*kind, *symbol, *object, *other), "{text}");
    }
}

#[test]
fn what_is_no_fault_of_the_code_comes_first() {
    let text = "/usr/bin/ld.gold: error: cannot find -lx\na.o:a.cpp:function main: error: undefined reference to 'f()'\n";
    let read = parse(text.as_bytes());
    assert_eq!(read.len(), 2);
    assert_eq!(worst(&read).unwrap().kind, Kind::LibraryNotFound);
    assert_eq!(worst(&[]), None);
}

#[test]
fn a_sanitizers_twin_is_counted_once() {
    let text = "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `x'; a.o:(.bss+0x0): first defined here\n\
                /usr/bin/ld: b.o:(.bss+0x8): multiple definition of `__odr_asan.x'; a.o:(.bss+0x8): first defined here\n";
    assert_eq!(only(text).symbol.as_deref(), Some("x"));
}

#[test]
fn what_a_compiler_says_is_no_finding() {
    for line in [
        "a.cpp:1:2: fatal error: x.h: No such file or directory",
        "a.cpp:1:2: error: expected ';'",
        "a.cpp:1:2: warning: multiple definition of x [-Wx]",
        "/usr/bin/ld: warning: creating DT_TEXTREL in a PIE",
        "/usr/bin/ld: a.o: warning: relocation against `x' in read-only section `.text'",
        "collect2: error: ld returned 1 exit status",
        "clang: error: linker command failed with exit code 1 (use -v to see invocation)",
        ">>> referenced by a.cpp",
        "",
    ] {
        assert_eq!(parse(line.as_bytes()), [], "{line}");
    }
}

proptest! {
    #[test]
    fn every_missing_symbol_is_found(
        names in prop::collection::btree_set("[a-z]{1,8}(::[a-z]{1,8})?\\((int)?\\)", 0..30),
        linker in 0..4,
    ) {
        let lines = names.iter().map(|name| match linker {
            0 => format!("/usr/bin/ld: a.o: in function `main':\na.cpp:(.text+0x1): undefined reference to `{name}'\n"),
            1 => format!("a.o:a.cpp:function main: error: undefined reference to '{name}'\n"),
            2 => format!("ld.lld: error: undefined symbol: {name}\n>>> referenced by a.cpp\n>>>               a.o:(main)\n\n"),
            _ => format!("mold: error: undefined symbol: {name}\n>>> referenced by a.cpp\n>>>               a.o:(main)>>> referenced by b.cpp\n"),
        });
        let text: String = lines.collect();
        let read = parse(text.as_bytes());
        let found: Vec<&str> = read.iter().filter_map(|one| one.symbol.as_deref()).collect();
        prop_assert_eq!(found, names.iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert!(read.iter().all(|one| one.object.as_deref() == Some("a.o")));
        prop_assert_eq!(parse(text.replace('\n', "\r\n").as_bytes()), read);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(parse(&bytes).len() <= bytes.len());
    }

    #[test]
    fn any_pieces_are_read_to_their_end(pieces in prop::collection::vec(prop_oneof![
        Just("ld: "), Just("ld:"), Just("error: "), Just("undefined reference to `"), Just("'"),
        Just("multiple definition of `"), Just("'; "), Just("duplicate symbol: "), Just("a.o"),
        Just(":("), Just(")"), Just("\n"), Just(">>> "), Just(" in archive "), Just(": "),
        Just("recompile with -f"), Just("against symbol"), Just("cannot open "), Just(": open: "),
        Just(": syntax error"), Just("^ unknown linker script token"), Just("\u{e9}"), Just("("),
        Just(": first defined here"), Just(": in function `"), Just("mold: fatal: "),
    ], 0..60)) {
        let text: String = pieces.concat();
        prop_assert!(parse(text.as_bytes()).len() <= pieces.len());
    }
}
