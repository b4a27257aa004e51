//! What turns a candidate into a verdict: the trait-like table of grader kinds, in the order
//! they are listed everywhere.

pub mod build;
pub mod compare;
pub mod io_match;
pub mod patched;
pub mod program;
pub mod unit;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::class::Class;
use crate::model::inquiry::Inquiry;
use crate::model::observation::Observation;
use crate::model::pins::Pins;
use crate::model::step::Step;
use crate::model::toolchain::Compiler;
use crate::model::trial::Judgement;

/// The grading of one candidate: asks for steps, ends in a judgement.
pub type Grading = Box<dyn Inquiry<Ask = Step, Answer = Arc<Observation>, Done = Judgement> + Send>;

/// A setting of a grader's file that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// The setting.
    pub field: String,
    /// What is wrong and what was expected.
    pub problem: String,
}

/// One kind of grader: what a file names in `kind`.
pub struct GraderKind {
    /// Its name; also the id of the grader that exists without a file.
    pub kind: &'static str,
    /// The revision of its code. Raise it when the same candidate may get another verdict.
    pub rev: u32,
    /// Every class it can give, the passing one first.
    pub classes: &'static [Class],
    /// All settings with defaults filled in, from those a file gives (without `kind`).
    pub effective: fn(&Map<String, Value>) -> Result<Value, SettingError>,
    /// Starts the `nth` grading of what is pinned.
    pub start: fn(&Pins, &Compiler, u32) -> Grading,
}

impl GraderKind {
    /// The class of a candidate that passes.
    #[must_use]
    pub fn passing_class(&self) -> &'static str {
        self.classes.first().map_or("", |class| class.name)
    }
}

/// Every kind of grader.
pub static KINDS: &[GraderKind] = &[io_match::KIND];

/// Every kind of grader.
#[must_use]
pub fn kinds() -> &'static [GraderKind] {
    KINDS
}

/// The kind of this name.
#[must_use]
pub fn find(kind: &str) -> Option<&'static GraderKind> {
    KINDS.iter().find(|entry| entry.kind == kind)
}
