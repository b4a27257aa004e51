//! Where in a file a field stands: the outline of a JSON or YAML text. Read only when there is
//! something to complain about.

use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_yaml::Spanned;

use super::parse;

/// Line and column, both from 1.
pub type Place = (u32, u32);

/// One field or list item.
struct Entry {
    parent: Option<usize>,
    /// A key, or `[n]`.
    name: String,
    depth: usize,
    /// The place of the key, of the value in a list.
    at: Place,
    value: Place,
}

/// All fields and list items of a text, in its order.
pub(super) struct Outline {
    entries: Vec<Entry>,
}

impl Outline {
    /// The outline of `bytes`, if they are JSON or YAML at all.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let text = parse::text(bytes).ok()?;
        let mut options = parse::yaml_options();
        options.duplicate_keys = serde_yaml::options::DuplicateKeyPolicy::PassThrough;
        let node: Spanned<Node> = serde_yaml::from_str_with_options(text, options).ok()?;
        let mut outline = Self {
            entries: Vec::new(),
        };
        outline.add(None, 1, node.value);
        Some(outline)
    }

    fn add(&mut self, parent: Option<usize>, depth: usize, node: Node) {
        let children = match node {
            Node::Scalar => Vec::new(),
            Node::Map(entries) => entries
                .into_iter()
                .map(|(key, node)| (place(&key), key.value, node))
                .collect(),
            Node::List(items) => items
                .into_iter()
                .enumerate()
                .map(|(index, node)| (place(&node), format!("[{index}]"), node))
                .collect(),
        };
        for (at, name, node) in children {
            let value = place(&node);
            self.entries.push(Entry {
                parent,
                name,
                depth,
                at,
                value,
            });
            let index = self.entries.len() - 1;
            self.add(Some(index), depth + 1, node.value);
        }
    }

    /// The place of the field `path`, or of the innermost field above it that is there. Keys are
    /// joined by dots, positions in a list are in brackets: `expect.exit_code`, `graders[1]`.
    pub(super) fn nearest(&self, path: &str) -> Option<Place> {
        let mut above = path;
        loop {
            if let Some(entry) = self.find(None, above) {
                return self.entries.get(entry).map(|entry| entry.at);
            }
            above = above.get(..above.rfind(['.', '['])?)?;
        }
    }

    /// The places of what stands in the field `path`, or in the whole text if that is empty.
    pub(super) fn items(&self, path: &str) -> Vec<Place> {
        let parent = self.find(None, path);
        if parent.is_none() && !path.is_empty() {
            return Vec::new();
        }
        let items = self.entries.iter().filter(|entry| entry.parent == parent);
        items.map(|entry| entry.at).collect()
    }

    fn find(&self, parent: Option<usize>, path: &str) -> Option<usize> {
        let children = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, e)| e.parent == parent);
        for (index, entry) in children {
            // A key may hold dots itself, so compare whole keys, not segments.
            let Some(rest) = path.strip_prefix(entry.name.as_str()) else {
                continue;
            };
            if rest.is_empty() {
                return Some(index);
            }
            let below = rest
                .strip_prefix('.')
                .or(rest.starts_with('[').then_some(rest));
            if let Some(found) = below.and_then(|rest| self.find(Some(index), rest)) {
                return Some(found);
            }
        }
        None
    }

    fn path(&self, index: usize) -> String {
        let mut names = Vec::new();
        let mut next = Some(index);
        while let Some(entry) = next.and_then(|index| self.entries.get(index)) {
            names.push(entry.name.as_str());
            next = entry.parent;
        }
        names.reverse();
        let mut path = String::new();
        for name in names {
            if !path.is_empty() && !name.starts_with('[') {
                path.push('.');
            }
            path.push_str(name);
        }
        path
    }

    /// The last field or item that begins at or before `place`, and where it begins.
    pub(super) fn at(&self, place: Place) -> Option<(String, Place)> {
        let index = self.entries.iter().rposition(|entry| entry.at <= place)?;
        Some((self.path(index), self.entries.get(index)?.at))
    }

    /// The field or item whose value begins exactly at `place`.
    pub(super) fn with_value_at(&self, place: Place) -> Option<String> {
        let index = self.entries.iter().position(|entry| entry.value == place)?;
        Some(self.path(index))
    }

    /// The field or item at `depth` (from 1) that is open at `place`.
    pub(super) fn above(&self, place: Place, depth: usize) -> Option<String> {
        let index = self
            .entries
            .iter()
            .rposition(|entry| entry.at <= place && entry.depth == depth)?;
        Some(self.path(index))
    }
}

fn place<T>(spanned: &Spanned<T>) -> Place {
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    (
        number(spanned.referenced.line()),
        number(spanned.referenced.column()),
    )
}

/// A value without its content.
enum Node {
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
    List(Vec<Spanned<Node>>),
    Scalar,
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Scalar)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Scalar)
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<Node, E> {
        Ok(Node::Scalar)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Scalar)
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<Node, E> {
        Ok(Node::Scalar)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Scalar)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Node, E> {
        Ok(Node::Scalar)
    }

    fn visit_bytes<E: de::Error>(self, _: &[u8]) -> Result<Node, E> {
        Ok(Node::Scalar)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_in_json_and_yaml() {
        let json = "{\n\t\"expect\": {\"exit_code\": 1},\n\t\"graders\": [\"a\",\n \"b\"],\n\
                    \"a.b\": {\"c\": 1}}";
        let yaml = "\u{feff}expect:\n  exit_code: 1\ngraders:\n- a\n- b\na.b: {c: 1}\n";
        for (text, path, expected) in [
            (json, "expect", Some((2, 2))),
            (json, "expect.exit_code", Some((2, 13))),
            (json, "graders[1]", Some((4, 2))),
            (json, "a.b.c", Some((5, 9))),
            (json, "expect.none", None),
            (yaml, "expect.exit_code", Some((2, 3))),
            (yaml, "graders[1]", Some((5, 3))),
            (yaml, "a.b.c", Some((6, 7))),
            (yaml, "", None),
            ("{", "a", None),
        ] {
            let outline = Outline::of(text.as_bytes());
            let found = outline.and_then(|it| Some(it.entries[it.find(None, path)?].at));
            assert_eq!(found, expected, "{path} in {text}");
        }
    }

    #[test]
    fn a_place_leads_back_to_its_field() {
        let outline = Outline::of(b"a:\n  b: [1, 2]\nc: 3\n").unwrap();
        for (place, expected) in [
            ((1, 1), "a"),
            ((2, 4), "a.b"),
            ((2, 10), "a.b[1]"),
            ((9, 9), "c"),
        ] {
            assert_eq!(outline.at(place).unwrap().0, expected);
        }
        assert_eq!(outline.with_value_at((2, 6)).unwrap(), "a.b");
        assert_eq!(outline.above((2, 10), 1).unwrap(), "a");
    }

    #[test]
    fn a_text_nested_without_end_fits_on_the_stack_of_a_thread() {
        // Two MiB, which tests have too; unoptimised code takes 30 KiB a level.
        for open in ["- ", "[", "{a: ", "? "] {
            let text = open.repeat(10_000);
            assert!(Outline::of(text.as_bytes()).is_none(), "{open}");
        }
        let deep = ["[".repeat(30), "]".repeat(30)].concat();
        assert!(Outline::of(deep.as_bytes()).is_some());
    }
}
