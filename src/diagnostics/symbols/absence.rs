//! Why an archive that should provide a symbol does not.

use std::collections::BTreeMap;

use super::demangling::demangled;
use super::{Symbol, Symbols};

/// How many other signatures are named.
const MOST_SIGNATURES: usize = 8;

/// Why a symbol stays undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It is there: the archive stands before who wants it, or has no index.
    Provided,
    /// It is there with hidden visibility: a shared object does not export it.
    Hidden,
    /// Its object keeps it for itself: `static`, or in an anonymous namespace.
    Local,
    /// It is a vtable or what goes with one: the class's first virtual function that is neither
    /// inline nor pure has no definition.
    Vtable,
    /// It is an instance of a template that nobody has instantiated there.
    TemplateInstance,
    /// A function of that name is there with other parameters, qualifiers, scope or linkage: the
    /// declarations of those, sorted.
    OtherSignature(Vec<String>),
    /// Nothing of that name is there.
    Absent,
}

/// Why `archive` does not provide `symbol`, which is raw, or as a linker demangles it. Raw names
/// tell more: only by them is a hidden symbol of a shared object told from a local one.
#[must_use]
pub fn explain_undefined(symbol: &str, archive: &Symbols) -> Absence {
    let wanted = demangled(symbol);
    let is_there = |table: &BTreeMap<String, Symbol>| {
        table.contains_key(symbol) || (!symbol.starts_with("_Z") && has(table, &wanted))
    };
    if is_there(&archive.defined_global) || is_there(&archive.defined_weak) {
        return Absence::Provided;
    }
    // What is its object's own has that in its raw name; a linker makes hidden symbols local.
    let is_made_local = symbol.starts_with("_Z") && archive.local.contains_key(symbol);
    if is_there(&archive.hidden) || is_made_local {
        return Absence::Hidden;
    }
    if has(&archive.local, &wanted) {
        return Absence::Local;
    }
    const OF_CLASSES: &[&str] = &[
        "vtable for ",
        "typeinfo for ",
        "typeinfo name for ",
        "VTT for ",
    ];
    if ["_ZTV", "_ZTI", "_ZTS", "_ZTT"]
        .iter()
        .any(|start| symbol.starts_with(start))
        || OF_CLASSES.iter().any(|start| wanted.starts_with(start))
    {
        return Absence::Vtable;
    }
    let declaration = Declaration::read(&wanted);
    if declaration.is_instance {
        return Absence::TemplateInstance;
    }
    let others = other_signatures(&declaration, archive);
    if others.is_empty() {
        Absence::Absent
    } else {
        Absence::OtherSignature(others)
    }
}

/// Whether a table has `wanted` where anonymous namespaces do not count.
fn has(table: &BTreeMap<String, Symbol>, wanted: &str) -> bool {
    let name = Declaration::read(wanted).name_in_raw();
    let named = table.keys().filter(|raw| raw.contains(name));
    named
        .map(|raw| demangled(raw).replace("(anonymous namespace)::", ""))
        .any(|there| there == wanted)
}

fn other_signatures(wanted: &Declaration<'_>, archive: &Symbols) -> Vec<String> {
    let tables = [&archive.defined_global, &archive.defined_weak];
    let raw = tables.into_iter().flat_map(BTreeMap::keys);
    let named = raw.filter(|raw| raw.contains(wanted.name_in_raw()));
    let mut found: Vec<String> = named
        .map(|raw| demangled(raw))
        .filter(|there| {
            let there = Declaration::read(there);
            let is_akin = there.scope == wanted.scope || there.parameters == wanted.parameters;
            // One of the two is in C, whose names carry neither.
            let is_c = there.parameters.is_none() || wanted.parameters.is_none();
            !there.is_instance && there.name == wanted.name && (is_akin || is_c)
        })
        .collect();
    found.sort();
    found.dedup();
    found.truncate(MOST_SIGNATURES);
    found
}

