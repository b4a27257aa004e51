//! What a pull request changes, as the API tells it: the diff, else the list of files.

use serde::Deserialize;

use crate::model::changed_lines::ChangedLines;

use super::api::{Api, DIFF, Refusal};
use super::pulls::Pull;

/// The most files the API lists of a pull request, whatever the page.
const MOST_FILES: usize = 3000;

#[derive(Deserialize)]
struct File {
    filename: String,
    /// Absent where the file is binary, too large, or only renamed.
    patch: Option<String>,
}

/// The lines that `pull` changes. Above 300 files or 20,000 lines the API refuses the diff (406; 422
/// has been seen too), and the list of files stands in for it.
///
/// # Errors
/// When the API gives neither, or something that is no whole diff.
pub async fn of_pull(api: &Api, pull: &Pull) -> Result<ChangedLines, Refusal> {
    let number = pull.number;
    match api.get(&format!("pulls/{number}"), DIFF).await {
        Ok(answer) => whole(ChangedLines::parse(&answer.body), pull.changed_files),
        Err(Refusal {
            status: Some(406 | 422),
            ..
        }) => {
            let files: Vec<File> = api
                .list(&format!("pulls/{number}/files"), MOST_FILES)
                .await?;
            let may_be_more = files.len() >= MOST_FILES;
            let files = files.into_iter().map(|file| (file.filename, file.patch));
            let changed = ChangedLines::from_files(files);
            let listed = pull.changed_files.map(|files| files.min(MOST_FILES as u64));
            let changed = whole(changed, listed)?;
            Ok(match may_be_more {
                true => changed.cut_off(),
                false => changed,
            })
        }
        Err(refusal) => Err(refusal),
    }
}

/// `changed`, if that can be all of a diff or list of `files` files, as far as their number is known.
/// What a proxy puts in its place, or cuts off, is not to be taken for "nothing changed".
fn whole(changed: ChangedLines, files: Option<u64>) -> Result<ChangedLines, Refusal> {
    let found = changed.paths().count();
    // A file that was renamed counts once for the API, and has two names in the diff.
    let is_short = match files {
        Some(files) => u64::try_from(found).is_ok_and(|found| found < files),
        None => found == 0,
    };
    if changed.is_cut() || is_short {
        let of = files.map_or_else(String::new, |files| format!(" of {files}"));
        return Err(Refusal {
            status: None,
            why: format!("what the API sent is no whole diff ({found}{of} files in it)"),
        });
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_diff_says_what_changed() {
        let one = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n";
        let renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
        let read = |diff: &str, files| whole(ChangedLines::parse(diff.as_bytes()), files);
        for (diff, files) in [
            (one, Some(1)),
            (one, None),
            (renamed, Some(1)),
            ("", Some(0)),
        ] {
            assert!(read(diff, files).is_ok(), "{diff:?} {files:?}");
        }
        for (diff, files) in [
            ("", Some(1)),
            ("", None),
            ("<html>\n<p>Sign in</p>\n</html>\n", Some(0)),
            ("<html></html>", None),
            ("{\"message\": \"x\"}", Some(1)),
            (one, Some(2)),
            (&one[..one.len() - 3], Some(1)),
            (&one[..one.len() - 20], Some(1)),
            (&one[..one.len() - 24], Some(1)),
            (&one[..20], Some(1)),
        ] {
            let refusal = read(diff, files).unwrap_err();
            assert!(refusal.why.contains("no whole diff"), "{diff:?} {files:?}");
        }
    }
}
