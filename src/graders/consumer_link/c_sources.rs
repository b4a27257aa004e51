//! Sources in C among those of the library. A driver for C++ compiles them as C++ unless it is told,
//! and so would hide that a public header lacks `extern "C"`.

/// Whether the source at `path` is in C.
pub(super) fn is_c(path: &str) -> bool {
    path.ends_with(".c")
}

/// `flags`, which are for C++, as C takes them.
pub(super) fn flags_for_c(flags: Vec<String>) -> Vec<String> {
    let mut flags = flags;
    flags.retain(|flag| !is_of_cxx_alone(flag));
    flags.extend(["-x", "c"].map(str::to_owned));
    flags
}

/// Whether a compiler complains of `flag` where the source is in C.
fn is_of_cxx_alone(flag: &str) -> bool {
    const STARTS: &[&str] = &[
        "-std=c++",
        "-std=gnu++",
        "--std=c++",
        "--std=gnu++",
        "-stdlib=",
        "-fconcepts",
        "-fcoroutines",
        "-fconstexpr-",
        "-ftemplate-",
        "-fmodules-ts",
    ];
    const EXACT: &[&str] = &[
        "-nostdinc++",
        "-fno-rtti",
        "-frtti",
        "-fvisibility-inlines-hidden",
        "-fno-threadsafe-statics",
        "-fno-implicit-templates",
        "-fsized-deallocation",
        "-faligned-new",
        "-fchar8_t",
        "-fno-char8_t",
    ];
    STARTS.iter().any(|start| flag.starts_with(start))
        || EXACT.contains(&flag)
        || warning(flag).is_some_and(|name| {
            let is_of_standard = name.starts_with("c++") && name != "c++-compat";
            is_of_standard || CXX_WARNINGS.contains(&name)
        })
}

/// The name of the warning that `flag` asks for, forbids or makes an error.
fn warning(flag: &str) -> Option<&str> {
    let name = flag.strip_prefix("-W")?;
    let name = name.strip_prefix("error=").unwrap_or(name);
    let name = name.strip_prefix("no-").unwrap_or(name);
    let name = name.strip_prefix("error=").unwrap_or(name);
    Some(name.split('=').next().unwrap_or(name))
}

/// The warnings that gcc knows for C++ alone.
const CXX_WARNINGS: &[&str] = &[
    "abi-tag",
    "aligned-new",
    "catch-value",
    "class-conversion",
    "class-memaccess",
    "comma-subscript",
    "conditionally-supported",
    "conversion-null",
    "ctad-maybe-unsupported",
    "ctor-dtor-privacy",
    "delete-incomplete",
    "delete-non-virtual-dtor",
    "deprecated-copy",
    "deprecated-copy-dtor",
    "deprecated-enum-enum-conversion",
    "deprecated-enum-float-conversion",
    "effc++",
    "exceptions",
    "extra-semi",
    "inaccessible-base",
    "inherited-variadic-ctor",
    "init-list-lifetime",
    "interference-size",
    "invalid-offsetof",
    "literal-suffix",
    "mismatched-new-delete",
    "mismatched-tags",
    "multiple-inheritance",
    "namespaces",
    "noexcept",
    "noexcept-type",
    "non-template-friend",
    "non-virtual-dtor",
    "old-style-cast",
    "overloaded-virtual",
    "pessimizing-move",
    "placement-new",
    "pmf-conversions",
    "range-loop-construct",
    "redundant-move",
    "redundant-tags",
    "register",
    "reorder",
    "sign-promo",
    "strict-null-sentinel",
    "suggest-final-methods",
    "suggest-final-types",
    "suggest-override",
    "synth",
    "templates",
    "terminate",
    "useless-cast",
    "virtual-inheritance",
    "virtual-move-assign",
    "volatile",
    "zero-as-null-pointer-constant",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_cxx_alone_are_left_out() {
        let flags = [
            "-std=c++20",
            "-Wall",
            "-Wno-old-style-cast",
            "-Werror=effc++",
            "-Wc++20-extensions",
            "-Werror",
            "-std=c17",
            "-fno-rtti",
            "-O2",
        ];
        let flags = flags.map(str::to_owned).to_vec();
        assert_eq!(
            flags_for_c(flags),
            ["-Wall", "-Werror", "-std=c17", "-O2", "-x", "c"]
        );
        assert!(is_c("src/a.c") && !is_c("src/a.cc") && !is_c("src/a.C"));
    }
}
