//! What a runner makes of a step: commands in its log, outputs, and the summary.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The most annotations of one kind that are kept of a step.
const MOST: usize = 10;
/// The most characters of an annotation.
const LENGTH: usize = 4096;

/// An annotation as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) kind: String,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) message: String,
}

/// The annotations that a step's log comes to. Fails on any command that a gate has no use for.
#[track_caller]
pub(super) fn annotations(log: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut stopped: Option<String> = None;
    for line in log.lines() {
        let Some((name, properties, data)) = command(line) else {
            continue;
        };
        if let Some(token) = &stopped {
            if name == *token {
                stopped = None;
            }
            continue;
        }
        match name.as_str() {
            "stop-commands" => stopped = Some(data),
            "error" | "warning" | "notice" => {
                let known = shown.iter().filter(|one| one.kind == name).count();
                if known < MOST {
                    let message = data.chars().take(LENGTH).collect();
                    shown.push(Shown {
                        kind: name,
                        properties,
                        message,
                    });
                }
            }
            _ => panic!("the runner would obey {line:?}"),
        }
    }
    shown
}

/// A line as a command: name, properties, data. The old form is looked for second, and found
/// anywhere in a line.
fn command(line: &str) -> Option<(String, BTreeMap<String, String>, String)> {
    new_command(line).or_else(|| {
        let (_, rest) = line.split_once("##[")?;
        let (name, data) = rest.split_once(']')?;
        Some((name.to_owned(), BTreeMap::new(), data.to_owned()))
    })
}

fn new_command(line: &str) -> Option<(String, BTreeMap<String, String>, String)> {
    let (head, data) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let pairs = properties
        .split(',')
        .filter_map(|pair| pair.split_once('='));
    let pairs = pairs.map(|(name, value)| (name.trim().to_owned(), unescaped(value)));
    Some((name.to_ascii_lowercase(), pairs.collect(), unescaped(data)))
}

fn unescaped(text: &str) -> String {
    let pairs = [
        ("%0D", "\r"),
        ("%0A", "\n"),
        ("%3A", ":"),
        ("%2C", ","),
        ("%25", "%"),
    ];
    pairs
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The outputs in a file of them.
#[track_caller]
pub(super) fn outputs(file: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut outputs = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (name, end) = line.split_once("<<").unwrap();
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
        outputs.insert(name.to_owned(), value.join("\n"));
    }
    outputs
}

/// The summary in a file, if the runner would take it.
#[track_caller]
pub(super) fn summary(file: &Path) -> String {
    let bytes = fs::read(file).unwrap_or_default();
    assert!(
        bytes.len() <= 1 << 20,
        "the summary has {} bytes",
        bytes.len()
    );
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_runner_obeys_what_the_real_one_does() {
    let log = "::error file=a%2Cb,line=3,title=t%3Au::one%0Atwo\n  ::notice::x\nplain ::error::y\n\
        ::stop-commands::k\n::error::no\n##[error]no\n::k::\n::warning::yes%25\n";
    let shown = annotations(log);
    let short: Vec<_> = shown
        .iter()
        .map(|one| (one.kind.as_str(), one.message.as_str()))
        .collect();
    assert_eq!(
        short,
        [("error", "one\ntwo"), ("notice", "x"), ("warning", "yes%")]
    );
    assert_eq!(shown[0].properties["file"], "a,b");
    assert_eq!(shown[0].properties["title"], "t:u");
    assert_eq!(annotations(&"::error::x\n".repeat(11)).len(), 10);
}
