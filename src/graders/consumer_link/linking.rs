//! Libraries and programs of every level and mode.

use crate::diagnostics::linker_text::{self, Kind};
use crate::model::digest::Digest;
use crate::model::observation::{Ended, Observation};
use crate::model::verdict::Verdict;

use super::classes::{CANDIDATE_BUILD_ERROR, ENVIRONMENT, MACHINE};
use super::flow::{Flow, Known, Made, Stop, made};
use super::library::LibraryObjects;
use super::link_fault::{self, FailedLink};
use super::link_recipe::Parts;
use super::recipe::Recipe;
use super::scratch_paths::with_diagnostics;
use super::settings::Mode;
use super::units::Objects;
use super::verdicts::by_the_machine;

/// The archive.
pub(super) const ARCHIVE: &str = "libcheckout.a";
/// The shared object.
pub(super) const SHARED: &str = "libcheckout.so";
/// The program.
pub(super) const PROGRAM: &str = "consumer";

/// What a program is linked with.
#[derive(Clone, Debug)]
pub(super) enum Library {
    HeadersOnly,
    Archive(Digest),
    Shared(Digest),
}

impl Library {
    /// Its file.
    pub(super) fn file(&self) -> Option<Digest> {
        match self {
            Self::HeadersOnly => None,
            Self::Archive(file) | Self::Shared(file) => Some(*file),
        }
    }
}

/// The units of one level with a library of one mode.
#[derive(Clone, Debug)]
pub(super) struct Build<'a> {
    pub(super) objects: &'a Objects,
    pub(super) mode: Mode,
    pub(super) library: Library,
}

impl Build<'_> {
    /// Both units, then the library.
    pub(super) fn parts(&self) -> Parts {
        Parts::units(self.objects.consumer, self.objects.second).library(&self.library)
    }
}

/// A program that is to be run.
#[derive(Clone, Debug)]
pub(super) struct Linked<'a> {
    pub(super) build: Build<'a>,
    pub(super) program: Digest,
}

/// Links at every level and in every mode, or says why one does not link.
pub(super) fn link<'a>(
    recipe: &Recipe,
    known: &mut Known<'_>,
    made_at: &'a [Objects],
) -> Flow<Vec<Linked<'a>>> {
    let builds = libraries(recipe, known, made_at)?;
    let steps: Vec<_> = builds
        .iter()
        .map(|build| recipe.program(&build.objects.level, build.parts()))
        .collect();
    let answers = known.all(&steps)?;
    let mut linked = Vec::new();
    for (build, answer) in builds.into_iter().zip(answers) {
        match (made(&answer.ended), answer.outputs.get(PROGRAM)) {
            (Made::Yes, Some(program)) => linked.push(Linked {
                build,
                program: *program,
            }),
            _ => {
                let stopped = refused(recipe, known, &build, answer)?;
                return Err(stop(stopped, &build.objects.level, build.mode));
            }
        }
    }
    Ok(linked)
}

/// The verdict on units and a library of which no program was made.
fn refused(
    recipe: &Recipe,
    known: &mut Known<'_>,
    build: &Build<'_>,
    answer: &Observation,
) -> Flow<Verdict> {
    if let Some(stopped) = unless_environment(recipe, known, &build.objects.level, answer)? {
        return Ok(stopped);
    }
    let failed = FailedLink::look(recipe, known, build, answer)?;
    if is_stopped(answer) && !failed.has_words_for_names() {
        return Ok(by_machine_in_words());
    }
    let found = link_fault::judge(recipe, known, build, &failed)?;
    Ok(with_diagnostics(found, &answer.stderr))
}

/// Whether the linker says that the machine stopped it.
fn is_stopped(answer: &Observation) -> bool {
    let findings = linker_text::parse(&answer.stderr);
    findings.iter().any(|one| one.kind == Kind::Machine)
}

fn by_machine_in_words() -> Verdict {
    Verdict::of(&MACHINE, "the linker was stopped by the machine")
}

