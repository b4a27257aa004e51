//! Canonical JSON: one byte string per value, whatever order or layout a file used.

use serde::Serialize;
use serde_json::Value;

use super::digest::Digest;

/// The canonical form of `value`: sorted keys, no blanks (serde_json's map is a `BTreeMap`).
#[must_use]
pub fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

/// The digest of the canonical form of `value`.
#[must_use]
pub fn digest(value: &Value) -> Digest {
    Digest::of(&bytes(value))
}

/// `value` as JSON. A value that JSON cannot hold becomes null; our own types always can.
#[must_use]
pub fn value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_and_layout_do_not_change_the_digest() {
        let one: Value = serde_json::from_str(r#"{"b":1,"a":[true,null]}"#).unwrap();
        let other: Value = serde_json::from_str("{ \"a\": [true, null],\n \"b\": 1 }").unwrap();
        assert_eq!(digest(&one), digest(&other));
    }
}
