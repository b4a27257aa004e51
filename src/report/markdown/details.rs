//! What proves the rows, folded.

use std::collections::BTreeSet;

use crate::model::class::Level;
use crate::model::row::Row;
use crate::report::evidence::{command, fix_it, texts};
use crate::report::markup::{code, fenced, html};
use crate::report::style::cut;

use super::{NAME, more, name, within};

/// The evidence of every row that fails or could not be judged.
pub(super) fn details(rows: &[&Row], room: usize) -> String {
    if room == 0 {
        return String::new();
    }
    let shown = rows.iter().filter(|row| row.level >= Level::Incomplete);
    let (shown, left) = within(room, shown, |row| detail(row));
    let shown = format!("{shown}{}", more(left, "", "with evidence"));
    let end = if shown.is_empty() { "" } else { "\n" };
    format!("{}{end}", shown.trim_end_matches('\n'))
}

fn detail(row: &Row) -> String {
    let name_in_html = |text: &str| format!("<code>{}</code>", html(&cut(text, NAME)));
    let mut title = format!("{} {}", name_in_html(&row.class), name_in_html(&row.id));
    if let Some(grader) = &row.grader {
        title = format!("{title} {}", name_in_html(grader));
    }
    let mut body = String::new();
    if let Some(at) = &row.at {
        let place = format!("{}:{}", cut(&at.path, 2 * NAME), at.line);
        body.push_str(&format!("At {}\n\n", code(&place)));
    }
    if let Some(edit) = fix_it(&row.evidence) {
        let sentence = edit.sentence(&code(&cut(edit.path, 2 * NAME)));
        body.push_str(&format!(
            "{sentence}\n\n{}\n",
            fenced("suggestion", edit.text)
        ));
    }
    for text in texts(&row.evidence) {
        let language = if text.is_diff { "diff" } else { "text" };
        let label = name(&text.label());
        body.push_str(&format!("In {label}:\n\n{}\n", fenced(language, text.text)));
    }
    if let Some(command) = command(row) {
        body.push_str(&format!("Reproduce:\n\n{}\n", fenced("sh", command)));
    }
    format!("<details>\n<summary>{title}</summary>\n\n{body}</details>\n\n")
}

/// How to see again what is listed and has no details.
pub(super) fn commands(rows: &[&Row], room: usize) -> String {
    let listed = rows.iter().filter(|row| row.level < Level::Incomplete);
    let commands: BTreeSet<&str> = listed.filter_map(|row| command(row)).collect();
    if commands.is_empty() || room == 0 {
        return String::new();
    }
    let (lines, left) = within(room, commands, |command| format!("{command}\n"));
    let block = format!("{}{}", fenced("sh", &lines), more(left, "\n", "commands"));
    format!(
        "<details>\n<summary>How to reproduce the rows at level review</summary>\n\n{block}\n</details>\n"
    )
}
