//! The steps that make an archive, a shared object and the program, and run it.

use std::collections::{BTreeMap, BTreeSet};

use crate::graders::build::{COMPILE_LIMITS, TRIVIAL};
use crate::graders::program;
use crate::model::digest::Digest;
use crate::model::step::{Content, Profile, Program, ReadLists, Step, StepSpec};

use super::linking::{ARCHIVE, Library, PROGRAM, SHARED};
use super::recipe::{CONSUMER_OBJECT, Recipe, SECOND_OBJECT, is_of_link};
use super::settings::UNOPTIMISED;

const READS: &str = "link.d";
const CONTROL: &str = "control.cpp";

/// What is linked into a program, in its order.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    args: Vec<String>,
    inputs: BTreeMap<String, Content>,
}

impl Parts {
    /// The objects of the consumer and the second unit.
    pub(super) fn units(consumer: Digest, second: Digest) -> Self {
        Self::default()
            .and(CONSUMER_OBJECT, consumer)
            .and(SECOND_OBJECT, second)
    }

    /// The same and a file after it.
    pub(super) fn and(mut self, name: &str, content: Digest) -> Self {
        self.args.push(name.to_owned());
        self.inputs
            .insert(name.to_owned(), Content::Output(content));
        self
    }

    /// The same and a flag after it.
    pub(super) fn flag(mut self, flag: &str) -> Self {
        self.args.push(flag.to_owned());
        self
    }

    /// The same and the library after it.
    pub(super) fn library(self, library: &Library) -> Self {
        match library {
            Library::HeadersOnly => self,
            Library::Archive(archive) => self.and(ARCHIVE, *archive),
            Library::Shared(shared) => self.and(SHARED, *shared).flag("-Wl,-rpath,$ORIGIN"),
        }
    }
}

impl Recipe {
    /// Puts objects into an archive.
    pub(super) fn archive(&self, objects: &[(String, Digest)]) -> Step {
        let mut args = vec!["rcsD".to_owned(), ARCHIVE.to_owned()];
        args.extend(objects.iter().map(|(name, _)| name.clone()));
        Step::new(StepSpec {
            inputs: inputs(objects),
            outputs: BTreeSet::from([ARCHIVE.to_owned()]),
            ..self.tool(vec!["ar".to_owned()], args)
        })
    }

    /// Links objects into a shared object, as a packager would.
    pub(super) fn shared(&self, objects: &[(String, Digest)], level: &str) -> Step {
        let mut args = self.driver_flags(level);
        args.retain(|arg| !["-static", "-pie", "-no-pie"].contains(&arg.as_str()));
        args.extend(["-shared".to_owned(), format!("-Wl,-soname,{SHARED}")]);
        args.extend(objects.iter().map(|(name, _)| name.clone()));
        args.extend(libraries_in(&self.settings.flags));
        self.link_step(args, inputs(objects), SHARED)
    }

    /// Links a program.
    pub(super) fn program(&self, level: &str, parts: Parts) -> Step {
        let mut args = self.driver_flags(level);
        args.extend(parts.args);
        args.extend(self.at_the_end());
        self.link_step(args, parts.inputs, PROGRAM)
    }

    /// A program of nothing but a trivial unit, linked with the same flags. If this fails, so
    /// would anything.
    pub(super) fn program_control(&self, level: &str) -> Step {
        let mut args = self.driver_flags(level);
        args.push(CONTROL.to_owned());
        args.extend(self.at_the_end());
        let trivial = Content::from(TRIVIAL);
        let inputs = BTreeMap::from([(CONTROL.to_owned(), trivial)]);
        self.link_step(args, inputs, PROGRAM)
    }

    /// What stands after all objects.
    fn at_the_end(&self) -> Vec<String> {
        let mut args = self.consumer.link.clone();
        args.extend(libraries_in(&self.settings.flags));
        args.extend(libraries_in(&self.consumer.flags));
        args
    }

