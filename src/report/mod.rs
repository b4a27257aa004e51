//! Renderings of the one report. None of them decides anything.

pub mod classes_doc;
pub mod grade_json;
pub mod json_v1;
pub mod records;
pub mod style;
pub mod text;
pub mod wrap;
