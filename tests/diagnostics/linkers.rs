//! Every way in which a link fails, as four linkers tell it.

use driftgate::diagnostics::linker_text::{Finding, Kind, parse, worst};

use crate::tools::{Folder, need_linker};

const LINKERS: [&str; 4] = ["bfd", "gold", "lld", "mold"];

/// Sources, each compiled to an object of its name.
#[rustfmt::skip]
const SOURCES: &[(&str, &str)] = &[
    ("undefined.cpp", "namespace lib { int decl(int); }\nint main() { return lib::decl(1); }\n"),
    ("vtable.cpp", "namespace lib { struct V { virtual void k(); virtual ~V() {} }; }\nint main() { lib::V v; }\n"),
    ("typeinfo.cpp", "struct B { virtual void k(); };\nstruct C : B { void k() override; };\nvoid C::k() {}\nint main() {}\n"),
    ("variable.cpp", "extern int gone;\nint main() { return gone; }\n"),
    ("system.cpp", "extern \"C\" char *crypt(const char *, const char *);\nint main() { return crypt(\"a\", \"b\") != 0; }\n"),
    ("no_main.cpp", "int f() { return 1; }\n"),
    ("first.cpp", "int helper(int x) { return x; }\nint main() { return helper(0); }\n"),
    ("second.cpp", "int helper(int x) { return x; }\n"),
    ("good.cpp", "int main() {}\n"),
    ("user.cpp", "int helper(int);\nint main() { return helper(0); }\n"),
    ("many.cpp", "int a();\nint b() { return a() + a() + a() + a() + a(); }\nint c() { return a() + a(); }\nint main() { return b() + c(); }\n"),
    ("warned.cpp", "extern \"C\" char *tmpnam(char *);\nint main() { return tmpnam(0) == 0; }\n"),
    ("member.cpp", "int deeper();\nint helper(int) { return deeper(); }\n"),
];

/// The objects and archives that the rows name.
fn built() -> Folder {
    let folder = Folder::with(SOURCES);
    let names: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
    folder.make(&format!("g++ -c {}", names.join(" ")));
    folder.write(
        "position.cpp",
        "int tab[4];\nint main(int c, char **) { return tab[c]; }\n",
    );
    folder.make("g++ -fno-pie -fno-pic -O1 -c position.cpp");
    folder.write(
        "traced.cpp",
        "int gone();\n\nint main() {\n  return gone();\n}\n",
    );
    folder.make("g++ -g -c traced.cpp");
    folder.make("clang++ --target=aarch64-linux-gnu -c no_main.cpp -o foreign.o");
    folder.make("ar rcs libgood.a second.o");
    folder.make("ar rcs libmember.a member.o");
    folder.make("ar rcS libnoindex.a second.o");
    folder.make("g++ -shared -fPIC -fvisibility=hidden second.cpp -o libhidden.so");
    folder.write("libbad.a", "this is no archive\n");
    folder
}

