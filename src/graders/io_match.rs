//! `io_match`: fixture and completion, compiled, run, and compared with what the case expects.
//!
//! **Pins** the case, the completion, the settings and the toolchain.
//! **Moves** nothing: it is a grader.
//! **Names** whether the program exits, prints and stays silent as expected, and which phase
//! stopped it.
//! **Cannot see** what the case's input does not reach, and anything a program does besides
//! ending and printing.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::model::class::{Class, Level};
use crate::model::inquiry::{Inquiry, Next};
use crate::model::observation::Observation;
use crate::model::pins::Pins;
use crate::model::step::Step;
use crate::model::toolchain::Compiler;
use crate::model::trial::Judgement;
use crate::model::verdict::{Status, Verdict};

use super::build::Steps;
use super::compare::{Comparison, Newlines, Tolerance, Trim, difference};
use super::program::{self, Candidate, End, Tried, fail};
use super::{GraderKind, Grading, SettingError, Start};

/// The entry in the table of graders.
pub const KIND: GraderKind = GraderKind {
    kind: "io_match",
    rev: REV,
    classes: CLASSES,
    open: false,
    effective,
    inputs: None,
    start: Start::Completion(start),
};

/// Raise when the same candidate may get another verdict from the same observations.
const REV: u32 = 1;

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
    program::SIGNAL,
    program::HANG,
    program::OUTPUT_FLOOD,
    program::MEMORY_FLOOD,
    program::DISK_FLOOD,
    program::PROCESS_FLOOD,
    program::COMPILE_ERROR,
    program::COMPILE_HANG,
    program::WARNING_AS_ERROR,
    program::LINK_ERROR,
    program::BAD_PATCH,
    program::ENVIRONMENT,
    program::MACHINE,
];

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
    let comparison = comparison(&pins.grader.settings);
    program::start(pins, compiler, nth, |candidate| {
        Box::new(IoMatch {
            candidate,
            comparison,
        })
    })
}

/// One grading.
struct IoMatch {
    candidate: Candidate,
    comparison: Comparison,
}

impl Inquiry for IoMatch {
    type Ask = Step;
    type Answer = Arc<Observation>;
    type Done = Judgement;

    fn next(&self, seen: &Steps) -> Next<Step, Judgement> {
        self.candidate.next(seen).map(|tried| match tried {
            Tried::Settled(judgement) => judgement,
            Tried::Ran(ran) => Judgement {
                verdict: program::with_facts(self.judge(&ran.run), &ran.run),
                system: ran.system,
            },
        })
    }
}

impl IoMatch {
    /// The verdict on a finished run: what the candidate proved by itself stands, even where the
    /// machine then got in the way.
    fn judge(&self, run: &Observation) -> Verdict {
        match self.candidate.end(run) {
            End::Exit(code) => self.judge_exit(code, run),
            End::Signal(signal) => Verdict::new(
                Status::Fail,
                "signal",
                format!("ended by signal {signal}{}", signal_name(signal)),
            )
            .with("signal", signal),
            End::Cut(verdict) if verdict.outcome.status == Status::Unjudged => {
                self.judge_partial(verdict, run)
            }
            End::Cut(verdict) => verdict,
        }
    }

    /// The verdict on output whose rest is not known.
    fn judge_partial(&self, unknown: Verdict, run: &Observation) -> Verdict {
        match &self.candidate.case.expect.stdout {
            Some(expected) if !self.comparison.may_become(expected.as_bytes(), &run.stdout) => {
                stdout_differs(expected.as_bytes(), &run.stdout)
            }
            _ => unknown,
        }
    }

    fn judge_exit(&self, code: i32, run: &Observation) -> Verdict {
        let expect = &self.candidate.case.expect;
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
            && !self.comparison.equal(expected.as_bytes(), &run.stdout)
        {
            return stdout_differs(expected.as_bytes(), &run.stdout);
        }
        if expect.stderr_empty && !run.stderr.is_empty() {
            let bytes = run.stderr.len();
            let detail = format!("wrote {bytes} bytes to standard error");
            return Verdict::new(Status::Fail, "stderr_not_empty", detail);
        }
        Verdict::new(Status::Pass, "match", "ended and printed as expected")
    }
}

fn stdout_differs(expected: &[u8], actual: &[u8]) -> Verdict {
    let difference = difference(expected, actual);
    let first = &difference["first_difference"];
    let detail = format!("standard output differs from byte {first} on");
    Verdict::new(Status::Fail, "stdout_differs", detail).with("stdout", difference)
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
