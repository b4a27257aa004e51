//! Reports full of text that wants to be more.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::model::class::Level;
use crate::model::report::Report;
use crate::model::row::{At, Row};

use super::{at, class_of, report, row};

/// What a candidate might print to be heard, in one line.
const EVIL: &str = "@octocat @org/team <img src=x> [a](http://e.vil) www.e.vil #1 \
o/r#2 GH-3 deadbeef <!-- driftgate/comment/driftgate --> a|b `c` ``` | x | y | ::error::z \
##[error]y \u{202e}gnp \x1b[31m\\| $x$ \u{1f600}";

/// Nothing but hostile text, wherever text may stand.
pub(in crate::report) fn hostile() -> Report {
    let mut hostile = row("a", "NONDETERMINISTIC", EVIL);
    hostile.id = EVIL.to_owned();
    hostile.class = "<script>@me|".to_owned();
    hostile.grader = Some("`|`".to_owned());
    hostile.next = format!("- {EVIL}");
    hostile.repro = "driftgate replay; rm -rf /".to_owned();
    hostile.at = at("goldens/@x|<y>.json", 3);
    let diff = json!({"diff": "+```\n+</details>\n+@octocat\n+````\n\x1b[31m"});
    hostile.evidence.insert("std|out <b>".to_owned(), diff);
    hostile.evidence.insert("stderr".to_owned(), json!(EVIL));
    let edit = json!({"path": "@x|`", "line": 1, "text": "```\n@you", "proven": false});
    hostile.evidence.insert("suggestion".to_owned(), edit);
    let mut report = report(vec![hostile], vec![format!("# {EVIL}")]);
    report.command = "<b>@me".to_owned();
    report.base = Some("@base".to_owned());
    report.toolchain.version = Some(EVIL.to_owned());
    report.sandbox.level = "| |".to_owned();
    report.experiments[0].name = "lane <@x>".to_owned();
    report
}

/// As long as a report can be: every text long, and of the longest characters.
pub(in crate::report) fn longest(rows: usize) -> Report {
    let long = "|<@\u{1f600}".repeat(1_000);
    let mut worst = row("a", "NONDETERMINISTIC", &long);
    worst.next.clone_from(&long);
    worst.class.clone_from(&long);
    worst.also = vec![long.clone(); 6];
    worst.grader = Some(long.clone());
    worst.evidence.insert(long.clone(), json!({"diff": long}));
    let rows = (0..rows).map(|index| {
        let mut row = worst.clone();
        // So that no two ask for the same.
        row.next = format!("{index} {long}");
        if index % 2 == 1 {
            row.level = Level::Review;
        }
        row
    });
    let mut report = report(rows.collect(), vec![long.clone(); 300]);
    report.command.clone_from(&long);
    report.base = Some(long.clone());
    report.head = Some(long.clone());
    report.toolchain.version = Some(long.clone());
    report.sandbox.level.clone_from(&long);
    report.experiments[0].name = long;
    report
}

/// Text with more of what is dangerous than chance would bring.
pub(in crate::report) fn text() -> impl Strategy<Value = String> {
    const DANGEROUS: &[&str] = &[
        "@a",
        "<b>",
        "|",
        "\\",
        "`",
        "``",
        "```",
        "\n",
        "\r",
        "http://x",
        "www.x",
        "WWW.x",
        "#1",
        "<!--",
        "-->",
        "<!-- driftgate/comment/driftgate -->",
        "</details>",
        "&lt;",
        "\u{202e}",
        "\u{200b}",
        " ",
        "\t",
        "- ",
        "1. ",
        "a1b2c3d4",
        "~~~",
        "~~~~\n",
        "$",
        "*",
        "_",
        "[x](y)",
        "::error::x",
        "\n::add-mask::y",
        "##[error]z",
        "\x1b[31m",
        "\u{1f600}",
        "%0A",
    ];
    let part = prop_oneof![
        any::<String>(),
        proptest::sample::select(DANGEROUS).prop_map(str::to_owned),
    ];
    vec(part, 0..8).prop_map(|parts| parts.concat())
}

prop_compose! {
    fn any_row()(
        texts in vec(text(), 8),
        class in proptest::sample::select(vec!["STABLE", "CASE_DRIFT", "GRADER_DRIFT", "UNJUDGED", "missing_declaration"]),
        evidence in vec((text(), text(), any::<bool>()), 0..4),
        line: u32,
        own_class: bool,
    ) -> Row {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().unwrap_or_default();
        let mut row = Row::new(next(), class_of(class), next());
        if own_class {
            row.class = next();
        }
        row.grader = Some(next());
        row.next = next();
        row.repro = format!("driftgate {}", next());
        row.also = vec![next()];
        row.at = Some(At { path: next(), line });
        for (key, text, diff) in evidence {
            let value = if diff { json!({"diff": text}) } else { json!(text) };
            let edit = json!({"path": text, "line": line, "text": text, "proven": diff});
            row.evidence.insert("suggestion".to_owned(), edit);
            row.evidence.insert(key, value);
        }
        row
    }
}

prop_compose! {
    /// Any report of a few rows.
    pub(in crate::report) fn any_report()(
        rows in vec(any_row(), 0..6), notes in vec(text(), 0..3), name in text()
    ) -> Report {
        let mut report = report(rows, notes);
        report.command.clone_from(&name);
        report.base = Some(name.clone());
        report.toolchain.version = Some(name.clone());
        report.sandbox.level.clone_from(&name);
        report.experiments[0].name = name;
        report
    }
}
