//! The command lines a compiler driver would start, as part of a toolchain's identity.

/// The command lines of `-###` with everything removed that differs between two runs or two
/// machines with the same tools: folders, temporary names and search paths.
pub(super) fn all_in(stderr: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stderr).into_owned();
    let command = |line: &&str| line.starts_with(' ');
    text.lines()
        .filter(command)
        .map(|line| {
            let words = line.split_whitespace().map(|word| word.trim_matches('"'));
            let kept = words.filter(|word| {
                !word.contains("-compilation-dir") && !word.contains("-resource-dir")
            });
            kept.map(without_folder)
                .filter(|word| !is_temporary(word))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

/// The word with the folder part of a path in it removed.
fn without_folder(word: &str) -> String {
    match (word.find('/'), word.rfind('/')) {
        (Some(first), Some(last)) => format!("{}{}", &word[..first], &word[last + 1..]),
        _ => word.to_owned(),
    }
}

/// Whether a file name is one the driver makes up for a run: `ccXXXXXX.s`, `probe-abc123.o`.
fn is_temporary(name: &str) -> bool {
    let name = name.rsplit('=').next().unwrap_or(name);
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let made_up = stem.starts_with("cc") && stem.len() == 8 || stem.starts_with("probe-");
    made_up && matches!(extension, "s" | "o" | "res" | "ii" | "le" | "ld" | "cdtor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_made_up_names_are_no_part_of_an_identity() {
        let run = |folder: &str, made_up: &str| {
            format!(
                "COLLECT_GCC=g++\n {folder}/cc1plus -quiet probe.cpp \"-march=x86-64\" -o {folder}/cc{made_up}.s\n \"{folder}/clang\" \"-fdebug-compilation-dir={folder}\" \"-o\" \"{folder}/probe-{made_up}.o\"\n"
            )
        };
        let one = all_in(run("/a/b", "AbC123").as_bytes());
        assert_eq!(one, all_in(run("/c", "xyzXYZ").as_bytes()));
        assert_eq!(
            one,
            ["cc1plus -quiet probe.cpp -march=x86-64 -o", "clang -o"]
        );
    }

    #[test]
    fn another_expansion_is_another_line() {
        assert_ne!(
            all_in(b" cc1plus -march=znver3\n"),
            all_in(b" cc1plus -march=x86-64\n")
        );
    }
}
