//! What the tokens before a `{` or a `;` declare.

use super::name::{Name, Reader};
use crate::diagnostics::cpp_tokens::{Kind, Token};
use crate::diagnostics::linemarkers::Located;

/// Words that say nothing about what is declared.
const SPECIFIERS: &[&str] = &[
    "inline",
    "constexpr",
    "consteval",
    "constinit",
    "virtual",
    "thread_local",
    "mutable",
    "register",
    "const",
    "volatile",
    "friend",
    "typedef",
    "export",
    "__inline",
    "__inline__",
    "__extension__",
    "typename",
];

/// Words with a group behind them that stand for a type.
const TYPE_CALLS: &[&str] = &[
    "decltype",
    "typeof",
    "__typeof__",
    "__typeof",
    "__underlying_type",
];

/// Words with a group behind them that are taken for nothing.
const ATTRIBUTES: &[&str] = &["__attribute__", "__attribute", "__declspec", "alignas"];

/// What a head declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) enum Head {
    /// `namespace a::b {`.
    Namespace {
        /// Its parts; none where it has no name. With each, whether it is inline.
        parts: Vec<(String, bool)>,
        line: u32,
    },
    /// `extern "C" {`.
    Linkage,
    /// A class, struct, union or enum.
    Type(TypeHead),
    /// A function or a variable.
    Declarator(Declarator),
    /// A name that stands for another: an alias, or a `using` of one name.
    Alias { name: String, target: Name },
    /// Anything else, and what cannot be told.
    Other,
}

/// The head of a class, struct, union or enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) struct TypeHead {
    /// Nothing where it has no name.
    pub(in crate::diagnostics) name: Option<Name>,
    pub(in crate::diagnostics) is_enum: bool,
    /// Whether `template <>` stands before it.
    pub(in crate::diagnostics) is_specialized: bool,
    /// Whether bases or a body follow the name.
    pub(in crate::diagnostics) is_defined: bool,
}

/// The head of a function or a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) struct Declarator {
    pub(in crate::diagnostics) name: Name,
    /// Whether a type stands before the name.
    pub(in crate::diagnostics) has_type: bool,
    /// The parameters or arguments, with their parentheses.
    pub(in crate::diagnostics) parameters: Option<String>,
    /// Whether a constructor's initialisers follow.
    pub(in crate::diagnostics) has_initializers: bool,
    pub(in crate::diagnostics) is_static: bool,
}

