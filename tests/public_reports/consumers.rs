//! Libraries that a stranger could not build against, and the program of the issue that asked for
//! this grader.

use super::stranger::{Consumer, assert_consumers};

const PASS: &[&str] = &["pass"];
const UNDEFINED: &[&str] = &["link_undefined"];
const DUPLICATE: &[&str] = &["odr_or_duplicate"];
const MISSING: &[&str] = &["missing_declaration"];

/// The least of a consumer that passes; the rest is said where it differs.
const HONEST: Consumer = Consumer {
    id: "",
    files: &[],
    link: &[],
    stdout: "ok\n",
    classes: PASS,
    says: "",
};

// mfontanini/cppkafka#81
const LEAK: Consumer = Consumer {
    id: "leak",
    files: &[
        (
            "include/topic.h",
            "#pragma once\n#include \"detail/pending.h\"\nnamespace lib {\nstruct Topic { Pending pending; };\n}\n",
        ),
        (
            "src/detail/pending.h",
            "#pragma once\nnamespace lib { struct Pending { int count; }; }\n",
        ),
        (
            "main.cpp",
            "#include <topic.h>\n#include <stdio.h>\nint main() { lib::Topic topic{}; return topic.pending.count + (puts(\"ok\") < 0); }\n",
        ),
    ],
    classes: &["header_missing"],
    says: "detail/pending.h",
    ..HONEST
};

// Taywee/args#15 and #21
const USES_ARGS: &str = "#include <args.h>\n#include <stdio.h>\n\
    int main() { lib::Flag flag; flag.set(); if (lib::is_flag(\"-v\") && flag.on()) puts(\"ok\"); }\n";

const FREE_FUNCTION: Consumer = Consumer {
    id: "free-function",
    files: &[
        (
            "include/args.h",
            "#pragma once\nnamespace lib {\nbool is_flag(const char *word) { return word[0] == '-'; }\n\
             class Flag { bool on_ = false; public: void set() { on_ = true; } bool on() const { return on_; } };\n}\n",
        ),
        ("main.cpp", USES_ARGS),
    ],
    classes: DUPLICATE,
    says: "is_flag",
    ..HONEST
};

const MEMBER_OUTSIDE: Consumer = Consumer {
    id: "member-outside",
    files: &[
        (
            "include/args.h",
            "#pragma once\nnamespace lib {\ninline bool is_flag(const char *word) { return word[0] == '-'; }\n\
             class Flag { bool on_ = false; public: void set(); bool on() const { return on_; } };\n\
             void Flag::set() { on_ = true; }\n}\n",
        ),
        ("main.cpp", USES_ARGS),
    ],
    classes: DUPLICATE,
    says: "set",
    ..HONEST
};

const INLINE: Consumer = Consumer {
    id: "inline",
    files: &[
        (
            "include/args.h",
            "#pragma once\nnamespace lib {\ninline bool is_flag(const char *word) { return word[0] == '-'; }\n\
             class Flag { bool on_ = false; public: void set(); bool on() const { return on_; } };\n\
             inline void Flag::set() { on_ = true; }\n}\n",
        ),
        ("main.cpp", USES_ARGS),
    ],
    ..HONEST
};

// fmtlib/fmt#2293: in a shared library without exports only.
const USES_FAILURE: &str = "#include <failure.h>\n#include <stdio.h>\n\
    int main() { lib::Failure failure; if (lib::code_of(failure) == 7) puts(\"ok\"); }\n";
const FAILURE_SOURCE: &str = "#include <failure.h>\nint lib::Failure::code() const { return 7; }\n\
    int lib::code_of(const Failure &failure) { return failure.code(); }\n";

const HIDDEN_CLASS: Consumer = Consumer {
    id: "hidden-class",
    files: &[
        (
            "include/failure.h",
            "#pragma once\nnamespace lib {\n\
             class Failure { public: virtual ~Failure() = default; virtual int code() const; };\n\
             __attribute__((visibility(\"default\"))) int code_of(const Failure &failure);\n}\n",
        ),
        ("src/failure.cpp", FAILURE_SOURCE),
        ("main.cpp", USES_FAILURE),
    ],
    ..HONEST
};

const EXPORTED_CLASS: Consumer = Consumer {
    id: "exported-class",
    files: &[
        (
            "include/failure.h",
            "#pragma once\n#define LIB_API __attribute__((visibility(\"default\")))\nnamespace lib {\n\
             class LIB_API Failure { public: virtual ~Failure() = default; virtual int code() const; };\n\
             LIB_API int code_of(const Failure &failure);\n}\n",
        ),
        ("src/failure.cpp", FAILURE_SOURCE),
        ("main.cpp", USES_FAILURE),
    ],
    ..HONEST
};

// conan-io/conan#13358; the dlopen family is in libc by now, crypt is not.
const CRYPT: &[(&str, &str)] = &[
    (
        "include/seal.h",
        "#pragma once\n#include <crypt.h>\nnamespace lib {\n\
         inline bool seals(const char *word) { return crypt(word, \"ab\") != word; }\n}\n",
    ),
    (
        "main.cpp",
        "#include <seal.h>\n#include <stdio.h>\nint main() { if (lib::seals(\"word\")) puts(\"ok\"); }\n",
    ),
];

const NO_SYSTEM_LIBRARY: Consumer = Consumer {
    id: "no-system-library",
    files: CRYPT,
    classes: UNDEFINED,
    says: "crypt",
    ..HONEST
};

const SYSTEM_LIBRARY: Consumer = Consumer {
    id: "system-library",
    files: CRYPT,
    link: &["-lcrypt"],
    ..HONEST
};

