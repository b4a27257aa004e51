//! A grading of one header of a tree by a real compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use driftgate::graders::{Start, find};
use driftgate::model::grader::GraderSpec;
use driftgate::model::header::{Header, Language};
use driftgate::model::inquiry::{Next, Seen};
use driftgate::model::source_tree::{SourceText, SourceTree};
use driftgate::model::toolchain::Compiler;
use driftgate::model::tree_pins::{Subject, TreePins};
use driftgate::model::trial::Judgement;
use driftgate::run::executor::Executor;
use driftgate::run::scratch::RunScratch;
use driftgate::run::toolchain;
use serde_json::{Value, json};

/// The compilers, both first class.
pub(crate) const COMPILERS: [&str; 2] = ["g++", "clang++"];

/// A compiler and where it runs.
pub(crate) struct Bench {
    executor: Executor,
    compiler: Compiler,
    _blobs: tempfile::TempDir,
}

/// What is asked of a tree.
pub(crate) struct Asked<'a> {
    /// Path and text of each file. The first is the header that is judged.
    pub(crate) files: &'a [(&'a str, &'a [u8])],
    pub(crate) language: Language,
    pub(crate) probe: Option<&'a str>,
    pub(crate) once_only: bool,
    pub(crate) settings: Value,
}

impl<'a> Asked<'a> {
    pub(crate) fn of(files: &'a [(&'a str, &'a [u8])]) -> Self {
        Self {
            files,
            language: Language::Cxx,
            probe: None,
            once_only: false,
            settings: json!({}),
        }
    }
}

impl Bench {
    pub(crate) fn new(compiler: &str) -> Self {
        let blobs = tempfile::tempdir().unwrap();
        let path = "/usr/bin:/bin".to_owned();
        let scratch = RunScratch::new().unwrap();
        let executor = Executor::new(scratch, blobs.path().to_owned(), path).unwrap();
        let executor = executor.with_supervisor(PathBuf::from(env!("CARGO_BIN_EXE_driftgate")));
        let compiler = toolchain::probe(&executor, compiler, &BTreeSet::new());
        assert!(compiler.is_ok(), "{compiler:?}");
        Self {
            executor,
            compiler,
            _blobs: blobs,
        }
    }

    /// The judgement, and how many steps it took.
    pub(crate) fn judge(&self, asked: &Asked<'_>) -> (Judgement, usize) {
        let kind = find("standalone_header").unwrap();
        let Start::Tree(start) = kind.start else {
            panic!("it judges the tree");
        };
        let grading = start(&pins(asked), &self.compiler, 0);
        let mut seen = Seen::new();
        loop {
            match grading.next(&seen) {
                Next::Done(judgement) => return (judgement, seen.len()),
                Next::Ask(asks) => {
                    for step in asks.into_vec() {
                        let observation = Arc::new(self.executor.run(&step));
                        assert!(seen.insert(step, observation).is_none());
                    }
                }
            }
        }
    }
}

fn pins(asked: &Asked<'_>) -> TreePins {
    let kind = find("standalone_header").unwrap();
    let settings = (kind.effective)(asked.settings.as_object().unwrap()).unwrap();
    let spec = GraderSpec {
        id: kind.kind.to_owned(),
        kind: kind.kind,
        rev: kind.rev,
        settings,
        inputs: Vec::new(),
        path: None,
    };
    let files: BTreeMap<_, _> = asked
        .files
        .iter()
        .map(|(path, text)| (format!("include/{path}"), SourceText::new(*text)))
        .collect();
    let public = files.keys().filter(|path| !path.contains("/detail/"));
    let public = public.cloned().collect();
    let tree = Arc::new(SourceTree::new(files));
    let (name, _) = asked.files[0];
    let header = Header {
        path: format!("include/{name}"),
        name: name.to_owned(),
        include: vec!["include".to_owned()],
        reach: tree.digest(),
        tree,
        probe: asked.probe.map(|text| SourceText::new(text.as_bytes())),
        language: asked.language,
        once_only: asked.once_only,
        public,
    };
    TreePins::new(Subject::Header(Arc::new(header)), Arc::new(spec), None)
}
