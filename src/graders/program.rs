//! A candidate from its completion to a finished run: what every grader of programs has in
//! common. Builds it, runs it, tries again what may be the machine's doing, and holds it against
//! a trivial program where it cannot be watched.
//!
//! **Pins** the case, the completion and the toolchain. **Moves** nothing. **Names** what stops a
//! candidate before anything is compared. **Cannot see** whether what it prints is right: that is
//! each grader's own.

use std::sync::Arc;
use std::time::Duration;

use crate::model::case::Case;
use crate::model::class::Class;
use crate::model::digest::Digest;
use crate::model::inquiry::{Inquiry, Next};
use crate::model::observation::{Ended, Observation, Resource};
use crate::model::pins::Pins;
use crate::model::step::{Content, Limits, Profile, Program, Step, StepSpec};
use crate::model::toolchain::{Compiler, Toolchain};
use crate::model::trial::Judgement;
use crate::model::verdict::Verdict;
use crate::want;

use super::Grading;
use super::build::{Build, Builder, Fault, PROGRAM, Steps, attempt, machine_fault};
use super::compare::printable;
use super::unit::Unit;

pub mod classes;

pub use classes::*;

/// The bytes of output that are kept, unless more are expected.
pub(super) const OUTPUT_LIMIT: usize = 8 << 20;

/// A candidate that is to be built and run.
pub struct Candidate {
    /// The case.
    pub case: Arc<Case>,
    /// What is built.
    pub unit: Unit,
    builder: Builder,
    toolchain: Toolchain,
    nth: u32,
}

/// What became of it.
pub enum Tried {
    /// It is judged before anything is compared: it did not become a program, or not one that
    /// can be run.
    Settled(Judgement),
    /// It ran.
    Ran(Ran),
}

/// How a run ended.
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// We cut it short, or the machine did: the verdict as far as that shows.
    Cut(Verdict),
}

/// A program that ran.
pub struct Ran {
    /// The run that counts.
    pub run: Arc<Observation>,
    /// The program.
    pub binary: Digest,
    /// What was read outside the suite to make it.
    pub system: Option<Digest>,
}

/// Starts the `nth` grading of what is pinned, by a grader that `judge` makes of the candidate.
pub fn start(
    pins: &Pins,
    compiler: &Compiler,
    nth: u32,
    judge: impl FnOnce(Candidate) -> Grading,
) -> Grading {
    // What a patch is does not depend on the machine.
    let unit = match Unit::assemble(&pins.case, &pins.completion.bytes) {
        Ok(unit) => unit,
        Err(fault) => return settled(Verdict::of(&BAD_PATCH, fault.to_string())),
    };
    match compiler {
        Err(why) => settled(Verdict::of(&ENVIRONMENT, why)),
        Ok(toolchain) => judge(Candidate {
            case: Arc::clone(&pins.case),
            builder: Builder::new(unit.clone(), &pins.case.flags, toolchain, nth),
            unit,
            toolchain: toolchain.clone(),
            nth,
        }),
    }
}

/// What a program may use that has `cpu` and is expected to print as many bytes.
pub(super) fn limits(cpu: Duration, expected: usize) -> Limits {
    Limits {
        cpu,
        wall: cpu * 3,
        output: OUTPUT_LIMIT.max(2 * expected),
        flood_ends: true,
    }
}

