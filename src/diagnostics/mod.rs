//! Parsers of what other tools write: pure functions over any bytes, which end and never panic.

pub mod compiler_text;
pub mod cpp_tokens;
mod declarations;
pub mod declared_namespaces;
pub mod dependency_list;
pub mod fix_its;
pub mod includes;
pub mod linemarkers;
pub mod linker_text;
pub mod odr_tokens;
pub mod std_names;
pub mod symbols;
mod text_lines;
pub mod transitive_use;
pub mod unified_diff;
