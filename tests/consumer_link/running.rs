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
    let spin = spin.with(|bench| bench.timeout_s = 1);
    // A machine that is busy with other things lets it wait until the wall limit.
    let classes = (0..5).map(|_| spin.graded_with("g++").outcome.class);
    let judged = classes.into_iter().find(|class| class != "machine");
    assert!(judged.is_none_or(|class| class == "hang"));
}
