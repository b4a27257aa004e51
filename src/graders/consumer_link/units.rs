//! The consumer and the second unit, and what keeps them from compiling.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostics::compiler_text::{self, unknown_name};
use crate::diagnostics::linemarkers;
use crate::model::digest::Digest;
use crate::model::observation::Observation;
use crate::model::verdict::Verdict;

use super::classes::{CANDIDATE_BUILD_ERROR, ENVIRONMENT, MACHINE, MISSING_DECLARATION};
use super::flow::{Flow, Known, Made, Stop, compiled};
use super::intrusion;
use super::library::{LibraryObjects, Sources, refuse_control, unless_always_sick};
use super::missing_header::{self, Missing};
use super::own_fault;
use super::recipe::{OBJECT, Recipe, Unit};
use super::verdicts::{by_the_machine, path_from_root, short, with_compiler_text};

/// Everything compiled at one level.
#[derive(Clone, Debug)]
pub(super) struct Objects {
    pub(super) level: String,
    pub(super) libraries: Vec<LibraryObjects>,
    pub(super) consumer: Digest,
    pub(super) second: Digest,
}

/// Compiles everything at `level`, or says why it does not compile. At the first level the
/// consumer itself is looked at before that.
pub(super) fn compile(
    recipe: &Recipe,
    known: &mut Known<'_>,
    level: &str,
    is_first: bool,
) -> Flow<Objects> {
    let sources = Sources::new(recipe, level);
    let mut units = Units {
        recipe,
        level,
        consumer: recipe.consumer_unit(level),
        second: recipe.second_unit(level),
    };
    let mut together = sources.steps();
    together.extend([recipe.object(&units.consumer), recipe.object(&units.second)]);
    if is_first {
        refuse_unpublished(recipe, known, level)?;
        together.extend(intrusion::step(recipe, level));
        known.ask(&together)?;
        intrusion::refuse(recipe, known, level)?;
    }
    known.ask(&together)?;
    let libraries = sources.objects(known)?;
    units.leave_out_what_is_not_reached(known)?;
    let (consumer, second) = units.objects(known, &libraries)?;
    Ok(Objects {
        level: level.to_owned(),
        libraries,
        consumer,
        second,
    })
}

/// Stops if the public header is not published. A compiler may find another one of its name: the
/// system has a `string.h` too.
fn refuse_unpublished(recipe: &Recipe, known: &mut Known<'_>, level: &str) -> Flow<()> {
    let Some(missing) = missing_header::unpublished(&recipe.consumer) else {
        return Ok(());
    };
    intrusion::refuse(recipe, known, level)?;
    Err(Stop::done(missing.with("level", level)))
}

struct Units<'a> {
    recipe: &'a Recipe,
    level: &'a str,
    consumer: Unit,
    second: Unit,
}

