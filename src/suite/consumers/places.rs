//! Folders and what lies below them, by their paths alone.

use crate::suite::tree;

/// The folders of a library's own sources: the first folder of each path, with all below it.
pub(super) fn source_folders(sources: &[String]) -> Vec<String> {
    let inner = sources.iter().filter_map(|path| tree::inside(path).ok());
    let mut folders: Vec<String> = inner.map(|path| folder_of(&path).to_owned()).collect();
    folders.sort();
    folders.dedup();
    // What lies below another one is seen with it.
    let all = folders.clone();
    let below = |path: &String| {
        let mut above = all.iter().filter(|other| *other != path);
        above.any(|other| path.starts_with(&format!("{other}/")))
    };
    folders.retain(|path| !below(path));
    folders
}

/// The folder of the file `path`; `.` is the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}
