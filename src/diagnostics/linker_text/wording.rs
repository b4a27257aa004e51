//! The words of each linker, and what they are about.

use super::{Finding, Kind};

/// Words by which a line is known, and what they mean. The first that fits counts.
const LABELS: &[(&str, Kind)] = &[
    ("ld terminated with signal", Kind::Machine),
    ("linker command failed due to signal", Kind::Machine),
    ("unable to execute command: Killed", Kind::Machine),
    ("No space left on device", Kind::Machine),
    ("Cannot allocate memory", Kind::Machine),
    ("memory exhausted", Kind::Machine),
    ("out of memory", Kind::Machine),
    ("cannot find -l", Kind::LibraryNotFound),
    ("unable to find library -l", Kind::LibraryNotFound),
    ("library not found: ", Kind::LibraryNotFound),
    ("cannot open output file ", Kind::CannotOpen),
    ("cannot open linker script file ", Kind::CannotOpen),
    ("cannot open ", Kind::CannotOpen),
    ("cannot find ", Kind::CannotOpen),
    (": open: ", Kind::CannotOpen),
    ("no such file or directory: ", Kind::CannotOpen),
    (": No such file or directory", Kind::CannotOpen),
    (": file format not recognized", Kind::WrongFormat),
    (": not an object or archive", Kind::WrongFormat),
    (": archive has no index", Kind::WrongFormat),
    (": no archive symbol table", Kind::WrongFormat),
    (": file in wrong format", Kind::WrongFormat),
    (": Relocations in generic ELF", Kind::WrongFormat),
    (": unsupported ELF machine number", Kind::WrongFormat),
    (" is incompatible with ", Kind::WrongFormat),
    (": incompatible file type", Kind::WrongFormat),
    (": file truncated", Kind::WrongFormat),
    (": syntax error", Kind::WrongFormat),
    (": unexpected EOF", Kind::WrongFormat),
    (": unknown directive", Kind::WrongFormat),
    (": unknown file type", Kind::WrongFormat),
    (": malformed", Kind::WrongFormat),
    ("recompile with -f", Kind::Relocation),
    ("relocation truncated to fit", Kind::Relocation),
    ("relocation overflow", Kind::Relocation),
    ("multiple definition of ", Kind::MultipleDefinition),
    ("duplicate symbol: ", Kind::MultipleDefinition),
    ("more undefined references to ", Kind::UndefinedSymbol),
    ("undefined reference to ", Kind::UndefinedSymbol),
    ("undefined symbol: ", Kind::UndefinedSymbol),
    ("undefined hidden symbol: ", Kind::UndefinedSymbol),
    ("undefined protected symbol: ", Kind::UndefinedSymbol),
    ("undefined internal symbol: ", Kind::UndefinedSymbol),
    (
        "undefined reference due to --no-allow-shlib-undefined: ",
        Kind::UndefinedSymbol,
    ),
];

/// Ends of errors by which a driver says that the linker has failed, or lld that it stops.
const SUMMARIES: &[&str] = &[
    " returned 1 exit status",
    "linker command failed with exit code 1 (use -v to see invocation)",
    "error-limit=0 to see all errors)",
];

/// A line without the linker's name: bfd's and gold's have a path, and bfd sometimes no space.
pub(super) fn strip_linker(line: &str) -> &str {
    let Some((name, rest)) = line.split_once(':') else {
        return line;
    };
    let tool = name.rsplit('/').next().unwrap_or(name);
    let tool = tool.rsplit_once('-').map_or(tool, |(_, tool)| tool);
    if tool == "ld" || tool == "mold" || tool.starts_with("ld.") {
        rest.trim_start_matches(' ')
    } else {
        line
    }
}

/// What `line` complains about; `text` is the line without the linker's name.
pub(super) fn complaint(line: &str, text: &str) -> Option<Finding> {
    let is_label_of = |label: &str| text.starts_with(label) || text.contains(&format!(": {label}"));
    if is_label_of("warning: ") || SUMMARIES.iter().any(|end| text.ends_with(end)) {
        return None;
    }
    let errors = ["error: ", "fatal error: ", "fatal: "];
    let is_error = errors.iter().any(|label| is_label_of(label));
    let from_linker = text.len() < line.len();
    let of_driver = of_driver(text, &errors);
    let text = of_driver.unwrap_or(text);
    let label = LABELS.iter().find_map(|(words, kind)| {
        let at = text.find(words)?;
        // The words of files and machines are said by compilers too.
        let is_meant = from_linker || of_driver.is_some() || *kind >= Kind::Relocation;
        is_meant.then_some((at, at + words.len(), *kind))
    });
    let Some((start, end, kind)) = label else {
        // Only an error is one whatever it says: bfd has names, sections and hints on lines too.
        let is_other = is_error && from_linker;
        return is_other.then(|| named(Kind::Other, None, file_of(unlabelled(text))));
    };
    let (before, after) = (text.get(..start)?, text.get(end..)?);
    Some(match kind {
        Kind::UndefinedSymbol => named(kind, Some(last_quoted(after)), object_of(before)),
        Kind::MultipleDefinition => duplicate(before, after),
        Kind::LibraryNotFound => named(kind, None, Some(until(after, &[": "]))),
        Kind::CannotOpen if before.is_empty() || before.ends_with(": ") => {
            let file = until(after, &[": "]).trim_matches('\'');
            named(kind, None, (!file.is_empty()).then_some(file))
        }
        Kind::Relocation => named(kind, against(text), file_of(unlabelled(text))),
        Kind::CannotOpen | Kind::WrongFormat => named(kind, None, file_of(unlabelled(text))),
        Kind::Machine | Kind::Other => named(kind, None, None),
    })
}

