//! Units that are made for the compiler and the linker to break on. Each is the candidate's own
//! fault, and none of them ends unjudged.

use super::host::{Host, as_everybody, judged};

fn is(source: &str, class: &str) {
    as_everybody(|host: &Host| {
        judged(host, source, class);
    });
}

/// Whether a compiler gives up or has to be ended hangs on the machine.
fn does_not_compile(source: &str) {
    as_everybody(|host: &Host| {
        host.suite.completion("c", source);
        let run = host.grade();
        run.assert_code(1);
        let row = run.row("c");
        let class = row["class"].as_str().unwrap();
        assert!(
            ["compile_error", "compile_hang"].contains(&class),
            "{source}: {row}"
        );
    });
}

#[test]
fn what_a_compiler_gives_up_by_itself_is_a_compile_error() {
    for source in [
        "#include __FILE__\nint main() {}\n".to_owned(),
        "template <int N> struct A { static constexpr int v = A<N + 1>::v; };\nint main() { return A<0>::v; }\n".to_owned(),
        "constexpr int f() { int i = 0; for (;;) i ^= 1; return i; }\nconstexpr int x = f();\nint main() {}\n".to_owned(),
        laughing(3),
        format!("int main() {{ return {}0; }}\n", "(".repeat(20_000)),
        "#include \"/dev/stdin\"\n#error over\n".to_owned(),
    ] {
        is(&source, "compile_error");
    }
}

/// A macro that becomes ten to the power of `depth` terms, and an error behind them.
fn laughing(depth: u32) -> String {
    let defined: String = (0..depth)
        .map(|nth| {
            let ten = format!("L{nth} ").repeat(10);
            format!("#define L{} {ten}\n", nth + 1)
        })
        .collect();
    format!("#define L0 +1\n{defined}int main() {{ return 0 L{depth} @; }}\n")
}

#[test]
#[ignore = "writes two files of a gigabyte"]
fn what_no_linker_can_lay_out_is_a_link_error() {
    is(
        "asm(\".data\\n.fill 1073736000, 1, 1\\n\"); int main() {}\n",
        "link_error",
    );
}

#[test]
#[ignore = "each takes a minute or gigabytes of a compiler, twice"]
fn what_a_compiler_never_ends_with_does_not_compile() {
    for source in [
        &laughing(6),
        "template <int N, int M> struct F { static constexpr int v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\n\
         template <int M> struct F<0, M> { static constexpr int v = M; };\n\
         int main() { return F<26, 0>::v; }\n",
        "asm(\".rept 100000000\\n.rept 100000000\\n.endr\\n.endr\\n\"); int main() {}\n",
        "#include \"/dev/zero\"\n",
    ] {
        does_not_compile(source);
    }
}
