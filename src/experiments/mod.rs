//! What is compared with what: the experiments, in the order they are listed everywhere.

pub mod accept;
pub mod catalogue;
pub mod diff;
pub mod gate;
pub mod policy;
pub mod quarantine;
pub mod record;
pub mod replay;

use std::sync::Arc;

use crate::model::class::Class;
use crate::model::inquiry::Inquiry;
use crate::model::trial::{Grading, Trial};

/// One row of an experiment: asks for trials, ends in what it is about.
pub type RowInquiry<D> = Box<dyn Inquiry<Ask = Trial, Answer = Arc<Grading>, Done = D> + Send>;

/// An experiment that names transitions.
pub struct ExperimentKind {
    /// Its name in reports.
    pub name: &'static str,
    /// Every class its rows can have.
    pub classes: &'static [Class],
}

/// Every experiment.
pub static KINDS: &[ExperimentKind] = &[
    replay::KIND,
    quarantine::KIND,
    policy::KIND,
    record::KIND,
    accept::KIND,
    diff::KIND,
];

#[cfg(test)]
mod tests;
