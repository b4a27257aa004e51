//! Makes a program of a unit and, where that fails, finds out by probes whose fault it is.
//!
//! The class comes from the phase that fails and from what a probe shows, never from the words
//! a compiler prints: those are evidence. A candidate can print any words.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::model::digest::Digest;
use crate::model::inquiry::{Next, Seen, unanswered};
use crate::model::observation::{Ended, Observation};
use crate::model::step::{Content, Limits, Profile, Program, ReadLists, Step, StepSpec};
use crate::model::toolchain::Toolchain;
use crate::want;

use super::unit::{UNIT, Unit};

mod machine_fault;
mod words;

pub use machine_fault::machine_fault;
use words::{first_error, names_missing_file, said};

/// What is known of the steps of a grading.
pub type Steps = Seen<Step, Arc<Observation>>;

/// The file name of the program.
pub const PROGRAM: &str = "candidate";
const OBJECT: &str = "candidate.o";
const COMPILE_READS: &str = "candidate.d";
const LINK_READS: &str = "link.d";
/// A unit that compiles and links if anything does.
pub const TRIVIAL: &str = "int main() { return 0; }\n";

/// What one compile may use. A unit of a golden case compiles in seconds; one that burns a
/// minute of CPU is a compile-time bomb.
pub const COMPILE_LIMITS: Limits = Limits {
    cpu: Duration::from_secs(60),
    wall: Duration::from_secs(180),
    output: 1 << 20,
    flood_ends: false,
};

/// What became of a build.
#[derive(Clone, Debug, PartialEq)]
pub enum Build {
    /// A program, and the digest of what was read to make it.
    Program {
        /// The program.
        binary: Digest,
        /// What was read outside the suite.
        system: Option<Digest>,
    },
    /// The candidate's own fault.
    Rejected {
        /// How.
        fault: Fault,
        /// One sentence.
        detail: String,
        /// What the compiler or linker printed, or nothing.
        diagnostics: Vec<u8>,
        /// What was read outside the suite.
        system: Option<Digest>,
    },
    /// The harness could not build anything with these inputs.
    Environment {
        /// One sentence.
        detail: String,
        /// What the tool printed.
        diagnostics: Vec<u8>,
    },
    /// The machine got in the way.
    Machine(String),
}

/// How a candidate fails to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not compile.
    CompileError,
    /// It compiles, but with a warning that the case makes an error.
    WarningAsError,
    /// It uses up the compiler's limits, twice.
    CompileHang,
    /// It compiles and does not link.
    LinkError,
}

/// A build of one unit.
#[derive(Clone, Debug)]
pub struct Builder {
    unit: Unit,
    flags: Vec<String>,
    toolchain: Toolchain,
    nth: u32,
}

/// The number of a step: each repetition of a grading has two attempts.
#[must_use]
pub fn attempt(nth: u32, second: bool) -> u32 {
    nth * 2 + u32::from(second)
}

impl Builder {
    /// Builds `unit` with `flags`, for the `nth` time.
    #[must_use]
    pub fn new(unit: Unit, flags: &[String], toolchain: &Toolchain, nth: u32) -> Self {
        Self {
            unit,
            flags: flags.to_vec(),
            toolchain: toolchain.clone(),
            nth,
        }
    }

    /// What to ask next, or what became of it.
    #[must_use]
    pub fn next(&self, seen: &Steps) -> Next<Step, Build> {
        let first = want!(seen, self.program(false));
        let made = if settled(first) {
            first
        } else {
            want!(seen, self.program(true))
        };
        match &made.ended {
            Ended::Exit(0) => Next::Done(program_of(made)),
            Ended::Exit(_) => self.explain(seen),
            Ended::CpuLimit | Ended::WallLimit { starved: false } | Ended::ResourceLimit(_) => self
                .unless_control_fails(
                    seen,
                    Fault::CompileHang,
                    "the compiler used up its limits twice on this unit",
                ),
            Ended::Signal(_) => self.unless_control_fails(
                seen,
                Fault::CompileError,
                "the compiler was killed twice on this unit",
            ),
            Ended::WallLimit { starved: true }
            | Ended::OutputLimit
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => {
                Next::Done(Build::Machine(machine_fault("the compiler", &made.ended)))
            }
        }
    }

