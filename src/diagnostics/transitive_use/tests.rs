//! Headers with the names that nothing guarantees.

use super::*;

use crate::diagnostics::std_names::Spelling;
use proptest::prelude::*;

fn names(header: &str, included: &[&str]) -> Vec<String> {
    let found = leaning(header.as_bytes(), |name| included.contains(&name));
    found.into_iter().map(|one| one.name).collect()
}

#[test]
fn a_name_that_nothing_guarantees_is_found() {
    for (header, included, wanted) in [
        ("uint32_t x;", vec!["string"], "uint32_t"),
        (
            "std::uint8_t f(::std::string s);",
            vec!["string"],
            "std::uint8_t",
        ),
        ("::uint8_t x;", vec![], "uint8_t"),
        (
            "inline const ::std::vector<int> x;",
            vec!["map"],
            "std::vector",
        ),
        (
            "std::chrono::seconds s;",
            vec!["string"],
            "std::chrono::seconds",
        ),
        ("std::ostream &f();", vec!["string"], "std::ostream"),
        (
            "inline void f() { std::cout << 1; }",
            vec!["ostream"],
            "std::cout",
        ),
        (
            "inline int f(char *a) { return strlen(a); }",
            vec!["string"],
            "strlen",
        ),
        ("int x = INT_MAX;", vec!["limits"], "INT_MAX"),
        ("size_t x;", vec![], "size_t"),
        (
            "int x = std::min(1, 2);",
            vec!["utility", "cstdio"],
            "std::min",
        ),
        (
            "std::function<void()> f;",
            vec!["map", "memory"],
            "std::function",
        ),
        (
            "std::shared_ptr<int> x; std::shared_ptr<int> y;",
            vec!["vector"],
            "std::shared_ptr",
        ),
    ] {
        assert_eq!(names(header, &included), [wanted], "{header}");
    }
    let found = leaning(b"\n// uint8_t\nstd::vector<int> x;", |_| false);
    let wanted = Leaning {
        name: "std::vector".to_owned(),
        header: "vector".to_owned(),
        line: 3,
    };
    assert_eq!(found, [wanted]);
}

#[test]
fn what_is_guaranteed_or_no_use_is_passed() {
    for (header, included) in [
        ("uint32_t x;", vec!["stdint.h"]),
        ("std::int64_t x;", vec!["cinttypes"]),
        ("size_t x;", vec!["cstdio"]),
        ("size_t x;", vec!["string.h"]),
        ("std::size_t x;", vec!["vector"]),
        ("std::ostream &f();", vec!["iosfwd"]),
        (
            "std::ostream &f(); std::ios_base::fmtflags x;",
            vec!["iostream"],
        ),
        ("std::initializer_list<int> x;", vec!["vector"]),
        ("auto x = std::begin(y);", vec!["string"]),
        ("std::vector<int> x; uint8_t y;", vec!["bits/stdc++.h"]),
        ("using uint32_t = unsigned; uint32_t x;", vec![]),
        ("typedef unsigned int uint32_t; uint32_t x;", vec![]),
        ("#define INT_MAX 5\nint x = INT_MAX;", vec![]),
        (
            "a::uint32_t x; b.uint32_t; c->uint32_t; T<int>::size_t y;",
            vec![],
        ),
        ("a::std::vector<int> x;", vec![]),
        ("double time; void f() { remove(x); signal(y); }", vec![]),
        ("char *strlen(int); inline int f() { strlen(1); }", vec![]),
        ("#define X std::vector<int>\n#if INT_MAX\n#endif", vec![]),
        (
            "#if __has_include(<a>)\n#endif\nstd::vector<int> x;",
            vec![],
        ),
        ("import a;\nstd::vector<int> x;", vec![]),
        ("#include X\nstd::vector<int> x;", vec![]),
        ("std::unheard_of x; vector<int> y;", vec![]),
        (
            "namespace std { template<> struct hash<A> {}; } std::hash<A> h;",
            vec![],
        ),
        ("const char *x = \"std::vector\";", vec![]),
    ] {
        assert_eq!(names(header, &included), Vec::<String>::new(), "{header}");
    }
}

/// Whether `spelling` can stand without `std::`.
fn stands_alone(spelling: Spelling) -> bool {
    match spelling {
        Spelling::StdOrGlobal | Spelling::Macro => true,
        Spelling::Std | Spelling::Namespace => false,
    }
}

#[test]
fn every_name_is_guaranteed_by_its_header() {
    for (spelling, name, header) in all() {
        let source = if stands_alone(spelling) {
            format!("{name} x; std::{name} y;")
        } else {
            format!("std::{name} x;")
        };
        assert_eq!(names(&source, &[header]), Vec::<String>::new(), "{name}");
    }
}

proptest! {
    #[test]
    fn more_includes_leave_no_more_names(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "std", "::", "vector", "uint8_t", " ", ";", "(", "size_t", "typedef ", "struct ", "=",
            "using ", "#define ", "\n", "chrono", "seconds", "INT_MAX", "*", "cout", "memcpy",
        ]), 0..40),
        included in prop::collection::btree_set(prop::sample::select(vec![
            "vector", "cstdint", "chrono", "climits", "iostream", "string.h",
        ]), 0..4),
    ) {
        let text = pieces.concat();
        let included: Vec<_> = included.into_iter().collect();
        let none = names(&text, &[]);
        let some = names(&text, &included);
        prop_assert!(some.iter().all(|name| none.contains(name)));
        prop_assert_eq!(names(&text, &["bits/stdc++.h"]), Vec::<String>::new());
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(leaning(&bytes, |_| false).len() <= bytes.len());
    }
}
