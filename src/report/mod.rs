//! Renderings of the one report. None of them decides anything.

pub mod classes_doc;
pub mod doctor;
pub mod grade_json;
pub mod json_v1;
pub mod markdown;
mod markup;
pub mod records;
pub mod style;
pub mod text;
pub mod wrap;
