//! `driftgate.yml`: the policy of a suite. Everything has a default, so the file may be absent
//! or empty.

mod published;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::globs::{self, Star};
use super::parse::{self, Source};
use super::tree::{self, Tree};
use crate::error::InputError;

pub use published::{ConsumerLink, LinkMode, StandaloneHeader};

/// The file's name; the folder that holds it is the root of the suite.
pub const FILE: &str = "driftgate.yml";

/// The most globs of a list: making what matches as one does takes its time.
const MOST_GLOBS: usize = 1000;

/// What the file says, defaults filled in.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct Config {
    /// The C++ compiler; `None` leaves the choice to the environment and the default.
    pub compiler: Option<String>,
    /// Classes raised to level `fail`.
    pub fail_on: Vec<FailOn>,
    /// Globs of files that are named in the report when they change.
    pub protected: Vec<String>,
    /// Public headers, each alone in a unit.
    pub standalone_header: StandaloneHeader,
    /// A stranger's program linked against the tree.
    pub consumer_link: ConsumerLink,
    /// The cases in other orders.
    pub shuffle: Shuffle,
    /// The same thing again.
    pub repeat: Repeat,
    /// How long and how many cases may be tolerated.
    pub quarantine: Quarantine,
    /// Seeded faults against the team's own build.
    pub sensitivity: Sensitivity,
    /// Seeded faults against the team's own harness.
    pub audit: Audit,
    /// Mutants by cases.
    pub matrix: Matrix,
    /// What the team's own tools may reach.
    pub sandbox: Sandbox,
}

/// An entry of `fail_on`: `CLASS` or `experiment/CLASS`, not yet held against the class tables.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub struct FailOn {
    /// The entry as it was written.
    pub text: String,
    /// Where in the file it stands; `None` if it came from elsewhere.
    pub line: Option<u32>,
}

impl From<String> for FailOn {
    fn from(text: String) -> Self {
        Self { text, line: None }
    }
}

/// `shuffle`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct Shuffle {
    /// How many orders are tried.
    pub budget: u32,
    /// Chooses the orders.
    pub seed: u64,
    /// Files that are copied into the scratch root of a run.
    pub files: Vec<String>,
}

/// `repeat`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct Repeat {
    /// How often.
    pub k: u32,
    /// Patterns of output that blame the infrastructure.
    pub infra: Vec<String>,
    /// Patterns of output that may differ.
    pub scrub: Vec<String>,
}

/// `quarantine`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct Quarantine {
    /// The longest time from opening to expiry.
    pub max_days: u32,
    /// The most entries.
    pub max_entries: u32,
    /// The branch on which a quarantine lowers nothing.
    pub default_branch: String,
}

/// `sensitivity`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct Sensitivity {
    /// Run once before everything.
    pub setup: Vec<String>,
    /// Builds the tree.
    pub build: Vec<String>,
    /// Must tell a mutant from the tree.
    pub bench: Vec<String>,
    /// The least share of mutants that must be killed.
    pub floor: f64,
    /// The least share of mutants that must apply.
    pub applied_floor: f64,
    /// Named sets of settings.
    pub profiles: BTreeMap<String, Value>,
}

/// `audit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct Audit {
    /// Run once before everything.
    pub setup: Vec<String>,
    /// The team's harness; if empty, the graders judge in process.
    pub harness: Vec<String>,
    /// A patch that blinds the harness, for the audit of the audit.
    pub blind_patch: Option<String>,
}

/// `matrix`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct Matrix {
    /// Builds the tree.
    pub build: Vec<String>,
    /// Commands by case id; if empty, the golden cases.
    pub cases: BTreeMap<String, Vec<String>>,
    /// Cases that must fail on every run.
    pub canaries: Vec<String>,
}

/// `sandbox`: for the team's own tools, never for candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings")]
pub struct Sandbox {
    /// Paths that may be read, absolute ones too.
    pub read: Vec<String>,
    /// Variables that are passed on.
    pub env: Vec<String>,
    /// What may be reached.
    pub net: Net,
}