    /// A program that does nothing, built and linked with the same flags. If this fails, so
    /// would anything.
    #[must_use]
    pub fn control(&self) -> Step {
        let trivial = Content::from(TRIVIAL);
        self.whole(self.unit.inputs_without_completion(trivial), false)
    }

    /// The verdict on a unit the compiler died or hung on, if the compiler is well otherwise.
    fn unless_control_fails(&self, seen: &Steps, fault: Fault, why: &str) -> Next<Step, Build> {
        let control = want!(seen, self.control());
        Next::Done(if control.succeeded() {
            let detail = format!("{why}, and not on a trivial one");
            Build::Rejected {
                fault,
                detail,
                diagnostics: Vec::new(),
                system: None,
            }
        } else {
            Build::Machine("the compiler does not compile a trivial unit either".to_owned())
        })
    }

    /// The compiler said no: finds the phase, then whether the fixture or the flags are at fault.
    fn explain(&self, seen: &Steps) -> Next<Step, Build> {
        let object = want!(seen, self.object(&self.flags));
        match (&object.ended, object.outputs.get(OBJECT)) {
            (Ended::Exit(0), Some(digest)) => self.explain_link(seen, *digest, object.reads),
            (Ended::Exit(_), _) => self.explain_compile(seen, object),
            (
                Ended::CpuLimit | Ended::WallLimit { starved: false } | Ended::ResourceLimit(_),
                _,
            ) => {
                let why = "the compiler failed on this unit, then used up its limits on it";
                self.unless_control_fails(seen, Fault::CompileHang, why)
            }
            (Ended::Signal(_), _) => {
                let why = "the compiler failed on this unit, then was killed on it";
                self.unless_control_fails(seen, Fault::CompileError, why)
            }
            (ended, _) => Next::Done(Build::Machine(machine_fault("the compiler", ended))),
        }
    }

    fn explain_link(
        &self,
        seen: &Steps,
        object: Digest,
        system: Option<Digest>,
    ) -> Next<Step, Build> {
        let link = want!(seen, self.link(object));
        if link.succeeded() {
            // The first failure was the machine's: nothing about the inputs differs.
            return Next::Done(program_of(link));
        }
        let control = want!(seen, self.control());
        if !control.succeeded() {
            return Next::Done(Build::Environment {
                detail: format!(
                    "a trivial program does not link with these flags either{}",
                    said(control)
                ),
                diagnostics: control.stderr.clone(),
            });
        }
        let rejected = |detail| Build::Rejected {
            fault: Fault::LinkError,
            detail,
            diagnostics: link.stderr.clone(),
            system,
        };
        Next::Done(match link.ended {
            Ended::Exit(_) => rejected(format!("compiles and does not link{}", said(link))),
            // The second time that it was not linked, and a trivial program is.
            Ended::Signal(_)
            | Ended::CpuLimit
            | Ended::WallLimit { starved: false }
            | Ended::ResourceLimit(_) => {
                rejected("the linker used up its limits on it, or was killed on it".to_owned())
            }
            Ended::WallLimit { starved: true }
            | Ended::OutputLimit
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => Build::Machine(machine_fault("the linker", &link.ended)),
        })
    }

    fn explain_compile(&self, seen: &Steps, object: &Observation) -> Next<Step, Build> {
        let control = self.trivial_object();
        let fixture = self
            .unit
            .fixture
            .as_ref()
            .map(|source| Content::Bytes(Arc::clone(source)))
            .map(|source| self.preprocess(self.unit.inputs_without_completion(source)));
        let whole = self.preprocess(self.unit.inputs());
        let lenient = self.lenient_flags().map(|flags| self.object(&flags));
        let probes = [
            Some(&control),
            fixture.as_ref(),
            Some(&whole),
            lenient.as_ref(),
        ];
        let probes = probes.into_iter().flatten().cloned();
        if let Some(asks) = unanswered(seen, probes) {
            return Next::Ask(asks);
        }
        let succeeded = |step: &Step| seen.get(step).is_some_and(|answer| answer.succeeded());
        let stderr = |step: &Step| seen.get(step).map(|a| a.stderr.clone()).unwrap_or_default();
        if !succeeded(&control) {
            return Next::Done(Build::Environment {
                detail: "a trivial unit does not compile with these flags either".to_owned(),
                diagnostics: stderr(&control),
            });
        }
        let lacks_file = |step: &Step| !succeeded(step) && names_missing_file(&stderr(step));
        if let Some(fixture) = fixture.filter(lacks_file) {
            let detail = seen
                .get(&fixture)
                .map(|answer| said(answer))
                .unwrap_or_default();
            return Next::Done(Build::Environment {
                detail: format!("the fixture cannot be preprocessed without a completion{detail}"),
                diagnostics: stderr(&fixture),
            });
        }
        let fault = if lenient.is_some_and(|step| succeeded(&step)) {
            Fault::WarningAsError
        } else {
            Fault::CompileError
        };
        Next::Done(Build::Rejected {
            fault,
            detail: first_error(&object.stderr).unwrap_or_else(|| "does not compile".to_owned()),
            diagnostics: object.stderr.clone(),
            system: seen.get(&whole).and_then(|answer| answer.reads),
        })
    }

