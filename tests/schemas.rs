//! The schemas, held against every file of our own suite and against what the loader refuses.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use driftgate::report::json_v1;
use driftgate::suite::schema;
use serde_json::{Map, Value, json};

/// What is wrong with `value` under `schema`, whose references point into `root`. Knows the
/// keywords that our schemas use and no others.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if *schema == json!(true) {
        return Vec::new();
    }
    let Some(schema) = schema.as_object() else {
        panic!("no schema: {schema}");
    };
    let mut found = Vec::new();
    for (keyword, wanted) in schema {
        found.extend(keyword_faults(root, (keyword, wanted), schema, value, at));
    }
    found
}

fn keyword_faults(
    root: &Value,
    (keyword, wanted): (&str, &Value),
    schema: &Map<String, Value>,
    value: &Value,
    at: &str,
) -> Vec<String> {
    let fault = |holds: bool| match holds {
        true => Vec::new(),
        false => vec![format!("{at}: {keyword} {wanted}, found {value}")],
    };
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    match keyword {
        "$schema" | "$defs" | "title" | "description" | "default" | "format" => Vec::new(),
        "$ref" => {
            let target = root.pointer(wanted.as_str().unwrap().trim_start_matches('#'));
            faults(root, target.unwrap(), value, at)
        }
        "type" => fault(match wanted.as_array() {
            Some(types) => types.iter().any(|name| is_of(name, value)),
            None => is_of(wanted, value),
        }),
        "const" => fault(wanted == value),
        "enum" => fault(wanted.as_array().unwrap().contains(value)),
        "minimum" => fault(!value.is_number() || number(value) >= number(wanted)),
        "maximum" => fault(!value.is_number() || number(value) <= number(wanted)),
        "maxProperties" => fault(value.as_object().is_none_or(Map::is_empty)),
        "pattern" => fault(value.as_str().is_none_or(|text| matches(wanted, text))),
        "uniqueItems" => fault(true),
        "anyOf" | "oneOf" => {
            let options = wanted.as_array().unwrap().iter();
            let fit = options.filter(|option| faults(root, option, value, at).is_empty());
            let fit = fit.count();
            fault(if keyword == "oneOf" {
                fit == 1
            } else {
                fit > 0
            })
        }
        "required" => {
            let fields = wanted.as_array().unwrap().iter();
            let there = |field: &Value| value.get(field.as_str().unwrap()).is_some();
            fault(!value.is_object() || fields.into_iter().all(there))
        }
        "items" => children(root, value.as_array().into_iter().flatten(), wanted, at),
        "properties" | "additionalProperties" => {
            let (given, none) = (value.as_object(), Map::new());
            let known = schema.get("properties").and_then(Value::as_object);
            let known = known.unwrap_or(&none);
            let fields = given.into_iter().flatten();
            let fields = fields
                .filter(|(name, _)| (keyword == "properties") == known.contains_key(name.as_str()));
            let fields = fields.map(|(name, value)| {
                let at = format!("{at}.{name}");
                match (keyword, wanted) {
                    ("properties", _) => faults(root, &known[name], value, &at),
                    (_, Value::Bool(false)) => vec![format!("{at}: unknown")],
                    (_, schema) => faults(root, schema, value, &at),
                }
            });
            fields.flatten().collect()
        }
        other => panic!("the check does not know {other}"),
    }
}

fn children<'a>(
    root: &Value,
    items: impl Iterator<Item = &'a Value>,
    schema: &Value,
    at: &str,
) -> Vec<String> {
    let items = items.enumerate();
    items
        .flat_map(|(index, item)| faults(root, schema, item, &format!("{at}[{index}]")))
        .collect()
}

fn is_of(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type: {other}"),
    }
}

/// The two patterns there are.
fn matches(pattern: &Value, text: &str) -> bool {
    match pattern.as_str().unwrap() {
        "^[0-9a-fA-F]{64}$" => text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit()),
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" => {
            let shape = text
                .chars()
                .map(|c| if c.is_ascii_digit() { '0' } else { c });
            shape.eq("0000-00-00".chars())
        }
        other => panic!("the check does not know the pattern {other}"),
    }
}

fn check(name: &str, value: &Value) -> Vec<String> {
    let schema = schema::schema(name).unwrap();
    faults(&schema, &schema, value, name)
}

/// The value in a file; one that says nothing is an empty map, as the loader reads it.
fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    if text.trim().is_empty() {
        return json!({});
    }
    match path.extension().unwrap().to_str() {
        Some("json") => serde_json::from_str(&text).unwrap(),
        _ => serde_yaml::from_str(&text).unwrap(),
    }
}

/// The data files under `folder`, from the root of the crate; a single file is its own list.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            open.extend(entries.map(|entry| entry.unwrap().path()));
        } else if ["json", "yaml", "yml"]
            .iter()
            .any(|end| path.extension().is_some_and(|found| found == *end))
            && path.is_file()
        {
            found.push(path);
        }
    }
    found
}

