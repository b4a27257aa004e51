//! `io_match`: fixture and completion, compiled, run, and compared with what the case expects.
//!
//! **Pins** the case, the completion, the settings and the toolchain.
//! **Moves** nothing: it is a grader.
//! **Names** whether the program exits, prints and stays silent as expected, and which phase
//! stopped it.
//! **Cannot see** what the case's input does not reach, and anything a program does besides
//! ending and printing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::model::case::Case;
use crate::model::class::{Class, Level};
use crate::model::digest::Digest;
use crate::model::inquiry::{Inquiry, Next};
use crate::model::observation::{Ended, Observation};
use crate::model::pins::Pins;
use crate::model::step::{Content, Limits, Profile, Program, ReadLists, Step, StepSpec};
use crate::model::toolchain::{Compiler, Toolchain};
use crate::model::trial::Judgement;
use crate::model::verdict::{Status, Verdict};
use crate::want;

use super::build::{Build, Builder, Fault, PROGRAM, Steps, attempt, machine_fault};
use super::compare::{Comparison, Newlines, Tolerance, Trim, difference, printable};
use super::unit::Unit;
use super::{GraderKind, Grading, SettingError};

/// The entry in the table of graders.
pub const KIND: GraderKind = GraderKind {
    kind: "io_match",
    rev: REV,
    classes: CLASSES,
    effective,
    start,
};

/// Raise when the same candidate may get another verdict from the same observations.
const REV: u32 = 1;

const fn fail(name: &'static str, meaning: &'static str, next: &'static str) -> Class {
    Class {
        name,
        level: Level::Fail,
        meaning,
        next,
    }
}

/// Every class this grader can give.
pub const CLASSES: &[Class] = &[
    Class {
        name: "match",
        level: Level::Ok,
        meaning: "The program ended and printed as the case expects.",
        next: "Nothing to do.",
    },
    fail(
        "stdout_differs",
        "The program ended as expected and printed other bytes.",
        "Read the diff in the evidence; if only blanks differ, decide in the grader's `trim`.",
    ),
    fail(
        "exit_differs",
        "The program ended by itself with another exit code than expected.",
        "Run the program by hand with the case's input and look at why it ends so.",
    ),
    fail(
        "stderr_not_empty",
        "Exit code and output match, but the program wrote to standard error.",
        "Read what it wrote, or set `expect.stderr_empty` to false if that is allowed.",
    ),
    fail(
        "signal",
        "The program was ended by a signal: a crash, a trap or an abort.",
        "Run it under a sanitizer or a debugger; an abort is often a failed assertion.",
    ),
    fail(
        "hang",
        "The program used up its CPU time or did not end in time.",
        "Look for a loop that does not end; if the case is slow by nature, raise `timeout_s`.",
    ),
    fail(
        "output_flood",
        "The program wrote more than the limit and was stopped.",
        "Look for a loop that prints without end.",
    ),
    fail(
        "compile_error",
        "The unit does not compile, and the fixture and the flags are not the reason.",
        "Read the diagnostics in the evidence.",
    ),
    fail(
        "compile_hang",
        "The compiler used up its limits on this unit, twice, and not on a trivial one.",
        "Look for unbounded template recursion or constant evaluation.",
    ),
    fail(
        "warning_as_error",
        "The unit compiles, but with a warning that the case's flags make an error.",
        "Read the diagnostics; a patch that prints the right bytes but warns is not a pass.",
    ),
    fail(
        "link_error",
        "The unit compiles and does not become a program that starts.",
        "Look for something declared and never defined, or defined twice.",
    ),
    Class {
        name: "environment",
        level: Level::Incomplete,
        meaning: "This machine cannot build the case whatever the completion: no compiler, or a header or library that the fixture or the flags need is absent.",
        next: "Install what the evidence names, or run on a machine that has it.",
    },
    Class {
        name: "machine",
        level: Level::Incomplete,
        meaning: "The machine got in the way: a process did not start, was lost, or waited for the CPU until its wall limit.",
        next: "Run it again with less load; `driftgate doctor` says what this machine can do.",
    },
];

