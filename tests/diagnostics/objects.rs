//! Symbols of real objects, archives and shared objects, and of broken ones.

use driftgate::diagnostics::symbols::{Absence, Symbols, demangled, explain_undefined};
use proptest::prelude::*;

use crate::tools::Folder;

const LIBRARY: &str = "#include <string>
namespace lib {
int global(int x) { return x; }
static int kept(int x) { return x; }
namespace { int anonymous(int x) { return x; } }
int use(int x) { return kept(x) + anonymous(x); }
int narrow(short x) { return x; }
struct S { int get(); int other() const; S(int); ~S(); int operator+(short); };
S::S(int) {}
S::~S() {}
int S::operator+(short) { return 1; }
int S::get() { return 1; }
template <class T> T twice(T t) { return t + t; }
template int twice<int>(int);
inline int inlined() { return 3; }
int calls() { return inlined(); }
int take(std::string s) { return s.size(); }
__attribute__((visibility(\"hidden\"))) int concealed() { return 2; }
int variable = 4;
}
int elsewhere(long) { return 1; }
extern \"C\" int in_c(int x) { return x; }
int in_cpp(int x) { return x; }
int wants_more();
int asks() { return wants_more(); }
__attribute__((weak)) int weakly() { return 1; }
__attribute__((weak)) int wished();
int wishes() { return wished ? wished() : 0; }
";

fn library(compiler: &str) -> Folder {
    let folder = Folder::with(&[
        ("lib.cpp", LIBRARY),
        ("more.cpp", "int wants_more() { return 1; }\n"),
    ]);
    folder.make(&format!("{compiler} -O0 -fPIC -c lib.cpp more.cpp"));
    folder.make("ar rcs liball.a lib.o more.o");
    folder.make("ar rcs liblib.a lib.o");
    folder.make(&format!("{compiler} -shared lib.o more.o -o liball.so"));
    folder
}

fn symbols(folder: &Folder, name: &str) -> Symbols {
    Symbols::read(&folder.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn symbols_are_where_nm_would_say_they_are() {
    for compiler in ["g++", "clang++"] {
        let folder = library(compiler);
        for name in ["lib.o", "liblib.a"] {
            let read = symbols(&folder, name);
            assert!(
                read.defined_global["_ZN3lib6globalEi"].size > 0,
                "{compiler} {name}"
            );
            assert_eq!(read.defined_global["_ZN3lib8variableE"].size, 4);
            assert!(read.defined_weak.contains_key("_Z6weaklyv"));
            assert!(read.defined_weak.contains_key("_ZN3lib7inlinedEv"));
            assert!(read.defined_weak.contains_key("_ZN3lib5twiceIiEET_S1_"));
            assert!(read.local.contains_key("_ZN3libL4keptEi"));
            assert!(read.local.contains_key("_ZN3lib12_GLOBAL__N_19anonymousEi"));
            assert!(read.hidden.contains_key("_ZN3lib9concealedEv"));
            assert!(read.undefined.contains_key("_Z10wants_morev"));
            assert!(!read.undefined.contains_key("_Z6wishedv"));
            assert!(read.comdats.contains_key("_ZN3lib7inlinedEv"));
            assert!(read.wanted().any(|name| name == "_Z10wants_morev"));
            assert_eq!(read.unread, [""; 0]);
        }
        let all = symbols(&folder, "liball.a");
        assert!(!all.wanted().any(|name| name == "_Z10wants_morev"));
        let shared = symbols(&folder, "liball.so");
        assert!(shared.defines("_ZN3lib6globalEi"), "{compiler}");
        assert!(shared.defines("_ZN3lib7inlinedEv"), "{compiler}");
        let concealed = explain_undefined("_ZN3lib9concealedEv", &shared);
        assert_eq!(concealed, Absence::Hidden, "{compiler}");
        let kept = explain_undefined("_ZN3lib4keptEi", &shared);
        assert_eq!(kept, Absence::Local, "{compiler}");
    }
}

#[test]
fn an_absence_is_explained_by_what_is_there_instead() {
    let signature = |declarations: &[&str]| {
        let declarations = declarations.iter().map(|one| (*one).to_owned());
        Absence::OtherSignature(declarations.collect())
    };
    for compiler in ["g++", "clang++"] {
        let folder = library(compiler);
        let archive = symbols(&folder, "liball.a");
        for (raw, expected) in [
            ("_ZN3lib6globalEi", Absence::Provided),
            ("_ZN3lib9concealedEv", Absence::Hidden),
            ("_ZN3lib4keptEi", Absence::Local),
            ("_ZN3lib9anonymousEi", Absence::Local),
            ("_ZTVN3lib1SE", Absence::Vtable),
            ("_ZTIN3lib1SE", Absence::Vtable),
            ("_ZN3lib5twiceIdEET_S1_", Absence::TemplateInstance),
            ("_ZN3lib3BoxIiE3getEv", Absence::TemplateInstance),
            ("_ZN3lib6narrowEi", signature(&["lib::narrow(short)"])),
            ("_ZNK3lib1S3getEv", signature(&["lib::S::get()"])),
            ("_ZN3lib1SC1El", signature(&["lib::S::S(int)"])),
            ("_ZN3lib1SplEi", signature(&["lib::S::operator+(short)"])),
            ("_ZN3lib1SD1Ev", Absence::Provided),
            ("_ZN3lib9elsewhereEl", signature(&["elsewhere(long)"])),
            ("_Z4in_ci", signature(&["in_c"])),
            ("in_cpp", signature(&["in_cpp(int)"])),
            ("_ZN3lib4nameEi", Absence::Absent),
            ("_ZN5other6narrowEi", Absence::Absent),
            ("crypt", Absence::Absent),
            ("", Absence::Absent),
        ] {
            assert_eq!(
                explain_undefined(raw, &archive),
                expected,
                "{compiler} {raw}"
            );
            if raw.starts_with("_Z") {
                let spelled = demangled(raw);
                assert_eq!(
                    explain_undefined(&spelled, &archive),
                    expected,
                    "{compiler} {spelled}"
                );
            }
        }
        let old = explain_undefined("_ZN3lib4takeESs", &archive);
        let Absence::OtherSignature(there) = old else {
            panic!("{old:?}");
        };
        assert!(
            there[0].starts_with("lib::take(std::__cxx11::basic_string<char"),
            "{there:?}"
        );
    }
}

/// COMDAT groups of two units over the same header, whose bodies are these.
fn two_units(compiler: &str, header: &str, first: &str, second: &str) -> Vec<String> {
    let folder = Folder::with(&[("h.h", header)]);
    for (name, before) in [("a.cpp", first), ("b.cpp", second)] {
        folder.write(
            name,
            &format!(
                "{before}\n#include \"h.h\"\nint {}() {{ return pick(); }}\n",
                &name[..1]
            ),
        );
    }
    folder.make(&format!("{compiler} -O0 -c a.cpp b.cpp"));
    let (a, b) = (symbols(&folder, "a.o"), symbols(&folder, "b.o"));
    assert!(a.comdats.contains_key("_Z4pickv"), "{compiler}");
    a.disagreements(&b).map(str::to_owned).collect()
}

#[test]
fn bodies_are_compared_as_they_would_run() {
    let by_macro = "#ifndef N\n#define N 1\n#endif\n";
    for compiler in ["g++", "clang++"] {
        let pick = ["_Z4pickv"];
        let number = format!("{by_macro}inline int pick() {{ return N; }}\n");
        assert_eq!(
            two_units(compiler, &number, "", "#define N 2"),
            pick,
            "{compiler}"
        );
        let callee = "int x();\nint y();\n#ifndef N\n#define N x\n#endif\ninline int pick() { return N(); }\n";
        assert_eq!(
            two_units(compiler, callee, "", "#define N y"),
            pick,
            "{compiler}"
        );
        let text = "#ifndef N\n#define N \"one\"\n#endif\ninline int pick() { return N[1]; }\n\
                    inline const char *name() { return N; }\n";
        assert_eq!(
            two_units(compiler, text, "", "#define N \"two\""),
            pick,
            "{compiler}"
        );
        let real = format!(
            "{by_macro}inline int pick() {{ static double d = 0; d = d * (0.1 + N); return d; }}\n"
        );
        assert!(
            two_units(compiler, &real, "", "#define N 2").contains(&"_Z4pickv".to_owned()),
            "{compiler}"
        );
        // Other constants before it, other functions around it, the same body.
        let honest = "inline const char *name() { return \"name\"; }\n\
                      inline int pick() { double d = 2.5; return name()[0] * d; }\n";
        let noise = "inline const char *more() { return \"more text\"; }\n\
                     int noise(double d) { return more()[0] * d * 7.25; }\n";
        assert_eq!(
            two_units(compiler, honest, "", noise),
            [""; 0],
            "{compiler}"
        );
    }
}

#[test]
fn honest_users_of_the_standard_library_agree() {
    let first = "#include <iostream>\n#include <map>\n#include <string>\n#include <vector>\n\
        int a() { std::map<std::string, std::vector<int>> m; m[\"x\"].push_back(3); std::cout << \"text\"; return m.size(); }\n";
    let second = "#include <string>\n#include <map>\n#include <vector>\n#include <memory>\n\
        const char *other() { return \"another constant\"; }\ndouble d(double x) { return x * 3.25; }\n\
        int b() { std::map<std::string, std::vector<int>> m; m[\"y\"].resize(9); std::string s(\"z\"); s += \"w\"; return *std::make_unique<int>(s.size()); }\n";
    let folder = Folder::with(&[("a.cpp", first), ("b.cpp", second)]);
    for compiler in ["g++", "clang++"] {
        folder.make(&format!("{compiler} -std=c++17 -O0 -c a.cpp b.cpp"));
        let (a, b) = (symbols(&folder, "a.o"), symbols(&folder, "b.o"));
        let shared = a
            .comdats
            .keys()
            .filter(|name| b.comdats.contains_key(*name));
        assert!(shared.count() > 50, "{compiler}");
        let differ: Vec<&str> = a.disagreements(&b).collect();
        assert_eq!(differ, [""; 0], "{compiler}");
    }
}

#[test]
fn strings_behind_a_body_are_part_of_it() {
    let header = "#ifndef N\n#define N \"one\"\n#endif\ninline const char *name() { return N; }\n\
                  inline int pick() { return name()[0]; }\n";
    for compiler in ["g++", "clang++"] {
        let differ = two_units(compiler, header, "", "#define N \"two\"");
        assert_eq!(differ, ["_Z4namev"], "{compiler}");
    }
}

#[test]
fn a_broken_member_leaves_the_rest_of_its_archive_readable() {
    let folder = library("g++");
    folder.write("text.o", "no object at all, and yet a member\n");
    folder.make("ar rcs libmixed.a text.o lib.o");
    let read = symbols(&folder, "libmixed.a");
    assert_eq!(read.unread, ["text.o"]);
    assert!(read.defines("_ZN3lib6globalEi"));
    assert!(Symbols::read(b"").is_err());
    assert!(Symbols::read(b"int main() {}\n").is_err());
    assert!(
        Symbols::read(b"!<arch>\n")
            .unwrap()
            .defined_global
            .is_empty()
    );
}

#[test]
fn a_cut_or_changed_object_is_refused_or_read_and_never_more() {
    let folder = library("g++");
    let inputs: Vec<Vec<u8>> = ["lib.o", "liball.a", "liball.so"]
        .map(|name| folder.read(name))
        .into();
    for input in &inputs {
        for length in (0..input.len()).step_by(97) {
            let _ = Symbols::read(&input[..length]);
        }
    }
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12);
    // Most of what steers a reader is in the first and the last bytes.
    let headers = prop::collection::vec((0_usize..64, any::<u8>()), 0..4);
    let mut runner = prop::test_runner::TestRunner::new(ProptestConfig::with_cases(600));
    let strategy = (0..inputs.len(), changes, headers, any::<bool>());
    runner
        .run(&strategy, |(which, changes, headers, at_end)| {
            let mut bytes = inputs[which].clone();
            for (at, value) in changes {
                let tail = bytes.len().min(4096);
                let at = if at_end {
                    bytes.len() - 1 - at.index(tail)
                } else {
                    at.index(bytes.len())
                };
                bytes[at] = value;
            }
            for (at, value) in headers {
                bytes[at] = value;
            }
            if let Ok(read) = Symbols::read(&bytes) {
                let _ = explain_undefined("_ZN3lib4keptEi", &read);
                let names: usize = read.defined_global.keys().map(String::len).sum();
                prop_assert!(names <= 16 * bytes.len() + (1 << 20));
            }
            Ok(())
        })
        .unwrap();
}
