//! Which compiler flags a case may carry. One invocation must make one program in the place
//! driftgate chose, from what the case names and hashes.

/// What is wrong with `flag`, or `None` if a case may carry it.
#[must_use]
pub fn refusal(flag: &str) -> Option<&'static str> {
    if flag.is_empty() {
        return Some("an empty flag names an empty file");
    }
    if flag.contains('\0') {
        return Some("contains a NUL, which no argument can");
    }
    if flag.starts_with('@') {
        return Some("hides flags in a file; list them here, where they are checked and hashed");
    }
    if let Some(prefix) = STARTS.iter().find(|refused| flag.starts_with(refused.0)) {
        return Some(prefix.1);
    }
    EXACT
        .iter()
        .find(|refused| flag == refused.0)
        .map(|refused| refused.1)
}

const STOPS: &str = "stops the build before there is a program";
const NO_PROGRAM: &str = "makes something other than a program";
const PLACE: &str = "says where the output goes; driftgate chooses that";
const LISTS: &str = "writes the list of read files, which driftgate asks for itself";
const ASKS: &str = "asks the compiler about itself instead of building";

/// Flags that are refused as they are.
const EXACT: &[(&str, &str)] = &[
    ("-c", STOPS),
    ("--compile", STOPS),
    ("-S", STOPS),
    ("--assemble", STOPS),
    ("-E", STOPS),
    ("--preprocess", STOPS),
    ("-fsyntax-only", STOPS),
    ("-emit-llvm", NO_PROGRAM),
    ("-emit-ast", NO_PROGRAM),
    ("--analyze", STOPS),
    ("--precompile", STOPS),
    ("-shared", NO_PROGRAM),
    ("--shared", NO_PROGRAM),
    ("-r", NO_PROGRAM),
    ("-###", ASKS),
    ("--help", ASKS),
    ("--target-help", ASKS),
    ("--version", ASKS),
    ("-dumpversion", ASKS),
    ("-dumpfullversion", ASKS),
    ("-dumpmachine", ASKS),
    ("-dumpspecs", ASKS),
];

/// Beginnings of flags that are refused however they go on. `-M` is nothing but lists of read
/// files (`-MF`, `-MD`, `-MMD`, ...); `-m...` is another letter.
const STARTS: &[(&str, &str)] = &[
    ("-o", PLACE),
    ("--output", PLACE),
    ("-M", LISTS),
    ("--dependencies", LISTS),
    ("--user-dependencies", LISTS),
    ("--write-dependencies", LISTS),
    ("--write-user-dependencies", LISTS),
    ("-Wp,-M", LISTS),
    ("-print-", ASKS),
    ("--print-", ASKS),
    ("--help=", ASKS),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_leave_no_program_behind_are_refused() {
        for flag in [
            "-c",
            "-S",
            "-E",
            "-fsyntax-only",
            "-o",
            "-oprog",
            "--output=x",
            "-M",
            "-MF",
            "-MFx",
            "-MMD",
            "-Wp,-MD,x",
            "-shared",
            "-r",
            "@flags",
            "",
            "-D\0",
            "--version",
            "-print-search-dirs",
            "-###",
        ] {
            assert!(refusal(flag).is_some(), "{flag:?}");
        }
    }

    #[test]
    fn flags_that_only_look_like_them_are_accepted() {
        for flag in [
            "-std=c++20",
            "-O2",
            "-Os",
            "-Wall",
            "-Werror",
            "-march=native",
            "-m32",
            "-static",
            "-rdynamic",
            "-coverage",
            "-fopenmp",
            "-DMF",
            "-Ifixtures",
            "-pthread",
            "-lm",
            "-fsanitize=address",
            "-Wl,-z,now",
            "-save-temps",
            "-pipe",
            "-v",
        ] {
            assert_eq!(refusal(flag), None, "{flag}");
        }
    }
}
