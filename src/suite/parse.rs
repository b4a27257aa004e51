//! Bytes to values: JSON and YAML by the file's extension, with errors that a person can act on.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use super::place::{Outline, Place};
use super::wording::{self, Complaint};
use crate::error::InputError;

/// The value in `bytes`, the content of the file `path`: JSON if its name ends in `.json`, else
/// YAML.
///
/// # Errors
/// The first fault of the text, with its place and field: not UTF-8, not well-formed, a key
/// that stands twice, an unknown field, a missing one, a value of another type.
pub fn parse<T: DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T, InputError> {
    let text = checked_text(path, bytes)?;
    if path.ends_with(".json") {
        json(text).map_err(|fault| fault.at_path(path, bytes))
    } else {
        yaml(text).map_err(|fault| fault.at_path(path, bytes))
    }
}

/// Like [`parse`], but a text that holds nothing (empty, blank, only comments, null) is the
/// default value.
///
/// # Errors
/// As [`parse`].
pub fn parse_or_default<T: DeserializeOwned + Default>(
    path: &str,
    bytes: &[u8],
) -> Result<T, InputError> {
    let text = checked_text(path, bytes)?;
    if text.trim().is_empty() {
        return Ok(T::default());
    }
    Ok(parse::<Option<T>>(path, bytes)?.unwrap_or_default())
}

/// `bytes` as text, without a leading byte order mark.
pub(super) fn text(bytes: &[u8]) -> Result<&str, std::str::Utf8Error> {
    let text = std::str::from_utf8(bytes)?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// How YAML is read: strict where YAML is known for surprises, with bounds on what aliases may
/// expand to.
pub(super) fn yaml_options() -> serde_yaml::Options {
    serde_yaml::options! {
        // Deeper than any of our formats, and on the stack of a thread in every build.
        budget: serde_yaml::budget! { max_documents: 1, max_depth: 32 },
        alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: 20_000 },
        strict_booleans: true,
        with_snippet: false,
    }
}

fn checked_text<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str, InputError> {
    let text = text(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
        InputError::new(path, "not UTF-8").at(Some(end_of(&before)))
    })?;
    if let Some(line) = conflict(text) {
        return Err(
            InputError::new(path, "an unresolved merge conflict (`<<<<<<< `)")
                .at(Some((line, 1)))
                .hint("resolve it and remove the markers"),
        );
    }
    Ok(text)
}

/// The line of a conflict marker. In neither format can a line that means something else begin
/// so, and both formats report it as something puzzling.
fn conflict(text: &str) -> Option<u32> {
    const MARKER: &str = "<<<<<<< ";
    let start = if text.starts_with(MARKER) {
        0
    } else {
        text.find("\n<<<<<<< ")? + 1
    };
    Some(end_of(text.get(..start)?).0)
}

/// The place just behind `text`.
fn end_of(text: &str) -> Place {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count();
    let last = text.rsplit('\n').next().unwrap_or_default().chars().count();
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (number(lines + 1), number(last + 1))
}

/// What is wrong with a text, before its field is known.
struct Fault {
    complaint: Complaint,
    at: Option<Place>,
    /// How many maps and lists are open behind `at`, where the format tells only the end of
    /// the faulty one.
    open: Option<usize>,
}

impl Fault {
    fn at_path(self, path: &str, bytes: &[u8]) -> InputError {
        let outline = Outline::of(bytes);
        let field = outline
            .as_ref()
            .zip(self.at)
            .and_then(|(outline, at)| match &self.complaint {
                Complaint::Syntax(_) => None,
                Complaint::Missing(_) => match self.open {
                    Some(depth) => outline.above(at, depth),
                    None => outline.with_value_at(at),
                }
                .map(|field| (field, at)),
                Complaint::Unknown { .. } | Complaint::Twice(_) | Complaint::Value { .. } => {
                    outline.at(at)
                }
            });
        let place = field.as_ref().map(|(_, place)| *place).or(self.at);
        let field = field.map(|(field, _)| field).unwrap_or_default();
        let (field, problem, hint) = self.complaint.told(&field);
        let mut error = InputError::new(path, problem).at(place).hint(hint);
        error.field = (!field.is_empty()).then_some(field);
        error
    }
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    let fault = |error: serde_json::Error| {
        let complaint = if error.is_data() {
            wording::of_json(&without_place(&error.to_string()))
        } else if text.trim().is_empty() {
            Complaint::Syntax("the file is empty".to_owned())
        } else {
            Complaint::Syntax(format!(
                "not valid JSON: {}",
                without_place(&error.to_string())
            ))
        };
        // A scalar has been consumed when its type is refused, a map or list has not.
        let at = json_place(text, &error, usize::from(complaint.is_of_container()));
        let open = open_behind(text, at);
        Fault {
            complaint,
            at: Some(at),
            open: Some(open),
        }
    };
    // Types with derived implementations see a repeated field; maps would keep the last one.
    serde_json::from_str::<UniqueKeys>(text).map_err(fault)?;
    serde_json::from_str(text).map_err(fault)
}

fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    serde_yaml::from_str_with_options(text, yaml_options()).map_err(|error| {
        let error = error.without_snippet();
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let at = error
            .location()
            .map(|place| (number(place.line()), number(place.column())))
            .filter(|place| place.0 > 0 && place.1 > 0);
        let message = error.to_string();
        Fault {
            complaint: wording::of_yaml(&without_place(&message)),
            at,
            open: None,
        }
    })
}

/// An error's message without the place at its end, which is told on its own.
fn without_place(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message.get(..end).unwrap_or(message).to_owned()
}

/// The place of an error, `ahead` characters further; serde_json counts bytes, and those it has
/// consumed.
fn json_place(text: &str, error: &serde_json::Error, ahead: usize) -> Place {
    let line = text
        .split('\n')
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let before = line
        .as_bytes()
        .get(..error.column().min(line.len()))
        .unwrap_or_default();
    let column = (String::from_utf8_lossy(before).chars().count() + ahead).max(1);
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (number(error.line().max(1)), number(column))
}

/// How many maps and lists of the JSON `text` are open behind the character at `place`.
fn open_behind(text: &str, place: Place) -> usize {
    let (mut open, mut line, mut column) = (0_usize, 1, 0);
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if c == '\n' {
            (line, column) = (line + 1, 0);
        } else {
            column += 1;
        }
        if (line, column) > place {
            break;
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => open += 1,
            '}' | ']' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}

/// Accepts any JSON in which no map has a key twice.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if let Some(key) = seen.replace(key) {
                return Err(A::Error::custom(format!("duplicate field `{key}`")));
            }
            map.next_value::<Self>()?;
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self, E> {
        Ok(self)
    }
}

/// A value that is written as a map. Derived implementations also take a list of the fields'
/// values in their order, which in a file that people edit is a slip.
pub(super) struct MapOnly<T>(pub(super) T);

impl<T: Default> Default for MapOnly<T> {
    fn default() -> Self {
        Self(T::default())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for MapOnly<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MapOnlyVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for MapOnly<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

struct MapOnlyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MapOnlyVisitor<T> {
    type Value = MapOnly<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MapOnly<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(MapOnly)
    }
}

/// How many complaints about a file are placed in it. Who looks for a place goes through the whole
/// outline, and a hostile file has as many faults as bytes.
const MOST_PLACED: usize = 100;

/// A file that was read, for complaints about its fields.
pub(super) struct Source<'a> {
    /// Its path from the root.
    pub(super) path: &'a str,
    /// Its content.
    pub(super) bytes: &'a [u8],
    /// Made at the first complaint.
    outline: OnceCell<Option<Outline>>,
    complaints: Cell<usize>,
}

impl<'a> Source<'a> {
    /// The file `path` with the content `bytes`.
    pub(super) fn new(path: &'a str, bytes: &'a [u8]) -> Self {
        Self {
            path,
            bytes,
            outline: OnceCell::new(),
            complaints: Cell::new(0),
        }
    }

    fn outline(&self) -> Option<&Outline> {
        let outline = self.outline.get_or_init(|| Outline::of(self.bytes));
        outline.as_ref()
    }

    /// Where the items of the list `field` stand, in their order; `""` is the whole file.
    pub(super) fn items(&self, field: &str) -> Vec<Place> {
        let outline = self.outline();
        outline.map_or_else(Vec::new, |outline| outline.items(field))
    }

    /// A complaint about `field`, placed where the field or what holds it stands.
    pub(super) fn fault(&self, field: &str, problem: impl Into<String>) -> InputError {
        let complaints = self.complaints.get();
        self.complaints.set(complaints + 1);
        let place = (complaints < MOST_PLACED)
            .then(|| self.outline()?.nearest(field))
            .flatten();
        InputError::new(self.path, problem).at(place).field(field)
    }
}