    /// The flags of a compile that take part in a link.
    fn driver_flags(&self, level: &str) -> Vec<String> {
        let flags = self.settings.flags.iter().chain(&self.consumer.flags);
        let flags = flags.filter(|flag| is_of_driver(flag) && !flag.starts_with("-l"));
        let mut flags: Vec<String> = flags.cloned().collect();
        flags.push(level.to_owned());
        flags
    }

    fn link_step(
        &self,
        mut args: Vec<String>,
        inputs: BTreeMap<String, Content>,
        output: &str,
    ) -> Step {
        args.push("-Wl,--no-demangle".to_owned());
        if self.linker() == Some("lld") {
            args.push("-Wl,--error-limit=0".to_owned());
        }
        args.extend(["-o", output].map(str::to_owned));
        let mut reads = ReadLists::default();
        if self.toolchain.lists_link_reads {
            args.push(format!("-Wl,--dependency-file={READS}"));
            reads.files.push(READS.to_owned());
        }
        Step::new(StepSpec {
            inputs,
            outputs: BTreeSet::from([output.to_owned()]),
            reads,
            limits: COMPILE_LIMITS,
            ..self.tool(self.toolchain.cxx.clone(), args)
        })
    }

    /// The linker that the flags choose, by its name in `-fuse-ld=`.
    pub(super) fn linker(&self) -> Option<&str> {
        let flags = self.settings.flags.iter().chain(&self.consumer.flags);
        let flags = flags.chain(&self.consumer.link);
        flags
            .filter_map(|flag| flag.strip_prefix("-fuse-ld="))
            .next_back()
    }

    /// Whether objects hold inline functions as they were written: optimisers leave out or change
    /// them.
    pub(super) fn shows_inline_functions(&self) -> bool {
        let mut flags = self.settings.flags.iter().chain(&self.consumer.flags);
        let is_plain = self
            .settings
            .levels
            .iter()
            .any(|level| level == UNOPTIMISED);
        is_plain && !flags.any(|flag| flag.starts_with("-flto"))
    }

    /// Runs a program, with what it loads beside it.
    pub(super) fn run(&self, program: Digest, library: &Library) -> Step {
        let mut inputs = BTreeMap::from([(PROGRAM.to_owned(), Content::Output(program))]);
        if let Library::Shared(shared) = library {
            inputs.insert(SHARED.to_owned(), Content::Output(*shared));
        }
        let consumer = &self.consumer;
        let expected = consumer.expect_stdout.as_ref().map_or(0, String::len);
        Step::new(StepSpec {
            program: Program::Input(PROGRAM.to_owned()),
            inputs,
            profile: Profile::Candidate,
            limits: program::limits(consumer.cpu_limit(), expected),
            ..self.tool(Vec::new(), Vec::new())
        })
    }
}

fn inputs(objects: &[(String, Digest)]) -> BTreeMap<String, Content> {
    let inputs = objects.iter();
    inputs
        .map(|(name, object)| (name.clone(), Content::Output(*object)))
        .collect()
}

/// A library named before the object that needs it is dropped by linkers that link as needed.
fn libraries_in(flags: &[String]) -> impl Iterator<Item = String> {
    flags.iter().filter(|flag| flag.starts_with("-l")).cloned()
}

/// Whether a driver looks at `flag` where it links.
fn is_of_driver(flag: &str) -> bool {
    const STARTS: &[&str] = &[
        "-pthread",
        "-fsanitize",
        "-flto",
        "-fopenmp",
        "-m",
        "--target",
        "--sysroot",
        "-isysroot",
        "-stdlib=",
        "-B",
        "--gcc-toolchain",
        "-fPIE",
        "-fpie",
        "-fno-pie",
        "-fno-PIE",
        "--coverage",
        "-fprofile",
        "-specs",
        "-rtlib",
        "-unwindlib",
        "-g",
    ];
    is_of_link(flag) || STARTS.iter().any(|start| flag.starts_with(start))
}
