//! One line of a compiler, taken apart: place or speaker, severity, message, flag.

use super::{Place, Severity};

/// What stands before the colon, and what it means. The capitals are those of `as`.
const LABELS: &[(&str, Severity)] = &[
    ("fatal error", Severity::Fatal),
    ("Fatal error", Severity::Fatal),
    ("internal compiler error", Severity::Fatal),
    ("error", Severity::Error),
    ("Error", Severity::Error),
    ("sorry, unimplemented", Severity::Error),
    ("warning", Severity::Warning),
    ("Warning", Severity::Warning),
    ("note", Severity::Note),
    ("remark", Severity::Note),
];

/// What a compiler, or the system that cannot start it, says without a label before it ends.
const LAST_WORDS: &[&str] = &[
    "out of memory allocating ",
    "virtual memory exhausted",
    "error while loading shared libraries: ",
    "LLVM ERROR: ",
];

/// A line that is a diagnostic.
pub(super) struct Headline {
    pub(super) severity: Severity,
    pub(super) place: Option<Place>,
    pub(super) speaker: Option<String>,
    pub(super) message: String,
    pub(super) flag: Option<String>,
}

impl Headline {
    /// The diagnostic in `line`, if it is one of a compiler.
    pub(super) fn read(line: &str) -> Option<Self> {
        if line.starts_with([' ', '\t']) {
            return None;
        }
        let Some((head, severity, message)) = labelled(line) else {
            return Self::last_words(line);
        };
        let place = place_of(head);
        let speaker = (!head.is_empty() && place.is_none()).then_some(head);
        if speaker.is_some_and(|speaker| !is_speaker(speaker))
            || is_of_gold(place.as_ref(), message)
        {
            return None;
        }
        let (message, flag) = split_flag(message);
        Some(Self {
            severity,
            place,
            speaker: speaker.map(str::to_owned),
            message: message.to_owned(),
            flag,
        })
    }

    fn last_words(line: &str) -> Option<Self> {
        let found = LAST_WORDS.iter().find_map(|words| line.find(words))?;
        let (before, message) = line.split_at_checked(found)?;
        let speaker = before.strip_suffix(": ").filter(|name| is_speaker(name));
        (speaker.is_some() || before.is_empty()).then(|| Self {
            severity: Severity::Fatal,
            place: None,
            speaker: speaker.map(str::to_owned),
            message: message.to_owned(),
            flag: None,
        })
    }

    /// Whether it is a note by which clang says what instantiated a place.
    pub(super) fn is_instantiation(&self) -> bool {
        const STARTS: &[&str] = &[
            "in instantiation of ",
            "in evaluation of ",
            "in call to ",
            "while substituting ",
            "while checking ",
            "in implicit ",
            "in defaulted ",
        ];
        STARTS.iter().any(|start| self.message.starts_with(start))
    }
}

/// What stands before the first label, what it means, and what follows.
fn labelled(line: &str) -> Option<(&str, Severity, &str)> {
    let after_colons = line.match_indices(": ").map(|(at, _)| (at, at + 2));
    std::iter::once((0, 0))
        .chain(after_colons)
        .find_map(|(end, start)| {
            let (head, rest) = (line.get(..end)?, line.get(start..)?);
            LABELS.iter().find_map(|(label, severity)| {
                let message = rest.strip_prefix(label)?.strip_prefix(':')?;
                let is_label = message.is_empty() || message.starts_with(' ');
                is_label.then(|| (head, *severity, message.trim()))
            })
        })
}

/// Whether a name without a place is a tool of the compiler and no linker or piece of source.
fn is_speaker(name: &str) -> bool {
    let tool = name.rsplit('/').next().unwrap_or(name);
    let is_linker = matches!(tool, "ld" | "mold" | "collect2") || tool.starts_with("ld.");
    !is_linker && !name.contains([':', '"', '\'', '`', '(', ';', '|'])
}

/// Whether it is gold's, which names a source by its line where there is debug information.
fn is_of_gold(place: Option<&Place>, message: &str) -> bool {
    place.is_some_and(|place| place.column.is_none())
        && message.starts_with("undefined reference to '")
}

/// `path:line` or `path:line:column`.
pub(super) fn place_of(text: &str) -> Option<Place> {
    let numbered = |text: &str| -> Option<(String, u32)> {
        let (path, number) = text.rsplit_once(':')?;
        let digits = number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| digits)?;
        (!path.is_empty() && !path.starts_with([' ', '\t', ':'])).then(|| (path.to_owned(), number))
    };
    let (path, last) = numbered(text)?;
    Some(match numbered(&path) {
        Some((path, line)) => Place {
            path,
            line,
            column: Some(last),
        },
        None => Place {
            path,
            line: last,
            column: None,
        },
    })
}

/// A message and the option in brackets behind it.
fn split_flag(message: &str) -> (&str, Option<String>) {
    let open = message.strip_suffix(']').and_then(|m| m.rsplit_once(" ["));
    let Some((before, options)) = open.filter(|(_, options)| options.starts_with('-')) else {
        return (message, None);
    };
    let mut options = options.split(',').filter(|option| option.starts_with('-'));
    let first = options.next().unwrap_or_default();
    // `-Werror=x` is gcc's, `-Werror,-Wx` clang's.
    let flag = match (first.strip_prefix("-Werror="), first, options.next()) {
        (Some(name), _, _) => format!("-W{name}"),
        (None, "-Werror", Some(option)) => option.to_owned(),
        (None, option, _) => option.to_owned(),
    };
    (before, Some(flag))
}

/// The place of a line by which gcc says what led to the next diagnostic.
pub(super) fn frame(line: &str) -> Option<Place> {
    const WORDS: &[&str] = &[
        "required from ",
        "required by ",
        "required for ",
        "recursively required ",
        "in 'constexpr' expansion of ",
        "in requirements ",
    ];
    if let Some(inlined) = line.trim_start().strip_prefix("inlined from ") {
        let (_, place) = inlined.rsplit_once("' at ")?;
        return place_of(place.trim_end_matches([',', ':']));
    }
    let ends = line.match_indices(": ");
    ends.take(4).find_map(|(at, _)| {
        let (head, text) = line.split_at_checked(at)?;
        let text = text.strip_prefix(':')?.trim_start();
        let led = WORDS.iter().any(|words| text.starts_with(words));
        place_of(head).filter(|_| led)
    })
}

/// Whether gcc says by it in which function or scope the next diagnostics are.
pub(super) fn is_scope(line: &str) -> bool {
    const WORDS: &[&str] = &[": In ", ": At global scope", ": At top level"];
    line.ends_with([':', ',']) && WORDS.iter().any(|words| line.contains(words))
}