fn linked(folder: &Folder, linker: &str, arguments: &str) -> (bool, Vec<Finding>, String) {
    need_linker(linker);
    let output = folder.run(&format!("g++ -fuse-ld={linker} {arguments} -o program"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let crlf = text.replace('\n', "\r\n");
    let findings = parse(text.as_bytes());
    assert_eq!(parse(crlf.as_bytes()), findings, "{linker} {arguments}");
    (output.status.success(), findings, text)
}

/// What a linker says of arguments: nothing, or the worst it complains about, the symbol, the
/// object and the other object.
type Said = Option<(
    Kind,
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
)>;

const fn wants(symbol: &'static str, object: &'static str) -> Said {
    Some((Kind::UndefinedSymbol, Some(symbol), Some(object), None))
}

const fn file(kind: Kind, name: &'static str) -> Said {
    Some((kind, None, Some(name), None))
}

/// A fault, the arguments that show it, and what each linker says, in the order of [`LINKERS`].
#[rustfmt::skip]
const ROWS: &[(&str, &str, [Said; 4])] = &[
    ("function", "undefined.o", [wants("lib::decl(int)", "undefined.o"); 4]),
    ("raw function", "undefined.o -Wl,--no-demangle", [wants("_ZN3lib4declEi", "undefined.o"); 4]),
    ("vtable", "vtable.o", [wants("vtable for lib::V", "vtable.o"); 4]),
    ("typeinfo", "typeinfo.o", [wants("typeinfo for B", "typeinfo.o"); 4]),
    ("variable", "variable.o", [wants("gone", "variable.o"); 4]),
    ("system library", "system.o", [wants("crypt", "system.o"); 4]),
    ("many references", "many.o", [wants("a()", "many.o"); 4]),
    ("member of an archive", "user.o libmember.a", [wants("deeper()", "libmember.a(member.o)"); 4]),
    ("hidden in a shared object", "user.o libhidden.so", [wants("helper(int)", "user.o"); 4]),
    ("multiple definition", "first.o second.o", [
        Some((Kind::MultipleDefinition, Some("helper(int)"), Some("second.o"), Some("first.o"))); 4]),
    ("library", "good.o -lnotthere", [file(Kind::LibraryNotFound, "notthere"); 4]),
    ("object", "good.o gone.o", [file(Kind::CannotOpen, "gone.o"); 4]),
    ("output", "good.o -Wl,-o,gone/x", [
        file(Kind::CannotOpen, "gone/x"), file(Kind::CannotOpen, "gone/x"),
        file(Kind::CannotOpen, "gone/x"), Some((Kind::CannotOpen, None, None, None))]),
    ("no archive", "good.o libbad.a", [file(Kind::WrongFormat, "libbad.a"); 4]),
    ("no index", "user.o libnoindex.a", [
        file(Kind::WrongFormat, "libnoindex.a"), file(Kind::WrongFormat, "libnoindex.a"), None, None]),
    ("other machine", "good.o foreign.o", [file(Kind::WrongFormat, "foreign.o"); 4]),
    ("archive before object", "libgood.a user.o", [
        wants("helper(int)", "user.o"), wants("helper(int)", "user.o"), None, None]),
    ("warning", "warned.o", [None; 4]),
    ("nothing", "good.o", [None; 4]),
];

#[test]
fn every_fault_of_a_link_is_read_from_four_linkers() {
    let folder = built();
    for (fault, arguments, said) in ROWS {
        for (linker, said) in LINKERS.into_iter().zip(said) {
            let (success, findings, text) = linked(&folder, linker, arguments);
            let context = format!("{fault}, {linker}: {findings:#?}\n{text}");
            assert_eq!(success, said.is_none(), "{context}");
            let Some((kind, symbol, object, other)) = *said else {
                assert_eq!(findings, [], "{context}");
                continue;
            };
            let found = worst(&findings).unwrap_or_else(|| panic!("{context}"));
            assert_eq!(found.kind, kind, "{context}");
            assert_eq!(found.symbol.as_deref(), symbol, "{context}");
            if object.is_some() {
                let shown = found
                    .object
                    .as_deref()
                    .map(|name| name.trim_start_matches("./"));
                assert_eq!(shown, object, "{context}");
            }
            assert_eq!(found.other.as_deref(), other, "{context}");
            let others = findings.iter().filter(|one| one.kind == Kind::Other);
            assert_eq!(others.count(), 0, "{context}");
        }
    }
}

#[test]
fn a_program_without_main_is_wanted_by_the_start_files() {
    let folder = built();
    for linker in LINKERS {
        let (_, findings, text) = linked(&folder, linker, "no_main.o");
        let found = worst(&findings).unwrap();
        assert_eq!(found.symbol.as_deref(), Some("main"), "{text}");
        let object = found.object.as_deref().unwrap();
        assert!(object.ends_with("crt1.o"), "{linker}: {object}");
    }
}

#[test]
fn many_references_to_one_symbol_are_one_finding() {
    let folder = built();
    for linker in LINKERS {
        let (_, findings, text) = linked(&folder, linker, "many.o");
        assert_eq!(findings.len(), 1, "{linker}: {findings:#?}\n{text}");
    }
}

#[test]
fn debug_information_hides_no_symbol() {
    let folder = built();
    for linker in LINKERS {
        let (_, findings, text) = linked(&folder, linker, "traced.o");
        assert_eq!(findings.len(), 1, "{linker}: {findings:#?}\n{text}");
        assert_eq!(findings[0].symbol.as_deref(), Some("gone()"), "{linker}");
        // Gold names the line of the source and no object.
        let object = findings[0].object.as_deref();
        assert_eq!(
            object,
            (linker != "gold").then_some("traced.o"),
            "{linker}: {text}"
        );
    }
}

#[test]
fn code_for_a_fixed_place_is_refused_by_name_of_its_object() {
    let folder = built();
    for linker in LINKERS {
        let (success, findings, text) = linked(&folder, linker, "position.o -pie");
        if success {
            assert_eq!(findings, [], "{linker}: {text}");
            assert_eq!(linker, "lld", "{text}");
            continue;
        }
        let found = worst(&findings).unwrap_or_else(|| panic!("{linker}: {text}"));
        assert_eq!(found.kind, Kind::Relocation, "{linker}: {text}");
        assert_eq!(
            found.object.as_deref(),
            Some("position.o"),
            "{linker}: {text}"
        );
    }
}

#[test]
fn all_missing_symbols_are_read_where_the_linker_says_them_all() {
    let names: Vec<String> = (0..30).map(|at| format!("gone{at}")).collect();
    let declared: String = names
        .iter()
        .map(|name| format!("void {name}();\n"))
        .collect();
    let called: String = names.iter().map(|name| format!("  {name}();\n")).collect();
    let unit = format!("{declared}int main() {{\n{called}}}\n");
    let folder = Folder::with(&[("u.cpp", &unit)]);
    folder.make("g++ -c u.cpp");
    for linker in LINKERS {
        let all = if linker == "lld" {
            "-Wl,--error-limit=0"
        } else {
            ""
        };
        let (_, findings, _) = linked(&folder, linker, &format!("u.o {all}"));
        assert_eq!(findings.len(), 30, "{linker}");
    }
    let (_, findings, _) = linked(&folder, "lld", "u.o");
    assert_eq!(findings.len(), 20);
}

#[test]
fn drivers_say_what_they_cannot_hand_to_a_linker() {
    let folder = built();
    let output = folder.run("clang++ good.o gone.o -o program");
    let findings = parse(&output.stderr);
    let found = worst(&findings).unwrap();
    assert_eq!(
        (found.kind, found.object.as_deref()),
        (Kind::CannotOpen, Some("gone.o"))
    );
    let output = folder.run("clang++ -fuse-ld=lld undefined.o -o program");
    let findings = parse(&output.stderr);
    assert_eq!(findings.len(), 1, "{findings:?}");
}