/// What a driver says about an error of its own or of the linker it has started.
fn of_driver<'a>(text: &'a str, errors: &[&str]) -> Option<&'a str> {
    let (driver, said) = text.split_once(": ")?;
    let is_error = errors.iter().any(|label| said.starts_with(label));
    (is_error && !driver.contains(':')).then_some(said)
}

fn named(kind: Kind, symbol: Option<&str>, object: Option<&str>) -> Finding {
    Finding {
        kind,
        symbol: symbol.map(str::to_owned),
        object: object.map(str::to_owned),
        other: None,
    }
}

/// A symbol that is there twice, and what is said before it and from it on.
fn duplicate(before: &str, after: &str) -> Finding {
    let kind = Kind::MultipleDefinition;
    // bfd: `in b.o: multiple definition of `f'; a.o:a.cpp:(.text+0x0): first defined here`
    if let Some((symbol, first)) = after.split_once("'; ") {
        let mut finding = named(kind, Some(unquoted(symbol)), object_of(before));
        finding.other = object_of(first).map(str::to_owned);
        return finding;
    }
    // mold: `duplicate symbol: b.o: a.o: f`
    let parts: Vec<&str> = after.splitn(3, ": ").collect();
    if let [object, first, symbol] = parts.as_slice() {
        let mut finding = named(kind, Some(symbol), Some(object));
        finding.other = Some((*first).to_owned());
        return finding;
    }
    // gold: `b.o: multiple definition of 'f'`; lld says the objects on the next lines.
    named(
        kind,
        Some(last_quoted(after)),
        object_of(unlabelled(before)),
    )
}

/// What a line says behind `error:`, if that is on it.
fn unlabelled(text: &str) -> &str {
    let labels = ["fatal error: ", "error: ", "fatal: "];
    let label = labels.iter().find_map(|label| text.strip_prefix(label));
    label.unwrap_or(text)
}

/// A symbol without what stands around it: the quotes, or ` follow`.
fn last_quoted(text: &str) -> &str {
    let text = text.strip_suffix(" follow").unwrap_or(text);
    unquoted(text)
}

fn unquoted(text: &str) -> &str {
    let text = text.strip_prefix(['`', '\'']).unwrap_or(text);
    text.strip_suffix('\'').unwrap_or(text)
}

/// `text` up to the first of `ends`.
fn until<'a>(text: &'a str, ends: &[&str]) -> &'a str {
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The symbol or section that a relocation is against.
fn against(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("against ")?;
    let rest = rest
        .strip_prefix("symbol")
        .map_or(rest, |rest| rest.trim_start_matches([':', ' ']));
    let rest = rest.strip_prefix(['`', '\''])?;
    let end = rest
        .find("' ")
        .or_else(|| rest.find("';"))
        .or_else(|| rest.rfind('\''))?;
    rest.get(..end).filter(|name| !name.starts_with('.'))
}

/// The file that a line begins with, without line numbers, section or what is said of it.
fn file_of(text: &str) -> Option<&str> {
    if let Some(object) = object_of(text) {
        return Some(object);
    }
    let mut file = until(text, &[": ", ":(", " is incompatible with "]);
    while let Some((head, number)) = file.rsplit_once(':') {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        file = head;
    }
    (!file.is_empty() && file.len() < text.len()).then_some(file)
}

/// The object at the start of `a.o`, `a.o:a.cpp:(.text+0x1)` or `lib.a(a.o): in ...`. A source in
/// its place is none.
pub(super) fn object_of(text: &str) -> Option<&str> {
    const ENDS: &[&str] = &[".o", ".obj", ".lo", ".a", ".so", ".os"];
    let name = until(text, &[":", " is incompatible with "]).trim();
    let file = match name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once('('))
    {
        Some((archive, member)) if !member.is_empty() => archive,
        _ => name,
    };
    let is_object = ENDS.iter().any(|end| file.ends_with(end)) || file.contains(".so.");
    is_object.then_some(name)
}
