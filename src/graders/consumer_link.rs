//! `consumer_link`: the library is built, and a stranger's program is compiled against what it
//! publishes, linked, run and compared.
//!
//! **Pins** the consumer, the library's files, the settings and the toolchain.
//! **Moves** nothing: it is a grader.
//! **Names** the phase that stops a user of the library and the symbol, header or line that does:
//! preprocess, parse, archive, link, run, and what two units disagree about though they link.
//! **Cannot see** what the consumer does not use, a disagreement between units that neither shows
//! in an object nor in what the consumer prints, and what other flags would show.

mod classes;
mod flow;
mod library;
mod link_fault;
mod link_recipe;
mod linking;
mod missing_header;
mod own_fault;
mod recipe;
mod running;
mod settings;
mod standard_names;
mod system_library;
mod tables;
mod units;
mod verdicts;

use std::sync::Arc;

use crate::model::inquiry::{Inquiry, Next};
use crate::model::observation::Observation;
use crate::model::step::Step;
use crate::model::toolchain::Compiler;
use crate::model::tree_pins::{Subject, TreePins};
use crate::model::trial::Judgement;
use crate::model::verdict::Verdict;

use super::build::Steps;
use super::{GraderKind, Grading, Start};
use classes::{CLASSES, ENVIRONMENT, INVALID_CONSUMER, MACHINE, PASS};
use flow::{Flow, Known, Stop};
use recipe::Recipe;
use settings::Settings;
use verdicts::verdict;

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
    let settled = |verdict: Verdict| -> Grading { Box::new(Settled(Judgement::of(verdict))) };
    let Subject::Consumer(consumer) = &pins.subject else {
        let why = "a header was given to a grader of consumers, which is a fault of driftgate";
        return settled(verdict(&MACHINE, why));
    };
    match compiler {
        Err(why) => settled(verdict(&ENVIRONMENT, why.clone())),
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

/// There is nothing to ask.
struct Settled(Judgement);

impl Inquiry for Settled {
    type Ask = Step;
    type Answer = Arc<Observation>;
    type Done = Judgement;

    fn next(&self, _: &Steps) -> Next<Step, Judgement> {
        Next::Done(self.0.clone())
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
        self.refuse_private_includes()?;
        let mut made = Vec::new();
        for level in &self.recipe.settings.levels {
            made.push(units::compile(&self.recipe, known, level)?);
        }
        let programs = linking::link(&self.recipe, known, &made)?;
        running::run(&self.recipe, known, &programs)?;
        let builds = programs.len();
        let ran = verdict(&PASS, "compiled, linked, ran and printed as expected");
        Ok(ran.with("checked", builds))
    }

    fn refuse_private_includes(&self) -> Flow<()> {
        let consumer = &self.recipe.consumer;
        let Some((name, line)) = consumer.private_includes.first() else {
            return Ok(());
        };
        let detail = format!("the consumer includes `{name}`, which nobody publishes");
        let refused = verdict(&INVALID_CONSUMER, detail)
            .with("name", name.as_str())
            .with("at", verdicts::at(&consumer.source, *line))
            .with(
                "private_includes",
                verdicts::lines(&consumer.private_includes),
            );
        Err(Stop::done(refused))
    }
}
