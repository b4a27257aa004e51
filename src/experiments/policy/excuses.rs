//! What a change asks less of consumers and of headers than the base did.

use crate::model::consumer::Consumer;
use crate::model::header::Language;
use crate::model::row::Row;
use crate::suite::headers::PublicHeader;
use crate::suite::{Suite, consumers, headers};

use super::row;

/// A row for every consumer that is held to something else, and for every header that is newly
/// excused.
pub(super) fn rows(base: &Suite, head: &Suite) -> Vec<Row> {
    let consumers = head.consumers.iter().filter_map(|now| {
        let before = base.consumers.iter().find(|before| before.id == now.id)?;
        let moved = moved(before, now);
        let why = format!("{} changed; head's hold", moved.join(", "));
        let id = format!("{}/{}", consumers::GRADER, now.id);
        (!moved.is_empty()).then(|| row(&id, &now.path, 1, why))
    });
    let mut rows: Vec<Row> = consumers.collect();
    // A base that lists nothing has excused nobody: these are the first marks.
    if base.headers.declared.is_some() {
        let excused = head.headers.headers.iter().filter_map(|now| {
            let same = |before: &&PublicHeader| before.header.path == now.header.path;
            let before = base.headers.headers.iter().find(same);
            let why = excuse(before, now)?;
            let id = format!("{}/{}", headers::GRADER, now.header.path);
            Some(row(&id, &now.at.path, now.at.line, why))
        });
        rows.extend(excused);
    }
    rows
}

/// What of a consumer's rules is not as it was.
fn moved(before: &Consumer, now: &Consumer) -> Vec<&'static str> {
    let differs = [
        (
            "archive_sources",
            before.archive_sources != now.archive_sources,
        ),
        ("expect_class", before.expect_class != now.expect_class),
        ("expect_exit", before.expect_exit != now.expect_exit),
        ("expect_stdout", before.expect_stdout != now.expect_stdout),
        ("flags", before.flags != now.flags),
        ("forbid_consumer_decls", before.forbidden != now.forbidden),
        ("include", before.include != now.include),
        ("link", before.link != now.link),
        ("public_header", before.public_header != now.public_header),
        ("timeout_s", before.timeout_s != now.timeout_s),
        ("consumer", before.files != now.files),
    ];
    let differs = differs.into_iter().filter(|(_, differs)| *differs);
    differs.map(|(name, _)| name).collect()
}

/// What a header is excused from that it was not before.
fn excuse(before: Option<&PublicHeader>, now: &PublicHeader) -> Option<String> {
    let class = |header: &PublicHeader| header.expect_class.clone();
    let once = |header: &PublicHeader| header.header.once_only;
    let is_c = |header: &PublicHeader| header.header.language == Language::C;
    let known = before
        .map(class)
        .unwrap_or_else(|| headers::CLEAN.to_owned());
    if now.expect_class != known && now.expect_class != headers::CLEAN {
        return Some(format!("newly expected to be `{}`", now.expect_class));
    }
    if once(now) && !before.is_some_and(once) {
        return Some("newly excused from being included twice".to_owned());
    }
    let newly_c = is_c(now) && before.is_some_and(|before| !is_c(before));
    newly_c.then(|| "newly taken for C alone".to_owned())
}