/// The bytes of output that are kept, unless the case expects more.
const OUTPUT_LIMIT: usize = 8 << 20;

fn effective(given: &Map<String, Value>) -> Result<Value, SettingError> {
    const KNOWN: [&str; 6] = ["trim", "newlines", "stdout", "abs", "rel", "ulps"];
    if let Some(unknown) = given.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(SettingError {
            field: unknown.clone(),
            problem: format!("unknown setting; io_match knows {}", KNOWN.join(", ")),
        });
    }
    let choice = |field: &str, words: &[&str]| {
        let value = given.get(field).cloned().unwrap_or_else(|| json!(words[0]));
        match value.as_str() {
            Some(word) if words.contains(&word) => Ok(value),
            _ => Err(SettingError {
                field: field.to_owned(),
                problem: format!("expected one of {}, found {value}", words.join(", ")),
            }),
        }
    };
    let mut settings = json!({
        "trim": choice("trim", &["none", "trailing", "all"])?,
        "newlines": choice("newlines", &["exact", "normalize"])?,
        "stdout": choice("stdout", &["exact", "tolerance"])?,
    });
    let tolerant = settings["stdout"] == "tolerance";
    for field in ["abs", "rel", "ulps"] {
        let value = given.get(field).and_then(Value::as_f64);
        let problem = match (given.get(field), value) {
            (None, _) => None,
            (Some(_), _) if !tolerant => Some("only means something with `stdout: tolerance`"),
            (Some(_), Some(number)) if number.is_finite() && number >= 0.0 => {
                let whole = number.fract() == 0.0 && number <= 1e15;
                (field == "ulps" && !whole).then_some("expected a whole number")
            }
            (Some(_), _) => Some("expected a number that is not negative"),
        };
        if let Some(problem) = problem {
            return Err(SettingError {
                field: field.to_owned(),
                problem: problem.to_owned(),
            });
        }
        if tolerant {
            settings[field] = json!(value.unwrap_or(0.0));
        }
    }
    Ok(settings)
}

/// The comparison that effective settings describe.
fn comparison(settings: &Value) -> Comparison {
    let number = |field: &str| settings[field].as_f64().unwrap_or(0.0);
    Comparison {
        trim: match settings["trim"].as_str() {
            Some("trailing") => Trim::Trailing,
            Some("all") => Trim::All,
            _ => Trim::None,
        },
        newlines: match settings["newlines"].as_str() {
            Some("normalize") => Newlines::Normalize,
            _ => Newlines::Exact,
        },
        tolerance: (settings["stdout"] == "tolerance").then(|| Tolerance {
            abs: number("abs"),
            rel: number("rel"),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "`effective` admits whole numbers from 0 to 1e15 only"
            )]
            ulps: number("ulps") as u64,
        }),
    }
}

fn start(pins: &Pins, compiler: &Compiler, nth: u32) -> Grading {
    match compiler {
        Err(why) => Box::new(NoCompiler(why.clone())),
        Ok(toolchain) => {
            let unit = Unit::assemble(&pins.case, &pins.completion.bytes);
            Box::new(IoMatch {
                builder: Builder::new(unit.clone(), &pins.case.flags, toolchain, nth),
                comparison: comparison(&pins.grader.settings),
                case: Arc::clone(&pins.case),
                files: unit.files,
                toolchain: toolchain.clone(),
                nth,
            })
        }
    }
}

/// There is no compiler: nothing to ask.
struct NoCompiler(String);

impl Inquiry for NoCompiler {
    type Ask = Step;
    type Answer = Arc<Observation>;
    type Done = Judgement;

    fn next(&self, _: &Steps) -> Next<Step, Judgement> {
        Next::Done(Judgement::of(Verdict::new(
            Status::Unjudged,
            "environment",
            &self.0,
        )))
    }
}

/// One grading.
struct IoMatch {
    builder: Builder,
    comparison: Comparison,
    case: Arc<Case>,
    files: BTreeMap<String, Content>,
    toolchain: Toolchain,
    nth: u32,
}

