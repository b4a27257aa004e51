//! What a file says of a `command` grader: the program, the files it may see, and its time.

use serde_json::{Map, Value, json};

use crate::model::case::SourceFile;

use super::super::SettingError;
use super::BINARY_FOLDER;

pub(super) const DEFAULT_TIMEOUT: u64 = 30;
const LONGEST_TIMEOUT: u64 = 3600;

pub(super) fn effective(given: &Map<String, Value>) -> Result<Value, SettingError> {
    const KNOWN: [&str; 3] = ["command", "inputs", "timeout_s"];
    let error = |field: &str, problem: String| SettingError {
        field: field.to_owned(),
        problem,
    };
    if let Some(unknown) = given.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        let problem = format!("unknown setting; command knows {}", KNOWN.join(", "));
        return Err(error(unknown, problem));
    }
    let command = texts(given, "command")?;
    match command.first().map(String::as_str) {
        None => {
            let problem = "expected a program and its arguments, as a list of texts";
            return Err(error("command", problem.to_owned()));
        }
        Some("") => return Err(error("command[0]", "expected the name of a program".into())),
        Some(_) => {}
    }
    let mut inputs = texts(given, "inputs")?;
    inputs.sort();
    inputs.dedup();
    let timeout_s = match given.get("timeout_s") {
        None => DEFAULT_TIMEOUT,
        Some(value) => value
            .as_u64()
            .filter(|seconds| (1..=LONGEST_TIMEOUT).contains(seconds))
            .ok_or_else(|| {
                let problem = format!("expected 1 to {LONGEST_TIMEOUT} seconds, found {value}");
                error("timeout_s", problem)
            })?,
    };
    Ok(json!({"command": command, "inputs": inputs, "timeout_s": timeout_s}))
}

/// The list of texts in `field`, none if it is absent.
fn texts(given: &Map<String, Value>, field: &str) -> Result<Vec<String>, SettingError> {
    let error = |field: String, problem: &str| SettingError {
        field,
        problem: problem.to_owned(),
    };
    let Some(value) = given.get(field) else {
        return Ok(Vec::new());
    };
    let Some(items) = value.as_array() else {
        return Err(error(field.to_owned(), "expected a list of texts"));
    };
    let text = |(index, item): (usize, &Value)| match item.as_str() {
        Some(text) if !text.contains('\0') => Ok(text.to_owned()),
        Some(_) => Err(error(format!("{field}[{index}]"), "contains a NUL")),
        None => Err(error(format!("{field}[{index}]"), "expected a text")),
    };
    items.iter().enumerate().map(text).collect()
}

pub(super) fn declared(settings: &Value) -> Vec<String> {
    list(settings, "inputs")
}

pub(super) fn list(settings: &Value, field: &str) -> Vec<String> {
    let items = settings[field].as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

pub(super) fn check(settings: &Value, inputs: &[SourceFile]) -> Result<(), SettingError> {
    let error = |field: &str, problem: String| SettingError {
        field: field.to_owned(),
        problem,
    };
    if let Some(input) = inputs
        .iter()
        .find(|input| input.beside.starts_with(BINARY_FOLDER))
    {
        let problem = format!(
            "`{}` lies where the candidate's program is put",
            input.beside
        );
        return Err(error("inputs", problem));
    }
    let command = list(settings, "command");
    let program = command.first().map(String::as_str).unwrap_or_default();
    let on_machine = program.starts_with('/') || !program.contains('/');
    if !on_machine && own_program(program, inputs).is_none() {
        let problem = format!(
            "`{}` is none of the declared `inputs`, so it would not be there",
            program.escape_debug()
        );
        return Err(error("command[0]", problem));
    }
    Ok(())
}

/// The declared input that `program` names, if it is no program of the machine.
pub(super) fn own_program<'a>(program: &str, inputs: &'a [SourceFile]) -> Option<&'a str> {
    let mut name = program;
    while let Some(rest) = name.strip_prefix("./") {
        name = rest;
    }
    let found = inputs.iter().find(|input| input.beside == name);
    found.map(|input| input.beside.as_str())
}
