//! Which of a team's flags would put something in front of a header.

/// Flags that name a file to be read first, in the next argument or joined to them.
const PRELUDES: &[&str] = &[
    "-include-pch",
    "-include",
    "-imacros",
    "--include",
    "--imacros",
];
/// Flags that hand their next argument to a part of the compiler.
const WRAPPERS: &[&str] = &["-Xclang", "-Xpreprocessor"];

/// `flags` without those that put something in front of every unit, and these. In front of a
/// header they would hide what it lacks.
#[must_use]
pub fn without_preludes(flags: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    let mut rest = flags;
    while !rest.is_empty() {
        let length = prelude(rest);
        let (taken, left) = rest.split_at(length.unwrap_or(1).min(rest.len()));
        let list = if length.is_some() {
            &mut removed
        } else {
            &mut kept
        };
        list.extend_from_slice(taken);
        rest = left;
    }
    (kept, removed)
}

/// How many arguments the prelude at the start of `flags` takes, if one stands there.
fn prelude(flags: &[String]) -> Option<usize> {
    let first = flags.first()?;
    if WRAPPERS.contains(&first.as_str()) {
        let inner = flags.get(1)?;
        let takes_next = PRELUDES.contains(&inner.as_str());
        return is_prelude(inner).then_some(if takes_next { 4 } else { 2 });
    }
    let takes_next = PRELUDES.contains(&first.as_str());
    is_prelude(first).then_some(if takes_next { 2 } else { 1 })
}

fn is_prelude(flag: &str) -> bool {
    let handed_on = flag.strip_prefix("-Wp,");
    flag.starts_with("-fpch-")
        || PRELUDES.iter().any(|prelude| flag.starts_with(prelude))
        || handed_on.is_some_and(|rest| rest.split(',').any(|flag| PRELUDES.contains(&flag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_stand_in_front_of_a_header_is_removed() {
        let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        for (line, removed) in [
            ("-Wall -include a.h -O1", "-include a.h"),
            ("-Wall -includea.h -O1", "-includea.h"),
            ("-Wall -imacros a.h -O1", "-imacros a.h"),
            ("-Wall --include=a.h -O1", "--include=a.h"),
            ("-Wall -include-pch a.pch -O1", "-include-pch a.pch"),
            ("-Wall -fpch-preprocess -O1", "-fpch-preprocess"),
            ("-Wall -Wp,-include,a.h -O1", "-Wp,-include,a.h"),
            (
                "-Wall -Xclang -include-pch -Xclang a.pch -O1",
                "-Xclang -include-pch -Xclang a.pch",
            ),
        ] {
            let found = without_preludes(&words(line));
            assert_eq!(found, (words("-Wall -O1"), words(removed)), "{line}");
        }
        let harmless = words("-Iinclude -isystem include -Wall -Xclang -verify");
        assert_eq!(without_preludes(&harmless), (harmless.clone(), Vec::new()));
        let cut_short = words("-include");
        assert_eq!(without_preludes(&cut_short), (Vec::new(), cut_short));
    }
}
