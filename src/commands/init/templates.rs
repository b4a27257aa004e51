//! What `init` writes, as files of their own that tests and linters read too.

/// The file of settings.
pub(super) const CONFIG: &[u8] = include_bytes!("driftgate.yml");

/// The workflow.
pub(super) const GATE: &str = include_str!("gate.yml");

/// The line of [`GATE`] that names the root of the suite.
pub(super) const ROOT: &str = "root: .\n";

/// What in [`GATE`] only a person can fill in.
pub(super) const PLACEHOLDER: &str = "OWNER/driftgate@0000000000000000000000000000000000000000";

/// The case of the first suite. Its completion prints a blank too many, so that its grader has
/// something to refuse: a grader that is loosened flips it.
pub(super) const CASE: &str = "shout-blank";

/// The class of its verdict.
pub(super) const CLASS: &str = "stdout_differs";

/// The completion.
pub(super) const COMPLETION: &[u8] = include_bytes!("shout-blank.cpp");

/// The files of the first suite, from the folder of goldens, but for what is recorded.
pub(super) const SUITE: [(&str, &[u8]); 4] = [
    ("prompts/shout.md", include_bytes!("shout.md")),
    ("fixtures/shout.cpp", include_bytes!("shout.cpp")),
    ("graders/io_match.yaml", include_bytes!("io_match.yaml")),
    ("cases/shout-blank.json", include_bytes!("shout-blank.json")),
];
