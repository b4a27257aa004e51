//! What a message complains about: a file that is not there, a name that nobody declared.
//!
//! The wordings are those of gcc 12 to 15 and clang 14 to 19. The same words are said of typos,
//! of code for a later standard and of macros that nobody defined, so nothing follows from them
//! alone.

/// What a name lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Nothing declares it.
    Declaration,
    /// It is declared and not defined where a definition is needed.
    Definition,
}

/// A name in a message that the compiler does not know enough of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName<'a> {
    /// The name alone, without namespace and template arguments.
    pub name: &'a str,
    /// The namespace or class that was asked for it, if one was.
    pub within: Option<&'a str>,
    /// What it lacks.
    pub lack: Lack,
    /// What the compiler would rather read: a typo is likely.
    pub meant: Option<&'a str>,
}

/// How the compilers say it: `{name}` and `{within}` stand for what they quote, and more may
/// follow. The first that fits counts.
const WORDINGS: &[(&str, Lack)] = &[
    (
        "'{name}' in namespace '{within}' does not name a ",
        Lack::Declaration,
    ),
    (
        "'{name}' in class '{within}' does not name a ",
        Lack::Declaration,
    ),
    ("'{name}' does not name a ", Lack::Declaration),
    ("'{name}' is not a member of '{within}'", Lack::Declaration),
    ("'{name}' was not declared in this scope", Lack::Declaration),
    ("'{name}' has not been declared", Lack::Declaration),
    ("unknown type name '{name}'", Lack::Declaration),
    ("unknown class name '{name}'", Lack::Declaration),
    ("use of undeclared identifier '{name}'", Lack::Declaration),
    (
        "no template named '{name}' in namespace '{within}'",
        Lack::Declaration,
    ),
    (
        "no template named '{name}' in '{within}'",
        Lack::Declaration,
    ),
    ("no template named '{name}'", Lack::Declaration),
    (
        "no type named '{name}' in namespace '{within}'",
        Lack::Declaration,
    ),
    (
        "no member named '{name}' in namespace '{within}'",
        Lack::Declaration,
    ),
    (
        "no member named '{name}' in the global namespace",
        Lack::Declaration,
    ),
    (
        "no type named '{name}' in the global namespace",
        Lack::Declaration,
    ),
    ("aggregate '{name}' has incomplete type", Lack::Definition),
    ("invalid use of incomplete type '{name}'", Lack::Definition),
    (
        "incomplete type '{name}' used in nested name specifier",
        Lack::Definition,
    ),
    (
        "implicit instantiation of undefined template '{name}'",
        Lack::Definition,
    ),
    ("field has incomplete type '{name}'", Lack::Definition),
    ("variable has incomplete type '{name}'", Lack::Definition),
    (
        "variable '{name}' has initializer but incomplete type",
        Lack::Definition,
    ),
    (
        "member access into incomplete type '{name}'",
        Lack::Definition,
    ),
];

/// The file that an `#include` names and that is not there.
#[must_use]
pub fn missing_include(message: &str) -> Option<&str> {
    let of_gcc = message.strip_suffix(": No such file or directory");
    let of_clang = || {
        let (file, _) = message.strip_prefix('\'')?.split_once("' file not found")?;
        Some(file)
    };
    of_gcc.or_else(of_clang).filter(|file| !file.is_empty())
}

/// The standard header that the compiler would include, without its brackets.
#[must_use]
pub fn suggested_include(message: &str) -> Option<&str> {
    let (_, rest) = message.rsplit_once("include <")?;
    let (header, _) = rest.split_once('>')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_./+-".contains(c);
    (!header.is_empty() && header.chars().all(is_name)).then_some(header)
}

/// The name that the compiler does not know enough of.
#[must_use]
pub fn unknown_name(message: &str) -> Option<UnknownName<'_>> {
    let (quoted, lack) = field_of(message).map_or_else(
        || {
            WORDINGS.iter().find_map(|(wording, lack)| {
                let quoted = quoted(wording, message)?;
                Some((quoted, *lack))
            })
        },
        |name| Some(((name, None), Lack::Definition)),
    )?;
    let (name, within) = quoted;
    let (name, scope) = bare(name);
    let meant = message.rsplit_once("; did you mean '");
    let meant = meant.and_then(|(_, meant)| meant.strip_suffix("'?"));
    (!name.is_empty()).then_some(UnknownName {
        name,
        within: within.or(scope),
        lack,
        meant,
    })
}

/// The type in gcc's wording for a member, the only one that quotes something else before it.
fn field_of(message: &str) -> Option<&str> {
    let (_, rest) = message
        .strip_prefix("field '")?
        .split_once("' has incomplete type '")?;
    rest.strip_suffix('\'')
}

/// What `message` has in the places of `{name}` and `{within}`, if it begins as `wording` says.
fn quoted<'a>(wording: &str, message: &'a str) -> Option<(&'a str, Option<&'a str>)> {
    let (before, after) = wording.split_once("{name}")?;
    let (between, end) = after.split_once("{within}").unwrap_or((after, ""));
    let (name, rest) = message.strip_prefix(before)?.split_once(between)?;
    if end.is_empty() {
        return Some((name, None));
    }
    let (within, _) = rest.split_once(end)?;
    Some((name, Some(within)))
}

/// A type's or declaration's own name and what it is qualified with.
fn bare(declaration: &str) -> (&str, Option<&str>) {
    let mut name = declaration;
    for word in ["const ", "struct ", "class ", "union ", "enum "] {
        name = name.strip_prefix(word).unwrap_or(name);
    }
    let end = name.find(['<', ' ', '(']).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or(name);
    match name.rsplit_once("::") {
        Some((within, name)) => (name, (!within.is_empty()).then_some(within)),
        None => (name, None),
    }
}
