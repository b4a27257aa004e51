//! The steps that compile: the library's sources, the consumer, the second unit, and probes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::includes::active_mentions;
use crate::graders::build::{COMPILE_LIMITS, TRIVIAL, attempt};
use crate::model::consumer::Consumer;
use crate::model::source_tree::{CHECKOUT, SourceTree, in_checkout};
use crate::model::step::{Content, Limits, Mount, Profile, Program, ReadLists, Step, StepSpec};
use crate::model::toolchain::Toolchain;

use super::c_sources::{flags_for_c, is_c};
use super::settings::{Mode, Settings};
use super::standard_names::PRELUDE;
use super::verdicts::normal;

/// Where the consumer's own files are.
pub(super) const CONSUMER: &str = "consumer";
/// The second unit.
pub(super) const SECOND: &str = "second/second.cpp";
const PROBE: &str = "probe/probe.cpp";
const PREPROCESSED: &str = "probe/probe.ii";
const STANDARD: &str = "probe/standard.h";
/// The output of every compile.
pub(super) const OBJECT: &str = "unit.o";
const READS: &str = "unit.d";
/// The consumer's object, where it is linked.
pub(super) const CONSUMER_OBJECT: &str = "consumer.o";
/// The second unit's object, where it is linked.
pub(super) const SECOND_OBJECT: &str = "second.o";

/// What a preprocessor or a look at an object may give.
pub(super) const WHOLE_TEXT: Limits = Limits {
    output: 64 << 20,
    ..COMPILE_LIMITS
};

/// Everything that the steps of a grading are made from.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) consumer: Arc<Consumer>,
    pub(super) settings: Settings,
    pub(super) toolchain: Toolchain,
    pub(super) nth: u32,
}

/// A source with what it may see.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// As the compiler is told.
    path: String,
    inputs: BTreeMap<String, Content>,
    tree: Arc<SourceTree>,
    /// Everything before `-c`.
    flags: Vec<String>,
}

impl Recipe {
    /// The modes that differ: what is all in headers is linked in one way only.
    pub(super) fn modes(&self) -> &[Mode] {
        let modes = self.settings.modes.as_slice();
        if self.consumer.archive_sources.is_empty() {
            modes.get(..1).unwrap_or_default()
        } else {
            modes
        }
    }

    /// The library's source at `path`, as `mode` needs it.
    pub(super) fn source(&self, path: &str, level: &str, mode: Mode) -> Unit {
        let mut flags = self.library_flags(level);
        if mode == Mode::Shared {
            let hidden = [
                "-fPIC",
                "-fvisibility=hidden",
                "-fvisibility-inlines-hidden",
            ];
            flags.extend(hidden.map(str::to_owned));
        }
        if is_c(path) {
            flags = flags_for_c(flags);
        }
        Unit {
            path: in_checkout(path),
            inputs: BTreeMap::new(),
            tree: Arc::clone(&self.consumer.library),
            flags,
        }
    }

    /// The stranger's program.
    pub(super) fn consumer_unit(&self, level: &str) -> Unit {
        let inputs = self.consumer.files.iter().map(|(path, text)| {
            let bytes = Content::Bytes(Arc::clone(&text.bytes));
            (format!("{CONSUMER}/{path}"), bytes)
        });
        let path = format!("{CONSUMER}/{}", self.consumer.file);
        self.published_unit(path, inputs.collect(), level)
    }

    /// Another unit with the same public headers.
    pub(super) fn second_unit(&self, level: &str) -> Unit {
        self.second_unit_of(&self.public_headers(), level)
    }

    /// Another unit with these public headers.
    pub(super) fn second_unit_of(&self, headers: &[String], level: &str) -> Unit {
        let mut text: String = headers
            .iter()
            .map(|name| format!("#include \"{name}\"\n"))
            .collect();
        text += "namespace { [[maybe_unused]] int second_unit = 0; }\n";
        let inputs = BTreeMap::from([(SECOND.to_owned(), Content::from(text.as_str()))]);
        self.published_unit(SECOND.to_owned(), inputs, level)
    }

    /// The public header and every published one that the consumer's own text includes, in the
    /// order of that text; the public header comes first if the text does not name it.
    pub(super) fn public_headers(&self) -> Vec<String> {
        let consumer = &self.consumer;
        let own = consumer.files.values();
        let named = own.flat_map(|text| active_mentions(&text.bytes));
        let mut names: Vec<String> = Vec::new();
        for mention in named {
            let name = mention.name;
            let is_public = name == consumer.header_name || self.published(&name).is_some();
            if is_public && !consumer.files.contains_key(&name) && !names.contains(&name) {
                names.push(name);
            }
        }
        if !names.contains(&consumer.header_name) {
            names.insert(0, consumer.header_name.clone());
        }
        names
    }

    /// The path of the published file that `name` includes.
    pub(super) fn published(&self, name: &str) -> Option<String> {
        let paths = self
            .consumer
            .include
            .iter()
            .map(|folder| normal(&format!("{folder}/{name}")));
        paths
            .into_iter()
            .find(|path| self.consumer.published.get(path).is_some())
    }

    /// A trivial unit with the library's flags.
    pub(super) fn library_control(&self, level: &str) -> Unit {
        Unit {
            path: PROBE.to_owned(),
            inputs: probe(TRIVIAL),
            tree: Arc::clone(&self.consumer.library),
            flags: self.library_flags(level),
        }
    }

    /// A trivial unit with the consumer's flags.
    pub(super) fn consumer_control(&self, level: &str) -> Unit {
        self.published_unit(PROBE.to_owned(), probe(TRIVIAL), level)
    }

