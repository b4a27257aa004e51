//! The commands that write what people commit.

pub mod accept;
pub mod record;
