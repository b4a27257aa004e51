//! The nouns everything else speaks in. Pure values: no file, no process, no clock, and no
//! import from any other part of the crate.

pub mod canonical;
pub mod case;
pub mod cassette;
pub mod changed_lines;
pub mod class;
pub mod consumer;
pub mod digest;
pub mod edge;
pub mod grader;
pub mod header;
pub mod inquiry;
pub mod isolation;
pub mod line_map;
pub mod machine;
pub mod observation;
pub mod pins;
pub mod quoted;
pub mod report;
pub mod row;
pub mod scope;
pub mod source_tree;
pub mod step;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
pub mod toolchain;
pub mod touched;
pub mod tree_path;
pub mod tree_pins;
pub mod trial;
pub mod verdict;
pub mod ways;
