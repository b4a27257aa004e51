//! Finds the compiler, proves that it makes programs that run, and takes its identity.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::graders::build::COMPILE_LIMITS;
use crate::model::digest::{Digest, Hasher};
use crate::model::observation::Observation;
use crate::model::step::{Content, Limits, Profile, Program, Step, StepSpec};
use crate::model::toolchain::{Compiler, Toolchain};

use super::executor::Executor;
use super::parallel::{at_once, joined};
use super::{driver_line, environment};

/// Prints the C library's version where there is one to ask.
const PROBE: &str = "extern \"C\" const char* gnu_get_libc_version(void) __attribute__((weak));\n\
    extern \"C\" int puts(const char*);\n\
    int main() { puts(gnu_get_libc_version ? gnu_get_libc_version() : \"\"); return 0; }\n";

/// The tools behind the driver that decide what a program is made of.
const TOOLS: [&str; 4] = ["cc1plus", "as", "ld", "collect2"];
/// The libraries that every C++ program is made with.
const LIBRARIES: [&str; 3] = ["libstdc++.so.6", "libm.so.6", "libc.so.6"];

/// Probes the compiler named `compiler` (a program with leading arguments) and its identity
/// under each of `flag_sets`. Tells `executor` where headers and libraries are searched.
pub fn probe(executor: &Executor, compiler: &str, flag_sets: &BTreeSet<Vec<String>>) -> Compiler {
    let probe = Probe {
        executor,
        cxx: resolve(compiler)?,
    };
    let version = probe.first_line(&["--version"])?;
    let sets: Vec<&[String]> = std::iter::once([].as_slice())
        .chain(flag_sets.iter().map(Vec::as_slice))
        .collect();
    // What does not depend on one another is asked at once: it is waited for before every run.
    let (target, built, folders, mut identities) = std::thread::scope(|scope| {
        let target = scope.spawn(|| probe.first_line(&["-dumpmachine"]).unwrap_or_default());
        let built = scope.spawn(|| probe.builds());
        let folders = scope.spawn(|| probe.search_folders());
        let identities = at_once(&sets, |flags| probe.identity(&version, flags));
        (
            joined(target),
            joined(built),
            joined(folders),
            identities.into_iter(),
        )
    });
    let (lists_link_reads, libc) = built?;
    executor.set_search_folders(folders);
    let digest = identities
        .next()
        .unwrap_or_else(|| Err("no identity was taken".to_owned()))?;
    let mut selected = BTreeMap::new();
    for (flags, identity) in flag_sets.iter().zip(identities) {
        selected.insert(flags.clone(), identity?);
    }
    let version = probe.describe(&version, &target, &libc);
    Ok(Toolchain {
        cxx: probe.cxx,
        version,
        digest,
        selected,
        lists_link_reads,
    })
}

/// The program and leading arguments that `compiler` names.
fn resolve(compiler: &str) -> Result<Vec<String>, String> {
    let find = |name: &str| environment::find_program(name).map(|path| path.display().to_string());
    if let Some(whole) = find(compiler) {
        return Ok(vec![whole]);
    }
    let mut words = compiler.split_whitespace();
    let program = words.next().unwrap_or_default();
    let Some(path) = find(program) else {
        return Err(format!(
            "no compiler: `{program}` is not a program here; set CXX or `compiler` in driftgate.yml"
        ));
    };
    Ok(std::iter::once(path)
        .chain(words.map(str::to_owned))
        .collect())
}

struct Probe<'a> {
    executor: &'a Executor,
    cxx: Vec<String>,
}

