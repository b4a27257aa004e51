//! The commands that do more than judge a checkout, or something else.

pub mod accept;
pub mod ci;
pub mod diff;
pub mod doctor;
pub mod explain;
pub mod init;
pub mod publish;
pub mod record;
pub mod schema;
