//! The table of what a list of headers may say.

use std::fs;

use super::*;
use crate::suite::WorkingTree;
use crate::suite::config;

/// What is loaded of a checkout with these files.
fn load_all(files: &[(&str, &str)]) -> Result<PublicHeaders, String> {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let tree = WorkingTree::open(dir.path()).unwrap();
    let config = config::load(&tree).unwrap().standalone_header;
    let mut trees = SourceTrees::new(&tree);
    load(&tree, &mut trees, &config).map_err(|errors| {
        let said: Vec<_> = errors.iter().map(ToString::to_string).collect();
        said.join("\n")
    })
}

fn listed(list: &str) -> Result<PublicHeaders, String> {
    load_all(&[
        (LIST, list),
        ("include/a.h", ""),
        ("include/lib/b.hpp", ""),
        ("src/c.h", ""),
    ])
}

fn paths(headers: &PublicHeaders) -> Vec<&str> {
    let headers = headers.headers.iter();
    headers.map(|public| public.header.path.as_str()).collect()
}

#[test]
fn a_list_names_headers_line_by_line() {
    for list in [
        "include/a.h\ninclude/lib/b.hpp\n",
        "\u{feff}include/a.h\r\n\r\n# a comment\r\n  ./include//lib/b.hpp  # another\r\n",
        "include/lib/b.hpp\ninclude/a.h",
    ] {
        let headers = listed(list).unwrap();
        assert_eq!(
            paths(&headers),
            ["include/a.h", "include/lib/b.hpp"],
            "{list:?}"
        );
        let names = headers.headers.iter().map(|it| it.header.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["a.h", "lib/b.hpp"]);
    }
}

#[test]
fn a_header_that_is_not_there_is_still_looked_at() {
    assert_eq!(
        paths(&listed("include/none.h\n").unwrap()),
        ["include/none.h"]
    );
}

#[test]
fn a_name_may_hold_what_begins_a_comment() {
    let headers = listed("include/ha#sh.h # a comment\ninclude/a.h\t# driftgate: c\n").unwrap();
    assert_eq!(paths(&headers), ["include/a.h", "include/ha#sh.h"]);
    assert_eq!(headers.headers[0].header.language, Language::C);
}

#[test]
fn marks_say_what_is_expected() {
    let headers = listed(
        "include/a.h # driftgate: not-reincludable, c\n\
         include/lib/b.hpp # driftgate: expect missing_declaration\n",
    );
    let headers = headers.unwrap().headers;
    assert!(headers[0].header.once_only && headers[0].expect_class == CLEAN);
    assert_eq!(headers[0].header.language, Language::C);
    assert_eq!(headers[1].expect_class, "missing_declaration");
    assert_eq!((headers[1].at.path.as_str(), headers[1].at.line), (LIST, 2));
    assert_eq!(headers[1].header.language, Language::Cxx);
}

#[test]
fn a_list_that_cannot_be_meant_is_refused_line_by_line() {
    for (list, expected) in [
        ("include\n", ":1:1: `include` is a folder"),
        (
            "src/c.h\n",
            ":1:1: `src/c.h` lies in no include folder\n    include folders: include",
        ),
        (
            "\n../a.h\n",
            ":2:1: `../a.h` leaves its folder through `..`",
        ),
        (
            "/usr/include/stdio.h\n",
            ":1:1: `/usr/include/stdio.h` is absolute",
        ),
        (
            "include/a.h\ninclude/./a.h\n",
            ":2:1: `include/a.h` is listed in line 1 too",
        ),
        (
            "include/a\".h\n",
            ":1:1: `include/a\\\".h` cannot stand in an #include",
        ),
        (
            "include/a.h # driftgate: twice\n",
            ":1:1: `twice` is no mark of a header",
        ),
        (
            "include/a.h # driftgate: expect claen\n",
            ":1:1: `claen` is no class of a header",
        ),
        (
            "include/a.h # driftgate: expect known_dirty\n",
            ":1:1: `known_dirty` is no class",
        ),
        (
            "# driftgate: not-reincludable\n",
            ":1:1: a mark of driftgate belongs to no header",
        ),
    ] {
        let said = listed(list).unwrap_err();
        assert!(
            said.starts_with(&format!("{LIST}{expected}")),
            "{said}\nis not\n{expected}"
        );
    }
    let said = load_all(&[(&format!("{LIST}/x"), "")]).unwrap_err();
    assert!(said.contains("is not a regular file"), "{said}");
}

#[test]
fn a_binary_list_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("goldens/headers")).unwrap();
    fs::write(dir.path().join(LIST), b"\x7fELF\xff\xfe\0").unwrap();
    let tree = WorkingTree::open(dir.path()).unwrap();
    let config = StandaloneHeader::default();
    let errors = load(&tree, &mut SourceTrees::new(&tree), &config).unwrap_err();
    assert_eq!(errors[0].problem, "is no text in UTF-8");
}

#[test]
fn globs_add_headers_and_take_some_out() {
    let config = "standalone_header: {headers: ['include/**/*.h*', '!include/**/detail/**'], \
                  c_headers: ['include/*.h'], include: [./include/]}\n";
    let files = [
        (config::FILE, config),
        ("include/a.h", ""),
        ("include/lib/b.hpp", ""),
        ("include/lib/detail/c.hpp", ""),
        ("include/readme.txt", ""),
    ];
    let headers = load_all(&files).unwrap();
    assert_eq!(paths(&headers), ["include/a.h", "include/lib/b.hpp"]);
    assert_eq!(headers.headers[0].header.language, Language::C);
    let nothing = load_all(&[(config::FILE, config)]).unwrap();
    assert!(nothing.declared.is_some() && nothing.headers.is_empty());
    assert!(load_all(&[("include/a.h", "")]).unwrap().declared.is_none());
}

#[test]
fn a_template_is_found_by_the_path_of_its_header() {
    let template = "#include \"HEADER_PATH\"\nint main() { return f(); }\n";
    for name in [
        "probe_include__lib__b.hpp.cpp.in",
        "probe_lib__b.hpp.cpp.in",
    ] {
        let path = format!("goldens/headers/{name}");
        let files = [
            (LIST, "include/lib/b.hpp\n"),
            ("include/lib/b.hpp", ""),
            (&path, template),
        ];
        let headers = load_all(&files).unwrap();
        let probe = headers.headers[0].header.probe.clone().unwrap();
        let text = String::from_utf8_lossy(&probe.bytes).into_owned();
        assert!(text.starts_with("#include \"lib/b.hpp\"\n"), "{text}");
        let said = load_all(&files[2..]).map(|headers| headers.headers.len());
        assert_eq!(said, Ok(0), "without a list there is no lane");
        let other = load_all(&[(LIST, "include/a.h"), (&path, template)]).unwrap_err();
        assert!(
            other.contains("is a template of no listed header"),
            "{other}"
        );
    }
}