impl Head {
    /// The namespace that `tokens`, which a `{` follows, end with.
    pub(super) fn namespace(tokens: &[Located<'_>]) -> Option<Self> {
        let at = tokens
            .iter()
            .rposition(|one| one.token.is("namespace") && !one.token.is_directive)?;
        let is_inline = at
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_some_and(|one| one.token.is("inline"));
        let line = tokens.get(at).map_or(0, |one| one.line);
        let rest = without_attributes(tokens.get(at + 1..).unwrap_or_default());
        let mut parts = Vec::new();
        let mut next_inline = is_inline;
        for (token, _) in &rest {
            match token.identifier() {
                Some("inline") => next_inline = true,
                Some(name) => {
                    parts.push((name.to_owned(), next_inline));
                    next_inline = false;
                }
                None if token.is("::") => {}
                None => return None,
            }
        }
        Some(Self::Namespace { parts, line })
    }

    /// Reads the tokens before a `{` or a `;`.
    pub(super) fn read(tokens: &[Located<'_>]) -> Self {
        let head = without_attributes(tokens);
        let mut reader = Reader { head: &head, at: 0 };
        let mut is_specialized = false;
        loop {
            if reader.take("export") {
                continue;
            }
            if reader.take("template") {
                let from = reader.at;
                // Without parameters it is an instantiation, which declares nothing new.
                if !(reader.next_is("<") && reader.take_arguments()) {
                    return Self::Other;
                }
                is_specialized |= reader.since(from) == "<>";
                continue;
            }
            if !reader.next_is("extern") {
                break;
            }
            let next = head.get(reader.at + 1).map(|(token, _)| *token);
            if next.is_some_and(|token| token.is("template")) {
                return Self::Other;
            }
            let is_linkage = next.is_some_and(|token| token.kind == Kind::String);
            if !is_linkage {
                break;
            }
            reader.at += 2;
            if reader.peek().is_none() {
                return Self::Linkage;
            }
        }
        match reader.peek().and_then(Token::identifier) {
            Some("using" | "namespace") => alias(reader).unwrap_or(Self::Other),
            Some("static_assert" | "asm" | "__asm__" | "concept") => Self::Other,
            _ => declaration(reader, is_specialized).unwrap_or(Self::Other),
        }
    }
}

/// The tokens that are no attributes and no directives, with their lines.
pub(in crate::diagnostics) fn without_attributes<'h, 'a>(
    tokens: &'h [Located<'a>],
) -> Vec<(&'h Token<'a>, u32)> {
    let all: Vec<_> = tokens
        .iter()
        .filter(|one| !one.token.is_directive)
        .map(|one| (&one.token, one.line))
        .collect();
    let mut reader = Reader { head: &all, at: 0 };
    let mut kept = Vec::with_capacity(all.len());
    // Where one group does not end, no other is looked for, so that each token is read once.
    let mut ends = true;
    while let Some(one) = all.get(reader.at) {
        let mut behind = reader;
        let is_attribute = if !ends {
            false
        } else if behind.take_any(ATTRIBUTES) {
            ends = !behind.next_is("(") || behind.take_group();
            ends && behind.at > reader.at + 1
        } else {
            let second = all.get(reader.at + 1);
            let is_double = one.0.is("[") && second.is_some_and(|(token, _)| token.is("["));
            ends = !is_double || behind.take_group();
            is_double && ends
        };
        if is_attribute {
            reader = behind;
        } else {
            kept.push(*one);
            reader.at += 1;
        }
    }
    kept
}

/// `namespace a = b::c`, `using a = b::c` or `using b::a`.
fn alias(mut reader: Reader<'_, '_>) -> Option<Head> {
    let is_using = reader.take("using");
    if reader.take("namespace") && is_using {
        return None;
    }
    let (first, _) = reader.name()?;
    if !reader.take("=") {
        let name = first.parts.last().cloned()?;
        let is_whole = is_using && reader.peek().is_none() && first.parts.len() > 1;
        return is_whole.then_some(Head::Alias {
            name,
            target: first,
        });
    }
    reader.take("typename");
    let (target, _) = reader.name()?;
    let [name] = first.parts.as_slice() else {
        return None;
    };
    reader.peek().is_none().then(|| Head::Alias {
        name: name.clone(),
        target,
    })
}

fn declaration(mut reader: Reader<'_, '_>, is_specialized: bool) -> Option<Head> {
    let mut names: Vec<Name> = Vec::new();
    let mut types = 0_usize;
    let mut is_static = false;
    while let Some(token) = reader.peek() {
        match token.identifier() {
            Some("static") => {
                is_static = true;
                reader.at += 1;
            }
            Some("class" | "struct" | "union" | "enum") => {
                if let Some(head) = type_head(&mut reader, is_specialized) {
                    return Some(Head::Type(head));
                }
                types += 1;
            }
            Some("explicit" | "requires" | "noexcept") => {
                reader.at += 1;
                if reader.next_is("(") {
                    reader.take_group();
                }
            }
            Some(word) if TYPE_CALLS.contains(&word) => {
                reader.at += 1;
                reader.take_group();
                types += 1;
            }
            Some(word) if word == "extern" || SPECIFIERS.contains(&word) => reader.at += 1,
            Some(_) => names.extend(plain_name(&mut reader)?),
            None if token.is("::") || token.is("~") => names.extend(plain_name(&mut reader)?),
            None if token.is("*") || token.is("&") => reader.at += 1,
            None => break,
        }
    }
    let has_type = types + names.len() > 1;
    if reader.next_is("(") {
        // `int (*name)(int)`.
        let mut inner = reader;
        inner.at += 1;
        let is_pointer = inner.next_is("*") || inner.next_is("&");
        while inner.take_any(&["*", "&", "const"]) {}
        if is_pointer {
            let (name, is_open) = inner.name()?;
            let is_name = !is_open && (inner.next_is(")") || inner.next_is("["));
            return is_name.then(|| variable(name, true, is_static));
        }
    }
    let name = names.pop()?;
    let from = reader.at;
    if !(reader.next_is("(") && reader.take_group()) {
        return Some(variable(name, has_type, is_static));
    }
    let parameters = Some(reader.since(from));
    let rest = reader.head.get(reader.at..).unwrap_or_default();
    Some(Head::Declarator(Declarator {
        name,
        has_type,
        parameters,
        has_initializers: rest.iter().any(|(token, _)| token.is(":")),
        is_static,
    }))
}

fn variable(name: Name, has_type: bool, is_static: bool) -> Head {
    Head::Declarator(Declarator {
        name,
        has_type,
        parameters: None,
        has_initializers: false,
        is_static,
    })
}

/// A name of a type or of what is declared; nothing where `a::*` is part of a pointer. Fails where
/// no name can be read.
fn plain_name(reader: &mut Reader<'_, '_>) -> Option<Option<Name>> {
    let (name, is_open) = reader.name()?;
    Some((!is_open).then_some(name))
}

/// The head of a type, whose `class` or the like is next. Where that is only said of a type that is
/// used, its name is passed.
fn type_head(reader: &mut Reader<'_, '_>, is_specialized: bool) -> Option<TypeHead> {
    let is_enum = reader.take("enum");
    reader.take_any(&["class", "struct", "union"]);
    let name = reader.name().map(|(name, _)| name);
    let is_final = reader.take("final");
    let is_end = reader.peek().is_none();
    let is_defined = is_final || reader.next_is(":") || reader.next_is("{") || name.is_none();
    (is_end || is_defined).then_some(TypeHead {
        name,
        is_enum,
        is_specialized,
        is_defined,
    })
}
