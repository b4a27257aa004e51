//! How much of a tree a header can come to depend on: what makes a compile of it the same compile.

use crate::diagnostics::includes::{IncludeGraph, mentions};
use crate::model::digest::Digest;
use crate::model::source_tree::{SourceText, SourceTree};

/// A tree with everything in it that may include something.
pub(super) struct Reach<'a> {
    tree: &'a SourceTree,
    graph: IncludeGraph,
}

impl<'a> Reach<'a> {
    /// Reads `tree`, in which includes are looked for in `folders` (`.` is the root).
    pub(super) fn new(tree: &'a SourceTree, folders: &[String]) -> Self {
        let files = tree.files().iter();
        let files = files.map(|(path, text)| (path.as_str(), &*text.bytes));
        Self {
            graph: IncludeGraph::new(files, folders),
            tree,
        }
    }

    /// The digest of what a unit of the header at `path`, made by the template `probe` if there is
    /// one, may read of the tree: all of it where a name cannot be told from the text.
    pub(super) fn of(&self, path: &str, probe: Option<&SourceText>) -> Digest {
        let mut closure = self.graph.closure_of(path);
        if let Some(probe) = probe {
            let more = self.graph.closure_of_text(&mentions(&probe.bytes), None);
            closure.is_opaque |= more.is_opaque;
            closure.files.extend(more.files);
        }
        match closure.is_opaque {
            true => self.tree.digest(),
            false => self.tree.digest_of(closure.files.iter().copied()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> SourceTree {
        let text =
            |(path, text): &(&str, &str)| ((*path).to_owned(), SourceText::new(text.as_bytes()));
        SourceTree::new(files.iter().map(text).collect::<BTreeMap<_, _>>())
    }

    /// Whether `include/a.h` has another reach in `other` than in the plain tree.
    fn moves(other: &[(&str, &str)], probe: &str) -> bool {
        let plain = [
            ("include/a.h", "#include \"b.h\"\n"),
            ("include/b.h", "int b;\n"),
            ("include/c.h", "int c;\n"),
        ];
        let mut changed: BTreeMap<_, _> = plain.into_iter().collect();
        changed.extend(other.iter().copied());
        let changed: Vec<_> = changed.into_iter().collect();
        let probe = (!probe.is_empty()).then(|| SourceText::new(probe.as_bytes()));
        let reach = |files: &[(&str, &str)]| {
            let tree = tree(files);
            Reach::new(&tree, &["include".to_owned()]).of("include/a.h", probe.as_ref())
        };
        reach(&plain) != reach(&changed)
    }

    #[test]
    fn a_header_depends_on_what_it_can_reach_and_on_nothing_else() {
        assert!(moves(&[("include/a.h", "int a;\n")], ""));
        assert!(moves(&[("include/b.h", "int b2;\n")], ""));
        assert!(!moves(&[("include/c.h", "int c2;\n")], ""));
        assert!(!moves(&[("include/new.h", "")], ""));
    }

    #[test]
    fn a_template_reaches_further() {
        assert!(moves(&[("include/c.h", "int c2;\n")], "#include <c.h>\n"));
        assert!(!moves(&[("include/c.h", "int c2;\n")], "int main() {}\n"));
    }

    #[test]
    fn a_name_that_a_macro_makes_may_be_any() {
        let opaque = ("include/b.h", "#include NAME\n");
        assert!(moves(&[opaque], ""));
        let tree_of = |text| tree(&[("include/a.h", "#include NAME\n"), ("include/c.h", text)]);
        let (one, two) = (tree_of("1"), tree_of("2"));
        let folders = ["include".to_owned()];
        let reach = |tree| Reach::new(tree, &folders).of("include/a.h", None);
        assert_ne!(reach(&one), reach(&two));
    }
}
