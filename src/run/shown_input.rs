//! The one step that starts nothing: it shows a grader the bytes that an earlier step made.

use std::io;

use super::blobs::Blobs;
use crate::model::observation::{Ended, Observation};
use crate::model::step::{Content, StepSpec};

/// The content of the input at `path` as standard output, up to the limit of `spec`.
///
/// # Errors
/// How it ended without an answer: there is no such input, or it cannot be read.
pub(super) fn show(spec: &StepSpec, path: &str, blobs: &Blobs) -> Result<Observation, Ended> {
    let lost = |error: io::Error| Ended::Lost(format!("cannot read {path}: {error}"));
    let mut bytes = match spec.inputs.get(path) {
        Some(Content::Bytes(bytes)) => bytes.to_vec(),
        Some(Content::Output(digest)) => blobs.read(digest).map_err(lost)?,
        None => return Err(Ended::NotStarted(format!("{path} is no input"))),
    };
    let mut observation = Observation::without_run(Ended::Exit(0));
    observation.truncated = bytes.len() > spec.limits.output;
    bytes.truncate(spec.limits.output);
    observation.stdout = bytes;
    Ok(observation)
}