// eclipse-openbsw/openbsw#152
const USES_TIMER: &str = "#include <timer.h>\n#include <stdio.h>\n\
    static int twice(const int &period) { return 2 * period; }\n\
    int main() { if (twice(lib::Timer::period) == 40) puts(\"ok\"); }\n";

const CONSTANT: Consumer = Consumer {
    id: "constant",
    files: &[
        (
            "include/timer.h",
            "#pragma once\nnamespace lib {\nstruct Timer { static const int period = 20; };\n}\n",
        ),
        ("main.cpp", USES_TIMER),
    ],
    classes: UNDEFINED,
    says: "period",
    ..HONEST
};

const DEFINED_CONSTANT: Consumer = Consumer {
    id: "defined-constant",
    files: &[
        (
            "include/timer.h",
            "#pragma once\nnamespace lib {\nstruct Timer { static constexpr int period = 20; };\n}\n",
        ),
        ("main.cpp", USES_TIMER),
    ],
    ..HONEST
};

// fox1245/NeoGraph#20: the consumer's class is longer than the library's.
const LONGER: Consumer = Consumer {
    id: "longer",
    files: &[
        (
            "include/node.h",
            "#pragma once\nnamespace lib {\nclass Node {\npublic:\n#ifdef LIB_TRACE\n    long traced = 0;\n#endif\n    \
             long value = 0;\n    long doubled() const { return 2 * value; }\n};\nlong grow(Node &node);\n}\n",
        ),
        (
            "src/node.cpp",
            "#include <node.h>\nlong lib::grow(Node &node) { node.value = node.doubled() + 1; return node.doubled(); }\n",
        ),
        (
            "main.cpp",
            "#define LIB_TRACE 1\n#include <node.h>\n#include <stdio.h>\n\
             int main() { lib::Node node; node.traced = 5; node.value = 3; long grown = lib::grow(node);\n\
             if (node.traced == 5 && grown == 14 && node.doubled() == 14) puts(\"ok\"); }\n",
        ),
    ],
    classes: &["odr_or_duplicate", "behavior_mismatch"],
    ..HONEST
};

// The issue's own example.
const USES_TRIM: &str = "#include <trim.h>\n#include <stdio.h>\n\
    int main() { if (*lib::trimmed(\"  a\") == 'a') puts(\"ok\"); }\n";
const DECLARES_TRIM: &str =
    "#pragma once\nnamespace lib {\nconst char *trimmed(const char *text);\n}\n";
const DEFINES_TRIM: &str = "namespace lib {\nconst char *trimmed(const char *text);\n\
    const char *trimmed(const char *text) { while (*text == ' ') ++text; return text; }\n}\n";

const DECLARED_AND_DEFINED: Consumer = Consumer {
    id: "declared-and-defined",
    files: &[
        ("include/trim.h", DECLARES_TRIM),
        ("src/trim.cpp", DEFINES_TRIM),
        ("main.cpp", USES_TRIM),
    ],
    ..HONEST
};

const NOT_DECLARED: Consumer = Consumer {
    id: "not-declared",
    files: &[
        ("include/trim.h", "#pragma once\nnamespace lib {\n}\n"),
        ("src/trim.cpp", DEFINES_TRIM),
        ("main.cpp", USES_TRIM),
    ],
    classes: MISSING,
    says: "trimmed",
    ..HONEST
};

const NOT_DEFINED: Consumer = Consumer {
    id: "not-defined",
    files: &[
        ("include/trim.h", DECLARES_TRIM),
        ("src/trim.cpp", "#include <trim.h>\n"),
        ("main.cpp", USES_TRIM),
    ],
    classes: UNDEFINED,
    says: "trimmed",
    ..HONEST
};

const DEFINED_LOCALLY: Consumer = Consumer {
    id: "defined-locally",
    files: &[
        ("include/trim.h", DECLARES_TRIM),
        (
            "src/trim.cpp",
            "namespace lib {\nnamespace {\n\
             const char *trimmed(const char *text) { while (*text == ' ') ++text; return text; }\n}\n\
             bool is_blank(const char *text);\nbool is_blank(const char *text) { return *trimmed(text) == 0; }\n}\n",
        ),
        ("main.cpp", USES_TRIM),
    ],
    classes: UNDEFINED,
    says: "local",
    ..HONEST
};

#[test]
fn every_consumer_gets_the_class_of_its_report() {
    let all = [
        LEAK,
        FREE_FUNCTION,
        MEMBER_OUTSIDE,
        INLINE,
        HIDDEN_CLASS,
        EXPORTED_CLASS,
        NO_SYSTEM_LIBRARY,
        SYSTEM_LIBRARY,
        CONSTANT,
        DEFINED_CONSTANT,
        LONGER,
        DECLARED_AND_DEFINED,
        NOT_DECLARED,
        NOT_DEFINED,
        DEFINED_LOCALLY,
    ];
    assert_consumers("", &all);
}

#[test]
fn a_class_that_a_shared_library_keeps_to_itself_is_undefined() {
    let hidden = Consumer {
        classes: UNDEFINED,
        says: "vtable",
        ..HIDDEN_CLASS
    };
    assert_consumers("consumer_link: {mode: shared}\n", &[hidden, EXPORTED_CLASS]);
}

#[test]
fn an_optimiser_hides_a_constant_without_a_definition() {
    let folded = Consumer {
        classes: PASS,
        says: "",
        ..CONSTANT
    };
    assert_consumers("consumer_link: {levels: ['-O2']}\n", &[folded]);
}
