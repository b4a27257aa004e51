//! The units that a header is looked at in, and the steps that compile them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::graders::build::{COMPILE_LIMITS, Steps, attempt, machine_fault, settled};
use crate::model::digest::Digest;
use crate::model::header::Header;
use crate::model::inquiry::{Next, unanswered};
use crate::model::observation::{Ended, Observation};
use crate::model::source_tree::{CHECKOUT, SourceText, SourceTree, in_checkout};
use crate::model::step::{Content, Mount, Profile, Program, ReadLists, Step, StepSpec};
use crate::model::toolchain::Toolchain;
use crate::want;

use super::broken::broken;
use super::edited;
use super::flags::without_preludes;
use super::probes::Other;

const READS: &str = "unit.d";
/// Plain text, and edits in a form of their own: gcc and clang know these, and clang prints no
/// edits without its quotes of the source.
const DIAGNOSTICS: [&str; 2] = [
    "-fdiagnostics-color=never",
    "-fdiagnostics-parseable-fixits",
];
/// All that led into a template.
const WHOLE_BACKTRACE: &str = "-ftemplate-backtrace-limit=0";
pub(super) const OUT_OF_LIMITS: &str = "the compiler used up its limits on it twice";
const TRIVIAL: &str = "typedef int trivial;\n";

/// The language that a unit is compiled as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Cxx,
    C,
}

impl Dialect {
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Cxx => "unit/unit.cpp",
            Self::C => "unit/unit.c",
        }
    }
}

/// A unit and what is done with it.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    dialect: Dialect,
    text: Vec<u8>,
    reach: Digest,
    /// The tree that it is compiled in, if not the header's.
    tree: Option<Arc<SourceTree>>,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Preprocess,
    Compile,
}