    /// A unit that includes nothing but `name`, with all that the library may see.
    pub(super) fn includes_only(&self, name: &str, level: &str) -> Unit {
        Unit {
            inputs: probe(&format!("#include <{name}>\n")),
            ..self.library_control(level)
        }
    }

    fn published_unit(&self, path: String, inputs: BTreeMap<String, Content>, level: &str) -> Unit {
        let mut flags = compile_flags(&self.settings.flags);
        flags.extend(compile_flags(&self.consumer.flags));
        flags.push(level.to_owned());
        flags.extend(
            self.consumer
                .include
                .iter()
                .flat_map(|folder| search(folder)),
        );
        Unit {
            path,
            inputs,
            tree: Arc::clone(&self.consumer.published),
            flags,
        }
    }

    fn library_flags(&self, level: &str) -> Vec<String> {
        let mut flags = compile_flags(&self.settings.flags);
        flags.push(level.to_owned());
        let folders = self.consumer.include.iter();
        let folders = folders.chain(&self.consumer.source_folders);
        flags.extend(folders.flat_map(|folder| search(folder)));
        flags
    }

    /// Makes an object of `unit`.
    pub(super) fn object(&self, unit: &Unit) -> Step {
        let mut args = unit.flags.clone();
        args.extend(["-c", &unit.path, "-o", OBJECT, "-MD", "-MF", READS].map(str::to_owned));
        self.compile(unit, args, COMPILE_LIMITS)
    }

    /// Makes an object of `unit` with the whole standard library in front.
    pub(super) fn object_after_standard_library(&self, unit: &Unit) -> Step {
        let mut unit = unit.clone();
        let prelude = Content::from(PRELUDE);
        unit.inputs.insert(STANDARD.to_owned(), prelude);
        unit.flags.extend(["-include", STANDARD].map(str::to_owned));
        self.object(&unit)
    }

    /// Makes an object of `unit` that holds what is needed to optimise the whole program.
    pub(super) fn object_for_whole_program(&self, unit: &Unit) -> Step {
        let mut unit = unit.clone();
        unit.flags.push("-flto".to_owned());
        self.object(&unit)
    }

    /// Makes an object of `text`, which is preprocessed, with the flags of `unit`.
    pub(super) fn object_of_text(&self, unit: &Unit, text: Content) -> Step {
        let mut unit = Unit {
            path: PREPROCESSED.to_owned(),
            inputs: BTreeMap::from([(PREPROCESSED.to_owned(), text)]),
            ..unit.clone()
        };
        // Nothing is searched any more, of which clang would warn.
        unit.flags.push("-w".to_owned());
        self.object(&unit)
    }

    /// The text of `unit` after preprocessing, on standard output.
    pub(super) fn preprocessed(&self, unit: &Unit) -> Step {
        let mut args = unit.flags.clone();
        args.extend(["-E", &unit.path, "-MD", "-MF", READS].map(str::to_owned));
        self.compile(unit, args, WHOLE_TEXT)
    }

    fn compile(&self, unit: &Unit, args: Vec<String>, limits: Limits) -> Step {
        let mount = Mount {
            reach: unit.tree.digest(),
            tree: Arc::clone(&unit.tree),
        };
        let is_object = args.iter().any(|arg| arg == OBJECT);
        let outputs = is_object.then(|| OBJECT.to_owned());
        Step::new(StepSpec {
            inputs: unit.inputs.clone(),
            mounts: BTreeMap::from([(CHECKOUT.to_owned(), mount)]),
            outputs: outputs.into_iter().collect(),
            reads: ReadLists {
                files: vec![READS.to_owned()],
            },
            limits,
            ..self.tool(self.toolchain.cxx.clone(), args)
        })
    }

    /// A tool that is given nothing.
    pub(super) fn tool(&self, argv: Vec<String>, args: Vec<String>) -> StepSpec {
        let mut flags = self.settings.flags.clone();
        flags.extend(self.consumer.flags.iter().cloned());
        StepSpec {
            args,
            tools: Some(self.toolchain.identity(&flags)),
            nth: attempt(self.nth, false),
            ..StepSpec::bare(Program::Tool(argv), Profile::Compile, COMPILE_LIMITS)
        }
    }

    /// The bytes of what an earlier step made.
    pub(super) fn show(&self, output: crate::model::digest::Digest) -> Step {
        let path = "shown".to_owned();
        Step::new(StepSpec {
            program: Program::Show(path.clone()),
            inputs: BTreeMap::from([(path, Content::Output(output))]),
            tools: None,
            limits: WHOLE_TEXT,
            ..self.tool(Vec::new(), Vec::new())
        })
    }
}

fn probe(text: &str) -> BTreeMap<String, Content> {
    BTreeMap::from([(PROBE.to_owned(), Content::from(text))])
}

/// The flags that search `folder` of the checkout.
fn search(folder: &str) -> [String; 2] {
    ["-I".to_owned(), in_checkout(folder)]
}

/// Flags that mean nothing without a link: clang warns of them where there is none.
pub(super) fn is_of_link(flag: &str) -> bool {
    const STARTS: &[&str] = &[
        "-fuse-ld",
        "-l",
        "-L",
        "-Wl,",
        "-static",
        "-shared-lib",
        "--ld-path",
    ];
    const EXACT: &[&str] = &["-rdynamic", "-pie", "-no-pie", "-nostartfiles", "-s"];
    STARTS.iter().any(|start| flag.starts_with(start)) || EXACT.contains(&flag)
}

fn compile_flags(flags: &[String]) -> Vec<String> {
    let flags = flags.iter().filter(|flag| !is_of_link(flag));
    flags.cloned().collect()
}
