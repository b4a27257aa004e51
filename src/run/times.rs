//! How long each row took last time: the longest is started first. Only a hint; losing it costs
//! nothing but time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::whole_file;

/// Known times by row.
pub struct Times {
    path: PathBuf,
    seconds: BTreeMap<String, f64>,
}

impl Times {
    /// The times stored at `path`; none if there are none that can be read.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap_or_default();
        let seconds = serde_json::from_slice(&bytes).unwrap_or_default();
        Self {
            path: path.to_owned(),
            seconds,
        }
    }

    /// The seconds of the row called `label`; 0 if unknown.
    #[must_use]
    pub fn get(&self, label: &str) -> f64 {
        self.seconds.get(label).copied().unwrap_or(0.0)
    }

    /// Notes that the row called `label` took this long.
    pub fn set(&mut self, label: String, seconds: f64) {
        self.seconds.insert(label, seconds);
    }

    /// Stores all times. That they cannot be stored only costs time, so it is no error.
    pub fn store(&self) {
        let bytes = serde_json::to_vec(&self.seconds).unwrap_or_default();
        let _ = whole_file::write(&self.path, &bytes);
    }
}
