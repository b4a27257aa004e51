//! Renderings of the one report. None of them decides anything.

pub mod check_run;
pub mod classes_doc;
pub mod comment;
pub mod doctor;
pub mod grade_json;
pub mod job_summary;
pub mod json_v1;
pub mod markdown;
mod markup;
pub mod outputs;
pub mod records;
pub mod style;
pub mod text;
pub mod workflow_commands;
pub mod wrap;
