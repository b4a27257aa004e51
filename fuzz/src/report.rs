//! What we write and read back: reports, cassettes, entries of the store, replies of a supervisor.

use driftgate::experiments::diff;
use driftgate::model::changed_lines::ChangedLines;
use driftgate::model::digest::Digest;
use driftgate::model::report::Report;
use driftgate::report::check_run::{Context, check_run};
use driftgate::report::comment::comment;
use driftgate::report::job_summary::job_summary;
use driftgate::report::style::{PLAIN_WIDTH, Style};
use driftgate::report::{grade_json, json_v1, markdown, records, text};
use driftgate::run::protocol::Reply;
use driftgate::run::store;
use driftgate::suite::{cassettes, recorder};

/// Reads `bytes` as each of them, and what is read is written and read again.
pub fn check(bytes: &[u8]) {
    if let Ok(report) = json_v1::read(bytes) {
        reads_back(&report);
        is_rendered(&report);
        is_shown(&report);
        is_rendered(&diff::report(&report, &report));
    }
    if let Ok(cassette) = cassettes::from_bytes("x.json", bytes) {
        let text = recorder::text(&cassette);
        assert_eq!(
            cassettes::from_bytes("x.json", text.as_bytes()),
            Ok(cassette)
        );
    }
    if let Some(reply) = Reply::parse(bytes) {
        let again = written(|out| reply.write(out));
        assert_eq!(Reply::parse(&again), Some(reply));
    }
    if let Some((observation, limits)) = store::read(&signed(bytes)) {
        let again = store::entry(&observation, &limits);
        assert_eq!(store::read(&again), Some((observation, limits)));
    }
}

/// An entry of the store whose digest is right, which no mutation finds.
fn signed(body: &[u8]) -> Vec<u8> {
    [Digest::of(body).to_string().as_bytes(), b"\n", body].concat()
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    assert!(write(&mut out).is_ok(), "memory refuses nothing");
    out
}

/// Times are rounded when they are written, so that only the second writing is the same.
fn reads_back(report: &Report) {
    let once = written(|out| json_v1::write(report, out));
    let read = json_v1::read(&once);
    let again = read
        .as_ref()
        .map(|read| written(|out| json_v1::write(read, out)));
    assert_eq!(again, Ok(once));
}

/// What GitHub shows is within its limits, and only our marker is a comment in HTML.
fn is_shown(report: &Report) {
    let context = Context {
        name: "driftgate",
        root: "",
        run_url: None,
        changed: &ChangedLines::default(),
        said: &[],
    };
    let run = check_run(report, &context);
    assert!(run.title.chars().count() <= 255 && run.summary.len() <= 65_535);
    assert!(run.annotations.len() <= 200);
    for annotation in &run.annotations {
        let details = annotation.raw_details.as_deref().unwrap_or_default();
        assert!(annotation.message.len().max(details.len()) <= 64_000);
    }
    let comment = comment(report, &context);
    assert!(comment.len() < 65_536 && comment.matches("<!--").count() == 1);
    assert!(job_summary(report, &context).len() < 1024 * 1024);
}

/// Every rendering is text without what a terminal acts on.
fn is_rendered(report: &Report) {
    let style = Style {
        colour: false,
        width: PLAIN_WIDTH,
    };
    let renderings = [
        written(|out| text::write(report, style, out)),
        written(|out| markdown::write(report, out)),
        written(|out| records::write(report, out)),
        written(|out| grade_json::write(report, out)),
    ];
    for rendering in renderings {
        let acts = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t');
        assert!(std::str::from_utf8(&rendering).is_ok());
        assert!(!rendering.iter().any(acts), "{}", rendering.escape_ascii());
    }
}