/// A demangled declaration, taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Declaration<'a> {
    /// What stands before the name, with its last `::`.
    scope: &'a str,
    name: &'a str,
    /// Everything from the parenthesis on, with qualifiers behind it. C functions and variables
    /// have none.
    parameters: Option<&'a str>,
    /// Whether the name or its scope has template arguments.
    is_instance: bool,
}

impl<'a> Declaration<'a> {
    /// What a raw name must hold to stand for one of that name: nothing where raw names abbreviate.
    fn name_in_raw(&self) -> &'a str {
        if is_operator(self.name) {
            return "";
        }
        let name = self.name.strip_prefix('~').unwrap_or(self.name);
        name.split(['<', '[']).next().unwrap_or(name)
    }

    fn read(text: &'a str) -> Self {
        let mut depth = 0_usize;
        let (mut name_from, mut end, mut is_instance) = (0, text.len(), false);
        let mut skip_to = 0;
        for (at, c) in text.char_indices() {
            if at < skip_to {
                continue;
            }
            let rest = text.get(at..).unwrap_or_default();
            if depth == 0 && at == name_from && is_operator(rest) {
                // Its own `<`, `(` and blanks are part of the name.
                let symbols = rest.get("operator".len()..).unwrap_or_default();
                let call = if symbols.starts_with("()") { 2 } else { 0 };
                let open = symbols.get(call..).and_then(|after| after.find('('));
                end = open.map_or(text.len(), |open| at + "operator".len() + call + open);
                break;
            }
            match c {
                '(' if depth == 0 && rest.starts_with("(anonymous namespace)") => {
                    skip_to = at + "(anonymous namespace)".len();
                }
                '(' if depth == 0 => {
                    end = at;
                    break;
                }
                '<' => {
                    depth += 1;
                    is_instance = true;
                }
                '(' => depth += 1,
                '>' | ')' => depth = depth.saturating_sub(1),
                // What stands before a blank is the return type.
                ' ' if depth == 0 => name_from = at + 1,
                ':' if depth == 0 && rest.starts_with("::") => name_from = at + 2,
                _ => {}
            }
        }
        let (scope, name) = text
            .get(..end)
            .and_then(|head| head.split_at_checked(name_from))
            .unwrap_or(("", text));
        Self {
            scope,
            name,
            parameters: text.get(end..).filter(|parameters| !parameters.is_empty()),
            is_instance,
        }
    }
}

/// Whether a name begins as that of an operator or a conversion.
fn is_operator(name: &str) -> bool {
    let rest = name.strip_prefix("operator");
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text; scope, name, parameters, and whether it is an instance.
    type Row = (
        &'static str,
        &'static str,
        &'static str,
        Option<&'static str>,
        bool,
    );

    #[rustfmt::skip]
    const ROWS: &[Row] = &[
        ("lib::f(int)", "lib::", "f", Some("(int)"), false),
        ("f(std::vector<int, a<b> >)", "", "f", Some("(std::vector<int, a<b> >)"), false),
        ("lib::S::get() const", "lib::S::", "get", Some("() const"), false),
        ("lib::S::~S()", "lib::S::", "~S", Some("()"), false),
        ("int lib::f<int>(int)", "int lib::", "f<int>", Some("(int)"), true),
        ("a::B<int>::c()", "a::B<int>::", "c", Some("()"), true),
        ("a::operator<(a::B, a::B)", "a::", "operator<", Some("(a::B, a::B)"), false),
        ("a::B::operator()(int)", "a::B::", "operator()", Some("(int)"), false),
        ("a::B::operator bool() const", "a::B::", "operator bool", Some("() const"), false),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::", "f", Some("(int)"), false),
        ("lib::count", "lib::", "count", None, false),
        ("add", "", "add", None, false),
        ("", "", "", None, false),
    ];

    #[test]
    fn a_declaration_is_taken_apart() {
        for (text, scope, name, parameters, is_instance) in ROWS {
            let read = Declaration::read(text);
            let found = (read.scope, read.name, read.parameters, read.is_instance);
            assert_eq!(found, (*scope, *name, *parameters, *is_instance), "{text}");
        }
    }
}
