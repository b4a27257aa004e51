//! The one shape of all judging: a pure function of what is known so far.

use std::collections::BTreeMap;

/// One or more of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonEmpty<T> {
    /// The first.
    pub head: T,
    /// The others.
    pub tail: Vec<T>,
}

impl<T> NonEmpty<T> {
    /// Exactly one.
    pub fn one(head: T) -> Self {
        Self {
            head,
            tail: Vec::new(),
        }
    }

    /// All of `items`, or `None` if there are none.
    pub fn from_vec(items: Vec<T>) -> Option<Self> {
        let mut items = items.into_iter();
        Some(Self {
            head: items.next()?,
            tail: items.collect(),
        })
    }

    /// All, in order.
    pub fn into_vec(self) -> Vec<T> {
        let mut all = vec![self.head];
        all.extend(self.tail);
        all
    }
}

/// What an inquiry wants: answers, or to be finished.
#[derive(Clone, Debug, PartialEq)]
pub enum Next<A, D> {
    /// Answers to these, none of which it has seen.
    Ask(NonEmpty<A>),
    /// Nothing more: the result.
    Done(D),
}

impl<A, D> Next<A, D> {
    /// The same with the result passed through `f`.
    pub fn map<E>(self, f: impl FnOnce(D) -> E) -> Next<A, E> {
        match self {
            Self::Ask(asks) => Next::Ask(asks),
            Self::Done(done) => Next::Done(f(done)),
        }
    }
}

/// What is known so far.
pub type Seen<A, R> = BTreeMap<A, R>;

/// Those of `asks` that are not answered yet, each once and in their order; `None` if all are.
pub fn unanswered<A: Ord + Clone, R>(
    seen: &Seen<A, R>,
    asks: impl IntoIterator<Item = A>,
) -> Option<NonEmpty<A>> {
    let mut missing: Vec<A> = Vec::new();
    for ask in asks {
        if !seen.contains_key(&ask) && !missing.contains(&ask) {
            missing.push(ask);
        }
    }
    NonEmpty::from_vec(missing)
}

/// A grader or an experiment.
///
/// Laws, property-tested for every implementation: it never asks for what it has seen; answers
/// it did not ask for change nothing; the result does not depend on the order in which answers
/// arrive; it asks a bounded number of times; any answer brings it closer to its end.
pub trait Inquiry {
    /// A question, comparable by identity.
    type Ask: Ord + Clone;
    /// The answer to one.
    type Answer;
    /// The result.
    type Done;

    /// What to ask next, or the result. Pure: same `seen`, same return.
    fn next(&self, seen: &Seen<Self::Ask, Self::Answer>) -> Next<Self::Ask, Self::Done>;
}

/// The answer to `ask`, or the request for it. Lets a linear inquiry read top to bottom:
/// `let compiled = want!(seen, step);`
#[macro_export]
macro_rules! want {
    ($seen:expr, $ask:expr) => {{
        let ask = $ask;
        match $seen.get(&ask) {
            Some(answer) => answer,
            None => {
                return $crate::model::inquiry::Next::Ask($crate::model::inquiry::NonEmpty::one(
                    ask,
                ));
            }
        }
    }};
}
