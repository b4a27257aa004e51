//! `command`: a team's own grader, any program that reads one JSON object and prints another.
//!
//! **Pins** the case, the completion, the settings, the declared inputs and the toolchain.
//! **Moves** nothing: it is a grader.
//! **Names** whatever the team's program names; its own part is that the candidate builds, that
//! its run ends, and that the program answered in the form that was agreed.
//! **Cannot see** the interpreter and the modules the program uses: only what is declared is
//! hashed and lies in its tree. Its step therefore has no identity of tools.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::model::canonical;
use crate::model::class::{Class, Level};
use crate::model::grader::GraderSpec;
use crate::model::inquiry::{Inquiry, Next};
use crate::model::observation::{Ended, Observation};
use crate::model::pins::Pins;
use crate::model::step::{Content, Limits, Profile, Program, Step, StepSpec};
use crate::model::toolchain::Compiler;
use crate::model::trial::Judgement;
use crate::model::verdict::{Status, Verdict};
use crate::want;

use super::build::{Steps, attempt, machine_fault};
use super::compare::printable;
use super::program::{self, Candidate, End, MACHINE, Ran, Tried};
use super::{GraderKind, Grading, Inputs, Start, is_class_name};

mod settings;

use settings::{DEFAULT_TIMEOUT, check, declared, effective, list, own_program};

/// The entry in the table of graders.
pub const KIND: GraderKind = GraderKind {
    kind: "command",
    rev: REV,
    classes: CLASSES,
    open: true,
    effective,
    inputs: Some(Inputs {
        globs: declared,
        check,
    }),
    start: Start::Completion(start),
};

/// Raise when the same candidate may get another verdict from the same observations.
const REV: u32 = 1;

/// The classes that are given without asking the team's program, or because it gave no answer.
pub const CLASSES: &[Class] = &[
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
    GRADER_ERROR,
];

const GRADER_ERROR: Class = Class {
    name: "grader_error",
    level: Level::Incomplete,
    meaning: "The grader's own program did not answer: it failed, was stopped, or printed something else than one verdict.",
    next: "Read the detail and the grader's standard error in the evidence; a file it needs and does not declare in `inputs` is not there.",
};

/// Where the candidate's program lies in the tree of the grader. No listing of the suite has
/// hidden folders, so nothing declared lies there.
const BINARY: &str = ".driftgate/candidate";
const BINARY_FOLDER: &str = ".driftgate/";

/// The bytes of an answer, and of what may stand on standard error beside it.
const OUTPUT_LIMIT: usize = 1 << 20;
/// The characters of a `detail` that are kept.
const DETAIL_LIMIT: usize = 1000;

fn start(pins: &Pins, compiler: &Compiler, nth: u32) -> Grading {
    let spec = Arc::clone(&pins.grader);
    program::start(pins, compiler, nth, |candidate| {
        Box::new(Command {
            candidate,
            spec,
            nth,
        })
    })
}

/// One grading.
struct Command {
    candidate: Candidate,
    spec: Arc<GraderSpec>,
    nth: u32,
}

impl Inquiry for Command {
    type Ask = Step;
    type Answer = Arc<Observation>;
    type Done = Judgement;

    fn next(&self, seen: &Steps) -> Next<Step, Judgement> {
        let ran = match self.candidate.next(seen) {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(Tried::Settled(judgement)) => return Next::Done(judgement),
            Next::Done(Tried::Ran(ran)) => ran,
        };
        let verdict = match self.candidate.end(&ran.run) {
            End::Cut(verdict) => verdict,
            end @ (End::Exit(_) | End::Signal(_)) => {
                let request = self.request(&ran.run, &end);
                let first = want!(seen, self.ask(&ran, &request, false));
                let answer = if program::may_be_the_machine(&first.ended) {
                    want!(seen, self.ask(&ran, &request, true))
                } else {
                    first
                };
                self.hear(answer)
            }
        };
        Next::Done(Judgement {
            verdict: program::with_facts(verdict, &ran.run),
            system: ran.system,
        })
    }
}

impl Command {
    fn timeout_s(&self) -> u64 {
        let seconds = self.spec.settings["timeout_s"].as_u64();
        seconds.unwrap_or(DEFAULT_TIMEOUT)
    }

    /// What the grader is told.
    fn request(&self, run: &Observation, end: &End) -> Arc<[u8]> {
        let case = &self.candidate.case;
        let (exit_code, signal) = match end {
            End::Exit(code) => (Some(*code), None),
            End::Signal(signal) => (None, Some(*signal)),
            End::Cut(_) => (None, None),
        };
        let mut request = Map::new();
        let facts = json!({
            "id": case.id,
            "compile_flags": case.flags,
            "args": case.args,
            "stdin": case.stdin,
            "expect": canonical::value(&case.expect),
            "tags": case.tags,
        });
        request.insert("case".to_owned(), facts);
        request.insert("binary".to_owned(), json!(BINARY));
        request.insert("exit_code".to_owned(), json!(exit_code));
        request.insert("signal".to_owned(), json!(signal));
        // Whoever runs into a limit is judged without being shown.
        request.insert("timed_out".to_owned(), json!(false));
        add_text(&mut request, "source", &self.candidate.unit.source);
        add_text(&mut request, "stdout", &run.stdout);
        add_text(&mut request, "stderr", &run.stderr);
        canonical::bytes(&Value::Object(request)).into()
    }