const PLACES: [(&str, &str); 5] = [
    ("config", "driftgate.yml"),
    ("case", "goldens/cases"),
    ("cassette", "goldens/cassettes"),
    ("grader", "goldens/graders"),
    ("quarantine", "quarantine.yaml"),
];

#[test]
fn every_file_of_our_own_suite_fits_its_schema() {
    for (name, place) in PLACES {
        let files = files(place);
        let needed = matches!(name, "config" | "case" | "cassette");
        assert!(!needed || !files.is_empty(), "{place}");
        for path in files {
            let found = check(name, &read(&path));
            assert!(found.is_empty(), "{}: {found:#?}", path.display());
        }
    }
}

fn good(name: &str) -> Value {
    match name {
        "config" => json!({"repeat": {"k": 3}, "fail_on": ["NEW"], "quarantine": {"max_days": 3}}),
        "grader" => json!({"kind": "io_match", "trim": "all"}),
        "quarantine" => json!([{
            "case": "a", "reason": "r", "owner": "o", "opened": "2026-01-02", "expires": "2026-01-20",
        }]),
        _ => {
            let place = PLACES.iter().find(|(known, _)| *known == name).unwrap().1;
            read(&files(place)[0])
        }
    }
}

#[test]
fn a_field_that_nobody_reads_does_not_fit() {
    for (name, _) in PLACES {
        let mut value = good(name);
        assert_eq!(check(name, &value), [""; 0], "{name}");
        match value.get_mut(0) {
            Some(first) => first["typo"] = json!(1),
            None => value["typo"] = json!(1),
        }
        assert!(!check(name, &value).is_empty(), "{name}");
    }
    let inner = json!({"repeat": {"kk": 3}});
    assert_eq!(check("config", &inner), ["config.repeat.kk: unknown"]);
}

#[test]
fn a_value_of_another_kind_does_not_fit() {
    for (name, field, wrong) in [
        ("config", "fail_on", json!("NEW")),
        ("config", "repeat", json!({"k": "many"})),
        ("config", "consumer_link", json!({"mode": "archiv"})),
        ("case", "timeout_s", json!("ten")),
        ("case", "assemble", json!("prepend")),
        ("case", "id", json!(null)),
        ("cassette", "hashes", json!({})),
        (
            "cassette",
            "verdicts",
            json!({"io_match": {"status": "maybe", "class": "x"}}),
        ),
        ("grader", "trim", json!("some")),
        ("grader", "kind", json!("io_mtach")),
    ] {
        let mut value = good(name);
        value[field] = wrong;
        assert!(!check(name, &value).is_empty(), "{name} {value}");
    }
    for field in ["opened", "owner"] {
        let mut value = good("quarantine");
        value[0][field] = json!(5);
        assert!(!check("quarantine", &value).is_empty(), "{value}");
    }
}

#[test]
fn a_written_report_fits_its_schema_and_one_with_another_field_does_not() {
    let row = driftgate::model::row::Row::new("a", &driftgate::experiments::replay::CLASSES[0], "");
    let report = driftgate::model::report::Report {
        command: "check".to_owned(),
        base: None,
        head: None,
        toolchain: driftgate::model::report::ToolchainNote::default(),
        sandbox: driftgate::model::report::Sandbox {
            level: "off".to_owned(),
            why: String::new(),
        },
        experiments: vec![driftgate::model::report::Experiment::new(
            "replay",
            vec![row],
        )],
        notes: Vec::new(),
    };
    let schema = json_v1::schema();
    let mut value = json_v1::value(&report);
    assert_eq!(faults(&schema, &schema, &value, ""), [""; 0]);
    value["experiments"][0]["rows"][0]["evidence"]["anything"] = json!([1]);
    assert_eq!(faults(&schema, &schema, &value, ""), [""; 0]);
    let reasons = json!([
        {"path": "a", "as": "case", "reaches": ["a"], "more": 0},
        {"path": "driftgate.yml", "as": "configuration", "reaches": "all"},
    ]);
    let scope = json!({"of": 1, "affected": 1, "reasons": reasons, "executed": 1, "stored": 0});
    value["experiments"][0]["extra"] = json!({"scope": scope, "more": 1});
    assert_eq!(faults(&schema, &schema, &value, ""), [""; 0]);
    value["experiments"][0]["extra"]["scope"]["reasons"][1]["reaches"] = json!("some");
    assert!(!faults(&schema, &schema, &value, "").is_empty());
    value["experiments"][0]["extra"] = json!({});
    value["experiments"][0]["rows"][0]["typo"] = json!(1);
    assert!(!faults(&schema, &schema, &value, "").is_empty());
    let mut value = json_v1::value(&report);
    value["schema"] = json!("driftgate/report/2");
    assert!(!faults(&schema, &schema, &value, "").is_empty());
}
