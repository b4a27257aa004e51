//! driftgate judges the graders: it tells which input of an eval suite moved (case, grader,
//! toolchain, model) and whether the graders can still see a bug.
//!
//! # Code map
//! A request meets the facts of the world, inquiries ask and a driver answers, and one report
//! comes out:
//!
//! - [`model`]: the nouns. No file, process or clock, and no import from the rest of the crate.
//! - [`suite`]: loads and checks what people commit; writes cassettes.
//! - [`graders`]: one file per grader; each a pure inquiry from steps to a verdict.
//! - [`diagnostics`]: pure parsers of what other tools write.
//! - [`experiments`]: one file per experiment; each a pure inquiry from gradings to rows.
//! - [`commands`]: what writes cassettes, and what needs no checkout at all.
//! - [`run`]: the driver, the scheduler, the supervisor, the store: the only place with processes.
//! - [`report`]: renderings of the one report, those that GitHub shows among them.
//! - [`github`]: the event that started us, and the conversation with GitHub after the verdict.
//! - [`checkout`], [`plan`]: what is judged and under which policy; which inquiries that needs.
//! - [`output`], [`exhibits`]: where renderings go; what is left for a person after a red run.
//! - [`history`]: what is left for later runs.
//! - [`isolation`], [`stdout`]: what candidates are isolated by; what is printed.
//! - [`cli`], [`app`], [`error`], [`exit_code`]: what was typed, the sequence, and how it ends.
//! - [`named`], [`whole_file`]: the files that were typed; files written whole or not at all.
//!
//! # Invariants
//! Processes start only under `run/`; the environment and the clock are read in one file each
//! (clippy's `disallowed_methods`). `model` imports nothing of ours; `graders` and `experiments`
//! never import `run` or `report` (`tests/architecture.rs`). Outcome and exit code derive from
//! the levels of the rows alone. Anything not proven is `unjudged`.

pub mod app;
pub mod checkout;
pub mod cli;
pub mod commands;
pub mod diagnostics;
mod elsewhere;
pub mod error;
pub mod exhibits;
pub mod exit_code;
pub mod experiments;
pub mod github;
pub mod graders;
pub mod history;
pub mod isolation;
pub mod model;
pub mod named;
pub mod notes;
pub mod output;
pub mod plan;
pub mod progress;
pub mod report;
pub mod run;
pub mod stdout;
pub mod suite;
pub mod whole_file;
