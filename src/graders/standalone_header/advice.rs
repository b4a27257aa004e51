//! What a clean header gets by chance: standard names that it uses without an include that
//! guarantees them. Another standard library, or the next version of this one, may not bring them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::diagnostics::includes::{Form, active_mentions, mentions};
use crate::diagnostics::transitive_use::leaning;
use crate::graders::compare::printable;
use crate::model::header::Header;
use crate::model::tree_path::joined;

/// How many names are shown.
const MOST_SHOWN: usize = 20;
/// How many files are read to find out what a header reaches. Of one that reaches more, nothing is
/// said.
const MOST_REACHED: usize = 256;

/// The advice on a header that compiles.
pub(super) fn on(header: &Header) -> Vec<Value> {
    let Some(text) = header.tree.get(&header.path) else {
        return Vec::new();
    };
    let own: BTreeSet<_> = named(&text.bytes).collect();
    // What most headers use, they include themselves: no other file needs to be read.
    if leaning(&text.bytes, |name| own.contains(name)).is_empty() {
        return Vec::new();
    }
    let Some(reached) = standard_includes(header) else {
        return Vec::new();
    };
    let leaning = leaning(&text.bytes, |name| reached.contains(name));
    let shown = leaning.into_iter().take(MOST_SHOWN);
    shown
        .map(|used| {
            json!({
                "kind": "transitive_only",
                "name": printable(used.name.as_bytes()),
                "header": used.header,
                "line": used.line,
            })
        })
        .collect()
}

fn named(text: &[u8]) -> impl Iterator<Item = String> {
    active_mentions(text)
        .into_iter()
        .map(|mention| mention.name)
}

/// What the header and all of the checkout that it reaches include from elsewhere; nothing if one
/// of them includes what no name tells, or if they are too many.
fn standard_includes(header: &Header) -> Option<BTreeSet<String>> {
    let mut elsewhere = BTreeSet::new();
    let mut reached = BTreeSet::from([header.path.clone()]);
    let mut open = vec![header.path.clone()];
    while let Some(path) = open.pop() {
        let text = header.tree.get(&path)?;
        if mentions(&text.bytes).is_opaque || reached.len() > MOST_REACHED {
            return None;
        }
        for mention in active_mentions(&text.bytes) {
            match resolved(header, &path, mention.form, &mention.name) {
                None => {
                    elsewhere.insert(mention.name);
                }
                Some(path) => {
                    if reached.insert(path.clone()) {
                        open.push(path);
                    }
                }
            }
        }
    }
    Some(elsewhere)
}

/// The file of the checkout that a mention in the file at `path` means.
fn resolved(header: &Header, path: &str, form: Form, name: &str) -> Option<String> {
    let beside = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = (form == Form::Quoted).then_some(beside);
    let folders = header.include.iter().map(String::as_str);
    let places = beside.into_iter().chain(folders);
    places
        .filter_map(|folder| joined(folder, name))
        .find(|path| header.tree.get(path).is_some())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::model::header::Language;
    use crate::model::source_tree::{SourceText, SourceTree};

    /// The advice on the first of `files`, as names and headers.
    fn advice(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let texts = files.iter().map(|(path, text)| {
            let text = SourceText::new(text.as_bytes());
            (format!("include/{path}"), text)
        });
        let tree = Arc::new(SourceTree::new(texts.collect::<BTreeMap<_, _>>()));
        let header = Header {
            path: format!("include/{}", files[0].0),
            name: files[0].0.to_owned(),
            include: vec!["include".to_owned()],
            reach: tree.digest(),
            tree,
            probe: None,
            language: Language::Cxx,
            once_only: false,
            public: Arc::new([]),
        };
        let word = |advice: &Value, key: &str| advice[key].as_str().unwrap().to_owned();
        let advice = on(&header);
        let pairs = advice
            .iter()
            .map(|one| (word(one, "name"), word(one, "header")));
        pairs.collect()
    }

    #[test]
    fn a_name_that_comes_with_another_header_by_chance_is_told() {
        let leans = "#include <string>\nstd::string f(uint32_t);\n";
        let expected = ("uint32_t".to_owned(), "cstdint".to_owned());
        assert_eq!(advice(&[("a.hpp", leans)]), [expected]);
        assert_eq!(
            advice(&[("a.hpp", "#include <cstdint>\nuint32_t f();\n")]),
            []
        );
    }

    #[test]
    fn what_a_header_of_the_project_includes_counts() {
        let header = "#include \"b.hpp\"\n#include \"b.hpp\"\nuint32_t f();\n";
        let includes = ("lib/b.hpp", "#include \"a.hpp\"\n#include <cstdint>\n");
        assert_eq!(advice(&[("lib/a.hpp", header), includes]), []);
        let opaque = ("lib/b.hpp", "#include WHAT\n");
        assert_eq!(advice(&[("lib/a.hpp", header), opaque]), []);
    }
}
