//! What turns a candidate into a verdict: the trait-like table of grader kinds, in the order
//! they are listed everywhere.

pub mod build;
pub mod command;
pub mod compare;
pub mod consumer_link;
pub mod io_match;
pub mod patched;
pub mod program;
pub mod standalone_header;
pub mod unit;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::case::SourceFile;
use crate::model::class::Class;
use crate::model::inquiry::Inquiry;
use crate::model::observation::Observation;
use crate::model::pins::Pins;
use crate::model::step::Step;
use crate::model::toolchain::Compiler;
use crate::model::tree_pins::TreePins;
use crate::model::trial::{Judgement, Trial};

/// The flags of C++ units of the tree where nobody says others.
pub const STRICT_CXX: [&str; 4] = ["-std=c++20", "-Wall", "-Wextra", "-Werror"];
/// The flags of its C units where nobody says others.
pub const STRICT_C: [&str; 4] = ["-std=c11", "-Wall", "-Wextra", "-Werror"];

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
    /// Every class it can give, the passing one first. Of an open set, those that are ours.
    pub classes: &'static [Class],
    /// Whether it may give other classes too, in a team's own words.
    pub open: bool,
    /// All settings with defaults filled in, from those a file gives (without `kind`).
    pub effective: fn(&Map<String, Value>) -> Result<Value, SettingError>,
    /// The files of the suite it may be given; `None` if it needs none.
    pub inputs: Option<Inputs>,
    /// What it judges, and how a grading of it is started.
    pub start: Start,
}

/// Starts the `nth` grading of what is pinned.
#[derive(Clone, Copy)]
pub enum Start {
    /// Of a completion: what the cases of a suite name.
    Completion(fn(&Pins, &Compiler, u32) -> Grading),
    /// Of the checked-out tree: configured in `driftgate.yml`, and a lane of its own.
    Tree(fn(&TreePins, &Compiler, u32) -> Grading),
}

impl GraderKind {
    /// The class of a candidate that passes; `None` if that is the grader's own word.
    #[must_use]
    pub fn passing_class(&self) -> Option<&'static str> {
        let first = self.classes.first().filter(|_| !self.open);
        first.map(|class| class.name)
    }
}

/// How a kind of grader declares the files it is given.
pub struct Inputs {
    /// The globs of effective settings, relative to the folder of the goldens.
    pub globs: fn(&Value) -> Vec<String>,
    /// Holds settings against the files that these globs match.
    pub check: fn(&Value, &[SourceFile]) -> Result<(), SettingError>,
}

/// Whether `name` can be a class in a team's own words: 1 to 64 letters, digits, `_`, `.`, `-`.
#[must_use]
pub fn is_class_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(fits)
}

/// Every kind of grader.
pub static KINDS: &[GraderKind] = &[
    io_match::KIND,
    command::KIND,
    consumer_link::KIND,
    standalone_header::KIND,
];

/// Every kind of grader.
#[must_use]
pub fn kinds() -> &'static [GraderKind] {
    KINDS
}

/// The kinds that judge completions: what a case or a grader's file may name.
pub fn of_completions() -> impl Iterator<Item = &'static GraderKind> {
    let judges = |kind: &&GraderKind| matches!(kind.start, Start::Completion(_));
    KINDS.iter().filter(judges)
}

/// The kind of this name.
#[must_use]
pub fn find(kind: &str) -> Option<&'static GraderKind> {
    KINDS.iter().find(|entry| entry.kind == kind)
}

/// Starts the grading that `trial` asks for.
///
/// # Errors
/// When there is no such grader or it judges something else, which is a fault of ours.
pub fn start(trial: &Trial, compiler: &Compiler) -> Result<Grading, String> {
    let kind = match trial {
        Trial::Grade { pins, .. } => pins.grader.kind,
        Trial::GradeTree { pins, .. } => pins.grader.kind,
    };
    match (trial, find(kind).map(|kind| kind.start)) {
        (Trial::Grade { pins, nth }, Some(Start::Completion(start))) => {
            Ok(start(pins, compiler, *nth))
        }
        (Trial::GradeTree { pins, nth }, Some(Start::Tree(start))) => {
            Ok(start(pins, compiler, *nth))
        }
        (_, None) => Err(format!("no grader of kind {kind}")),
        (_, Some(_)) => Err(format!("a grader of kind {kind} judges something else")),
    }
}
