//! The whole standard library as a prelude, for the probe that shows that a header leans on it.
//!
//! Not in it: what warns or stops whoever includes it (`<strstream>`, `<ciso646>`) and, in C++,
//! the headers of C that only C needs.

use std::fmt::Write;

use super::units::Dialect;

/// The headers that C++ has since a year, by the `__cplusplus` that must be exceeded.
#[rustfmt::skip]
const CXX: &[(u32, &[&str])] = &[
    (0, &[
        "algorithm", "bitset", "cassert", "cctype", "cerrno", "cfloat", "climits",
        "clocale", "cmath", "complex", "csetjmp", "csignal", "cstdarg", "cstddef", "cstdio",
        "cstdlib", "cstring", "ctime", "cwchar", "cwctype", "deque", "exception", "fstream",
        "functional", "iomanip", "ios", "iosfwd", "iostream", "istream", "iterator", "limits",
        "list", "locale", "map", "memory", "new", "numeric", "ostream", "queue", "set", "sstream",
        "stack", "stdexcept", "streambuf", "string", "typeinfo", "utility", "valarray", "vector",
        "assert.h", "ctype.h", "errno.h", "float.h", "limits.h", "locale.h", "math.h", "setjmp.h",
        "signal.h", "stdarg.h", "stddef.h", "stdio.h", "stdlib.h", "string.h", "time.h", "wchar.h",
        "wctype.h",
    ]),
    (199_711, &[
        "array", "atomic", "cfenv", "chrono", "cinttypes", "codecvt", "condition_variable", "cstdint",
        "cuchar", "forward_list", "future", "initializer_list", "mutex", "random", "ratio",
        "regex", "scoped_allocator", "system_error", "thread", "tuple", "type_traits", "typeindex",
        "unordered_map", "unordered_set", "fenv.h", "inttypes.h", "stdint.h", "uchar.h",
    ]),
    (201_103, &["shared_mutex"]),
    (201_402, &[
        "any", "charconv", "execution", "filesystem", "memory_resource", "optional",
        "string_view", "variant",
    ]),
    (201_703, &[
        "barrier", "bit", "compare", "concepts", "coroutine", "format", "latch", "numbers",
        "ranges", "semaphore", "source_location", "span", "stop_token", "syncstream", "version",
    ]),
    (202_002, &[
        "expected", "flat_map", "flat_set", "generator", "mdspan", "print", "spanstream",
        "stacktrace", "stdfloat",
    ]),
];

/// The headers of C11.
#[rustfmt::skip]
const C: &[&str] = &[
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h",
    "limits.h", "locale.h", "math.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h",
    "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h",
    "string.h", "tgmath.h", "threads.h", "time.h", "uchar.h", "wchar.h", "wctype.h",
];

/// The lines that include everything that the standard library of `dialect` has here.
pub(super) fn prelude(dialect: Dialect) -> String {
    let mut text = String::new();
    match dialect {
        Dialect::C => {
            include_if_there(&mut text, C);
            // A name that a header may well give to something of its own.
            text.push_str("#undef I\n");
        }
        Dialect::Cxx => {
            for (exceeded, headers) in CXX {
                let _ = writeln!(text, "#if __cplusplus > {exceeded}L");
                include_if_there(&mut text, headers);
                text.push_str("#endif\n");
            }
        }
    }
    text
}

fn include_if_there(text: &mut String, headers: &[&str]) {
    for header in headers {
        let _ = write!(
            text,
            "#if __has_include(<{header}>)\n#include <{header}>\n#endif\n"
        );
    }
}

/// The header of `dialect` that declares what the C++ header `header` does.
pub(super) fn spelled(header: &str, dialect: Dialect) -> Option<String> {
    match dialect {
        Dialect::Cxx => Some(header.to_owned()),
        Dialect::C if C.contains(&header) => Some(header.to_owned()),
        Dialect::C => {
            let of_c = format!("{}.h", header.strip_prefix('c')?);
            C.contains(&of_c.as_str()).then_some(of_c)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::std_names;

    #[test]
    fn every_header_that_is_suggested_is_in_the_prelude() {
        let text = prelude(Dialect::Cxx);
        for (_, name, header) in std_names::all() {
            assert!(
                text.contains(&format!("#include <{header}>\n")),
                "{name}: {header}"
            );
        }
    }

    #[test]
    fn a_header_of_c_has_its_own_name_in_c() {
        let c = |header| spelled(header, Dialect::C);
        assert_eq!(c("cstdint").as_deref(), Some("stdint.h"));
        assert_eq!(c("stdint.h").as_deref(), Some("stdint.h"));
        assert_eq!((c("vector"), c("chrono")), (None, None));
        assert_eq!(spelled("cstdint", Dialect::Cxx).as_deref(), Some("cstdint"));
    }
}