impl Probe<'_> {
    fn name(&self) -> String {
        self.cxx.join(" ")
    }

    fn ask(
        &self,
        program: Program,
        args: &[&str],
        source: &str,
        env: &[(&str, &str)],
    ) -> Observation {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let limits = Limits {
            cpu: Duration::from_secs(20),
            ..COMPILE_LIMITS
        };
        self.executor.run(&Step::new(StepSpec {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            inputs: BTreeMap::from([("probe.cpp".to_owned(), Content::from(source))]),
            env: env.iter().map(owned).collect(),
            outputs: BTreeSet::from(["probe".to_owned()]),
            ..StepSpec::bare(program, Profile::Compile, limits)
        }))
    }

    fn compiler(&self, args: &[&str]) -> Observation {
        self.ask(Program::Tool(self.cxx.clone()), args, PROBE, &[])
    }

    fn first_line(&self, args: &[&str]) -> Result<String, String> {
        let observation = self.compiler(args);
        let text = String::from_utf8_lossy(&observation.stdout).into_owned();
        match text.lines().next() {
            Some(line) if observation.succeeded() => Ok(line.trim().to_owned()),
            _ => Err(format!(
                "no compiler: `{} {}` ended with {:?}{}",
                self.name(),
                args.join(" "),
                observation.ended,
                first_text(&observation.stderr)
            )),
        }
    }

    /// Builds and runs a program. Whether the linker lists what it reads, and the C library.
    fn builds(&self) -> Result<(bool, String), String> {
        let plain = ["probe.cpp", "-o", "probe", "-MD", "-MF", "probe.d"];
        let listing = [plain.as_slice(), &["-Wl,--dependency-file=link.d"]].concat();
        let mut lists_link_reads = true;
        let mut built = self.compiler(&listing);
        if !built.succeeded() {
            lists_link_reads = false;
            built = self.compiler(&plain);
        }
        let Some(program) = built.outputs.get("probe").filter(|_| built.succeeded()) else {
            return Err(format!(
                "no compiler: `{}` does not make a program of a trivial unit ({:?}){}",
                self.name(),
                built.ended,
                first_text(&built.stderr)
            ));
        };
        let probe = Program::Input("probe".to_owned());
        let ran = self.executor.run(&Step::new(StepSpec {
            inputs: BTreeMap::from([("probe".to_owned(), Content::Output(*program))]),
            ..StepSpec::bare(probe, Profile::Candidate, COMPILE_LIMITS)
        }));
        if !ran.succeeded() {
            return Err(format!(
                "no compiler: a trivial program made by `{}` does not run here ({:?})",
                self.name(),
                ran.ended
            ));
        }
        Ok((
            lists_link_reads,
            String::from_utf8_lossy(&ran.stdout).trim().to_owned(),
        ))
    }

    /// Where headers and libraries are searched.
    fn search_folders(&self) -> Vec<PathBuf> {
        let verbose = self.compiler(&["-E", "-v", "probe.cpp", "-o", "/dev/null"]);
        let text = String::from_utf8_lossy(&verbose.stderr).into_owned();
        let headers = text
            .lines()
            .skip_while(|line| !line.starts_with("#include <...>"))
            .skip(1)
            .take_while(|line| line.starts_with(' '))
            .map(|line| PathBuf::from(line.trim().trim_end_matches(" (framework directory)")));
        let libraries = self.compiler(&["-print-search-dirs"]);
        let text = String::from_utf8_lossy(&libraries.stdout).into_owned();
        let libraries = text
            .lines()
            .filter_map(|line| line.strip_prefix("libraries:"))
            .flat_map(|line| line.trim().trim_start_matches('=').split(':'))
            .map(PathBuf::from);
        headers
            .chain(libraries)
            .filter(|folder| folder.is_absolute())
            .collect()
    }

    /// The digest of all that decides what this compiler makes with `flags`: its version, what
    /// it would start, and the bytes of the tools and libraries involved.
    fn identity(&self, version: &str, flags: &[String]) -> Result<Digest, String> {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let mut hasher = Hasher::default();
        hasher.part(version.as_bytes());
        let args = [flags.as_slice(), &["-###", "probe.cpp", "-o", "probe"]].concat();
        for line in driver_line::all_in(&self.compiler(&args).stderr) {
            hasher.part(line.as_bytes());
        }
        let driver = PathBuf::from(&self.cxx[0]);
        let mut files: BTreeSet<PathBuf> = self.loaded_by(&driver).into_iter().collect();
        files.insert(driver);
        let tools = TOOLS.map(|tool| format!("-print-prog-name={tool}"));
        let libraries = LIBRARIES.map(|library| format!("-print-file-name={library}"));
        let questions: Vec<String> = tools.into_iter().chain(libraries).collect();
        let answers = at_once(&questions, |question| self.printed_path(&flags, question));
        files.extend(answers.into_iter().flatten());
        for flag in flags
            .iter()
            .filter_map(|flag| flag.strip_prefix("-fuse-ld="))
        {
            files.extend(self.printed_path(&[], &format!("-print-prog-name=ld.{flag}")));
        }
        let mut digests = BTreeSet::new();
        for file in files {
            let name = file
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let digest = self.executor.file_digests().digest(&file);
            let digest =
                digest.map_err(|error| format!("no compiler: {}: {error}", file.display()))?;
            digests.insert((name.unwrap_or_default(), digest));
        }
        for (name, digest) in digests {
            hasher.part(name.as_bytes());
            hasher.part(digest.to_string().as_bytes());
        }
        Ok(hasher.finish())
    }

    /// The file that the compiler names, if it exists.
    fn printed_path(&self, flags: &[&str], question: &str) -> Option<PathBuf> {
        let line = self.first_line(&[flags, &[question]].concat()).ok()?;
        let path = PathBuf::from(&line);
        let path = if path.is_absolute() {
            path
        } else {
            environment::find_program(&line)?
        };
        path.is_file().then_some(path)
    }

    /// The shared libraries of the compiler itself that hold its code (clang keeps it there).
    fn loaded_by(&self, driver: &Path) -> Vec<PathBuf> {
        let program = Program::Tool(vec![driver.display().to_string()]);
        let listed = self.ask(program, &[], "", &[("LD_TRACE_LOADED_OBJECTS", "1")]);
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        let paths = text
            .lines()
            .filter_map(|line| line.split(" => ").nth(1)?.split(" (").next());
        let ours = paths
            .map(str::trim)
            .filter(|path| path.contains("libclang") || path.contains("libLLVM"));
        ours.map(PathBuf::from)
            .filter(|path| path.is_file())
            .collect()
    }

    /// One line for people.
    fn describe(&self, version: &str, target: &str, libc: &str) -> String {
        let mut parts = vec![format!("{version} {target}").trim().to_owned()];
        if let Some(ld) = self.printed_path(&[], "-print-prog-name=ld") {
            let ld = self.ask(
                Program::Tool(vec![ld.display().to_string()]),
                &["--version"],
                "",
                &[],
            );
            let text = String::from_utf8_lossy(&ld.stdout).into_owned();
            let number = text
                .lines()
                .next()
                .and_then(|line| line.split_whitespace().last());
            parts.extend(number.map(|number| format!("ld {number}")));
        }
        if let Some(real) = self
            .printed_path(&[], "-print-file-name=libstdc++.so.6")
            .and_then(|path| path.canonicalize().ok())
        {
            let name = real
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let number = name
                .as_deref()
                .and_then(|name| name.strip_prefix("libstdc++.so."));
            parts.extend(number.map(|number| format!("libstdc++ {number}")));
        }
        if !libc.is_empty() {
            parts.push(format!("glibc {libc}"));
        }
        parts.join(", ")
    }
}

fn first_text(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map(|line| format!(": {}", line.chars().take(200).collect::<String>()))
        .unwrap_or_default()
}
