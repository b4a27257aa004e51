//! A library and a consumer as text, and what the grader says of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

use driftgate::graders::{self, Start};
use driftgate::model::consumer::Consumer;
use driftgate::model::grader::GraderSpec;
use driftgate::model::inquiry::Next;
use driftgate::model::source_tree::{SourceText, SourceTree};
use driftgate::model::toolchain::Compiler;
use driftgate::model::tree_pins::{Subject, TreePins};
use driftgate::model::verdict::Verdict;
use driftgate::run::environment;
use driftgate::run::executor::Executor;
use driftgate::run::scratch::RunScratch;
use driftgate::run::toolchain;

/// A library, a consumer and how they are put together.
#[derive(Clone)]
pub(crate) struct Bench {
    /// Published files, by name in `include/`.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Sources and private files, by name in `src/`; those that end in `.cpp` or `.c` make the archive.
    pub(crate) sources: Vec<(&'static str, String)>,
    pub(crate) main: String,
    pub(crate) stdout: Option<String>,
    pub(crate) exit: i32,
    pub(crate) flags: Vec<&'static str>,
    pub(crate) link: Vec<&'static str>,
    pub(crate) forbidden: Vec<&'static str>,
    pub(crate) settings: Value,
    pub(crate) changed: Option<Vec<&'static str>>,
    pub(crate) timeout_s: u32,
    pub(crate) private_includes: Vec<(String, u32)>,
}

impl Bench {
    /// The header `demo.hpp`, the source `demo.cpp`, and a consumer that must print `stdout`.
    pub(crate) fn new(header: &str, source: &str, main: &str, stdout: &str) -> Self {
        Self {
            headers: vec![("demo.hpp", header.to_owned())],
            sources: vec![("demo.cpp", source.to_owned())],
            main: main.to_owned(),
            stdout: Some(stdout.to_owned()),
            exit: 0,
            flags: Vec::new(),
            link: Vec::new(),
            forbidden: vec!["demo::"],
            settings: json!({}),
            changed: None,
            timeout_s: 10,
            private_includes: Vec::new(),
        }
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The same with a linker of this name.
    pub(crate) fn linker(self, name: &str) -> Self {
        let flag = format!("-fuse-ld={name}");
        self.with(|bench| {
            bench.settings["flags"] = json!(["-std=c++20", "-Wall", "-Wextra", "-Werror", flag]);
        })
    }

    fn consumer(&self) -> Consumer {
        let tree = |folders: &[(&str, &[(&'static str, String)])]| {
            let files = folders.iter().flat_map(|(folder, files)| {
                files.iter().map(move |(name, text)| {
                    let path = format!("{folder}/{name}");
                    (path, SourceText::new(text.as_bytes()))
                })
            });
            Arc::new(SourceTree::new(files.collect()))
        };
        let sources = self
            .sources
            .iter()
            .filter(|(name, _)| name.ends_with(".cpp") || name.ends_with(".c"));
        let texts = |items: &[&str]| {
            items
                .iter()
                .map(|item| (*item).to_owned())
                .collect::<Vec<String>>()
        };
        let changed = self.changed.as_ref();
        Consumer {
            id: "c".to_owned(),
            path: "goldens/consumers/c.yaml".to_owned(),
            public_header: "include/demo.hpp".to_owned(),
            header_name: "demo.hpp".to_owned(),
            archive_sources: sources.map(|(name, _)| format!("src/{name}")).collect(),
            source: "goldens/consumers/c/main.cpp".to_owned(),
            files: BTreeMap::from([("main.cpp".to_owned(), SourceText::new(self.main.as_bytes()))]),
            file: "main.cpp".to_owned(),
            private_includes: self.private_includes.clone(),
            include: vec!["include".to_owned()],
            published: tree(&[("include", &self.headers)]),
            library: tree(&[("include", &self.headers), ("src", &self.sources)]),
            source_folders: vec!["src".to_owned()],
            changed: changed.map(|changed| Arc::new(texts(changed).into_iter().collect())),
            flags: texts(&self.flags),
            link: texts(&self.link),
            forbidden: texts(&self.forbidden),
            expect_stdout: self.stdout.clone(),
            expect_exit: self.exit,
            timeout_s: self.timeout_s,
            expect_class: "pass".to_owned(),
        }
    }

    /// The verdict with `compiler`.
    pub(crate) fn graded_with(&self, compiler: &str) -> Verdict {
        let machine = Machine::get();
        let kind = graders::find("consumer_link").unwrap();
        let none = Map::new();
        let given = self.settings.as_object().unwrap_or(&none);
        let spec = GraderSpec {
            id: "consumer_link".to_owned(),
            kind: kind.kind,
            rev: kind.rev,
            settings: (kind.effective)(given).unwrap(),
            inputs: Vec::new(),
            path: None,
        };
        let toolchain = machine.compiler(compiler);
        let subject = Subject::Consumer(Arc::new(self.consumer()));
        let pins = TreePins::new(subject, Arc::new(spec), None);
        let Start::Tree(start) = kind.start else {
            panic!("it judges the tree");
        };
        let grading = start(&pins, toolchain, 0);
        let mut seen = BTreeMap::new();
        loop {
            match grading.next(&seen) {
                Next::Done(judgement) => return judgement.verdict,
                Next::Ask(asks) => {
                    for step in asks.into_vec() {
                        let answer = machine.executor.run(&step);
                        assert!(seen.insert(step, Arc::new(answer)).is_none());
                    }
                }
            }
        }
    }

    /// Holds the class against both compilers; the verdicts.
    pub(crate) fn is(&self, class: &str) -> Vec<Verdict> {
        let verdicts = ["g++", "clang++"].map(|compiler| {
            let verdict = self.graded_with(compiler);
            assert_eq!(
                verdict.outcome.class,
                class,
                "{compiler}: {}",
                shown(&verdict)
            );
            verdict
        });
        verdicts.into()
    }

    /// Holds the class against both compilers and all linkers, at one level.
    pub(crate) fn links_as(&self, class: &str) {
        for linker in ["bfd", "gold", "lld", "mold"] {
            let bench = self.clone().linker(linker);
            let bench = bench.with(|bench| bench.settings["levels"] = json!(["-O0"]));
            for compiler in ["g++", "clang++"] {
                let verdict = bench.graded_with(compiler);
                let found = &verdict.outcome.class;
                assert_eq!(found, class, "{compiler} {linker}: {}", shown(&verdict));
            }
        }
    }
}

/// A verdict for people.
pub(crate) fn shown(verdict: &Verdict) -> String {
    let evidence = serde_json::to_string_pretty(&verdict.evidence).unwrap();
    format!("{}: {}\n{evidence}", verdict.outcome, verdict.detail)
}

struct Machine {
    executor: Executor,
    compilers: BTreeMap<&'static str, Compiler>,
    _blobs: tempfile::TempDir,
}

impl Machine {
    fn get() -> &'static Self {
        static MACHINE: OnceLock<Machine> = OnceLock::new();
        MACHINE.get_or_init(Self::new)
    }

    fn new() -> Self {
        let blobs = tempfile::tempdir().unwrap();
        let scratch = RunScratch::new().unwrap();
        let path = environment::search_path();
        let executor = Executor::new(scratch, blobs.path().to_owned(), path).unwrap();
        let executor =
            executor.with_supervisor(Path::new(env!("CARGO_BIN_EXE_driftgate")).to_owned());
        let mut compilers = BTreeMap::new();
        for compiler in ["g++", "clang++"] {
            let probed = toolchain::probe(&executor, compiler, &BTreeSet::new());
            compilers.insert(compiler, probed);
        }
        Self {
            executor,
            compilers,
            _blobs: blobs,
        }
    }

    fn compiler(&self, name: &str) -> &Compiler {
        self.compilers.get(name).unwrap()
    }
}
