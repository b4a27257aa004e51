//! The same faults under the four linkers, which word them each in its own way.

use super::stranger::{COMPILERS, Consumer, rows};
use super::suite::Suite;

const LINKERS: [&str; 4] = ["bfd", "gold", "lld", "mold"];

const LAMP: &str = "#pragma once\nnamespace lib {\nint brightness(int level);\n\
    class Lamp { public: virtual ~Lamp() = default; virtual int level() const; };\n\
    int glow(const Lamp &lamp);\n}\n";
const USES_LAMP: &str = "#include <lamp.h>\n#include <stdio.h>\n\
    int main() { lib::Lamp lamp; if (lib::brightness(2) + lib::glow(lamp) == 23) puts(\"ok\"); }\n";

const WHOLE: Consumer = Consumer {
    id: "whole",
    files: &[
        ("include/lamp.h", LAMP),
        (
            "src/lamp.cpp",
            "#include <lamp.h>\nint lib::brightness(int level) { return 10 * level; }\n\
             int lib::Lamp::level() const { return 3; }\nint lib::glow(const Lamp &lamp) { return lamp.level(); }\n",
        ),
        ("main.cpp", USES_LAMP),
    ],
    link: &[],
    stdout: "ok\n",
    classes: &["pass"],
    says: "",
};

const NO_FUNCTION: Consumer = Consumer {
    id: "no-function",
    files: &[
        ("include/lamp.h", LAMP),
        (
            "src/lamp.cpp",
            "#include <lamp.h>\nint lib::Lamp::level() const { return 3; }\n\
             int lib::glow(const Lamp &lamp) { return lamp.level(); }\n",
        ),
        ("main.cpp", USES_LAMP),
    ],
    classes: &["link_undefined"],
    says: "brightness",
    ..WHOLE
};

const NO_VTABLE: Consumer = Consumer {
    id: "no-vtable",
    files: &[
        ("include/lamp.h", LAMP),
        (
            "src/lamp.cpp",
            "#include <lamp.h>\nint lib::brightness(int level) { return 10 * level; }\n\
             int lib::glow(const Lamp &lamp) { return lamp.level(); }\n",
        ),
        ("main.cpp", USES_LAMP),
    ],
    classes: &["link_undefined"],
    says: "vtable",
    ..WHOLE
};

/// The member of the archive that has `brightness` is wanted, and it also has what the consumer has.
const TWICE: Consumer = Consumer {
    id: "twice",
    files: &[
        ("include/lamp.h", LAMP),
        (
            "src/lamp.cpp",
            "#include <lamp.h>\nint factor();\nint factor() { return 10; }\n\
             int lib::brightness(int level) { return factor() * level; }\n\
             int lib::Lamp::level() const { return 3; }\nint lib::glow(const Lamp &lamp) { return lamp.level(); }\n",
        ),
        (
            "main.cpp",
            "#include <lamp.h>\n#include <stdio.h>\nint factor();\nint factor() { return 10; }\n\
             int main() { lib::Lamp lamp; if (lib::brightness(2) + lib::glow(lamp) == 23) puts(\"ok\"); }\n",
        ),
    ],
    classes: &["odr_or_duplicate"],
    says: "factor",
    ..WHOLE
};

#[test]
fn four_linkers_are_one_in_what_they_find() {
    let suite = Suite::empty();
    let faults = [WHOLE, NO_FUNCTION, NO_VTABLE, TWICE];
    for linker in LINKERS {
        for fault in &faults {
            let link = format!("-fuse-ld={linker}");
            fault.write(&suite, &format!("{}-{linker}", fault.id), &[&link]);
        }
    }
    for compiler in COMPILERS {
        let rows = rows(&suite, "consumer_link", compiler);
        assert_eq!(rows.len(), faults.len() * LINKERS.len(), "{rows:#?}");
        for linker in LINKERS {
            for fault in &faults {
                fault.assert_row(&rows, &format!("{}-{linker}", fault.id), compiler);
            }
        }
    }
}
