//! What a pull request changes, as the API tells it: the diff, else the list of files.

use serde::Deserialize;

use crate::model::changed_lines::ChangedLines;

use super::api::{Api, DIFF, Refusal};

/// The most files the API lists of a pull request, whatever the page.
const MOST_FILES: usize = 3000;

#[derive(Deserialize)]
struct File {
    filename: String,
    /// Absent where the file is binary, too large, or only renamed.
    patch: Option<String>,
}

/// The lines that pull request `number` changes. Above 300 files or 20,000 lines the API refuses
/// the diff (406; 422 has been seen too), and the list of files stands in for it.
///
/// # Errors
/// When the API gives neither.
pub async fn of_pull(api: &Api, number: u64) -> Result<ChangedLines, Refusal> {
    match api.get(&format!("pulls/{number}"), DIFF).await {
        Ok(answer) => Ok(ChangedLines::parse(&answer.body)),
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
            Ok(match may_be_more {
                true => changed.cut_off(),
                false => changed,
            })
        }
        Err(refusal) => Err(refusal),
    }
}
