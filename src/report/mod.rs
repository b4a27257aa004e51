//! Renderings of the one report. None of them decides anything.

mod annotations;
pub mod check_run;
pub mod classes_doc;
pub mod comment;
mod counts;
pub mod doctor;
mod evidence;
pub mod grade_json;
pub mod job_summary;
pub mod json_v1;
pub mod ledger;
pub mod markdown;
mod markup;
pub mod outputs;
mod plain;
pub mod records;
mod scope;
pub mod stand_in;
pub mod style;
pub mod suggestions;
#[cfg(test)]
mod testing;
pub mod text;
pub mod workflow_commands;
pub mod wrap;
