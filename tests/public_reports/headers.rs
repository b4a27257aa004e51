//! Public headers that do not stand alone, or that seemed not to.

use std::fs;
use std::process::{Command, Stdio};

use super::stranger::{COMPILERS, assert_row, rows};
use super::suite::Suite;

const CONFIG: &str = "standalone_header:\n  headers: ['include/**/*.h', 'include/**/*.hpp']\n  \
    flags: ['-std=c++17', '-Wall', '-Wextra', '-Werror']\n";

/// The thread it was reported in, the header, its text, the class, a word of the evidence.
type Report = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// One more is clean or not by the standard library's grace: see [`LEANS`].
const REPORTS: &[Report] = &[
    (
        "voutcn/megahit#366",
        "include/reads.h",
        "#pragma once\nnamespace reads {\nstruct Span { uint32_t first; uint32_t last; };\n}\n",
        "missing_declaration",
        "cstdint",
    ),
    (
        "UO-OACISS/zerosum#3",
        "include/cores.h",
        "#pragma once\n#include <stddef.h>\n#include <vector>\nnamespace cores {\n\
         inline size_t count(const std::vector<uint32_t> &cores) { return cores.size(); }\n}\n",
        "missing_declaration",
        "cstdint",
    ),
    (
        "BrowserWorks/waterfox#3033",
        "include/paint.hpp",
        "#pragma once\nnamespace paint {\nvoid fade(uint8_t level);\n}\n",
        "missing_declaration",
        "cstdint",
    ),
    (
        "open-telemetry/opentelemetry-cpp#4304",
        "include/shutdown.h",
        "#pragma once\nnamespace shutdown_ns {\n#ifdef _WIN32\nvoid close(HANDLE handle) { nonsense; }\n\
         #else\nvoid close(int handle);\n#endif\n}\n",
        "clean",
        "",
    ),
    (
        "pupnp/pupnp#56, the macro",
        "include/pup/api.h",
        "#pragma once\nPUP_EXPORT_SPEC int pup_start(void);\n",
        "other_compile_error",
        "PUP_EXPORT_SPEC",
    ),
    (
        "pupnp/pupnp#56, the configuration",
        "include/pup/settings.h",
        "#pragma once\n#include \"pup_config.h\"\nint pup_settings(void);\n",
        "header_missing",
        "pup_config.h",
    ),
    (
        "pupnp/pupnp#56, the parameter",
        "include/pup/peer.h",
        "#pragma once\nstruct pup_address;\nstruct pup_peer { struct pup_address address; };\n",
        "other_compile_error",
        "pup_address",
    ),
    (
        "pupnp/pupnp#56, the sibling",
        "include/pup/list.h",
        "#pragma once\n#include <node.h>\nstruct pup_list { struct pup_node *first; };\n",
        "header_missing",
        "node.h",
    ),
    (
        "the same, the sibling itself",
        "include/pup/node.h",
        "#pragma once\nstruct pup_node { struct pup_node *next; };\n",
        "clean",
        "",
    ),
    (
        "mfontanini/cppkafka#81",
        "include/queue/topic.h",
        "#pragma once\n#include \"detail/pending.h\"\nnamespace queue_ns {\nstruct Topic { Pending pending; };\n}\n",
        "header_missing",
        "detail/pending.h",
    ),
    (
        "spdlog 1.10 as installed: a macro that another header of the project defines",
        "include/log/worker.hpp",
        "#pragma once\nnamespace logging {\nclass LOGGING_API Worker { public: void stop(); };\n}\n",
        "missing_declaration",
        "",
    ),
    (
        "the same, the header that defines it",
        "include/log/common.hpp",
        "#pragma once\n#define LOGGING_API\nnamespace logging { enum class Level { low, high }; }\n",
        "clean",
        "",
    ),
    (
        "nlohmann/json and spdlog as installed: clean alone, and breaks what comes after it",
        "include/log/close.hpp",
        "#pragma once\n#undef LOGGING_API\n#define logging no_longer(\n",
        "clean",
        "",
    ),
    (
        "the same: clean alone, and not beside the header that defines the name",
        "include/log/again.hpp",
        "#pragma once\nnamespace logging { enum class Level { high }; }\n",
        "clean",
        "",
    ),
    (
        "no report, a later standard",
        "include/checks.hpp",
        "#pragma once\nnamespace checks {\ntemplate <class T> concept Small = sizeof(T) < 8;\n}\n",
        "other_compile_error",
        "",
    ),
];

/// What `topic.h` includes lies in the tree, and is not published.
const UNPUBLISHED: (&str, &str) = (
    "src/queue/detail/pending.h",
    "#pragma once\nnamespace queue_ns { struct Pending { int count; }; }\n",
);

/// ihhub/fheroes2#5783: clean as long as the standard library's `<string>` includes `<cstdint>`.
const LEANS: (&str, &str) = (
    "include/tiles.h",
    "#pragma once\n#include <string>\nnamespace tiles {\nstruct Tile { std::string name; uint32_t index; };\n}\n",
);

/// Whether this compiler takes the header alone.
fn compiles(suite: &Suite, compiler: &str, header: &str) -> bool {
    let unit = suite.home().join("unit.cpp");
    let header = suite.root().join(header);
    fs::write(&unit, format!("#include \"{}\"\n", header.display())).unwrap();
    let status = Command::new(compiler)
        .args(["-std=c++17", "-fsyntax-only"])
        .arg(unit)
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

#[test]
fn every_header_gets_the_class_of_its_report() {
    let suite = Suite::empty();
    suite.write("driftgate.yml", CONFIG);
    for (_, path, text, ..) in REPORTS {
        suite.write(path, text);
    }
    for (path, text) in [UNPUBLISHED, LEANS] {
        suite.write(path, text);
    }
    for compiler in COMPILERS {
        let rows = rows(&suite, "standalone_header", compiler);
        assert_eq!(rows.len(), REPORTS.len() + 1, "{rows:#?}");
        for (thread, path, _, class, says) in REPORTS {
            let with = format!("{compiler} ({thread})");
            assert_row(&rows, path, &with, &[class], says);
        }
        let (path, _) = LEANS;
        if compiles(&suite, compiler, path) {
            assert_row(&rows, path, compiler, &["clean"], "transitive_only");
        } else {
            assert_row(&rows, path, compiler, &["missing_declaration"], "cstdint");
        }
    }
}
