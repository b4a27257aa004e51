//! What a tool says, without the folders that every run makes anew: they say nothing of the
//! candidate and are never the same twice.

use crate::graders::program::with_text;
use crate::model::verdict::Verdict;

const SCRATCH: &str = "/driftgate-";
/// The letters at the end of the name of a scratch folder.
const RANDOM: usize = 6;

/// `verdict` with what a tool said.
pub(super) fn with_diagnostics(verdict: Verdict, text: &[u8]) -> Verdict {
    let shown = without_scratch(&String::from_utf8_lossy(text));
    with_text(verdict, "diagnostics", shown.as_bytes())
}

/// `text` with files in a scratch folder by their names alone.
fn without_scratch(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || ":'\"`(),;".contains(c);
    let pieces = text.split_inclusive(is_end);
    let short = |piece: &str| {
        let path = piece.trim_end_matches(is_end);
        let end = piece.get(path.len()..).unwrap_or_default();
        match in_scratch(path) {
            Some(name) => format!("{name}{end}"),
            None => piece.to_owned(),
        }
    };
    pieces.map(short).collect()
}

/// What stands for `path`, if it leads into a scratch folder.
fn in_scratch(path: &str) -> Option<String> {
    let (before, rest) = path.rsplit_once(SCRATCH)?;
    let (random, rest) = rest.split_once('/')?;
    let (number, rest) = rest.split_once('/')?;
    let (folder, rest) = rest.split_once('/')?;
    let is_random = random.len() == RANDOM && random.bytes().all(|c| c.is_ascii_alphanumeric());
    let is_number = !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit());
    let is_absolute = before.is_empty() || before.starts_with('/');
    if !is_absolute || !is_random || !is_number {
        return None;
    }
    let name = rest.rsplit('/').next().unwrap_or(rest);
    match folder {
        "work" | "home" => Some(name.to_owned()),
        "tmp" => Some(temporary(name)),
        _ => None,
    }
}

/// The name of a file that a driver made for what it drives, which is random.
fn temporary(name: &str) -> String {
    match name.split_once('.') {
        Some((_, "s")) => "assembler input".to_owned(),
        Some((random, ending)) if random.starts_with("cc") => format!("temporary.{ending}"),
        Some(_) | None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_folder_leaves_no_trace() {
        for (text, shown) in [
            (
                "/tmp/driftgate-aB3xYz/12/tmp/ccQ1w2e3.s: Assembler messages:\n",
                "assembler input: Assembler messages:\n",
            ),
            (
                "/usr/bin/ld: /var/x/driftgate-aB3xYz/0/tmp/ccQ1w2e3.ltrans0.ltrans.o: in function `f':",
                "/usr/bin/ld: temporary.ltrans0.ltrans.o: in function `f':",
            ),
            ("(/tmp/driftgate-aB3xYz/7/work/a/unit.o)", "(unit.o)"),
            ("/tmp/driftgate-aB3xYz/7/work/a\n\n", "a\n\n"),
            // None of ours.
            (
                "/tmp/driftgate-aB3xY/7/work/a: ü",
                "/tmp/driftgate-aB3xY/7/work/a: ü",
            ),
            ("x/driftgate-aB3xYz/7/work/a", "x/driftgate-aB3xYz/7/work/a"),
            (
                "/tmp/driftgate-aB3xYz/7/else/a",
                "/tmp/driftgate-aB3xYz/7/else/a",
            ),
            ("", ""),
        ] {
            assert_eq!(without_scratch(text), shown);
        }
    }
}