/// A grading of which the verdict is known before anything is asked.
pub(super) fn settled(verdict: Verdict) -> Grading {
    Box::new(Settled(Judgement::of(verdict)))
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

impl Candidate {
    /// What to ask next, or what became of it.
    #[must_use]
    pub fn next(&self, seen: &Steps) -> Next<Step, Tried> {
        match self.builder.next(seen) {
            Next::Ask(asks) => Next::Ask(asks),
            Next::Done(Build::Program { binary, system }) => self.try_out(seen, binary, system),
            Next::Done(rejected) => Next::Done(Tried::Settled(judge_build(rejected))),
        }
    }

    fn try_out(&self, seen: &Steps, binary: Digest, system: Option<Digest>) -> Next<Step, Tried> {
        let ran = |run: &Arc<Observation>| {
            Next::Done(Tried::Ran(Ran {
                run: Arc::clone(run),
                binary,
                system,
            }))
        };
        let first = want!(seen, self.run(binary, false));
        if let Ended::NotStarted(why) = &first.ended {
            let blamed = format!("the program does not start: {why}");
            return self.blame_unless_control_fails(seen, &LINK_ERROR, blamed, (first, system));
        }
        if !may_be_the_machine(&first.ended) {
            return ran(first);
        }
        let second = want!(seen, self.run(binary, true));
        if let Ended::Lost(why) | Ended::NotStarted(why) = &second.ended {
            let blamed = format!("the program, or whatever watches it, is lost: {why}");
            return self.blame_unless_control_fails(seen, &SIGNAL, blamed, (second, system));
        }
        ran(second)
    }

    /// A program that cannot be watched to its end is at fault if a trivial one built alike can:
    /// no candidate may choose to be unjudged.
    fn blame_unless_control_fails(
        &self,
        seen: &Steps,
        class: &Class,
        blamed: String,
        (ran, system): (&Observation, Option<Digest>),
    ) -> Next<Step, Tried> {
        let control = want!(seen, self.builder.control());
        let runs = match control.outputs.get(PROGRAM) {
            Some(binary) => matches!(want!(seen, self.run(*binary, false)).ended, Ended::Exit(_)),
            None => false,
        };
        let verdict = if runs {
            Verdict::of(class, blamed)
        } else {
            by_the_machine(&ran.ended)
        };
        let verdict = with_facts(verdict, ran);
        Next::Done(Tried::Settled(Judgement { verdict, system }))
    }

    fn run(&self, binary: Digest, second: bool) -> Step {
        let mut inputs = self.unit.files.clone();
        inputs.insert(PROGRAM.to_owned(), Content::Output(binary));
        let expected = self.case.expect.stdout.as_ref().map_or(0, String::len);
        let program = Program::Input(PROGRAM.to_owned());
        let limits = limits(self.case.cpu_limit(), expected);
        Step::new(StepSpec {
            args: self.case.args.clone(),
            inputs,
            stdin: Content::from(self.case.stdin.as_str()),
            tools: Some(self.toolchain.identity(&self.case.flags)),
            nth: attempt(self.nth, second),
            ..StepSpec::bare(program, Profile::Candidate, limits)
        })
    }

    /// How `run` ended, with the verdict if it was cut short. Unjudged is only what the machine
    /// did.
    #[must_use]
    pub fn end(&self, run: &Observation) -> End {
        let fail = |class: &Class, detail| End::Cut(Verdict::of(class, detail));
        match &run.ended {
            Ended::Exit(code) => End::Exit(*code),
            Ended::Signal(signal) => End::Signal(*signal),
            Ended::CpuLimit => {
                let seconds = self.case.timeout_s;
                fail(&HANG, format!("used up {seconds} s of CPU time"))
            }
            Ended::WallLimit { starved: false } => {
                let seconds = self.case.timeout_s * 3;
                fail(&HANG, format!("did not end within {seconds} s"))
            }
            Ended::OutputLimit => {
                let bytes = OUTPUT_LIMIT;
                fail(&OUTPUT_FLOOD, format!("wrote more than {bytes} bytes"))
            }
            Ended::ResourceLimit(resource) => {
                let class = match resource {
                    Resource::Memory => &MEMORY_FLOOD,
                    Resource::Disk => &DISK_FLOOD,
                    Resource::Processes => &PROCESS_FLOOD,
                };
                fail(
                    class,
                    format!("took more {} than any program may", resource.as_str()),
                )
            }
            Ended::WallLimit { starved: true }
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => End::Cut(by_the_machine(&run.ended)),
        }
    }
}

/// Whether a process ended in a way that may be the machine's doing: what repeats is its own.
#[must_use]
pub fn may_be_the_machine(ended: &Ended) -> bool {
    match ended {
        Ended::Signal(9 | 15) | Ended::WallLimit { starved: true } | Ended::Lost(_) => true,
        Ended::Exit(_)
        | Ended::Signal(_)
        | Ended::CpuLimit
        | Ended::WallLimit { starved: false }
        | Ended::OutputLimit
        | Ended::ResourceLimit(_)
        | Ended::NotStarted(_)
        | Ended::Interrupted => false,
    }
}

fn by_the_machine(ended: &Ended) -> Verdict {
    let detail = machine_fault("the program", ended);
    Verdict::of(&MACHINE, detail)
}

/// The verdict on a unit that did not become a program.
fn judge_build(build: Build) -> Judgement {
    match build {
        Build::Rejected {
            fault,
            detail,
            diagnostics,
            system,
        } => {
            let class = match fault {
                Fault::CompileError => COMPILE_ERROR,
                Fault::WarningAsError => WARNING_AS_ERROR,
                Fault::CompileHang => COMPILE_HANG,
                Fault::LinkError => LINK_ERROR,
            };
            let verdict = Verdict::of(&class, detail);
            let verdict = with_text(verdict, "diagnostics", &diagnostics);
            Judgement { verdict, system }
        }
        Build::Environment {
            detail,
            diagnostics,
        } => {
            let verdict = Verdict::of(&ENVIRONMENT, detail);
            Judgement::of(with_text(verdict, "diagnostics", &diagnostics))
        }
        Build::Machine(why) => Judgement::of(Verdict::of(&MACHINE, why)),
        Build::Program { .. } => {
            let why = "a program was built and not run";
            Judgement::of(Verdict::of(&MACHINE, why))
        }
    }
}

/// The verdict with what its run left besides an end and output.
#[must_use]
pub fn with_facts(verdict: Verdict, run: &Observation) -> Verdict {
    let verdict = with_text(verdict, "stderr", &run.stderr);
    if run.leftovers == 0 {
        verdict
    } else {
        verdict.with("left_running", run.leftovers)
    }
}

/// The verdict with up to 4 KiB of a tool's text as evidence, if there is any.
#[must_use]
pub fn with_text(verdict: Verdict, name: &str, text: &[u8]) -> Verdict {
    const SHOWN: usize = 4096;
    if text.is_empty() {
        return verdict;
    }
    let shown = &text[..text.len().min(SHOWN)];
    let lines: Vec<_> = shown.split(|byte| *byte == b'\n').map(printable).collect();
    let cut = if text.len() > SHOWN { "\n..." } else { "" };
    verdict.with(name, format!("{}{cut}", lines.join("\n").trim_end()))
}
