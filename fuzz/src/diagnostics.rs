//! What other tools write: objects where the bytes are one, else every text that they might be.

use std::collections::BTreeSet;

use driftgate::diagnostics::includes::{self, IncludeGraph};
use driftgate::diagnostics::symbols::{Symbols, demangled, explain_undefined};
use driftgate::diagnostics::{
    compiler_text, cpp_tokens, declared_namespaces, dependency_list, fix_its, linemarkers,
    linker_text, odr_tokens, transitive_use,
};

/// Reads `bytes` with every parser that might be given them.
pub fn check(bytes: &[u8]) {
    if [b"\x7fELF".as_slice(), b"!<arch>\n", b"!<thin>\n"]
        .iter()
        .any(|magic| bytes.starts_with(magic))
    {
        return object(bytes);
    }
    compiler(bytes);
    linker(bytes);
    source(bytes);
    preprocessed(bytes);
    let listed = dependency_list::prerequisites(bytes);
    assert!(listed.iter().map(Vec::len).sum::<usize>() <= bytes.len());
    if let Ok(name) = std::str::from_utf8(bytes) {
        let _ = demangled(name);
    }
}

fn compiler(bytes: &[u8]) {
    let read = compiler_text::parse(bytes);
    assert!(read.len() <= compiler_text::MOST_ERRORS + compiler_text::MOST_REMARKS);
    // A byte that is no UTF-8 is shown as a character of three.
    let said: usize = read.iter().map(|one| one.message.len()).sum();
    assert!(said <= 3 * bytes.len());
    for one in &read {
        assert!(one.included_from.len() <= compiler_text::MOST_PLACES);
        assert!(one.instantiated_from.len() <= compiler_text::MOST_PLACES);
        let _ = one.missing_include();
        let _ = compiler_text::suggested_include(&one.message);
        let _ = compiler_text::unknown_name(&one.message);
    }
    let edits = fix_its::parse(bytes);
    assert!(edits.len() <= fix_its::MOST_FIX_ITS);
    assert!(edits.iter().all(|edit| edit.start <= edit.end));
}

fn linker(bytes: &[u8]) {
    let found = linker_text::parse(bytes);
    assert!(found.len() <= linker_text::MOST_FINDINGS);
    for (at, finding) in found.iter().enumerate() {
        assert!(!found[..at].contains(finding), "{finding:?} twice");
    }
}

fn source(bytes: &[u8]) {
    let mut line = 1;
    let mut length = 0;
    for token in cpp_tokens::tokens(bytes) {
        assert!(!token.text.is_empty() && token.line >= line);
        line = token.line;
        length += token.text.len();
    }
    assert!(length <= bytes.len());
    names_all(bytes);
    let leaning = transitive_use::leaning(bytes, |_| false);
    assert!(leaning.len() <= transitive_use::MOST_LEANING);
}

/// What directives name is among what any compiler might read.
fn names_all(bytes: &[u8]) {
    let all = includes::mentions(bytes);
    let known: BTreeSet<_> = all.names.iter().map(|one| (&one.name, one.form)).collect();
    for one in includes::active_mentions(bytes) {
        let is_known = all.is_opaque || known.contains(&(&one.name, one.form));
        assert!(is_known, "{one:?} is not among {known:?}");
    }
    let graph = IncludeGraph::new([("a.h", bytes), ("in/a.h", bytes)], &["in".to_owned()]);
    let closure = graph.closure_of("in/a.h");
    assert!(closure.files.contains("in/a.h"));
    assert_eq!(graph.closure_of("in/a.h"), closure);
}

fn preprocessed(bytes: &[u8]) {
    let located: Vec<_> = linemarkers::located(bytes).collect();
    assert!(located.len() <= bytes.len());
    let files = linemarkers::files(bytes);
    for one in &located {
        assert!(one.file.is_empty() || files.contains(&one.file));
    }
    let forbidden = ["lib".to_owned(), "a::b".to_owned()];
    let declared = declared_namespaces::declared(&located, &forbidden);
    assert!(declared.len() <= declared_namespaces::MOST_DECLARED);
    assert!(
        declared
            .iter()
            .all(|one| forbidden.contains(&one.namespace))
    );
    let definitions = odr_tokens::Definitions::read(bytes, |_| true);
    assert_eq!(odr_tokens::differing(&definitions, &definitions), []);
}

fn object(bytes: &[u8]) {
    let read = Symbols::read(bytes);
    assert_eq!(Symbols::read(bytes), read);
    let Ok(symbols) = read else {
        return;
    };
    assert_eq!(symbols.disagreements(&symbols).next(), None);
    for name in symbols.wanted().take(8) {
        assert!(!symbols.defines(name));
        let _ = explain_undefined(name, &symbols);
    }
}
