//! GitHub: the event that started us, and the conversation that follows a verdict. The only
//! folder with an asynchronous runtime. Nothing in here decides anything: by the time it is
//! called the report and the exit code are final.

pub mod api;
pub mod changes;
pub mod checks;
pub mod comments;
pub mod comparison;
pub mod connection;
pub mod event;
pub mod exchange;
pub mod head_lines;
pub mod pace;
pub mod publishing;
pub mod pulls;
pub mod refusal;
pub mod retries;
pub mod runner;
pub mod runner_files;
pub mod suggestions;
pub mod surroundings;