    /// The flags without those that turn warnings into errors; `None` if there are none.
    fn lenient_flags(&self) -> Option<Vec<String>> {
        let strict = |flag: &&String| flag.starts_with("-Werror") || *flag == "-pedantic-errors";
        self.flags.iter().any(|flag| strict(&flag)).then(|| {
            self.flags
                .iter()
                .filter(|flag| !strict(flag))
                .cloned()
                .collect()
        })
    }

    /// Compiles and links the unit in one go, as a person would.
    fn program(&self, second: bool) -> Step {
        self.whole(self.unit.inputs(), second)
    }

    fn whole(&self, inputs: BTreeMap<String, Content>, second: bool) -> Step {
        // A library named before the unit that needs it is dropped by linkers that link
        // only as needed.
        let is_library = |flag: &&String| flag.starts_with("-l");
        let mut args: Vec<String> = self
            .flags
            .iter()
            .filter(|f| !is_library(f))
            .cloned()
            .collect();
        args.extend([UNIT.to_owned()]);
        args.extend(self.flags.iter().filter(is_library).cloned());
        args.extend(["-o", PROGRAM, "-MD", "-MF", COMPILE_READS].map(str::to_owned));
        let mut reads = vec![COMPILE_READS.to_owned()];
        self.list_link_reads(&mut args, &mut reads);
        let nth = attempt(self.nth, second);
        self.step(args, inputs, Some(PROGRAM), reads, nth)
    }

    fn link(&self, object: Digest) -> Step {
        let mut args: Vec<String> = vec![OBJECT.to_owned()];
        args.extend(self.flags.iter().cloned());
        args.extend(["-o", PROGRAM].map(str::to_owned));
        let mut reads = Vec::new();
        self.list_link_reads(&mut args, &mut reads);
        let inputs = BTreeMap::from([(OBJECT.to_owned(), Content::Output(object))]);
        self.step(args, inputs, Some(PROGRAM), reads, attempt(self.nth, false))
    }

    fn list_link_reads(&self, args: &mut Vec<String>, reads: &mut Vec<String>) {
        if self.toolchain.lists_link_reads {
            args.push(format!("-Wl,--dependency-file={LINK_READS}"));
            reads.push(LINK_READS.to_owned());
        }
    }

    fn object(&self, flags: &[String]) -> Step {
        self.compile_only(flags, self.unit.inputs())
    }

    fn trivial_object(&self) -> Step {
        let trivial = Content::from(TRIVIAL);
        self.compile_only(&self.flags, self.unit.inputs_without_completion(trivial))
    }

    fn compile_only(&self, flags: &[String], inputs: BTreeMap<String, Content>) -> Step {
        let mut args = flags.to_vec();
        args.extend(["-c", UNIT, "-o", OBJECT, "-MD", "-MF", COMPILE_READS].map(str::to_owned));
        let reads = vec![COMPILE_READS.to_owned()];
        self.step(args, inputs, Some(OBJECT), reads, attempt(self.nth, false))
    }

    fn preprocess(&self, inputs: BTreeMap<String, Content>) -> Step {
        let mut args = self.flags.clone();
        args.extend(
            [
                "-E",
                UNIT,
                "-o",
                "candidate.ii",
                "-MD",
                "-MF",
                COMPILE_READS,
            ]
            .map(str::to_owned),
        );
        self.step(
            args,
            inputs,
            None,
            vec![COMPILE_READS.to_owned()],
            attempt(self.nth, false),
        )
    }

