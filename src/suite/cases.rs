//! Golden cases: what people commit under `goldens/cases/`, checked and with every file they
//! name.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::parse::{self, MapOnly, Source};
use super::tree::{self, Tree};
use super::{GOLDENS, flags, ids, nearest};
use crate::error::InputError;
use crate::model::case::{Assemble, Case, Expect, MARKER, SourceFile};
use crate::model::digest::Digest;

/// The folder of the cases, from the root.
pub const FOLDER: &str = "goldens/cases";
/// The name under which fixture and completion are compiled; no other file may lie there.
pub const UNIT: &str = "candidate.cpp";

const LONGEST_TIMEOUT: i64 = 3600;

/// A case as it is written.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Case")]
#[serde(deny_unknown_fields, expecting = "a map with the fields of a case")]
pub(super) struct RawCase {
    id: String,
    prompt_file: String,
    fixture: Option<String>,
    #[serde(default)]
    compile_flags: Vec<String>,
    #[serde(default)]
    stdin: String,
    #[serde(default)]
    expect: MapOnly<RawExpect>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    assemble: Assemble,
    #[serde(default = "default_graders")]
    graders: Vec<String>,
    #[serde(default = "default_timeout")]
    timeout_s: i64,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Expect")]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a map with what is expected"
)]
struct RawExpect {
    exit_code: i64,
    stdout: Option<String>,
    stderr_empty: bool,
}

fn default_graders() -> Vec<String> {
    vec!["io_match".to_owned()]
}

fn default_timeout() -> i64 {
    10
}

impl Default for RawExpect {
    fn default() -> Self {
        Self {
            exit_code: 0,
            stdout: None,
            stderr_empty: true,
        }
    }
}

/// Reads all cases of `tree`, sorted by id. `graders` are the ids a case may name.
///
/// # Errors
/// The first fault of form of each file, and every fault of meaning of all files.
pub fn load(
    tree: &dyn Tree,
    graders: &BTreeSet<String>,
) -> Result<Vec<Arc<Case>>, Vec<InputError>> {
    let paths = tree.list(FOLDER).map_err(|error| vec![error])?;
    let mut loader = Loader {
        tree,
        graders,
        data: HashMap::new(),
        errors: Vec::new(),
    };
    let mut cases = BTreeMap::<String, Arc<Case>>::new();
    for path in paths.iter().filter(|path| is_case_file(path)) {
        let Some(case) = loader.file(path) else {
            continue;
        };
        match cases.get(&case.id) {
            Some(first) => loader.taken(&case, first),
            None => {
                cases.insert(case.id.clone(), Arc::new(case));
            }
        }
    }
    let mut errors = loader.errors;
    errors.sort();
    if errors.is_empty() {
        Ok(cases.into_values().collect())
    } else {
        Err(errors)
    }
}

