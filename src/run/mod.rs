//! Everything that touches the machine: processes, scratch folders, the clock, the environment.

pub mod base;
mod blobs;
mod capture;
pub mod clock;
pub mod driver;
pub mod environment;
pub mod executor;
pub mod file_digests;
pub mod git;
pub mod interrupt;
pub mod machine;
mod process_tree;
mod protocol;
mod reads;
pub mod scheduler;
pub mod scratch;
pub mod session;
mod spawn;
pub mod store;
pub mod supervisor;
pub mod times;
pub mod toolchain;
pub mod whole_file;
mod work_tree;
pub mod workspace;
