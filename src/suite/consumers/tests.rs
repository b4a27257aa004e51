//! The table of what consumers may say.

use std::fs;

use super::*;
use crate::suite::WorkingTree;

const CONSUMER: &str = "#include <lib/a.hpp>\nint main() { return 0; }\n";

/// What is loaded of a checkout with a consumer of `text` and these files.
fn load_all(text: &str, files: &[(&str, &str)]) -> Result<Vec<Arc<Consumer>>, String> {
    let dir = tempfile::tempdir().unwrap();
    let own = [
        ("goldens/consumers/one.json", text),
        ("use/one.cpp", CONSUMER),
    ];
    for (path, text) in own.iter().chain(files) {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let tree = WorkingTree::open(dir.path()).unwrap();
    load(&tree, &mut SourceTrees::new(&tree)).map_err(|errors| {
        let said: Vec<_> = errors.iter().map(ToString::to_string).collect();
        said.join("\n")
    })
}

/// A consumer with `more` fields.
fn json(more: &str) -> String {
    format!(
        "{{\"id\": \"one\", \"public_header\": \"include/lib/a.hpp\", \"consumer\": \
         \"use/one.cpp\"{more}}}"
    )
}

#[test]
fn what_is_left_out_has_a_default() {
    let files = [("include/lib/a.hpp", ""), ("src/a.cpp", "")];
    let loaded = load_all(&json(""), &files).unwrap();
    let [one] = loaded.as_slice() else {
        panic!("{loaded:?}")
    };
    assert_eq!(
        (one.header_name.as_str(), one.file.as_str()),
        ("lib/a.hpp", "one.cpp")
    );
    assert_eq!((one.expect_exit, one.timeout_s), (0, 10));
    assert_eq!(
        (one.expect_class.as_str(), &one.expect_stdout),
        ("pass", &None)
    );
    let paths = |tree: &crate::model::source_tree::SourceTree| {
        tree.files().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(paths(&one.published), ["include/lib/a.hpp"]);
    assert_eq!(paths(&one.library), ["include/lib/a.hpp"]);
}

#[test]
fn the_library_sees_its_own_folders_and_the_consumer_none_of_them() {
    let files = [
        ("include/lib/a.hpp", ""),
        ("src/deep/a.cpp", ""),
        ("src/detail.hpp", ""),
        ("tests/t.cpp", ""),
    ];
    let text = json(", \"archive_sources\": [\"src/b.cpp\", \"src/deep/a.cpp\"]");
    let loaded = load_all(&text, &files).unwrap();
    let library: Vec<_> = loaded[0].library.files().keys().cloned().collect();
    assert_eq!(
        library,
        ["include/lib/a.hpp", "src/deep/a.cpp", "src/detail.hpp"]
    );
    assert_eq!(loaded[0].source_folders, ["src"]);
    assert_eq!(loaded[0].published.files().len(), 1);
}

#[test]
fn a_consumer_has_files_of_its_own_and_reaches_for_private_ones() {
    let source = "#include \"help/er.hpp\"\n#include \"../src/impl.hpp\"\n#include <lib/a.hpp>\n\
                  #include \"src/impl.hpp\"\n#include <vector>\n#include \"absent.hpp\"\n";
    let files = [
        ("use/one.cpp", source),
        ("use/help/er.hpp", "#include \"more.hpp\"\n"),
        ("use/help/more.hpp", ""),
        ("use/other.hpp", ""),
        ("src/impl.hpp", ""),
        ("include/lib/a.hpp", ""),
    ];
    let loaded = load_all(&json(""), &files).unwrap();
    let own: Vec<_> = loaded[0].files.keys().cloned().collect();
    assert_eq!(own, ["help/er.hpp", "help/more.hpp", "one.cpp"]);
    let private: Vec<_> = loaded[0].private_includes.clone();
    assert_eq!(
        private,
        [
            ("../src/impl.hpp".to_owned(), 2),
            ("src/impl.hpp".to_owned(), 4)
        ]
    );
}

#[test]
fn what_cannot_be_meant_is_refused_by_field() {
    for (more, expected) in [
        (", \"public_heade\": 1", "public_heade: unknown field"),
        (
            ", \"timeout_s\": 0",
            "timeout_s: expected 1 to 3600 seconds, found 0",
        ),
        (
            ", \"expect_exit\": 256",
            "expect_exit: expected an exit code from 0 to 255",
        ),
        (
            ", \"forbid_consumer_decls\": [\"a b\"]",
            "forbid_consumer_decls[0]: `a b` is no",
        ),
        (", \"flags\": [\"-c\"]", "flags[0]: `-c` stops the build"),
        (", \"link\": [\"@x\"]", "link[0]: `@x` hides flags"),
        (
            ", \"include\": [\"../x\"]",
            "include[0]: `../x` leaves its folder",
        ),
        (
            ", \"archive_sources\": [\"/x.cpp\"]",
            "archive_sources[0]: `/x.cpp` is absolute",
        ),
        (
            ", \"expect_class\": \"passs\"",
            "expect_class: `passs` is no class of a consumer",
        ),
        (
            ", \"include\": [\"inc\"]",
            "public_header: `include/lib/a.hpp` lies in no include",
        ),
    ] {
        let said = load_all(&json(more), &[]).unwrap_err();
        assert!(said.contains(expected), "{said}\nlacks\n{expected}");
        assert!(said.starts_with("goldens/consumers/one.json:1:"), "{said}");
    }
    let folder = json(", \"archive_sources\": [\"src\"]");
    let said = load_all(&folder, &[("src/a.cpp", "")]).unwrap_err();
    let expected = "archive_sources[0]: `src` is not a regular file";
    assert!(said.contains(expected), "{said}");
    let absent = json("").replace("use/one", "use/two");
    let said = load_all(&absent, &[]).unwrap_err();
    assert!(
        said.contains("consumer: `use/two.cpp` does not exist"),
        "{said}"
    );
}

#[test]
fn two_files_with_one_id_are_refused() {
    let other = json("");
    let said = load_all(&json(""), &[("goldens/consumers/two.json", &other)]).unwrap_err();
    assert!(
        said.contains("`one` is also the id of goldens/consumers/one.json"),
        "{said}"
    );
}

#[test]
fn a_header_or_source_that_is_missing_is_no_fault_of_the_suite() {
    let text = json(", \"archive_sources\": [\"src/none.cpp\"]");
    assert!(load_all(&text, &[]).is_ok());
}
