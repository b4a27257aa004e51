//! Where a suite begins.

use std::path::{Path, PathBuf};

use super::config;

/// The root of the suite that `start` lies in: the nearest folder from `start` upwards that holds
/// the configuration, else `start` itself.
#[must_use]
pub fn find_root(start: &Path) -> PathBuf {
    let holds = |folder: &&Path| folder.join(config::FILE).is_file();
    start.ancestors().find(holds).unwrap_or(start).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_nearest_configuration_upwards_marks_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(find_root(&inner), inner);
        fs::write(dir.path().join(config::FILE), "").unwrap();
        assert_eq!(find_root(&inner), dir.path());
        fs::write(dir.path().join("a").join(config::FILE), "").unwrap();
        assert_eq!(find_root(&inner), dir.path().join("a"));
    }
}