impl Inquiry for IoMatch {
    type Ask = Step;
    type Answer = Arc<Observation>;
    type Done = Judgement;

    fn next(&self, seen: &Steps) -> Next<Step, Judgement> {
        match self.builder.next(seen) {
            Next::Ask(asks) => Next::Ask(asks),
            Next::Done(Build::Program { binary, system }) => self
                .judge_program(seen, binary)
                .map(|verdict| Judgement { verdict, system }),
            Next::Done(rejected) => Next::Done(judge_build(rejected)),
        }
    }
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
                Fault::CompileError => "compile_error",
                Fault::WarningAsError => "warning_as_error",
                Fault::CompileHang => "compile_hang",
                Fault::LinkError => "link_error",
            };
            let verdict = with_text(
                Verdict::new(Status::Fail, class, detail),
                "diagnostics",
                &diagnostics,
            );
            Judgement { verdict, system }
        }
        Build::Environment {
            detail,
            diagnostics,
        } => {
            let verdict = Verdict::new(Status::Unjudged, "environment", detail);
            Judgement::of(with_text(verdict, "diagnostics", &diagnostics))
        }
        Build::Machine(why) => Judgement::of(Verdict::new(Status::Unjudged, "machine", why)),
        Build::Program { .. } => Judgement::of(Verdict::new(
            Status::Unjudged,
            "machine",
            "a program was built and not run",
        )),
    }
}

impl IoMatch {
    fn judge_program(&self, seen: &Steps, binary: Digest) -> Next<Step, Verdict> {
        let first = want!(seen, self.run(binary, false));
        match &first.ended {
            Ended::NotStarted(why) => {
                let blamed = format!("the program does not start: {why}");
                self.blame_unless_control_fails(seen, "link_error", blamed, first)
            }
            // These three may be the machine's doing: what repeats is the program's own.
            Ended::Signal(9 | 15) | Ended::WallLimit { starved: true } | Ended::Lost(_) => {
                let second = want!(seen, self.run(binary, true));
                if let Ended::Lost(why) = &second.ended {
                    let blamed = format!("the program ends what watches it, twice: {why}");
                    return self.blame_unless_control_fails(seen, "signal", blamed, second);
                }
                Next::Done(self.judge_run(second))
            }
            Ended::Exit(_)
            | Ended::Signal(_)
            | Ended::CpuLimit
            | Ended::WallLimit { starved: false }
            | Ended::OutputLimit
            | Ended::Interrupted => Next::Done(self.judge_run(first)),
        }
    }

    /// A program that cannot be watched to its end is at fault if a trivial one built alike can:
    /// no candidate may choose to be unjudged.
    fn blame_unless_control_fails(
        &self,
        seen: &Steps,
        class: &str,
        blamed: String,
        ran: &Observation,
    ) -> Next<Step, Verdict> {
        let control = want!(seen, self.builder.control());
        let Some(binary) = control.outputs.get(PROGRAM) else {
            return Next::Done(self.judge_cut(ran));
        };
        let run = want!(seen, self.run(*binary, false));
        Next::Done(match run.ended {
            Ended::Exit(_) => Verdict::new(Status::Fail, class, blamed),
            Ended::Signal(_)
            | Ended::CpuLimit
            | Ended::WallLimit { .. }
            | Ended::OutputLimit
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => self.judge_cut(ran),
        })
    }

    fn run(&self, binary: Digest, second: bool) -> Step {
        let mut inputs = self.files.clone();
        inputs.insert(PROGRAM.to_owned(), Content::Output(binary));
        let expected = self.case.expect.stdout.as_ref().map_or(0, String::len);
        Step::new(StepSpec {
            program: Program::Input(PROGRAM.to_owned()),
            args: self.case.args.clone(),
            inputs,
            env: BTreeMap::new(),
            stdin: Content::from(self.case.stdin.as_str()),
            outputs: BTreeSet::new(),
            reads: ReadLists::default(),
            profile: Profile::Candidate,
            tools: Some(self.toolchain.identity(&self.case.flags)),
            nth: attempt(self.nth, second),
            limits: Limits {
                cpu: self.case.cpu_limit(),
                wall: self.case.cpu_limit() * 3,
                output: OUTPUT_LIMIT.max(2 * expected),
                flood_ends: true,
            },
        })
    }

