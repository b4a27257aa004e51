//! The library's own sources, and whose fault it is if one does not compile.

use std::sync::Arc;

use crate::model::digest::Digest;
use crate::model::observation::{Ended, Observation};
use crate::model::step::Step;
use crate::model::verdict::Verdict;

use super::classes::{CANDIDATE_BUILD_ERROR, ENVIRONMENT, MACHINE};
use super::flow::{Flow, Known, Made, Stop, compiled};
use super::missing_header::{self, Missing};
use super::recipe::{OBJECT, Recipe, Unit};
use super::scratch_paths::with_diagnostics;
use super::settings::Mode;
use super::verdicts::{by_the_machine, with_compiler_text};

/// The objects of the library, by their names, as one mode needs them.
#[derive(Clone, Debug)]
pub(super) struct LibraryObjects {
    pub(super) mode: Mode,
    pub(super) objects: Vec<(String, Digest)>,
}

/// The library's sources at one level, in every mode.
pub(super) struct Sources<'a> {
    recipe: &'a Recipe,
    level: &'a str,
    units: Vec<(Mode, &'a str, Unit)>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(recipe: &'a Recipe, level: &'a str) -> Self {
        let paths = recipe.consumer.archive_sources.iter();
        let there = paths.filter(|path| recipe.consumer.library.get(path).is_some());
        let there: Vec<&str> = there.map(String::as_str).collect();
        let units = recipe.modes().iter().flat_map(|mode| {
            let unit = |path: &&'a str| (*mode, *path, recipe.source(path, level, *mode));
            there.iter().map(unit).collect::<Vec<_>>()
        });
        Self {
            recipe,
            level,
            units: units.collect(),
        }
    }

    /// What compiles them.
    pub(super) fn steps(&self) -> Vec<Step> {
        let units = self.units.iter();
        units.map(|(_, _, unit)| self.recipe.object(unit)).collect()
    }

    /// The objects, or the verdict on the first source that makes none.
    pub(super) fn objects(&self, known: &mut Known<'_>) -> Flow<Vec<LibraryObjects>> {
        self.refuse_absent()?;
        let answers = known.all(&self.steps())?;
        let mut libraries: Vec<LibraryObjects> = Vec::new();
        for ((mode, path, unit), answer) in self.units.iter().zip(answers) {
            let object = self.object(known, (*mode, path, unit), answer)?;
            match libraries.last_mut().filter(|last| last.mode == *mode) {
                Some(last) => last
                    .objects
                    .push((object_name(path, last.objects.len()), object)),
                None => libraries.push(LibraryObjects {
                    mode: *mode,
                    objects: vec![(object_name(path, 0), object)],
                }),
            }
        }
        Ok(libraries)
    }

    fn refuse_absent(&self) -> Flow<()> {
        let consumer = &self.recipe.consumer;
        let mut sources = consumer.archive_sources.iter();
        match sources.find(|path| consumer.library.get(path).is_none()) {
            None => Ok(()),
            Some(path) => {
                let detail = format!("the library's source {path} is not there");
                let refused =
                    Verdict::of(&CANDIDATE_BUILD_ERROR, detail).with("name", path.as_str());
                Err(Stop::done(refused.with("fault", "source not found")))
            }
        }
    }

    fn object(
        &self,
        known: &mut Known<'_>,
        (mode, path, unit): (Mode, &str, &Unit),
        answer: &Arc<Observation>,
    ) -> Flow<Digest> {
        let stopped = match compiled(answer) {
            Made::Yes => match answer.outputs.get(OBJECT) {
                Some(object) => return Ok(*object),
                None => Verdict::of(
                    &ENVIRONMENT,
                    "the compiler reports success and wrote no object",
                ),
            },
            Made::Machine => by_the_machine("the compiler", &answer.ended),
            Made::Sick(why) => {
                let control = self.recipe.library_control(self.level);
                let detail =
                    format!("the compiler {why} twice on {path}, and not on a trivial unit");
                let blamed = Verdict::of(&CANDIDATE_BUILD_ERROR, detail).with("name", path);
                unless_always_sick(self.recipe, known, &control, blamed)?
            }
            Made::Refused => self.refused(known, (path, unit), answer)?,
        };
        Err(Stop::done(
            stopped
                .with("level", self.level)
                .with("mode", mode.as_str()),
        ))
    }

    fn refused(
        &self,
        known: &mut Known<'_>,
        (path, unit): (&str, &Unit),
        answer: &Observation,
    ) -> Flow<Verdict> {
        let recipe = self.recipe;
        let control = recipe.object(&recipe.library_control(self.level));
        let text = recipe.preprocessed(unit);
        let probes = known.all(&[control, text])?;
        if let [control, text] = probes.as_slice() {
            refuse_control(control)?;
            let missing = Missing::named_in(&recipe.consumer, text);
            if let Some(missing) = missing
                && missing_header::is_of_environment(recipe, known, &missing, self.level)?
            {
                let absent = missing_header::environment(&missing);
                return Ok(with_compiler_text(absent, &recipe.consumer, text));
            }
        }
        let detail = format!("{path}, a source of the library, does not compile");
        let refused = Verdict::of(&CANDIDATE_BUILD_ERROR, detail).with("name", path);
        Ok(with_compiler_text(refused, &recipe.consumer, answer))
    }
}

/// The verdict `blamed` on a unit that the compiler was sick on, unless it is sick on `control` too.
pub(super) fn unless_always_sick(
    recipe: &Recipe,
    known: &mut Known<'_>,
    control: &Unit,
    blamed: Verdict,
) -> Flow<Verdict> {
    if known.one(&recipe.object(control))?.succeeded() {
        return Ok(blamed);
    }
    let detail = "the compiler does not compile a trivial unit either";
    Ok(Verdict::of(&MACHINE, detail))
}

/// Stops if not even a trivial unit compiles.
pub(super) fn refuse_control(control: &Observation) -> Flow<()> {
    let stopped = match compiled(control) {
        Made::Yes => return Ok(()),
        Made::Refused => {
            let detail = "a trivial unit does not compile with these flags either";
            let stopped = Verdict::of(&ENVIRONMENT, detail);
            with_diagnostics(stopped, &control.stderr)
        }
        Made::Sick(why) if matches!(control.ended, Ended::Exit(_)) => {
            let detail = format!("the compiler {why} twice on a trivial unit");
            Verdict::of(&MACHINE, detail)
        }
        Made::Sick(_) | Made::Machine => by_the_machine("the compiler", &control.ended),
    };
    Err(Stop::done(stopped))
}

/// The name of the object of the library's source at `path`, its `index`th.
fn object_name(path: &str, index: usize) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    format!("{stem}.{index}.o")
}