/// How much network a tool gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Net {
    /// None at all.
    #[default]
    None,
    /// This machine.
    Loopback,
}

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

impl Default for Config {
    fn default() -> Self {
        Self {
            compiler: None,
            fail_on: Vec::new(),
            protected: strings(&[
                "goldens/**",
                "mutants/**",
                "quarantine.yaml",
                FILE,
                ".github/**",
            ]),
            standalone_header: StandaloneHeader::default(),
            consumer_link: ConsumerLink::default(),
            shuffle: Shuffle::default(),
            repeat: Repeat::default(),
            quarantine: Quarantine::default(),
            sensitivity: Sensitivity::default(),
            audit: Audit::default(),
            matrix: Matrix::default(),
            sandbox: Sandbox::default(),
        }
    }
}

impl Default for Shuffle {
    fn default() -> Self {
        Self {
            budget: 6,
            seed: 17,
            files: Vec::new(),
        }
    }
}

impl Default for Repeat {
    fn default() -> Self {
        Self {
            k: 5,
            infra: Vec::new(),
            scrub: Vec::new(),
        }
    }
}

impl Default for Quarantine {
    fn default() -> Self {
        Self {
            max_days: 30,
            max_entries: 20,
            default_branch: "main".to_owned(),
        }
    }
}

impl Default for Sensitivity {
    fn default() -> Self {
        Self {
            setup: Vec::new(),
            build: Vec::new(),
            bench: Vec::new(),
            floor: 0.60,
            applied_floor: 0.80,
            profiles: BTreeMap::new(),
        }
    }
}

/// Reads the configuration of `tree`; without the file, the defaults.
///
/// # Errors
/// The file cannot be read, has a fault of form, or says what cannot be meant; of the last kind
/// all are told.
pub fn load(tree: &dyn Tree) -> Result<Config, Vec<InputError>> {
    match tree.read_text(FILE) {
        Ok(Some(bytes)) => from_bytes(&bytes),
        Ok(None) => Ok(Config::default()),
        Err(error) => Err(vec![error]),
    }
}

/// Reads the configuration in `bytes`.
///
/// # Errors
/// As [`load`].
pub fn from_bytes(bytes: &[u8]) -> Result<Config, Vec<InputError>> {
    let mut config: Config = parse::parse_or_default(FILE, bytes).map_err(|error| vec![error])?;
    let source = Source::new(FILE, bytes);
    if !config.fail_on.is_empty() {
        let places = source.items("fail_on");
        for (entry, (line, _)) in config.fail_on.iter_mut().zip(places) {
            entry.line = Some(line);
        }
    }
    let mut errors = check(&config, &source);
    errors.sort();
    if errors.is_empty() {
        Ok(config)
    } else {
        Err(errors)
    }
}

fn check(config: &Config, source: &Source<'_>) -> Vec<InputError> {
    let mut errors = check_values(config, source);
    check_globs("protected", &config.protected, source, &mut errors);
    errors.extend(published::faults(config, source));
    check_paths("shuffle.files", &config.shuffle.files, source, &mut errors);
    if let Some(path) = &config.audit.blind_patch
        && let Err(problem) = tree::inside(path)
    {
        let problem = format!("`{}` {problem}", path.escape_debug());
        errors.push(source.fault("audit.blind_patch", problem));
    }
    errors
}

fn check_values(config: &Config, source: &Source<'_>) -> Vec<InputError> {
    let mut errors = Vec::new();
    let mut refuse = |wrong: bool, field: &str, problem: &str| {
        if wrong {
            errors.push(source.fault(field, problem));
        }
    };
    let blank = |text: &String| text.trim().is_empty();
    let no_share = |share: f64| !(0.0..=1.0).contains(&share);
    let none = config.compiler.as_ref().is_some_and(blank);
    refuse(none, "compiler", "expected a program, found \"\"");
    for (index, entry) in config.fail_on.iter().enumerate() {
        let wrong = entry.text.split('/').count() > 2 || entry.text.split('/').any(str::is_empty);
        let field = format!("fail_on[{index}]");
        refuse(wrong, &field, "expected `CLASS` or `experiment/CLASS`");
    }
    refuse(
        config.shuffle.budget == 0,
        "shuffle.budget",
        "expected 1 or more orders, found 0",
    );
    refuse(
        config.repeat.k == 0,
        "repeat.k",
        "expected 1 or more repeats, found 0",
    );
    let (floor, applied) = (config.sensitivity.floor, config.sensitivity.applied_floor);
    refuse(
        no_share(floor),
        "sensitivity.floor",
        "expected a share from 0 to 1",
    );
    refuse(
        no_share(applied),
        "sensitivity.applied_floor",
        "expected a share from 0 to 1",
    );
    errors
}

