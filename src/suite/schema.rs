//! JSON Schemas of the files that people commit, from the types that read them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::{cases, cassettes, config, consumers, quarantine};
use crate::graders;

/// The files that have a schema.
pub const NAMES: [&str; 6] = [
    "config",
    "case",
    "cassette",
    "grader",
    "consumer",
    "quarantine",
];

/// The dialect of every schema.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of the file called `name`, if it is one of [`NAMES`].
#[must_use]
pub fn schema(name: &str) -> Option<Value> {
    Some(match name {
        "config" => of::<config::Config>(),
        "case" => of::<cases::RawCase>(),
        "cassette" => of::<cassettes::RawCassette>(),
        "grader" => grader(),
        "consumer" => of::<consumers::RawConsumer>(),
        "quarantine" => of::<Vec<quarantine::RawEntry>>(),
        _ => return None,
    })
}

/// The schema of what serde reads into a `T`.
#[must_use]
pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12();
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// How an entry is written, for the defaults in a schema.
impl From<config::FailOn> for String {
    fn from(entry: config::FailOn) -> Self {
        entry.text
    }
}

/// A grader's file: the kind decides which settings there are.
fn grader() -> Value {
    let kinds: Vec<_> = graders::of_completions()
        .map(|kind| settings(kind.kind))
        .collect();
    json!({"$schema": DIALECT, "title": "Grader", "oneOf": kinds})
}

/// The settings of a kind. They are read by the kind itself, not by serde.
fn settings(kind: &str) -> Value {
    let named = json!({"const": kind, "description": "The kind of grader."});
    let share = json!({"type": "number", "minimum": 0});
    match kind {
        "io_match" => json!({
            "type": "object",
            "properties": {
                "kind": named,
                "trim": {"enum": ["none", "trailing", "all"], "default": "none"},
                "newlines": {"enum": ["exact", "normalize"], "default": "exact"},
                "stdout": {"enum": ["exact", "tolerance"], "default": "exact"},
                "abs": share,
                "rel": share,
                "ulps": {"type": "integer", "minimum": 0},
            },
            "required": ["kind"],
            "additionalProperties": false,
        }),
        _ => json!({"type": "object", "properties": {"kind": named}, "required": ["kind"]}),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    #[test]
    fn every_name_has_a_schema_of_the_same_dialect() {
        for name in NAMES {
            assert_eq!(schema(name).unwrap()["$schema"], DIALECT, "{name}");
        }
        assert_eq!(schema("no such"), None);
    }

    #[test]
    fn a_kind_takes_the_settings_its_schema_lists_and_knows_no_others() {
        let kind = graders::find("io_match").unwrap();
        let schema = settings("io_match");
        let properties = schema["properties"].as_object().unwrap();
        for (name, setting) in properties.iter().filter(|(name, _)| *name != "kind") {
            for word in setting["enum"].as_array().unwrap_or(&vec![json!(1)]) {
                let mut given = Map::from_iter([(name.clone(), word.clone())]);
                if word.is_number() {
                    given.insert("stdout".to_owned(), json!("tolerance"));
                }
                assert!((kind.effective)(&given).is_ok(), "{given:?}");
            }
        }
        let defaults = (kind.effective)(&Map::new()).unwrap();
        for (name, value) in defaults.as_object().unwrap() {
            assert_eq!(properties[name]["default"], *value, "{name}");
        }
    }

    #[test]
    fn the_defaults_of_the_configuration_are_told() {
        let schema = schema("config").unwrap();
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(
            schema["properties"]["quarantine"]["default"]["max_days"],
            json!(30)
        );
        let protected = &schema["properties"]["protected"];
        assert!(protected["description"].as_str().unwrap().contains("Globs"));
        assert_eq!(protected["default"][0], json!("goldens/**"));
    }
}
