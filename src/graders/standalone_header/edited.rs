//! The tree of a header as it would be after an edit of the header.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::includes::{Form, Mentions, mentions};
use crate::model::header::Header;
use crate::model::source_tree::{SourceText, SourceTree};
use crate::model::tree_path::joined;

/// What a unit of `header` may read of the checkout if the header holds `text`: no more, since
/// every such tree is written out, unless a name cannot be told from the text.
pub(super) fn tree(header: &Header, text: SourceText) -> Arc<SourceTree> {
    let content = |path: &str| match path == header.path {
        true => Some(&text),
        false => header.tree.get(path),
    };
    let mut files = BTreeMap::new();
    let mut open = vec![header.path.clone()];
    let mut is_opaque = false;
    if let Some(probe) = &header.probe {
        let mentions = mentions(&probe.bytes);
        is_opaque = mentions.is_opaque;
        open.extend(places(header, &mentions, None));
    }
    while let Some(path) = open.pop().filter(|_| !is_opaque) {
        let Some(text) = content(&path).filter(|_| !files.contains_key(&path)) else {
            continue;
        };
        let mentions = mentions(&text.bytes);
        is_opaque = mentions.is_opaque;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        open.extend(places(header, &mentions, Some(folder)));
        files.insert(path, text.clone());
    }
    if is_opaque {
        files.clone_from(header.tree.files());
        files.insert(header.path.clone(), text);
    }
    Arc::new(SourceTree::new(files))
}

/// Wherever the files may be that are named in a text in `folder`, if it is in one.
fn places(header: &Header, mentions: &Mentions, folder: Option<&str>) -> Vec<String> {
    let mut places = Vec::new();
    for mention in &mentions.names {
        let beside = folder.filter(|_| mention.form == Form::Quoted);
        let folders = header.include.iter().map(String::as_str);
        let all = beside.into_iter().chain(folders);
        places.extend(all.filter_map(|folder| joined(folder, &mention.name)));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::header::Language;

    fn paths(edited: &str, probe: Option<&str>) -> Vec<String> {
        let files = [
            ("include/lib/a.h", ""),
            ("include/lib/b.h", "#include \"c.h\"\n"),
            ("include/lib/c.h", ""),
            ("include/d.h", "#include <lib/c.h>\n"),
            ("include/e.h", ""),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), SourceText::new(text.as_bytes())));
        let source = Arc::new(SourceTree::new(BTreeMap::from(files)));
        let header = Header {
            path: "include/lib/a.h".to_owned(),
            name: "lib/a.h".to_owned(),
            include: vec!["include".to_owned()],
            reach: source.digest(),
            tree: source,
            probe: probe.map(|text| SourceText::new(text.as_bytes())),
            language: Language::Cxx,
            once_only: false,
            public: Arc::new([]),
        };
        let tree = tree(&header, SourceText::new(edited.as_bytes()));
        let own = tree.get("include/lib/a.h").unwrap();
        assert_eq!(*own.bytes, *edited.as_bytes());
        tree.files().keys().cloned().collect()
    }

    #[test]
    fn a_tree_holds_what_the_edited_header_may_read() {
        let [a, b, c, d, e] =
            ["lib/a.h", "lib/b.h", "lib/c.h", "d.h", "e.h"].map(|path| format!("include/{path}"));
        assert_eq!(paths("int f();\n", None), std::slice::from_ref(&a));
        assert_eq!(
            paths("#include \"b.h\"\n", None),
            [a.clone(), b.clone(), c.clone()]
        );
        assert_eq!(
            paths("", Some("#include \"d.h\"\n")),
            [d.clone(), a.clone(), c.clone()]
        );
        let all = [d, e, a, b, c];
        assert_eq!(paths("#include WHAT\n", None), all);
        assert_eq!(paths("", Some("#include WHAT\n")), all);
    }
}