impl Units<'_> {
    /// The consumer's text names headers also where a condition leaves them out, as for another
    /// system. A second unit that does not compile is made of those that the consumer reaches.
    fn leave_out_what_is_not_reached(&mut self, known: &mut Known<'_>) -> Flow<()> {
        let recipe = self.recipe;
        let named = recipe.public_headers();
        if named.len() == 1 || known.one(&recipe.object(&self.second))?.succeeded() {
            return Ok(());
        }
        let text = known.one(&recipe.preprocessed(&self.consumer))?;
        if !text.succeeded() || text.truncated {
            return Ok(());
        }
        let entered = linemarkers::files(&text.stdout);
        let entered: BTreeSet<String> = entered
            .iter()
            .filter_map(|path| path_from_root(&recipe.consumer, path))
            .collect();
        let is_reached = |name: &&String| {
            let path = recipe.published(name);
            **name == recipe.consumer.header_name
                || path.is_some_and(|path| entered.contains(&path))
        };
        let reached: Vec<String> = named.iter().filter(is_reached).cloned().collect();
        self.second = recipe.second_unit_of(&reached, self.level);
        Ok(())
    }

    /// The objects of the consumer and the second unit.
    fn objects(
        &self,
        known: &mut Known<'_>,
        libraries: &[LibraryObjects],
    ) -> Flow<(Digest, Digest)> {
        let steps = [&self.consumer, &self.second].map(|unit| self.recipe.object(unit));
        let answers = known.all(&steps)?;
        let (Some(consumer), Some(second)) = (answers.first(), answers.get(1)) else {
            return Err(self.stop(Verdict::of(&MACHINE, "an answer was lost")));
        };
        let objects = [consumer, second].map(|answer| answer.outputs.get(OBJECT).copied());
        for answer in [second, consumer] {
            match compiled(answer) {
                Made::Yes | Made::Refused => {}
                Made::Machine => {
                    return Err(self.stop(by_the_machine("the compiler", &answer.ended)));
                }
                Made::Sick(why) => return Err(self.stop(self.sick(known, why)?)),
            }
        }
        if !consumer.succeeded() || !second.succeeded() {
            let stopped = self.explain(known, (consumer, second), libraries)?;
            return Err(self.stop(stopped));
        }
        match objects {
            [Some(consumer), Some(second)] => Ok((consumer, second)),
            _ => Err(self.stop(Verdict::of(
                &ENVIRONMENT,
                "the compiler reports success and wrote no object",
            ))),
        }
    }

    fn stop(&self, verdict: Verdict) -> Stop {
        Stop::done(verdict.with("level", self.level))
    }

    fn sick(&self, known: &mut Known<'_>, why: &str) -> Flow<Verdict> {
        let control = self.recipe.consumer_control(self.level);
        let detail = format!(
            "the compiler {why} twice on what uses the public header, and not on a trivial unit"
        );
        let blamed = Verdict::of(&CANDIDATE_BUILD_ERROR, detail);
        unless_always_sick(self.recipe, known, &control, blamed)
    }

    /// The verdict where one of the two was refused.
    fn explain(
        &self,
        known: &mut Known<'_>,
        (consumer, second): (&Arc<Observation>, &Arc<Observation>),
        libraries: &[LibraryObjects],
    ) -> Flow<Verdict> {
        let recipe = self.recipe;
        let control = recipe.object(&recipe.consumer_control(self.level));
        let texts = [&self.second, &self.consumer].map(|unit| recipe.preprocessed(unit));
        let [second_text, consumer_text] = texts;
        let answers = known.all(&[control, second_text, consumer_text])?;
        if let Some(control) = answers.first() {
            refuse_control(control)?;
        }
        for text in answers.into_iter().skip(1) {
            if let Some(missing) = Missing::named_in(&recipe.consumer, text) {
                let found = missing_header::judge(recipe, known, &missing, self.level)?;
                return Ok(with_compiler_text(found, &recipe.consumer, text));
            }
        }
        let (unit, answer) = if second.succeeded() {
            (&self.consumer, consumer)
        } else {
            (&self.second, second)
        };
        let repaired = recipe.object_after_standard_library(unit);
        if known.one(&repaired)?.succeeded() {
            return Ok(self.lacks_standard(answer, second.succeeded()));
        }
        if second.succeeded() {
            return own_fault::judge(recipe, known, answer, libraries);
        }
        let detail = "the public header does not compile for who includes it";
        let refused = Verdict::of(&CANDIDATE_BUILD_ERROR, detail)
            .with("name", recipe.consumer.header_name.as_str());
        Ok(with_compiler_text(refused, &recipe.consumer, answer))
    }

    /// The verdict on what compiles once the standard library stands in front.
    fn lacks_standard(&self, answer: &Observation, is_consumer: bool) -> Verdict {
        let diagnostics = compiler_text::parse(&answer.stderr);
        let mut errors = diagnostics.iter().filter(|one| one.severity.is_error());
        let name = errors.find_map(|one| Some(unknown_name(&one.message)?.name.to_owned()));
        let who = if is_consumer {
            "does not include what the consumer needs of the standard library"
        } else {
            "does not include what it needs of the standard library"
        };
        let found = Verdict::of(&MISSING_DECLARATION, format!("the public header {who}"));
        let found = match name {
            Some(name) => found.with("name", short(&name)),
            None => found,
        };
        with_compiler_text(found, &self.recipe.consumer, answer)
    }
}