/// The verdict on a link that would have failed whatever was linked, if it is one.
fn unless_environment(
    recipe: &Recipe,
    known: &mut Known<'_>,
    level: &str,
    answer: &Observation,
) -> Flow<Option<Verdict>> {
    match made(&answer.ended) {
        Made::Refused => {}
        Made::Yes => {
            let detail = "the linker reports success and wrote nothing";
            return Ok(Some(Verdict::of(&ENVIRONMENT, detail)));
        }
        Made::Sick(why) => {
            let detail = format!("the linker {why} twice");
            return Ok(Some(Verdict::of(&MACHINE, detail)));
        }
        Made::Machine => return Ok(Some(by_the_machine("the linker", &answer.ended))),
    }
    let control = known.one(&recipe.program_control(level))?;
    Ok(match made(&control.ended) {
        Made::Yes => None,
        Made::Refused if is_stopped(control) => Some(by_machine_in_words()),
        Made::Refused => {
            let detail = "a trivial program does not link with these flags either";
            let stopped = Verdict::of(&ENVIRONMENT, detail);
            let stopped = match linker_text::worst(&linker_text::parse(&control.stderr)) {
                Some(finding) if finding.kind == Kind::LibraryNotFound => {
                    stopped.with("name", finding.object.clone())
                }
                Some(_) | None => stopped,
            };
            Some(with_diagnostics(stopped, &control.stderr))
        }
        Made::Sick(_) | Made::Machine => Some(by_the_machine("the linker", &control.ended)),
    })
}

/// The library of every level and mode.
fn libraries<'a>(
    recipe: &Recipe,
    known: &mut Known<'_>,
    made_at: &'a [Objects],
) -> Flow<Vec<Build<'a>>> {
    let each: Vec<(&Objects, &LibraryObjects)> = made_at
        .iter()
        .flat_map(|objects| {
            objects
                .libraries
                .iter()
                .map(move |library| (objects, library))
        })
        .collect();
    if each.is_empty() {
        let mode = recipe.modes().first().copied().unwrap_or(Mode::Archive);
        let build = |objects| Build {
            objects,
            mode,
            library: Library::HeadersOnly,
        };
        return Ok(made_at.iter().map(build).collect());
    }
    let steps: Vec<_> = each
        .iter()
        .map(|(objects, library)| match library.mode {
            Mode::Archive => recipe.archive(&library.objects),
            Mode::Shared => recipe.shared(&library.objects, &objects.level),
        })
        .collect();
    let answers = known.all(&steps)?;
    let mut builds = Vec::new();
    for ((objects, library), answer) in each.into_iter().zip(answers) {
        let mode = library.mode;
        let made = match mode {
            Mode::Archive => archive(answer),
            Mode::Shared => shared(recipe, known, objects, answer)?,
        };
        match made {
            Ok(library) => builds.push(Build {
                objects,
                mode,
                library,
            }),
            Err(stopped) => return Err(stop(stopped, &objects.level, mode)),
        }
    }
    Ok(builds)
}

/// The archive that `ar` made.
fn archive(answer: &Observation) -> Result<Library, Verdict> {
    let environment = |detail: String| {
        let stopped = Verdict::of(&ENVIRONMENT, detail);
        Err(with_diagnostics(stopped, &answer.stderr))
    };
    match (made(&answer.ended), answer.outputs.get(ARCHIVE)) {
        (Made::Yes, Some(archive)) => Ok(Library::Archive(*archive)),
        (Made::Yes | Made::Refused, _) => environment("`ar` makes no archive".to_owned()),
        (Made::Sick(why), _) => Err(Verdict::of(&MACHINE, format!("`ar` {why} twice"))),
        (Made::Machine, _) => {
            if let Ended::NotStarted(why) = &answer.ended {
                environment(format!("`ar` does not start: {why}"))
            } else {
                Err(by_the_machine("`ar`", &answer.ended))
            }
        }
    }
}

/// The shared object that the linker made.
fn shared(
    recipe: &Recipe,
    known: &mut Known<'_>,
    objects: &Objects,
    answer: &Observation,
) -> Flow<Result<Library, Verdict>> {
    if let (Made::Yes, Some(shared)) = (made(&answer.ended), answer.outputs.get(SHARED)) {
        return Ok(Ok(Library::Shared(*shared)));
    }
    if let Some(stopped) = unless_environment(recipe, known, &objects.level, answer)? {
        return Ok(Err(stopped));
    }
    let findings = linker_text::parse(&answer.stderr);
    let found = link_fault::of_library_alone(&findings).unwrap_or_else(|| {
        let detail = "the library does not link as a shared object";
        Verdict::of(&CANDIDATE_BUILD_ERROR, detail)
    });
    Ok(Err(with_diagnostics(found, &answer.stderr)))
}

fn stop(verdict: Verdict, level: &str, mode: Mode) -> Stop {
    Stop::done(verdict.with("level", level).with("mode", mode.as_str()))
}
