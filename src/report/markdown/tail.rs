//! What comes last on a page: counts, notes, how to see it again, and with what it was made.

use crate::model::report::Experiment;
use crate::model::scope::Scope;
use crate::report::evidence::is_copyable;
use crate::report::markup::{fenced, prose};
use crate::report::scope::sentence;
use crate::report::style::cut;

use super::{Page, more, name, within};

/// The most classes of a lane that are counted one by one.
const MOST_CLASSES: usize = 20;
/// The most characters of a note: some list files.
const NOTE: usize = 1000;
/// The most characters of an address.
const ADDRESS: usize = 500;
/// How much of a commit's name is shown.
const COMMIT: usize = 12;

/// What each lane counts, ok rows included.
pub(super) fn lanes(experiments: &[Experiment], room: usize) -> String {
    let lane = |experiment: &Experiment| {
        let summary = experiment.summary();
        let classes = summary.iter().take(MOST_CLASSES);
        let classes: Vec<_> = classes
            .map(|(class, count)| format!("{count} {}", name(class)))
            .collect();
        let checked = experiment.rows.len();
        format!(
            "- {}: {checked} checked: {}\n",
            name(&experiment.name),
            classes.join(", ")
        )
    };
    if experiments.is_empty() {
        return String::new();
    }
    let (lines, left) = within(room, experiments, lane);
    format!("**Lanes**\n\n{lines}{}", more(left, "- ", "lanes"))
}

/// What the change can reach of each lane, where that is known.
pub(super) fn scope(experiments: &[Experiment], room: usize) -> String {
    let known = experiments
        .iter()
        .filter_map(|lane| Some((lane, Scope::of(lane)?)));
    let known: Vec<_> = known.collect();
    if known.is_empty() {
        return String::new();
    }
    let line = |(lane, scope): &(&Experiment, Scope)| {
        let said = sentence(&lane.name, scope, &name);
        format!("- {}: {said}\n", name(&lane.name))
    };
    let (lines, left) = within(room, &known, line);
    format!("**Scope**\n\n{lines}{}", more(left, "- ", "lanes"))
}

pub(super) fn notes(notes: &[String], room: usize) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let item = |note: &String| format!("- {}\n", prose(&cut(note, NOTE)));
    let (items, left) = within(room, notes, item);
    format!("**Notes**\n\n{items}{}", more(left, "- ", "notes"))
}

/// The command that makes the report again, where a base tells which.
pub(super) fn again(page: &Page<'_>) -> String {
    let report = page.report;
    let root = match page.root.trim_end_matches('/') {
        "" => String::new(),
        root => format!(" --root {root}"),
    };
    let base = report.base.as_deref().filter(|base| is_commit(base));
    // What the action runs is `ci`, which a person runs as `check`.
    let (Some(base), "check" | "ci") = (base, report.command.as_str()) else {
        return String::new();
    };
    let command = format!("driftgate check --base {base}{root}");
    match is_copyable(&command) {
        true => format!("Reproduce on your machine:\n\n{}", fenced("sh", &command)),
        false => String::new(),
    }
}

/// What was compared, with what, and where.
pub(super) fn facts(page: &Page<'_>) -> String {
    let report = page.report;
    let base = report.base.as_deref();
    let head = report.head.as_deref();
    let version = report.toolchain.version.as_deref();
    let facts = [
        base.map(|base| format!("base {}", commit(base))),
        head.map(|head| format!("head {}", commit(head))),
        version.map(|version| format!("compiler {}", name(version))),
        Some(format!("sandbox {}", name(&report.sandbox.level))),
        page.run_url
            .filter(|url| is_address(url))
            .map(|url| format!("[the whole run]({url})")),
    ];
    let facts: Vec<_> = facts.into_iter().flatten().collect();
    format!("{}\n", facts.join(" · "))
}

/// A commit, short: a reader finds it, and GitHub links nothing that a report claims.
fn commit(text: &str) -> String {
    let (hash, dirty) = match text.strip_suffix("-dirty") {
        Some(hash) => (hash, "-dirty"),
        None => (text, ""),
    };
    match hash.get(..COMMIT).filter(|_| is_commit(hash)) {
        Some(short) => name(&format!("{short}{dirty}")),
        None => name(text),
    }
}

fn is_commit(text: &str) -> bool {
    (40..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether an address can stand in a link as it is.
fn is_address(url: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#&=%".contains(c);
    let web = url.starts_with("https://") || url.starts_with("http://");
    web && url.len() <= ADDRESS && url.chars().all(plain)
}