fn check_globs(field: &str, list: &[String], source: &Source<'_>, errors: &mut Vec<InputError>) {
    if list.len() > MOST_GLOBS {
        errors.push(source.fault(field, format!("has more than {MOST_GLOBS} globs")));
        return;
    }
    for (index, glob) in list.iter().enumerate() {
        let inner = glob.strip_prefix('!').unwrap_or(glob);
        if let Err(why) = globs::matcher(inner, Star::Anywhere) {
            let problem = format!("`{glob}` {why}");
            errors.push(source.fault(&format!("{field}[{index}]"), problem));
        }
    }
}

fn check_paths(field: &str, paths: &[String], source: &Source<'_>, errors: &mut Vec<InputError>) {
    for (index, path) in paths.iter().enumerate() {
        if path != "."
            && let Err(problem) = tree::inside(path)
        {
            errors.push(source.fault(&format!("{field}[{index}]"), format!("`{path}` {problem}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let errors = from_bytes(text.as_bytes()).unwrap_err();
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn a_file_that_says_nothing_is_the_defaults() {
        for text in [
            "",
            "\n \n",
            "# only a comment\n",
            "\u{feff}",
            "null\n",
            "{}",
            "---\n",
        ] {
            assert_eq!(
                from_bytes(text.as_bytes()),
                Ok(Config::default()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_part_that_is_left_out_keeps_its_defaults() {
        let config = from_bytes(b"consumer_link: {mode: both}\nrepeat: {k: 9}\n").unwrap();
        assert_eq!(config.consumer_link.mode, LinkMode::Both);
        assert_eq!(config.consumer_link.levels, ["-O0", "-O2"]);
        assert_eq!(config.repeat.k, 9);
        assert_eq!(config.sensitivity, Sensitivity::default());
    }

    #[test]
    fn every_key_of_the_format_is_accepted() {
        let text = "compiler: g++-12
fail_on: [CASE_DRIFT, replay/NEW]
protected: [goldens/**]
standalone_header: {headers: [include/**/*.h], include: [include, .], flags: [-Wall]}
consumer_link: {flags: [-Wall], levels: [-O1], mode: shared}
shuffle: {budget: 3, seed: 1, files: [a.txt]}
repeat: {k: 2, infra: [timeout], scrub: ['0x[0-9a-f]+']}
quarantine: {max_days: 7, max_entries: 2, default_branch: trunk}
sensitivity: {setup: [a], build: [b], bench: [c], floor: 1, applied_floor: 0.5, profiles: {x: {}}}
audit: {setup: [a], harness: [make, grade], blind_patch: blind.diff}
matrix: {build: [make], cases: {one: [./one, -v]}, canaries: [two]}
sandbox: {read: [/usr/share], env: [LANG], net: loopback}
";
        let config = from_bytes(text.as_bytes()).unwrap();
        assert_eq!(config.fail_on[1].text, "replay/NEW");
        assert_eq!(config.fail_on[1].line, Some(2));
        assert_eq!(config.matrix.cases["one"], ["./one", "-v"]);
        assert_eq!(config.sandbox.net, Net::Loopback);
    }

    #[test]
    fn a_fault_of_form_names_place_field_and_what_was_expected() {
        for (text, expected) in [
            (
                "fail_on: []\nproteced: []\n",
                "driftgate.yml:2:1: proteced: unknown field\n    did you mean `protected`? known: \
                 audit, compiler, consumer_link, fail_on, matrix, protected, quarantine, repeat, \
                 sandbox, sensitivity, shuffle, standalone_header",
            ),
            (
                "repeat:\n  k: many\n",
                "driftgate.yml:2:3: repeat.k: expected a whole number, 0 or more",
            ),
            (
                "shuffle: [1]\n",
                "driftgate.yml:1:1: shuffle: expected a map",
            ),
            (
                "fail_on: CASE_DRIFT\n",
                "driftgate.yml:1:1: fail_on: expected a list",
            ),
            (
                "consumer_link:\n  mode: archiv\n",
                "driftgate.yml:2:3: consumer_link.mode: unknown value `archiv`\n    did you mean \
                 `archive`? known: archive, both, shared",
            ),
            (
                "repeat: {k: 1}\nrepeat: {k: 2}\n",
                "driftgate.yml:2:1: repeat: this field stands here twice\n    keep one of them",
            ),
            (
                "repeat:\n<<<<<<< HEAD\n  k: 1\n=======\n  k: 2\n>>>>>>> b\n",
                "driftgate.yml:2:1: an unresolved merge conflict (`<<<<<<< `)\n    resolve it and \
                 remove the markers",
            ),
            (
                "compiler: a\n---\ncompiler: b\n",
                "driftgate.yml:2:1: more than one YAML document, expected one",
            ),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn all_faults_of_meaning_are_told_together() {
        let text = "compiler: ' '\nfail_on:\n  - a/b/c\nprotected: ['[']\nrepeat:\n  k: 0\n\
                    shuffle: {files: [../x]}\nsensitivity: {floor: 1.5}\n";
        assert_eq!(
            said(text),
            "driftgate.yml:1:1: compiler: expected a program, found \"\"\n\
             driftgate.yml:3:5: fail_on[0]: expected `CLASS` or `experiment/CLASS`\n\
             driftgate.yml:4:13: protected[0]: `[` is no glob: unclosed character class; missing \
             ']'\n\
             driftgate.yml:6:3: repeat.k: expected 1 or more repeats, found 0\n\
             driftgate.yml:7:19: shuffle.files[0]: `../x` leaves its folder through `..`\n\
             driftgate.yml:8:15: sensitivity.floor: expected a share from 0 to 1"
        );
    }

    #[test]
    fn an_alias_bomb_is_refused() {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, last) in ('b'..='j').zip('a'..='i') {
            let aliases = vec![format!("*{last}"); 9].join(", ");
            bomb.push_str(&format!("{name}: &{name} [{aliases}]\n"));
        }
        let bomb = format!(
            "sensitivity:\n  profiles:\n    x:\n{}",
            bomb.replace("\n", "\n      ")
        );
        let bomb = bomb.replacen("a: &a", "      a: &a", 1);
        assert!(
            said(&bomb).contains("expands to more than"),
            "{}",
            said(&bomb)
        );
    }

    #[test]
    fn faults_without_number_are_told_in_no_time() {
        // An hour, when the whole text was read again for each.
        let text = format!("repeat: {{k: 0}}\nfail_on: [{}]\n", "'',".repeat(20_000));
        let errors = from_bytes(text.as_bytes()).unwrap_err();
        assert_eq!(errors.len(), 20_001);
        let placed = errors.iter().filter(|error| error.line.is_some());
        assert_eq!(placed.count(), 100);
        let good = from_bytes(format!("fail_on: [\n{}]\n", "A,\n".repeat(20_000)).as_bytes());
        assert_eq!(good.unwrap().fail_on[19_999].line, Some(20_001));
    }

    #[test]
    fn globs_without_number_or_end_are_refused() {
        let many = said(&format!("protected: [{}]\n", "'*',".repeat(1001)));
        assert_eq!(
            many,
            "driftgate.yml:1:1: protected: has more than 1000 globs"
        );
        let long = said(&format!("protected: ['{}']\n", "*a".repeat(513)));
        assert!(long.ends_with("is longer than 1024 bytes"), "{long}");
    }
}