    fn ask(&self, ran: &Ran, request: &Arc<[u8]>, second: bool) -> Step {
        let mut args = list(&self.spec.settings, "command");
        let program = if args.is_empty() {
            String::new()
        } else {
            args.remove(0)
        };
        let program = match own_program(&program, &self.spec.inputs) {
            Some(input) => Program::Input(input.to_owned()),
            None => Program::Tool(vec![program]),
        };
        let declared = self.spec.inputs.iter();
        let mut inputs: BTreeMap<_, _> = declared
            .map(|input| {
                let content = Content::Bytes(Arc::clone(&input.bytes));
                (input.beside.clone(), content)
            })
            .collect();
        inputs.insert(BINARY.to_owned(), Content::Output(ran.binary));
        let cpu = Duration::from_secs(self.timeout_s());
        let limits = Limits {
            cpu,
            wall: cpu * 3,
            output: OUTPUT_LIMIT,
            flood_ends: true,
        };
        Step::new(StepSpec {
            args,
            inputs,
            executable: BTreeSet::from([BINARY.to_owned()]),
            stdin: Content::Bytes(Arc::clone(request)),
            nth: attempt(self.nth, second),
            ..StepSpec::bare(program, Profile::Harness, limits)
        })
    }

    /// The verdict that the grader gave, or why it gave none.
    fn hear(&self, answer: &Observation) -> Verdict {
        let seconds = self.timeout_s();
        let problem = match &answer.ended {
            Ended::Exit(0) => match verdict_in(&answer.stdout) {
                Ok(verdict) => return verdict,
                Err(problem) => problem,
            },
            Ended::Exit(code) => format!("ended with exit code {code}"),
            Ended::Signal(signal) => format!("was ended by signal {signal}"),
            Ended::CpuLimit => format!("used up {seconds} s of CPU time"),
            Ended::WallLimit { starved: false } => {
                format!("did not answer within {} s", 3 * seconds)
            }
            Ended::OutputLimit => format!("wrote more than {OUTPUT_LIMIT} bytes"),
            Ended::ResourceLimit(resource) => {
                format!("took more {} than any tool may", resource.as_str())
            }
            Ended::NotStarted(why) => format!("did not start: {why}"),
            Ended::WallLimit { starved: true } | Ended::Lost(_) | Ended::Interrupted => {
                let detail = machine_fault("the grader", &answer.ended);
                return Verdict::new(Status::Unjudged, MACHINE.name, detail);
            }
        };
        let detail = format!("the grader {problem}");
        let verdict = Verdict::new(Status::Unjudged, GRADER_ERROR.name, detail);
        let verdict = program::with_text(verdict, "grader_stderr", &answer.stderr);
        program::with_text(verdict, "grader_stdout", &answer.stdout)
    }
}

/// Adds `bytes` as text under `name` and, if the text is not all of them, as base64 beside it.
fn add_text(request: &mut Map<String, Value>, name: &str, bytes: &[u8]) {
    request.insert(name.to_owned(), json!(String::from_utf8_lossy(bytes)));
    if std::str::from_utf8(bytes).is_err() {
        request.insert(format!("{name}_base64"), json!(STANDARD.encode(bytes)));
    }
}

/// What a grader prints.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    status: String,
    class: String,
    #[serde(default)]
    detail: Option<String>,
}

/// The verdict in what a grader printed.
///
/// # Errors
/// Why it is none, as the end of a sentence that begins with the grader.
fn verdict_in(stdout: &[u8]) -> Result<Verdict, String> {
    const FORM: &str =
        r#"one object {"status": "pass" or "fail", "class": "...", "detail": "..."}"#;
    let text = stdout.trim_ascii();
    if text.is_empty() {
        return Err(format!("printed nothing; expected {FORM}"));
    }
    // A list of the fields' values would be read as well.
    if !text.starts_with(b"{") {
        let start: String = printable(&text[..text.len().min(240)])
            .chars()
            .take(60)
            .collect();
        return Err(format!("printed `{start}`; expected {FORM}"));
    }
    let answer: Answer = serde_json::from_slice(text)
        .map_err(|error| format!("printed something else than {FORM}: {error}"))?;
    let status = match answer.status.as_str() {
        "pass" => Status::Pass,
        "fail" => Status::Fail,
        other => {
            let other: String = other.chars().take(60).collect();
            let other = other.escape_debug();
            return Err(format!("gave the status `{other}`; expected pass or fail"));
        }
    };
    if !is_class_name(&answer.class) {
        let class: String = answer.class.chars().take(80).collect();
        return Err(format!(
            "gave the class `{}`; expected 1 to 64 letters, digits, `_`, `.` or `-`",
            class.escape_debug()
        ));
    }
    let ours = CLASSES.iter().find(|class| class.name == answer.class);
    if ours.is_some_and(|class| class.level == Level::Incomplete) {
        let class = answer.class;
        return Err(format!(
            "gave the class `{class}`, which always means that nothing was judged"
        ));
    }
    if ours.is_some_and(|class| class.level == Level::Fail) && status == Status::Pass {
        let class = answer.class;
        return Err(format!(
            "gave a pass the class `{class}`, which always means a failure"
        ));
    }
    let detail: String = answer
        .detail
        .unwrap_or_default()
        .chars()
        .take(DETAIL_LIMIT)
        .collect();
    Ok(Verdict::new(
        status,
        &answer.class,
        printable(detail.trim().as_bytes()),
    ))
}

#[cfg(test)]
mod tests;