fn is_case_file(path: &str) -> bool {
    [".json", ".yaml", ".yml"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// What a file that a case names holds.
#[derive(Clone)]
struct Data {
    bytes: Arc<[u8]>,
    digest: Digest,
}

struct Loader<'a> {
    tree: &'a dyn Tree,
    graders: &'a BTreeSet<String>,
    /// Files by path: cases share prompts and fixtures.
    data: HashMap<String, Result<Option<Data>, String>>,
    errors: Vec<InputError>,
}

impl Loader<'_> {
    /// The case in the file `path`. Whatever is wrong with it is kept among the errors.
    fn file(&mut self, path: &str) -> Option<Case> {
        let read = self.tree.read_text(path).and_then(|bytes| {
            let Some(bytes) = bytes else {
                return Ok(None);
            };
            let MapOnly(raw) = parse::parse(path, &bytes)?;
            Ok(Some(self.case(&Source::new(path, &bytes), raw)))
        });
        read.unwrap_or_else(|error| {
            self.errors.push(error);
            None
        })
    }

    fn taken(&mut self, case: &Case, first: &Case) {
        let bytes = self
            .tree
            .read_text(&case.path)
            .ok()
            .flatten()
            .unwrap_or_default();
        let source = Source::new(&case.path, &bytes);
        let problem = format!("`{}` is also the id of {}", case.id, first.path);
        self.errors.push(source.fault("id", problem));
    }

    fn case(&mut self, source: &Source<'_>, raw: RawCase) -> Case {
        if let Err(problem) = ids::check(&raw.id) {
            self.errors.push(source.fault("id", problem));
        }
        self.check_values(source, &raw);
        let prompt = self.data(source, "prompt_file", &raw.prompt_file);
        let fixture = self.fixture(source, &raw);
        let files = self.files(source, &raw, &fixture.path);
        let number = |number: i64| i32::try_from(number).unwrap_or_default();
        Case {
            id: raw.id,
            path: source.path.to_owned(),
            prompt_path: in_goldens(&raw.prompt_file).unwrap_or_default(),
            prompt: prompt.digest,
            fixture,
            files,
            assemble: raw.assemble,
            flags: raw.compile_flags,
            args: raw.args,
            stdin: raw.stdin,
            expect: Expect {
                exit_code: number(raw.expect.0.exit_code),
                stdout: raw.expect.0.stdout,
                stderr_empty: raw.expect.0.stderr_empty,
            },
            graders: raw.graders,
            timeout_s: u32::try_from(raw.timeout_s).unwrap_or_default(),
            tags: raw.tags,
        }
    }

    fn check_values(&mut self, source: &Source<'_>, raw: &RawCase) {
        let mut refuse = |field: &str, problem: String| {
            self.errors.push(source.fault(field, problem));
        };
        let code = raw.expect.0.exit_code;
        if !(0..=255).contains(&code) {
            refuse(
                "expect.exit_code",
                format!("expected an exit code from 0 to 255, found {code}"),
            );
        }
        let timeout = raw.timeout_s;
        if !(1..=LONGEST_TIMEOUT).contains(&timeout) {
            let problem = format!("expected 1 to {LONGEST_TIMEOUT} seconds, found {timeout}");
            refuse("timeout_s", problem);
        }
        for (index, flag) in raw.compile_flags.iter().enumerate() {
            if let Some(problem) = flags::refusal(flag) {
                let flag = flag.escape_debug();
                refuse(
                    &format!("compile_flags[{index}]"),
                    format!("`{flag}` {problem}"),
                );
            }
        }
        for (index, arg) in raw.args.iter().enumerate() {
            if arg.contains('\0') {
                let problem = "contains a NUL, which no argument can".to_owned();
                refuse(&format!("args[{index}]"), problem);
            }
        }
        self.check_graders(source, &raw.graders);
    }

    fn check_graders(&mut self, source: &Source<'_>, graders: &[String]) {
        if graders.is_empty() {
            let problem = "expected at least one grader: a case that nobody judges shows nothing";
            self.errors.push(source.fault("graders", problem));
        }
        let mut seen = BTreeSet::new();
        for (index, grader) in graders.iter().enumerate() {
            let field = format!("graders[{index}]");
            if !seen.insert(grader) {
                self.errors
                    .push(source.fault(&field, format!("`{grader}` stands here twice")));
            } else if !self.graders.contains(grader) {
                let known: Vec<_> = self.graders.iter().map(String::as_str).collect();
                let problem = format!("there is no grader `{}`", grader.escape_debug());
                let error = source.fault(&field, problem);
                self.errors.push(error.hint(nearest::hint(grader, &known)));
            }
        }
    }

    fn fixture(&mut self, source: &Source<'_>, raw: &RawCase) -> SourceFile {
        let Some(named) = &raw.fixture else {
            if raw.assemble != Assemble::Replace {
                let problem =
                    "missing field; only a case with `assemble: replace` needs no fixture";
                self.errors.push(source.fault("fixture", problem));
            }
            return source_file(String::new(), String::new(), empty());
        };
        let before = self.errors.len();
        let data = self.data(source, "fixture", named);
        if raw.assemble == Assemble::Insert && self.errors.len() == before {
            let holding = data
                .bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| has_marker(line));
            let problem = match holding.count() {
                0 => Some(format!("no line of {named} contains {MARKER}")),
                1 => None,
                lines => Some(format!("{lines} lines of {named} contain {MARKER}")),
            };
            if let Some(problem) = problem {
                let hint = "`assemble: insert` replaces exactly one line of the fixture";
                self.errors
                    .push(source.fault("fixture", problem).hint(hint));
            }
        }
        let path = in_goldens(named).unwrap_or_default();
        let beside = file_name(&path).to_owned();
        source_file(path, beside, data)
    }

    fn files(&mut self, source: &Source<'_>, raw: &RawCase, fixture: &str) -> Vec<SourceFile> {
        let folder = fixture
            .rsplit_once('/')
            .map(|(folder, _)| format!("{folder}/"));
        let mut landed = BTreeMap::from([(UNIT.to_owned(), "the unit".to_owned())]);
        if raw.assemble == Assemble::Patch {
            // A patch may call the fixture by its name, which then must be no other file's.
            landed.insert(file_name(fixture).to_owned(), "the fixture".to_owned());
        }
        let mut files = Vec::new();
        for (index, named) in raw.files.iter().enumerate() {
            let field = format!("files[{index}]");
            let data = self.data(source, &field, named);
            let Ok(path) = in_goldens(named) else {
                continue;
            };
            let under = folder
                .as_deref()
                .and_then(|folder| path.strip_prefix(folder));
            let beside = under.unwrap_or_else(|| file_name(&path)).to_owned();
            if let Some(other) = clash(&landed, &beside) {
                let problem = format!("lands on `{beside}`, in the way of {other}");
                self.errors.push(source.fault(&field, problem));
            } else {
                landed.insert(beside.clone(), format!("`{named}`"));
            }
            files.push(source_file(path, beside, data));
        }
        files
    }

    /// What the file `named` in `field` holds; a fault is kept among the errors.
    fn data(&mut self, source: &Source<'_>, field: &str, named: &str) -> Data {
        let path = match in_goldens(named) {
            Ok(path) => path,
            Err(problem) => {
                let problem = format!("`{}` {problem}", named.escape_debug());
                self.errors.push(source.fault(field, problem));
                return empty();
            }
        };
        let tree = self.tree;
        let read = self.data.entry(path).or_insert_with_key(|path| {
            let bytes = tree.read(path).map_err(|error| error.problem)?;
            Ok(bytes.map(|bytes| Data {
                digest: Digest::of(&bytes),
                bytes: bytes.into(),
            }))
        });
        let problem = match read {
            Ok(Some(data)) => return data.clone(),
            Ok(None) => "does not exist".to_owned(),
            Err(problem) => problem.clone(),
        };
        let error = source.fault(field, format!("`{}` {problem}", named.escape_debug()));
        self.errors
            .push(error.hint(format!("paths in a case are relative to {GOLDENS}/")));
        empty()
    }
}

fn in_goldens(named: &str) -> Result<String, &'static str> {
    Ok(format!("{GOLDENS}/{}", tree::inside(named)?))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn has_marker(line: &[u8]) -> bool {
    line.windows(MARKER.len())
        .any(|window| window == MARKER.as_bytes())
}

fn empty() -> Data {
    Data {
        bytes: Arc::from([]),
        digest: Digest::of(&[]),
    }
}

fn source_file(path: String, beside: String, data: Data) -> SourceFile {
    SourceFile {
        path,
        beside,
        bytes: data.bytes,
        digest: data.digest,
    }
}

/// What already lies at `beside`, takes the name of a folder on the way to it, or lies in a
/// folder of its name.
fn clash<'a>(landed: &'a BTreeMap<String, String>, beside: &str) -> Option<&'a str> {
    let above = beside
        .match_indices('/')
        .map(|(end, _)| beside.get(..end).unwrap_or_default());
    let above = above.chain([beside]).find_map(|name| landed.get(name));
    let folder = format!("{beside}/");
    let below = || {
        let (name, what) = landed.range(folder.clone()..).next()?;
        name.starts_with(&folder).then_some(what)
    };
    above.or_else(below).map(String::as_str)
}
