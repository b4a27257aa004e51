//! What the JSON and YAML readers complain about, in the words of a person who edits the file.

use super::nearest;

/// What is wrong with a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Complaint {
    /// It is not well-formed; the text says how.
    Syntax(String),
    /// A key or a choice that is not known.
    Unknown {
        what: &'static str,
        name: String,
        known: Vec<String>,
    },
    /// A field is not there.
    Missing(String),
    /// A key stands twice in one map.
    Twice(String),
    /// A value is not what was expected.
    Value {
        expected: String,
        found: Option<String>,
    },
}

impl Complaint {
    /// Whether a map or list stands where something else was expected.
    pub(super) fn is_of_container(&self) -> bool {
        matches!(self, Self::Value { found: Some(found), .. } if matches!(found.as_str(), "a map" | "a list"))
    }

    /// Field, problem and hint, where the reader stopped at the field `at`.
    pub(super) fn told(self, at: &str) -> (String, String, String) {
        let at_or = |name: String| if at.is_empty() { name } else { at.to_owned() };
        match self {
            Self::Syntax(problem) => (String::new(), problem, String::new()),
            Self::Unknown { what, name, known } => {
                let known: Vec<_> = known.iter().map(String::as_str).collect();
                let hint = nearest::hint(&name, &known);
                let problem = match what {
                    "field" => "unknown field".to_owned(),
                    _ => format!("unknown value `{}`", shortened(&name)),
                };
                (at_or(name), problem, hint)
            }
            Self::Missing(name) => {
                let field = if at.is_empty() {
                    name
                } else {
                    format!("{at}.{name}")
                };
                (field, "missing field".to_owned(), String::new())
            }
            Self::Twice(name) => {
                let hint = "keep one of them".to_owned();
                (at_or(name), "this field stands here twice".to_owned(), hint)
            }
            Self::Value { expected, found } => {
                let found = found
                    .map(|found| format!(", found {found}"))
                    .unwrap_or_default();
                (
                    at.to_owned(),
                    format!("expected {expected}{found}"),
                    String::new(),
                )
            }
        }
    }
}

/// The complaint in a message that serde makes; it is the same for both formats.
fn of_serde(message: &str) -> Option<Complaint> {
    for (prefix, what) in [("unknown field `", "field"), ("unknown variant `", "value")] {
        if let Some(rest) = message.strip_prefix(prefix) {
            let (name, known) = match rest.rsplit_once("`, expected ") {
                Some((name, known)) => (name, names(known)),
                None => (
                    rest.split_once("`, ").map_or(rest, |(name, _)| name),
                    Vec::new(),
                ),
            };
            return Some(Complaint::Unknown {
                what,
                name: name.to_owned(),
                known,
            });
        }
    }
    let quoted = |prefix: &str| {
        message
            .strip_prefix(prefix)
            .map(|rest| rest.trim_end_matches('`').to_owned())
    };
    if let Some(name) = quoted("missing field `") {
        return Some(Complaint::Missing(name));
    }
    if let Some(name) = quoted("duplicate field `") {
        return Some(Complaint::Twice(name));
    }
    for prefix in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some((found, expected)) = message
            .strip_prefix(prefix)
            .and_then(|rest| rest.rsplit_once(", expected "))
        {
            let expected = plain(expected);
            return Some(Complaint::Value {
                expected,
                found: Some(shortened(&plain(found))),
            });
        }
    }
    message
        .strip_prefix("expected ")
        .map(|expected| Complaint::Value {
            expected: plain(expected),
            found: None,
        })
}

/// The complaint in a message of the JSON reader about a well-formed text.
pub(super) fn of_json(message: &str) -> Complaint {
    of_serde(message).unwrap_or_else(|| Complaint::Syntax(message.to_owned()))
}

/// The complaint in a message of the YAML reader.
pub(super) fn of_yaml(message: &str) -> Complaint {
    if let Some(rest) = message.strip_prefix("duplicate mapping key: ") {
        let name = rest.rsplit_once(", set ").map_or(rest, |(name, _)| name);
        return Complaint::Twice(name.to_owned());
    }
    if message.starts_with("multiple YAML documents") || message.contains("Documents {") {
        return Complaint::Syntax("more than one YAML document, expected one".to_owned());
    }
    if message.starts_with("budget breached") || message.contains("alias replay") {
        let problem = "the text expands to more than a file of this kind may hold; are its \
                       aliases (`*name`) meant to be?";
        return Complaint::Syntax(problem.to_owned());
    }
    if message.contains("null into string") {
        return Complaint::Value {
            expected: "a string".to_owned(),
            found: Some("nothing".to_owned()),
        };
    }
    if let Some(kind) = message.strip_prefix("invalid ")
        && let Some(expected) = of_type(kind)
    {
        return Complaint::Value {
            expected: expected.to_owned(),
            found: None,
        };
    }
    of_serde(message).unwrap_or_else(|| Complaint::Syntax(format!("not valid YAML: {message}")))
}

/// The names in a list of known ones, with or without backticks around each.
fn names(known: &str) -> Vec<String> {
    let known = known.trim_start_matches("one of ");
    if known.contains('`') {
        return known
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
    }
    known
        .split(", ")
        .flat_map(|part| part.split(" or "))
        .map(str::to_owned)
        .collect()
}

fn of_type(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" | "floating point" => "a number",
        "boolean" | "bool" | "a boolean" => "true or false",
        "a sequence" | "sequence" | "sequence start" => "a list",
        "mapping" | "mapping start" => "a map",
        "string scalar" => "a string",
        _ => return None,
    })
}

/// A type as a person calls it.
fn plain(kind: &str) -> String {
    match of_type(kind) {
        Some(plain) => plain.to_owned(),
        None => match kind {
            "map" => "a map".to_owned(),
            "null" => "nothing".to_owned(),
            _ => kind.to_owned(),
        },
    }
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readers_list_the_known_names() {
        for known in ["one of a, b, c", "one of `a`, `b`, `c`"] {
            assert_eq!(names(known), ["a", "b", "c"]);
        }
        for known in ["a or b", "`a` or `b`"] {
            assert_eq!(names(known), ["a", "b"]);
        }
        assert_eq!(names("`a`"), ["a"]);
    }

    #[test]
    fn a_name_made_of_backticks_is_still_a_name() {
        let complaint = of_json("unknown field ``, expected `x`, expected `a`");
        let Complaint::Unknown { name, known, .. } = complaint else {
            panic!("{complaint:?}")
        };
        assert_eq!(
            (name.as_str(), known),
            ("`, expected `x", vec!["a".to_owned()])
        );
    }
}
