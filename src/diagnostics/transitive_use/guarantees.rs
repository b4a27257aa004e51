//! Which standard headers a name may be expected from: what the standard promises, and what no
//! library could do without.

use std::borrow::Cow;

#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "array", "deque", "forward_list", "list", "map", "set", "unordered_map", "unordered_set",
    "vector",
];

/// Headers whose classes are streams, each of which needs the others' declarations.
#[rustfmt::skip]
const STREAMS: &[&str] = &[
    "fstream", "iomanip", "ios", "iosfwd", "iostream", "istream", "ostream", "sstream", "streambuf",
    "syncstream",
];

/// Headers with a class that derives from `std::exception`.
#[rustfmt::skip]
const EXCEPTIONS: &[&str] = &[
    "any", "exception", "filesystem", "functional", "future", "ios", "memory", "new", "optional",
    "regex", "stdexcept", "system_error", "typeinfo", "variant",
];

/// Headers that must bring `std::initializer_list`, as the containers do.
#[rustfmt::skip]
const WITH_LISTS: &[&str] = &[
    "algorithm", "any", "optional", "queue", "random", "regex", "stack", "string", "utility",
    "valarray", "variant",
];

/// Headers that must declare `std::hash` or what else goes with their types.
#[rustfmt::skip]
const WITH_HASHES: &[&str] = &[
    "bitset", "memory", "optional", "string", "string_view", "system_error", "thread", "typeindex",
    "variant",
];

/// Headers that give what another gives too.
#[rustfmt::skip]
const OTHERS: &[(&str, &[&str])] = &[
    ("cstdint", &["cinttypes", "inttypes.h"]),
    ("cinttypes", &["inttypes.h"]),
    ("cctype", &["locale"]),
    ("cwchar", &["uchar.h", "cuchar"]),
    ("ctime", &["chrono", "sys/time.h", "sys/types.h", "sys/stat.h"]),
    ("chrono", &["condition_variable", "future", "mutex", "shared_mutex", "thread"]),
    ("ratio", &["chrono"]),
    ("mutex", &["condition_variable", "shared_mutex"]),
    ("string", &["bitset", "filesystem", "regex", "sstream"]),
    ("tuple", &["map", "unordered_map"]),
    ("typeinfo", &["any", "typeindex"]),
    ("stdexcept", &["filesystem", "future", "ios", "regex", "system_error"]),
    ("system_error", &["filesystem", "future", "ios"]),
];

/// The headers, any of which is enough for the name `simple`, which stands in `header`.
pub(super) fn guarantees(
    simple: &str,
    header: &'static str,
) -> impl Iterator<Item = Cow<'static, str>> {
    let mut found: Vec<&'static str> = vec![header];
    found.extend(
        OTHERS
            .iter()
            .filter(|one| one.0 == header)
            .flat_map(|one| one.1),
    );
    match simple {
        // Two headers each have some of their own.
        "abs" | "div" | "fabs" => found.extend(["cmath", "cstdlib", "complex"]),
        "remove" => found.extend(["algorithm", "cstdio"]),
        "less" | "greater" | "equal_to" => {
            found.extend(["map", "queue", "set", "unordered_map", "unordered_set"]);
        }
        _ => {}
    }
    match header {
        "ios" | "istream" | "ostream" | "iostream" | "streambuf" | "iosfwd" => {
            // The objects are only in one.
            let is_object = matches!(simple, "cin" | "cout" | "cerr" | "clog" | "wcin" | "wcout");
            found.extend(STREAMS.iter().filter(|_| !is_object));
        }
        "exception" => found.extend(EXCEPTIONS),
        "initializer_list" => {
            found.extend(CONTAINERS);
            found.extend(WITH_LISTS);
        }
        "iterator" if matches!(simple, "begin" | "end" | "size" | "data" | "empty") => {
            found.extend(CONTAINERS);
            found.extend(["regex", "span", "string", "string_view"]);
        }
        "iterator" => found.extend(CONTAINERS),
        _ => {}
    }
    if matches!(
        simple,
        "hash" | "allocator" | "allocator_traits" | "char_traits"
    ) {
        found.extend(CONTAINERS);
        found.extend(WITH_HASHES);
    }
    found.into_iter().flat_map(both)
}

/// `cstdint` and `stdint.h` are as good as each other.
pub(super) fn both(header: &'static str) -> impl Iterator<Item = Cow<'static, str>> {
    let c = header.strip_prefix('c').filter(|_| is_of_c(header));
    let c = c.map(|c| Cow::Owned(format!("{c}.h")));
    [Some(Cow::Borrowed(header)), c].into_iter().flatten()
}

fn is_of_c(header: &str) -> bool {
    matches!(
        header,
        "cassert"
            | "cctype"
            | "cerrno"
            | "cfenv"
            | "cfloat"
            | "cinttypes"
            | "climits"
            | "clocale"
            | "cmath"
            | "csetjmp"
            | "csignal"
            | "cstdarg"
            | "cstddef"
            | "cstdint"
            | "cstdio"
            | "cstdlib"
            | "cstring"
            | "ctime"
            | "cuchar"
            | "cwchar"
            | "cwctype"
    )
}

/// Whether any header of the library brings the name, as none can be written without it.
pub(super) fn comes_with_all(simple: &str, header: &str) -> bool {
    let is_everywhere = matches!(simple, "size_t" | "ptrdiff_t" | "nullptr_t" | "NULL");
    is_everywhere || matches!(header, "utility" | "type_traits" | "compare")
}