    fn step(
        &self,
        args: Vec<String>,
        inputs: BTreeMap<String, Content>,
        output: Option<&str>,
        reads: Vec<String>,
        nth: u32,
    ) -> Step {
        let compiler = Program::Tool(self.toolchain.cxx.clone());
        Step::new(StepSpec {
            args,
            inputs,
            outputs: output.map(str::to_owned).into_iter().collect(),
            reads: ReadLists { files: reads },
            tools: Some(self.toolchain.identity(&self.flags)),
            nth,
            ..StepSpec::bare(compiler, Profile::Compile, COMPILE_LIMITS)
        })
    }
}

/// Whether the first attempt decides by itself. Being killed or cut may be the machine's doing,
/// so it is tried once more.
pub(super) fn settled(observation: &Observation) -> bool {
    match observation.ended {
        Ended::Exit(_) | Ended::NotStarted(_) | Ended::Interrupted => true,
        Ended::Signal(_)
        | Ended::CpuLimit
        | Ended::WallLimit { .. }
        | Ended::OutputLimit
        | Ended::ResourceLimit(_)
        | Ended::Lost(_) => false,
    }
}

fn program_of(made: &Observation) -> Build {
    match made.outputs.get(PROGRAM) {
        Some(binary) => Build::Program {
            binary: *binary,
            system: made.reads,
        },
        None => Build::Environment {
            detail: "the compiler reports success and wrote no program".to_owned(),
            diagnostics: made.stderr.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::case::Assemble;
    use crate::model::observation::Resource;
    use crate::model::testing::{case, toolchain};

    fn builder() -> Builder {
        let case = case(Assemble::Append, "int f();");
        let unit = Unit::assemble(&case, b"int f() { return 0; }").unwrap();
        Builder::new(unit, &case.flags, &toolchain(), 0)
    }

    fn ended(ended: Ended) -> Arc<Observation> {
        Arc::new(Observation::without_run(ended))
    }

    fn made(name: &str) -> Arc<Observation> {
        let mut observation = Observation::without_run(Ended::Exit(0));
        observation
            .outputs
            .insert(name.to_owned(), Digest::of(name.as_bytes()));
        Arc::new(observation)
    }

    /// Answers every ask by `answer` until the build is done.
    fn run(answer: impl Fn(&Step) -> Arc<Observation>) -> Build {
        let builder = builder();
        let mut seen = Steps::new();
        for _ in 0..20 {
            match builder.next(&seen) {
                Next::Done(build) => return build,
                Next::Ask(asks) => {
                    for ask in asks.into_vec() {
                        let observation = answer(&ask);
                        assert!(seen.insert(ask, observation).is_none(), "asked twice");
                    }
                }
            }
        }
        panic!("asks without end");
    }

    fn phase(step: &Step) -> &'static str {
        let args = &step.spec().args;
        let has = |arg: &str| args.iter().any(|have| have == arg);
        let source = step.spec().inputs.get(UNIT).map(Content::digest);
        let trivial = source == Some(Content::from(TRIVIAL).digest());
        let fixture = source == Some(Content::from("int f();").digest());
        match (has("-c"), has("-E"), source) {
            (true, _, _) if trivial => "control -c",
            (true, _, _) if has("-Werror") => "-c",
            (true, _, _) => "lenient -c",
            (_, true, _) if fixture => "fixture -E",
            (_, true, _) => "-E",
            (_, _, None) => "link",
            _ if trivial => "control",
            _ => "program",
        }
    }

    /// A build in which exactly `failing` phases fail, a file being absent.
    fn failing(failing: &[&str]) -> Build {
        failing_with(
            failing,
            "a.cpp:1:10: fatal error: b.h: No such file or directory\n",
        )
    }

    /// A build in which exactly `failing` phases fail with these words.
    fn failing_with(failing: &[&str], words: &str) -> Build {
        run(|step| {
            if failing.contains(&phase(step)) {
                let mut failed = Observation::without_run(Ended::Exit(1));
                failed.stderr = words.as_bytes().to_vec();
                Arc::new(failed)
            } else {
                made(step.spec().outputs.first().map_or("", String::as_str))
            }
        })
    }

    fn fault_of(build: &Build) -> Option<Fault> {
        match build {
            Build::Rejected { fault, .. } => Some(*fault),
            Build::Program { .. } | Build::Environment { .. } | Build::Machine(_) => None,
        }
    }

    #[test]
    fn the_phase_that_fails_decides_the_fault() {
        let table: [(&[&str], Fault); 3] = [
            (&["program", "-c", "lenient -c"], Fault::CompileError),
            (&["program", "-c"], Fault::WarningAsError),
            (&["program", "link"], Fault::LinkError),
        ];
        for (phases, fault) in table {
            assert_eq!(fault_of(&failing(phases)), Some(fault), "{phases:?}");
        }
    }

    #[test]
    fn what_fails_without_the_candidate_too_is_the_environment() {
        for phases in [
            ["program", "-c", "control -c"].as_slice(),
            &["program", "-c", "fixture -E"],
            &["program", "link", "control"],
        ] {
            assert!(
                matches!(failing(phases), Build::Environment { .. }),
                "{phases:?}"
            );
        }
    }

    #[test]
    fn a_fixture_that_waits_for_the_completion_excuses_nobody() {
        let phases = ["program", "-c", "lenient -c", "fixture -E"];
        for words in [
            "a.cpp:2:2: error: #error \"define LIMIT\"\n",
            "unterminated #if\n",
            "",
        ] {
            let build = failing_with(&phases, words);
            assert_eq!(fault_of(&build), Some(Fault::CompileError), "{words}");
        }
        let clang = failing_with(&phases, "a.cpp:1:10: fatal error: 'b.h' file not found\n");
        assert!(matches!(clang, Build::Environment { .. }));
    }

    #[test]
    fn a_unit_that_fails_first_and_hangs_when_asked_again_is_rejected() {
        for (end, fault) in [
            (Ended::CpuLimit, Fault::CompileHang),
            (Ended::WallLimit { starved: false }, Fault::CompileHang),
            (Ended::Signal(11), Fault::CompileError),
        ] {
            let build = run(|step| match phase(step) {
                "program" => ended(Ended::Exit(1)),
                "-c" => ended(end.clone()),
                _ => made(PROGRAM),
            });
            assert_eq!(fault_of(&build), Some(fault), "{end:?}");
        }
    }

    #[test]
    fn a_unit_that_compiles_and_breaks_the_linker_is_rejected() {
        for end in [
            Ended::Signal(25),
            Ended::CpuLimit,
            Ended::ResourceLimit(Resource::Memory),
        ] {
            let build = run(|step| match phase(step) {
                "program" => ended(Ended::Exit(1)),
                "-c" => made(OBJECT),
                "link" => ended(end.clone()),
                _ => made(PROGRAM),
            });
            assert_eq!(fault_of(&build), Some(Fault::LinkError), "{end:?}");
        }
    }

    #[test]
    fn a_failure_that_does_not_repeat_is_the_machines() {
        assert!(matches!(failing(&["program"]), Build::Program { .. }));
    }

    #[test]
    fn success_without_a_program_is_no_pass() {
        let build = run(|_| ended(Ended::Exit(0)));
        assert!(matches!(build, Build::Environment { .. }));
    }

    #[test]
    fn a_unit_that_hangs_or_kills_the_compiler_twice_is_rejected_if_the_compiler_is_well() {
        for (end, fault) in [
            (Ended::CpuLimit, Fault::CompileHang),
            (Ended::WallLimit { starved: false }, Fault::CompileHang),
            (Ended::Signal(9), Fault::CompileError),
        ] {
            let sick_on_unit = run(|step| match phase(step) {
                "program" => ended(end.clone()),
                _ => made(PROGRAM),
            });
            assert_eq!(fault_of(&sick_on_unit), Some(fault));
            let always_sick = run(|_| ended(end.clone()));
            assert!(matches!(always_sick, Build::Machine(_)), "{end:?}");
        }
    }

    #[test]
    fn a_compiler_killed_once_gets_a_second_attempt() {
        let build = run(|step| {
            if step.spec().nth == 0 {
                ended(Ended::Signal(9))
            } else {
                made(PROGRAM)
            }
        });
        assert!(matches!(build, Build::Program { .. }));
    }

    #[test]
    fn a_compiler_that_cannot_start_is_the_machine() {
        for end in [
            Ended::NotStarted("x".into()),
            Ended::Interrupted,
            Ended::Lost("x".into()),
        ] {
            assert!(matches!(run(|_| ended(end.clone())), Build::Machine(_)));
        }
    }
}
