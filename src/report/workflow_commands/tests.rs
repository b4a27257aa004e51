//! What the runner reads, by its own rules.

use super::*;

fn annotation(level: AnnotationLevel, message: &str) -> Annotation {
    Annotation {
        path: "a,b:c%.json".to_owned(),
        start_line: 3,
        end_line: 3,
        level,
        title: "T: x, 100%\n".to_owned(),
        message: message.to_owned(),
        raw_details: None,
    }
}

fn many(failures: usize, warnings: usize, notices: usize) -> Vec<Annotation> {
    let of = |level, count| vec![annotation(level, "m"); count];
    [
        of(AnnotationLevel::Failure, failures),
        of(AnnotationLevel::Warning, warnings),
        of(AnnotationLevel::Notice, notices),
    ]
    .concat()
}

#[test]
fn nothing_in_a_line_ends_a_property_or_the_line() {
    assert_eq!(
        workflow_commands(&[annotation(AnnotationLevel::Failure, "a\r\n::error::b%0A,:")]),
        [
            "::error file=a%2Cb%3Ac%25.json,line=3,endLine=3,title=T%3A x%2C 100%25%0A::a%0D%0A::error::b%250A,:"
        ]
    );
}

#[test]
fn no_kind_has_more_than_the_runner_takes_and_the_rest_is_counted() {
    for (given, lines, left) in [
        ((10, 10, 10), (10, 10, 10), None),
        ((11, 0, 0), (10, 0, 1), Some(1)),
        ((0, 12, 10), (0, 10, 10), Some(3)),
        ((0, 0, 11), (0, 0, 10), Some(2)),
        ((5000, 9, 30), (10, 9, 10), Some(4990 + 21)),
        ((0, 0, 0), (0, 0, 0), None),
    ] {
        let commands = workflow_commands(&many(given.0, given.1, given.2));
        let count = |word: &str| {
            commands
                .iter()
                .filter(|line| line.starts_with(word))
                .count()
        };
        let found = (count("::error "), count("::warning "), count("::notice "));
        assert_eq!(found, lines, "{given:?}");
        let counted = left.is_some_and(|left: usize| {
            let start = format!("::notice title=driftgate::{left} more findings");
            commands.last().unwrap().starts_with(&start)
        });
        assert_eq!(counted, left.is_some(), "{given:?}: {:?}", commands.last());
    }
}

#[test]
fn a_message_is_cut_before_it_is_escaped_and_between_characters() {
    let long = "%\u{1f600}".repeat(3_000);
    let lines = workflow_commands(&[annotation(AnnotationLevel::Notice, &long)]);
    let message = lines[0].rsplit("::").next().unwrap();
    let unescaped = message.replace("%25", "%");
    assert_eq!(unescaped.encode_utf16().count(), 4096);
    assert!(long.starts_with(&unescaped));
}

#[test]
fn what_a_child_wrote_is_no_command() {
    assert_eq!(
        fenced("a\n::error::b\x1b[0m\n", "k3y"),
        "::stop-commands::k3y\na\n::error::b[0m\n::k3y::\n"
    );
    assert_eq!(
        fenced("::K3Y::\n##[k3y]\né", "k3y"),
        "::stop-commands::k3y\n::***::\n##[***]\né\n::k3y::\n"
    );
}