/// What became of a unit.
#[derive(Clone, Debug)]
pub(super) enum Ran<'a> {
    /// It compiles.
    Accepted(&'a Observation),
    /// It does not.
    Refused(&'a Observation),
    /// The compiler died or hung on it, twice, and not on a trivial one.
    Bomb(String),
    /// The machine got in the way.
    Machine(String),
}

/// Everything that the units of one header have in common.
#[derive(Clone, Debug)]
pub(super) struct Units {
    header: Arc<Header>,
    toolchain: Toolchain,
    flags: Vec<String>,
    c_flags: Vec<String>,
    nth: u32,
}

impl Units {
    pub(super) fn new(
        header: &Arc<Header>,
        settings: &Value,
        toolchain: &Toolchain,
        nth: u32,
    ) -> Self {
        let flags = |field: &str| {
            let given = settings[field].as_array().into_iter().flatten();
            let given: Vec<_> = given.filter_map(Value::as_str).map(str::to_owned).collect();
            without_preludes(&given).0
        };
        Self {
            flags: flags("flags"),
            c_flags: flags("c_flags"),
            header: Arc::clone(header),
            toolchain: toolchain.clone(),
            nth,
        }
    }

    /// The unit that decides: the header twice, or what a template makes of it.
    pub(super) fn whole(&self, dialect: Dialect) -> Unit {
        let mut text = self.text();
        if !self.header.once_only {
            text.extend(include(&self.header.name).into_bytes());
        }
        self.unit(dialect, text, self.header.reach)
    }

    /// The same, where the header holds `text`.
    pub(super) fn whole_edited(&self, dialect: Dialect, text: Vec<u8>) -> Unit {
        let tree = edited::tree(&self.header, SourceText::new(text));
        Unit {
            reach: tree.digest(),
            tree: Some(tree),
            ..self.whole(dialect)
        }
    }

    /// The unit that decides, with the header included once.
    pub(super) fn once(&self, dialect: Dialect) -> Unit {
        self.unit(dialect, self.text(), self.header.reach)
    }

    /// The same, as far as its directives go.
    pub(super) fn preprocessed(&self, dialect: Dialect) -> Unit {
        Unit {
            phase: Phase::Preprocess,
            ..self.once(dialect)
        }
    }

    /// The header once, with `prelude` of the standard library in front.
    pub(super) fn behind_standard(&self, dialect: Dialect, prelude: &str) -> Unit {
        let text = [prelude.as_bytes(), &self.text()].concat();
        self.unit(dialect, text, self.header.reach)
    }

    /// The header once, with `prelude` in front, which includes other files of the checkout.
    pub(super) fn behind(&self, dialect: Dialect, prelude: &str) -> Unit {
        let text = [prelude.as_bytes(), &self.text()].concat();
        self.unit(dialect, text, self.header.tree.digest())
    }

    /// Another header of the checkout, alone and twice.
    pub(super) fn other(&self, dialect: Dialect, name: &str) -> Unit {
        let text = include(name).repeat(2).into_bytes();
        self.unit(dialect, text, self.header.tree.digest())
    }

    /// A unit that compiles if anything does.
    pub(super) fn control(&self, dialect: Dialect) -> Unit {
        self.unit(dialect, TRIVIAL.into(), self.header.tree.digest())
    }

    /// What stands in a unit before the second include.
    fn text(&self) -> Vec<u8> {
        let mut text = match &self.header.probe {
            Some(probe) => probe.bytes.to_vec(),
            None => return include(&self.header.name).into_bytes(),
        };
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text
    }

    fn unit(&self, dialect: Dialect, text: Vec<u8>, reach: Digest) -> Unit {
        Unit {
            dialect,
            text,
            reach,
            tree: None,
            phase: Phase::Compile,
        }
    }

    /// Asks for all of `units` at once, unless they were seen.
    pub(super) fn ask_together(&self, seen: &Steps, units: &[&Unit]) -> Next<Step, ()> {
        let steps = units.iter().map(|unit| self.step(unit, false));
        match unanswered(seen, steps) {
            Some(asks) => Next::Ask(asks),
            None => Next::Done(()),
        }
    }

    /// What became of `unit`. What may be the machine's doing is tried once more.
    pub(super) fn run<'a>(&self, seen: &'a Steps, unit: &Unit) -> Next<Step, Ran<'a>> {
        let first = want!(seen, self.step(unit, false));
        let made = if settled(first) && broken(first).is_none() {
            first
        } else {
            want!(seen, self.step(unit, true))
        };
        let why = match &made.ended {
            Ended::Exit(0) => return Next::Done(Ran::Accepted(made)),
            Ended::Exit(_) => match broken(made) {
                None => return Next::Done(Ran::Refused(made)),
                Some(why) => why,
            },
            Ended::Signal(_) => "the compiler was killed twice on it",
            Ended::CpuLimit
            | Ended::WallLimit { starved: false }
            | Ended::OutputLimit
            | Ended::ResourceLimit(_) => OUT_OF_LIMITS,
            Ended::WallLimit { starved: true }
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => {
                let why = machine_fault("the compiler", &made.ended);
                return Next::Done(Ran::Machine(why));
            }
        };
        let control = want!(seen, self.step(&self.control(unit.dialect), false));
        Next::Done(if control.succeeded() {
            Ran::Bomb(format!("{why}, and not on a trivial unit"))
        } else {
            Ran::Machine("the compiler does not compile a trivial unit either".to_owned())
        })
    }

    /// Why `unit` is refused at its first attempt; `None` if it compiles.
    ///
    /// # Errors
    /// How the machine got in the way.
    pub(super) fn compiles<'a>(
        &self,
        seen: &'a Steps,
        unit: &Unit,
    ) -> Next<Step, Result<Option<&'a Observation>, String>> {
        let made = want!(seen, self.step(unit, false));
        Next::Done(match &made.ended {
            Ended::Exit(0) => Ok(None),
            Ended::Exit(_)
            | Ended::Signal(_)
            | Ended::CpuLimit
            | Ended::WallLimit { starved: false }
            | Ended::OutputLimit
            | Ended::ResourceLimit(_) => Ok(Some(made)),
            Ended::WallLimit { starved: true }
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => Err(machine_fault("the compiler", &made.ended)),
        })
    }

    /// Those of `others` that compile alone; all are asked for at once.
    ///
    /// # Errors
    /// How the machine got in the way.
    pub(super) fn clean(
        &self,
        seen: &Steps,
        dialect: Dialect,
        others: &[Other],
    ) -> Next<Step, Result<Vec<Other>, String>> {
        let alone = others.iter().map(|other| self.other(dialect, &other.name));
        let alone: Vec<Unit> = alone.collect();
        done!(self.ask_together(seen, &alone.iter().collect::<Vec<_>>()));
        let mut clean = Vec::new();
        for (other, unit) in others.iter().zip(&alone) {
            match done!(self.compiles(seen, unit)) {
                Ok(None) => clean.push(other.clone()),
                Ok(Some(_)) => {}
                Err(why) => return Next::Done(Err(why)),
            }
        }
        Next::Done(Ok(clean))
    }

    /// What a refused unit read outside the checkout, as far as a list of it was written.
    pub(super) fn system(
        &self,
        seen: &Steps,
        dialect: Dialect,
        compiled: &Observation,
    ) -> Option<Digest> {
        let preprocessed = self.step(&self.preprocessed(dialect), false);
        let listed = || seen.get(&preprocessed).and_then(|seen| seen.reads);
        compiled.reads.or_else(listed)
    }

    fn step(&self, unit: &Unit, second: bool) -> Step {
        let (flags, language) = match unit.dialect {
            Dialect::Cxx => (&self.flags, "c++"),
            Dialect::C => (&self.c_flags, "c"),
        };
        let mut args = flags.clone();
        for folder in &self.header.include {
            args.extend(["-I".to_owned(), in_checkout(folder)]);
        }
        args.extend(DIAGNOSTICS.map(str::to_owned));
        if unit.dialect == Dialect::Cxx {
            // To gcc it is no flag of C.
            args.push(WHOLE_BACKTRACE.to_owned());
        }
        let phase: &[&str] = match unit.phase {
            // It says what `-E` says, and writes nothing that a header could make huge.
            Phase::Preprocess => &["-M", "-MF", READS],
            Phase::Compile => &["-fsyntax-only", "-MD", "-MF", READS],
        };
        args.extend(phase.iter().copied().map(str::to_owned));
        args.extend(["-x", language, unit.dialect.unit()].map(str::to_owned));
        let text = Content::Bytes(unit.text.as_slice().into());
        let mount = Mount {
            tree: Arc::clone(unit.tree.as_ref().unwrap_or(&self.header.tree)),
            reach: unit.reach,
        };
        let compiler = Program::Tool(self.toolchain.cxx.clone());
        Step::new(StepSpec {
            args,
            inputs: BTreeMap::from([(unit.dialect.unit().to_owned(), text)]),
            mounts: BTreeMap::from([(CHECKOUT.to_owned(), mount)]),
            reads: ReadLists {
                files: vec![READS.to_owned()],
            },
            tools: Some(self.toolchain.identity(flags)),
            nth: attempt(self.nth, second),
            ..StepSpec::bare(compiler, Profile::Compile, COMPILE_LIMITS)
        })
    }
}

/// The line that includes the header `name`.
pub(super) fn include(name: &str) -> String {
    // Quotes would find the unit itself first.
    let is_unit = [Dialect::Cxx, Dialect::C]
        .map(Dialect::unit)
        .iter()
        .any(|unit| unit.ends_with(&format!("/{name}")));
    if name.contains('"') || is_unit {
        format!("#include <{name}>\n")
    } else {
        format!("#include \"{name}\"\n")
    }
}
