//! `consumer_link`: the library is built, and a stranger's program is compiled against what it
//! publishes, linked, run and compared.
//!
//! **Pins** the consumer, the library's files, the settings and the toolchain.
//! **Moves** nothing: it is a grader.
//! **Names** the phase that stops a user of the library and the symbol, header or line that does:
//! preprocess, parse, archive, link, run, and what two units disagree about though they link.
//! **Cannot see** what the consumer does not use, a disagreement between units that neither shows
//! in an object nor in what the consumer prints, and what other flags would show.

mod c_sources;
mod classes;
mod confirmation;
mod flow;
mod found;
mod intrusion;
mod library;
mod link_fault;
mod link_recipe;
mod linking;
mod missing_header;
mod odr;
mod own_fault;
mod recipe;
mod running;
mod scratch_paths;
mod settings;
mod standard_names;
mod suspicion;
mod system_library;
mod tables;
mod unit_definitions;
mod units;
mod verdicts;

pub use settings::LEVELS;

use std::sync::Arc;

use crate::model::inquiry::{Inquiry, Next};
use crate::model::observation::Observation;
use crate::model::step::Step;
use crate::model::toolchain::Compiler;
use crate::model::tree_pins::{Subject, TreePins};
use crate::model::trial::Judgement;
use crate::model::verdict::Verdict;

use super::build::Steps;
use super::program::settled;
use super::{GraderKind, Grading, Start};
use classes::{BEHAVIOR_MISMATCH, CLASSES, ENVIRONMENT, MACHINE, PASS};
use flow::{Flow, Known, Stop};
use found::Found;
use linking::Linked;
use recipe::Recipe;
use settings::{Settings, UNOPTIMISED};

/// The entry in the table of graders.
pub const KIND: GraderKind = GraderKind {
    kind: "consumer_link",
    rev: REV,
    classes: CLASSES,
    open: false,
    effective: settings::effective,
    inputs: None,
    start: Start::Tree(start),
};

/// Raise when the same candidate may get another verdict from the same observations.
const REV: u32 = 1;

fn start(pins: &TreePins, compiler: &Compiler, nth: u32) -> Grading {
    let Subject::Consumer(consumer) = &pins.subject else {
        let why = "a header was given to a grader of consumers, which is a fault of driftgate";
        return settled(Verdict::of(&MACHINE, why));
    };
    match compiler {
        Err(why) => settled(Verdict::of(&ENVIRONMENT, why.clone())),
        Ok(toolchain) => Box::new(ConsumerLink {
            recipe: Recipe {
                consumer: Arc::clone(consumer),
                settings: Settings::read(&pins.grader.settings),
                toolchain: toolchain.clone(),
                nth,
            },
        }),
    }
}

/// One grading.
struct ConsumerLink {
    recipe: Recipe,
}

impl Inquiry for ConsumerLink {
    type Ask = Step;
    type Answer = Arc<Observation>;
    type Done = Judgement;

    fn next(&self, seen: &Steps) -> Next<Step, Judgement> {
        let mut known = Known::new(seen);
        let verdict = match self.judge(&mut known) {
            Ok(verdict) => verdict,
            Err(Stop::Done(verdict)) => *verdict,
            Err(Stop::Ask(asks)) => return Next::Ask(asks),
        };
        Next::Done(Judgement {
            verdict,
            system: known.system(),
        })
    }
}

impl ConsumerLink {
    /// The phases, in their order. Whatever stops one is the verdict.
    fn judge(&self, known: &mut Known<'_>) -> Flow<Verdict> {
        let recipe = &self.recipe;
        intrusion::refuse_private_includes(&recipe.consumer)?;
        let mut made = Vec::new();
        for level in &recipe.settings.levels {
            made.push(units::compile(recipe, known, level, made.is_empty())?);
        }
        let linked = linking::link(recipe, known, &made)?;
        let wrong = running::run(recipe, known, &linked)?;
        let class = wrong.as_ref().map(|wrong| wrong.outcome.class.as_str());
        let is_mismatch = class == Some(BEHAVIOR_MISMATCH.name);
        let is_plain = |linked: &&Linked<'_>| linked.build.objects.level == UNOPTIMISED;
        let found = match linked.iter().find(is_plain).or(linked.first()) {
            Some(best) if wrong.is_none() || is_mismatch => {
                odr::look(recipe, known, &best.build, is_mismatch)?
            }
            Some(_) | None => Found::default(),
        };
        let verdict = found
            .verdict
            .or(wrong)
            .unwrap_or_else(|| passed(recipe, linked.len()));
        let listed = |verdict: Verdict, (name, items): (&str, Vec<String>)| {
            if items.is_empty() {
                verdict
            } else {
                verdict.with(name, items)
            }
        };
        let unread = found.unread.iter().map(|name| (*name).to_owned()).collect();
        let lists = [("suspicions", found.suspicions), ("unread", unread)];
        Ok(lists.into_iter().fold(verdict, listed))
    }
}

/// The verdict on `programs` that did as they should, and what nobody has looked at.
fn passed(recipe: &Recipe, programs: usize) -> Verdict {
    let ran = "compiled, linked, ran and printed as expected";
    let passed = Verdict::of(&PASS, ran).with("checked", programs);
    let passed = match recipe.linker() {
        // They take archives in any order, and objects that others refuse.
        Some(linker @ ("lld" | "mold")) => passed.with("weaker_linker", linker),
        Some(_) | None => passed,
    };
    if recipe.shows_inline_functions() {
        return passed;
    }
    let unseen = "inline definitions: needs -O0 without -flto";
    passed.with("not_checked", vec![unseen])
}

#[cfg(test)]
mod tests;