    /// The verdict on a finished run: what the candidate proved by itself stands, even where the
    /// machine then got in the way.
    fn judge_run(&self, ran: &Observation) -> Verdict {
        let verdict = match &ran.ended {
            Ended::Exit(code) => self.judge_exit(*code, ran),
            Ended::Signal(signal) => Verdict::new(
                Status::Fail,
                "signal",
                format!("ended by signal {signal}{}", signal_name(*signal)),
            )
            .with("signal", *signal),
            Ended::CpuLimit => {
                let seconds = self.case.timeout_s;
                Verdict::new(
                    Status::Fail,
                    "hang",
                    format!("used up {seconds} s of CPU time"),
                )
            }
            Ended::WallLimit { starved: false } => {
                let seconds = self.case.timeout_s * 3;
                Verdict::new(
                    Status::Fail,
                    "hang",
                    format!("did not end within {seconds} s"),
                )
            }
            Ended::OutputLimit => {
                let bytes = OUTPUT_LIMIT;
                Verdict::new(
                    Status::Fail,
                    "output_flood",
                    format!("wrote more than {bytes} bytes"),
                )
            }
            Ended::WallLimit { starved: true }
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => self.judge_cut(ran),
        };
        let verdict = with_text(verdict, "stderr", &ran.stderr);
        if ran.leftovers == 0 {
            verdict
        } else {
            verdict.with("left_running", ran.leftovers)
        }
    }

    fn judge_exit(&self, code: i32, ran: &Observation) -> Verdict {
        let expect = &self.case.expect;
        if code != expect.exit_code {
            let wanted = expect.exit_code;
            return Verdict::new(
                Status::Fail,
                "exit_differs",
                format!("exit code {code}, expected {wanted}"),
            )
            .with("exit_code", code);
        }
        if let Some(expected) = &expect.stdout
            && !self.comparison.equal(expected.as_bytes(), &ran.stdout)
        {
            return stdout_differs(expected.as_bytes(), &ran.stdout);
        }
        if expect.stderr_empty && !ran.stderr.is_empty() {
            let bytes = ran.stderr.len();
            let detail = format!("wrote {bytes} bytes to standard error");
            return Verdict::new(Status::Fail, "stderr_not_empty", detail);
        }
        Verdict::new(Status::Pass, "match", "ended and printed as expected")
    }

    fn judge_cut(&self, ran: &Observation) -> Verdict {
        match &self.case.expect.stdout {
            Some(expected) if !self.comparison.may_become(expected.as_bytes(), &ran.stdout) => {
                stdout_differs(expected.as_bytes(), &ran.stdout)
            }
            _ => Verdict::new(
                Status::Unjudged,
                "machine",
                machine_fault("the program", &ran.ended),
            ),
        }
    }
}

fn stdout_differs(expected: &[u8], actual: &[u8]) -> Verdict {
    let difference = difference(expected, actual);
    let first = &difference["first_difference"];
    let detail = format!("standard output differs from byte {first} on");
    Verdict::new(Status::Fail, "stdout_differs", detail).with("stdout", difference)
}

/// The verdict with up to 4 KiB of a tool's text as evidence, if there is any.
fn with_text(verdict: Verdict, name: &str, text: &[u8]) -> Verdict {
    const SHOWN: usize = 4096;
    if text.is_empty() {
        return verdict;
    }
    let shown = &text[..text.len().min(SHOWN)];
    let lines: Vec<_> = shown.split(|byte| *byte == b'\n').map(printable).collect();
    let cut = if text.len() > SHOWN { "\n..." } else { "" };
    verdict.with(name, format!("{}{cut}", lines.join("\n").trim_end()))
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        5 => " (SIGTRAP)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
