//! What a file says of `consumer_link`: flags, optimisation levels and kinds of library.

use serde_json::{Map, Value, json};

use crate::graders::{STRICT_CXX, SettingError};

/// How the library is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As an archive.
    Archive,
    /// As a shared object whose symbols are hidden unless they are exported.
    Shared,
}

impl Mode {
    /// The word used in settings and evidence.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Shared => "shared",
        }
    }
}

/// Effective settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// Flags of every unit.
    pub(super) flags: Vec<String>,
    /// Optimisation levels, at least one.
    pub(super) levels: Vec<String>,
    /// Kinds of library, at least one.
    pub(super) modes: Vec<Mode>,
}

/// The levels where nobody says others.
pub const LEVELS: &[&str] = &["-O0", "-O2"];
/// The level at which inline functions are in the objects.
pub(super) const UNOPTIMISED: &str = "-O0";

impl Settings {
    /// Reads what [`effective`] made.
    pub(super) fn read(effective: &Value) -> Self {
        let texts = |field: &str, default: &[&str]| -> Vec<String> {
            let items = effective[field].as_array();
            let texts: Vec<String> = items
                .into_iter()
                .flatten()
                .filter_map(|item| item.as_str().map(str::to_owned))
                .collect();
            let is_absent = items.is_none() || (texts.is_empty() && field == "levels");
            if is_absent {
                default.iter().map(|text| (*text).to_owned()).collect()
            } else {
                texts
            }
        };
        Self {
            flags: texts("flags", &STRICT_CXX),
            levels: texts("levels", LEVELS),
            modes: match effective["mode"].as_str() {
                Some("shared") => vec![Mode::Shared],
                Some("both") => vec![Mode::Archive, Mode::Shared],
                _ => vec![Mode::Archive],
            },
        }
    }
}

/// All settings with defaults filled in.
pub(super) fn effective(given: &Map<String, Value>) -> Result<Value, SettingError> {
    const KNOWN: [&str; 3] = ["flags", "levels", "mode"];
    if let Some(unknown) = given.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        let problem = format!("unknown setting; consumer_link knows {}", KNOWN.join(", "));
        return Err(error(unknown, problem));
    }
    let mode = given.get("mode").cloned().unwrap_or(json!("archive"));
    if !matches!(mode.as_str(), Some("archive" | "shared" | "both")) {
        let problem = format!("expected one of archive, shared, both, found {mode}");
        return Err(error("mode", problem));
    }
    let levels = texts(given, "levels", LEVELS)?;
    if levels.is_empty() {
        return Err(error("levels", "expected at least one level".to_owned()));
    }
    for (index, level) in levels.iter().enumerate() {
        let field = format!("levels[{index}]");
        if !level.starts_with("-O") {
            let problem = format!("expected an optimisation level such as -O2, found {level}");
            return Err(error(&field, problem));
        }
        if levels[..index].contains(level) {
            return Err(error(&field, format!("{level} is there twice")));
        }
    }
    let flags = texts(given, "flags", &STRICT_CXX)?;
    Ok(json!({"flags": flags, "levels": levels, "mode": mode}))
}

/// The list of texts in `field`, the default if it is absent.
fn texts(
    given: &Map<String, Value>,
    field: &str,
    default: &[&str],
) -> Result<Vec<String>, SettingError> {
    let Some(value) = given.get(field) else {
        return Ok(default.iter().map(|text| (*text).to_owned()).collect());
    };
    let Some(items) = value.as_array() else {
        return Err(error(field, "expected a list of texts".to_owned()));
    };
    let text = |(index, item): (usize, &Value)| match item.as_str() {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(error(
            &format!("{field}[{index}]"),
            format!("expected a text that is not empty, found {item}"),
        )),
    };
    items.iter().enumerate().map(text).collect()
}

fn error(field: &str, problem: String) -> SettingError {
    SettingError {
        field: field.to_owned(),
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(given: &Value) -> Result<Value, String> {
        let error = |error: SettingError| format!("{}: {}", error.field, error.problem);
        effective(given.as_object().unwrap()).map_err(error)
    }

    #[test]
    fn defaults_are_filled_in() {
        let plain = of(&json!({})).unwrap();
        assert_eq!(
            plain,
            json!({"flags": STRICT_CXX, "levels": ["-O0", "-O2"], "mode": "archive"})
        );
        let both = of(&json!({"mode": "both", "flags": [], "levels": ["-O1"]})).unwrap();
        let read = Settings::read(&both);
        assert_eq!(read.modes, [Mode::Archive, Mode::Shared]);
        assert_eq!((read.flags.len(), read.levels), (0, vec!["-O1".to_owned()]));
    }

    #[test]
    fn what_means_nothing_is_refused_by_its_place() {
        for (given, problem) in [
            (
                json!({"flag": []}),
                "flag: unknown setting; consumer_link knows flags, levels, mode",
            ),
            (
                json!({"mode": "dynamic"}),
                "mode: expected one of archive, shared, both, found \"dynamic\"",
            ),
            (json!({"levels": []}), "levels: expected at least one level"),
            (
                json!({"levels": ["-g"]}),
                "levels[0]: expected an optimisation level such as -O2, found -g",
            ),
            (
                json!({"levels": ["-O0", "-O0"]}),
                "levels[1]: -O0 is there twice",
            ),
            (json!({"flags": "-g"}), "flags: expected a list of texts"),
            (
                json!({"flags": [""]}),
                "flags[0]: expected a text that is not empty, found \"\"",
            ),
        ] {
            assert_eq!(of(&given), Err(problem.to_owned()));
        }
    }
}
