//! What is suggested, on which line, and what is not.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::model::report::Experiment;
use crate::report::testing::{header, of_lanes, text as any_text};

const PATH: &str = "include/text/wrap.hpp";
/// Lines 2 to 5 of the header; its edit goes before line 4.
const DIFF: &str = "--- a/include/text/wrap.hpp\n+++ b/include/text/wrap.hpp\n\
@@ -2,3 +2,4 @@\n #include <string>\n+#include <map>\n namespace text {\n \n";

fn edited(change: impl FnOnce(&mut Value)) -> Row {
    let mut row = header();
    let edit = row.evidence.get_mut("suggestion").unwrap();
    edit["between"] = json!(["#include <map>", "namespace text {"]);
    change(edit);
    row
}

fn of(rows: Vec<Row>, diff: &str) -> Vec<Suggestion> {
    let report = of_lanes(vec![Experiment::new(LANE, rows)], Vec::new());
    let context = Context {
        name: "a--b",
        root: "",
        run_url: None,
        changed: &ChangedLines::parse(diff.as_bytes()),
        said: &[],
    };
    suggestions(&report, &context)
}

fn only(change: impl FnOnce(&mut Value), diff: &str) -> Option<Suggestion> {
    let mut all = of(vec![edited(change)], diff);
    assert!(all.len() < 2, "{all:?}");
    all.pop()
}

#[test]
fn the_line_above_is_kept_and_the_include_follows_it() {
    let one = only(|_| {}, DIFF).unwrap();
    assert_eq!((one.path.as_str(), one.line), (PATH, 3));
    let marker = format!("<!-- driftgate/suggestion/a%2D%2Db/{} -->", one.fingerprint);
    let expected = format!(
        "{marker}\n\n`include/text/wrap.hpp` does not compile alone; with the include added here it does.\n\n\
```suggestion\n#include <map>\n#include <vector>\n```\n"
    );
    assert_eq!(one.body, expected);
    assert_eq!(
        fingerprint("a--b", &one.body),
        Some(one.fingerprint.as_str())
    );
    assert_eq!(fingerprint("a", &one.body), None);
}

#[test]
fn where_the_line_above_is_not_shown_the_one_below_is_kept() {
    let diff = "--- a/include/text/wrap.hpp\n+++ b/include/text/wrap.hpp\n@@ -4 +4 @@\n-x\n+namespace text {\n";
    let one = only(|_| {}, diff).unwrap();
    assert_eq!(one.line, 4);
    assert!(
        one.body
            .ends_with("```suggestion\n#include <vector>\nnamespace text {\n```\n"),
        "{}",
        one.body
    );
}

#[test]
fn a_line_that_the_diff_does_not_have_as_it_was_judged_gets_none() {
    for between in [
        json!(["#include <map> ", "namespace text {"]),
        json!(["#include <map>", "namespace text"]),
        json!(["#include <map>", null]),
        json!([null, null]),
        json!("no list"),
    ] {
        let told = between.to_string();
        assert_eq!(only(|edit| edit["between"] = between, DIFF), None, "{told}");
    }
    for diff in [
        "",
        &DIFF.replace("wrap", "other"),
        &DIFF.replace('\n', "\r\n"),
    ] {
        assert_eq!(only(|_| {}, diff), None, "{diff}");
    }
    // A blank line is like any other.
    let blank = "--- a/include/text/wrap.hpp\n+++ b/include/text/wrap.hpp\n@@ -4 +4 @@\n-x\n+ \n";
    let between = json!(["#include <map>", " "]);
    assert_eq!(only(|edit| edit["between"] = between, blank), None);
}

#[test]
fn what_is_no_tried_include_gets_none() {
    for text in [
        "int a;",
        "#include <vector>\nint a;",
        "#include <vector> // a",
        "#include <a b>",
        "#include <>",
        "#include \"a\\b\"",
        "#include <\u{202e}a>",
        "#define A",
        "```\n#include <vector>",
    ] {
        assert_eq!(
            only(|edit| edit["text"] = json!(text), DIFF),
            None,
            "{text}"
        );
    }
    assert!(
        only(
            |edit| edit["text"] = json!("#include \"a/b.h\"\n#include <c++/d_e-f>\n"),
            DIFF
        )
        .is_some()
    );
    assert_eq!(only(|edit| edit["proven"] = json!(false), DIFF), None);
    let mut passing = edited(|_| {});
    passing.level = Level::Ok;
    assert_eq!(of(vec![passing], DIFF), []);
}

#[test]
fn a_line_that_a_page_cannot_hold_as_it_is_gets_none() {
    for (line, is_held) in [
        ("\t#include <map> // `a` ```` b @you #1 <b>", true),
        ("::f();", false),
        ("int a; // <!-- driftgate -->", false),
        ("int a; // ##[add-mask]x", false),
    ] {
        let diff = DIFF.replace("#include <map>", line);
        let between = json!([line, "namespace text {"]);
        let one = only(|edit| edit["between"] = between, &diff);
        assert_eq!(one.is_some(), is_held, "{line}: {one:?}");
        if let Some(one) = one {
            let block = format!("`````suggestion\n{line}\n#include <vector>\n`````\n");
            assert!(one.body.ends_with(&block), "{}", one.body);
        }
    }
}

#[test]
fn a_header_is_edited_by_its_own_row_alone_and_once() {
    let mut other = edited(|_| {});
    other.id = "include/text/other.hpp".to_owned();
    assert_eq!(of(vec![other.clone()], DIFF), []);
    assert_eq!(
        of(vec![edited(|_| {}), edited(|_| {}), other], DIFF).len(),
        1
    );
    let more = edited(|edit| edit["text"] = json!("#include <map>\n"));
    assert_eq!(of(vec![edited(|_| {}), more], DIFF).len(), 2);
}

proptest! {
    #[test]
    fn whatever_a_report_says_a_suggestion_is_includes_and_the_line(
        id in any_text(), line in any_text(), text in any_text()
    ) {
        let line = line.replace(['\n', '\r'], " ");
        let diff = DIFF.replace("#include <map>", &line);
        let includes = "#include <vector>\n";
        for (id, text) in [(PATH, text.as_str()), (PATH, includes), (id.as_str(), includes)] {
            let diff = diff.replace(PATH, id);
            let mut row = edited(|edit| {
                edit["between"] = json!([line, "namespace text {"]);
                edit["text"] = json!(text);
                edit["path"] = json!(id);
            });
            id.clone_into(&mut row.id);
            for one in of(vec![row], &diff) {
                prop_assert_eq!(one.body.matches("<!--").count(), 1);
                let (_, block) = one.body.split_once("suggestion\n").unwrap();
                let kept = format!("{}\n#include", line);
                let above = format!("{}\nnamespace", text.trim_end());
                prop_assert!(block.starts_with(&kept) || block.starts_with(&above), "{}", block);
            }
        }
    }
}
