//! One edit of a grader and every verdict it flips: one annotation, on the edit.

use crate::model::row::Row;
use crate::report::evidence::verdict;

use super::words::{Words, name, next, proof};

/// The class.
const CLASS: &str = "GRADER_DRIFT";
/// The most cases that are named.
const MOST_CASES: usize = 100;
/// The most cases whose output is shown, and the most bytes of all of them.
const MOST_PROOFS: usize = 20;
const PROOFS: usize = 40_000;

pub(super) fn is_one(row: &Row) -> bool {
    row.class == CLASS
}

/// Rows that one edit is behind: of one grader, in one file, of one level.
pub(super) fn by_edit<'a>(rows: &[&'a Row]) -> Vec<Vec<&'a Row>> {
    let key = |row: &'a Row| (&row.grader, row.at.as_ref().map(|at| &at.path), row.level);
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|group| key(group[0]) == key(row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// The words for rows that one edit is behind.
pub(super) fn words(rows: &[&Row]) -> Words {
    let grader = rows.iter().find_map(|row| row.grader.as_deref());
    let grader = name(grader.unwrap_or("the grader"));
    let count = match rows.len() {
        1 => "1 verdict".to_owned(),
        count => format!("{count} verdicts"),
    };
    let flipped = rows.iter().take(MOST_CASES);
    let flipped: Vec<_> = flipped.map(|row| flip(row)).collect();
    let more = rows.len().saturating_sub(MOST_CASES);
    let more = match more {
        0 => String::new(),
        more => format!("and {more} more in the summary\n"),
    };
    let explained = match rows.iter().all(|row| row.explained) {
        true => " A reviewed reason stands behind it.",
        false => "",
    };
    let does = match rows.iter().all(|row| row.before != row.after) {
        true => "flips",
        false => "moves",
    };
    let next = rows.first().map_or_else(String::new, |row| next(row));
    Words {
        title: format!("{CLASS}: {grader} {does} {count}"),
        message: format!(
            "Same cases, same completions: the change to {grader} {does} {count}.{explained}\n\n{}{more}{next}",
            flipped.concat()
        ),
        details: proofs(rows),
    }
}

/// `case: pass → fail`
fn flip(row: &Row) -> String {
    format!("{}: {}\n", name(&row.id), verdict(row))
}

/// What the cases printed, as far as there is room.
fn proofs(rows: &[&Row]) -> String {
    let mut out = String::new();
    let mut left = 0;
    let proofs = rows.iter().map(|row| (row, proof(row)));
    let proofs = proofs.filter(|(_, proof)| !proof.is_empty());
    for (index, (row, proof)) in proofs.enumerate() {
        let fits = out.is_empty() || out.len() + proof.len() < PROOFS;
        if index < MOST_PROOFS && left == 0 && fits {
            out.push_str(&format!("{}, {proof}\n", name(&row.id)));
        } else {
            left += 1;
        }
    }
    match left {
        0 => out,
        left => format!("{out}and of {left} more cases\n"),
    }
}
