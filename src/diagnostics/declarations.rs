//! The declarations of a preprocessed text, as far as they can be told without knowing a single
//! type: what opens a scope, what a statement at such a scope declares, and where bodies end.

mod head;
mod name;

use super::linemarkers::Located;
pub(super) use head::{Declarator, Head, TypeHead, without_attributes};
pub(super) use name::Name;

/// Something at the scope of a namespace or a class. Places are those in the tokens.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A `{` at `at` that opens what its head, which starts at `from`, says.
    Open { head: Head, from: usize, at: usize },
    /// The `}` of the last thing that was opened and not closed.
    Close { at: usize },
    /// A `;` that ends a declaration without a body.
    End { head: Head },
}

/// What a brace opened.
#[derive(Clone, Copy, Debug)]
struct Scope {
    kind: ScopeKind,
    /// How many parentheses were open before it.
    parens: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    /// A namespace, linkage or class: declarations stand in it.
    Declarations,
    /// A function's body and the like.
    Body,
    /// An initialiser, or any brace in a body: nothing is said of it.
    Inner,
}

/// Reports what stands in `tokens` in their order. Braces that do not match are passed over.
pub(super) fn walk(tokens: &[Located<'_>], visit: impl FnMut(Event)) {
    let mut walk = Walk {
        tokens,
        visit,
        scopes: Vec::new(),
        from: 0,
        pending: None,
        boundary: 0,
        parens: 0,
    };
    for (at, located) in tokens.iter().enumerate() {
        if !located.token.is_directive {
            walk.token(at, located);
        }
    }
}

struct Walk<'t, 'a, V> {
    tokens: &'t [Located<'a>],
    visit: V,
    scopes: Vec<Scope>,
    /// Where the head that is read starts.
    from: usize,
    /// What that head says, once an initialiser in it has asked.
    pending: Option<Head>,
    /// Behind the last `;`, `{` or `}`.
    boundary: usize,
    /// Open parentheses and brackets of the head.
    parens: usize,
}

impl<V: FnMut(Event)> Walk<'_, '_, V> {
    fn token(&mut self, at: usize, located: &Located<'_>) {
        match &*located.token.text {
            b"{" => self.open(at),
            b"}" => self.close(at),
            b";" => self.end(at),
            b"(" | b"[" if self.declares() => self.parens += 1,
            b")" | b"]" if self.declares() => self.parens = self.parens.saturating_sub(1),
            b":" if self.declares() && self.is_access(at) => self.restart(at),
            _ => {}
        }
    }

    fn declares(&self) -> bool {
        let kind = self.scopes.last().map(|scope| scope.kind);
        kind.is_none_or(|kind| kind == ScopeKind::Declarations)
    }

    fn before(&self, at: usize) -> Option<&Located<'_>> {
        self.tokens.get(at.checked_sub(1)?)
    }

    /// Whether the colon at `at` ends `public:` and the like.
    fn is_access(&self, at: usize) -> bool {
        let word = self.before(at).and_then(|one| one.token.identifier());
        matches!(word, Some("public" | "protected" | "private"))
    }

    /// A new head starts behind `at`.
    fn restart(&mut self, at: usize) {
        self.from = at + 1;
        self.pending = None;
        self.parens = 0;
    }

    fn open(&mut self, at: usize) {
        // A namespace is found wherever it stands: what was read wrongly must not hide one.
        let close_by = self.tokens.get(self.boundary..at).unwrap_or_default();
        let namespace = Head::namespace(close_by);
        self.boundary = at + 1;
        let kind = if let Some(head) = namespace {
            let from = self.from;
            (self.visit)(Event::Open { head, from, at });
            ScopeKind::Declarations
        } else if self.declares() && self.parens == 0 {
            self.open_head(at)
        } else {
            ScopeKind::Inner
        };
        self.scopes.push(Scope {
            kind,
            parens: self.parens,
        });
        if kind != ScopeKind::Inner {
            self.restart(at);
        }
    }

    fn open_head(&mut self, at: usize) -> ScopeKind {
        let mut head = self.head(at);
        if let Head::Type(head) = &mut head {
            head.is_defined = true;
        }
        let kind = match &head {
            Head::Namespace { .. } | Head::Linkage => ScopeKind::Declarations,
            Head::Type(head) if head.is_enum => ScopeKind::Body,
            Head::Type(_) => ScopeKind::Declarations,
            Head::Declarator(declarator) => {
                let is_member = declarator.has_initializers && self.names_member(at);
                if declarator.parameters.is_none() || is_member {
                    ScopeKind::Inner
                } else {
                    ScopeKind::Body
                }
            }
            Head::Alias { .. } => ScopeKind::Inner,
            Head::Other => ScopeKind::Body,
        };
        if kind == ScopeKind::Inner {
            self.pending = Some(head);
        } else {
            let from = self.from;
            (self.visit)(Event::Open { head, from, at });
        }
        kind
    }

    /// Whether the brace at `at` initialises a member: `S::S() : a{1}, b<T>{2} {}`.
    fn names_member(&self, at: usize) -> bool {
        let before = self.before(at);
        before.is_some_and(|one| one.token.identifier().is_some() || one.token.is(">"))
    }

    fn head(&mut self, at: usize) -> Head {
        let tokens = self.tokens.get(self.from..at).unwrap_or_default();
        let pending = self.pending.take();
        pending.unwrap_or_else(|| Head::read(tokens))
    }

    fn close(&mut self, at: usize) {
        self.boundary = at + 1;
        let Some(scope) = self.scopes.pop() else {
            return self.restart(at);
        };
        if scope.kind == ScopeKind::Inner {
            self.parens = scope.parens;
        } else {
            (self.visit)(Event::Close { at });
            self.restart(at);
        }
    }

    fn end(&mut self, at: usize) {
        self.boundary = at + 1;
        if self.declares() {
            let head = self.head(at);
            (self.visit)(Event::End { head });
            self.restart(at);
        }
    }
}
