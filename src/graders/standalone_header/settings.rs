//! The settings of the grader, from `driftgate.yml`.

use serde_json::{Map, Value, json};

use crate::graders::{STRICT_C, STRICT_CXX, SettingError};

const FLAGS: [(&str, [&str; 4]); 2] = [("flags", STRICT_CXX), ("c_flags", STRICT_C)];
/// The setting that asks for a sweep over ordered pairs.
pub const PAIRS: &str = "pairs";

/// All settings with defaults filled in: `flags`, `c_flags` and, where a sweep over pairs is asked
/// for, `pairs`.
///
/// # Errors
/// A setting that is unknown or no list of flags.
pub(super) fn effective(given: &Map<String, Value>) -> Result<Value, SettingError> {
    let known = |key: &&String| *key == PAIRS || FLAGS.iter().any(|(field, _)| field == key);
    if let Some(unknown) = given.keys().find(|key| !known(key)) {
        return Err(SettingError {
            field: unknown.clone(),
            problem: "unknown setting; standalone_header knows flags, c_flags".to_owned(),
        });
    }
    let mut settings = Map::new();
    for (field, standard) in FLAGS {
        let value = match given.get(field) {
            None => json!(standard),
            Some(Value::Array(flags)) if flags.iter().all(Value::is_string) => json!(flags),
            Some(other) => {
                return Err(SettingError {
                    field: field.to_owned(),
                    problem: format!("expected a list of flags, found {other}"),
                });
            }
        };
        settings.insert(field.to_owned(), value);
    }
    // Left out where there is no sweep, so that the grader's hash is as without it.
    if let Some(pairs) = given.get(PAIRS).filter(|pairs| **pairs != false) {
        settings.insert(PAIRS.to_owned(), pairs.clone());
    }
    Ok(Value::Object(settings))
}
