//! Which compiler flags a case may carry. One invocation must make one program in the place
//! driftgate chose, from what the case names and hashes.

use super::parse::Source;
use super::tree;
use crate::error::InputError;
use crate::model::source_tree::in_checkout;

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
    if linker_arguments(flag).any(is_output_of_linker) {
        return Some(PLACE);
    }
    if let Some(prefix) = STARTS.iter().find(|refused| flag.starts_with(refused.0)) {
        return Some(prefix.1);
    }
    EXACT
        .iter()
        .find(|refused| flag == refused.0)
        .map(|refused| refused.1)
}

/// A complaint about each of `flags`, the list `field` of `source`, that may not be carried.
pub(super) fn faults(flags: &[String], field: &str, source: &Source<'_>) -> Vec<InputError> {
    let faults = flags.iter().enumerate().filter_map(|(index, flag)| {
        let problem = format!("`{}` {}", flag.escape_debug(), refusal(flag)?);
        Some(source.fault(&format!("{field}[{index}]"), problem))
    });
    faults.collect()
}

/// What a flag hands on to the linker.
fn linker_arguments(flag: &str) -> impl Iterator<Item = &str> {
    let handed_on = flag.strip_prefix("-Wl,");
    handed_on.into_iter().flat_map(|rest| rest.split(','))
}

/// Whether an argument of the linker names a file to be written.
fn is_output_of_linker(argument: &str) -> bool {
    let name = argument.trim_start_matches('-');
    let is_long = ["output", "Map", "dependency-file", "out-implib"];
    let named = |long: &&str| name == *long || name.starts_with(&format!("{long}="));
    argument == "-o" || argument.starts_with('-') && is_long.iter().any(named)
}

/// Flags that name a folder of headers, joined or as the next argument.
const FOLDERS: &[&str] = &["-I", "-iquote", "-isystem", "-idirafter"];

/// Flags of the tree's own graders: folders of headers that are relative to the root are looked
/// for in the checkout as steps see it. Returns the flags, and those folders from the root.
#[must_use]
pub fn rooted(flags: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut rooted, mut folders) = (Vec::new(), Vec::new());
    let mut is_folder = false;
    for flag in flags {
        let (start, folder) = if std::mem::take(&mut is_folder) {
            ("", flag.as_str())
        } else {
            let start = FOLDERS.iter().find(|start| flag.starts_with(**start));
            match start.map(|start| flag.split_at(start.len())) {
                Some((start, "")) => {
                    is_folder = true;
                    rooted.push(start.to_owned());
                    continue;
                }
                Some(parts) => parts,
                None => {
                    rooted.push(flag.clone());
                    continue;
                }
            }
        };
        let inner = match folder {
            "." | "./" => Ok(".".to_owned()),
            _ => tree::inside(folder),
        };
        match inner {
            Ok(inner) => {
                rooted.push(format!("{start}{}", in_checkout(&inner)));
                folders.push(inner);
            }
            // Absolute, or one that leaves the root and leads nowhere.
            Err(_) => rooted.push(format!("{start}{folder}")),
        }
    }
    (rooted, folders)
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
            "-Wl,-o,/tmp/x",
            "-Wl,-z,now,-Map=/tmp/x",
            "-Wl,--output=x",
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
            "-Wl,-rpath,/opt/out,-O1,--as-needed",
            "-save-temps",
            "-pipe",
            "-v",
        ] {
            assert_eq!(refusal(flag), None, "{flag}");
        }
    }

    #[test]
    fn folders_of_headers_in_the_root_are_looked_for_in_the_checkout() {
        let text = "-Wall -Iinclude -isystem third/x/ -I /usr/include -I. -iquotea/../b -O2";
        let flags: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let (rooted, folders) = rooted(&flags);
        assert_eq!(
            rooted.join(" "),
            "-Wall -Icheckout/include -isystem checkout/third/x -I /usr/include -Icheckout \
             -iquotea/../b -O2"
        );
        assert_eq!(folders, ["include", "third/x", "."]);
    }
}
