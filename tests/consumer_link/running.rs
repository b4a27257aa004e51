//! Faults that show when the consumer runs.

use super::bench::Bench;

fn returning(body: &str) -> Bench {
    Bench::new(
        "#pragma once\nnamespace demo { int f(); }\n",
        &format!("#include \"demo.hpp\"\n#include <cstdio>\nint demo::f() {{ {body} }}\n"),
        "#include \"demo.hpp\"\n#include <cstdio>\nint main() { std::printf(\"%d\\n\", demo::f()); }\n",
        "5\n",
    )
}

#[test]
fn another_result_is_a_mismatch() {
    for body in [
        "return 6;",
        "std::puts(\"more\"); return 5;",
        "__builtin_trap();",
        "for (int i = 0; i < 100000; ++i) { std::printf(\"%01000d\", i); } return 5;",
    ] {
        returning(body).is("behavior_mismatch");
    }
}

#[test]
fn a_spin_is_a_hang() {
    let spin = returning("volatile int i = 0; while (i == 0) {} return 5;");
    spin.with(|bench| bench.timeout_s = 1).is("hang");
}
