//! Probes the machine: compiler, tools, kernel, temporary folder. Needs no suite and takes no
//! checkout, so it can be asked while a run is under way.

use std::collections::BTreeSet;
use std::path::Path;

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::executor::Executor;
use super::scratch::RunScratch;
use super::{environment, toolchain};
use crate::model::isolation::Isolation;
use crate::model::machine::{Kernel, Machine, Temp, Tool};
use crate::model::toolchain::Compiler;

/// The programs that are looked for, and why.
const TOOLS: [(&str, &str); 3] = [
    ("git", "comparing with a base revision"),
    (
        "python3",
        "graders and harnesses of a team that are written in it",
    ),
    ("clang++", "a second compiler to compare with"),
];

/// The facts of this machine, with the compiler named `compiler`.
#[must_use]
pub fn probe(compiler: &str, sandboxed: bool, root: &Path) -> Machine {
    let tool = |(name, needed_for): (&'static str, &'static str)| Tool {
        name,
        path: environment::find_program(name).map(|path| path.display().to_string()),
        needed_for,
    };
    let (compiler_found, isolation) = probe_compiler(compiler, sandboxed, root);
    Machine {
        compiler_name: compiler.to_owned(),
        compiler: compiler_found,
        isolation,
        tools: TOOLS.map(tool).to_vec(),
        kernel: kernel(),
        temp: temp(&environment::temp_dir()),
        cores: cores(),
    }
}

/// How many processes run at once unless somebody says otherwise.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Tries the sandbox, then builds and runs a trivial program in it, as every run does first.
fn probe_compiler(compiler: &str, sandboxed: bool, root: &Path) -> (Compiler, Option<Isolation>) {
    let executor = RunScratch::new().and_then(|scratch| {
        let blobs = scratch.path().join("blobs");
        Executor::new(scratch, blobs, environment::search_path())
    });
    let executor = match executor {
        Ok(executor) if sandboxed => executor.sandboxed(&[root.to_owned()]),
        Ok(executor) => executor,
        Err(error) => {
            let why = format!("no scratch folder: {error}");
            let isolation = sandboxed.then(|| Isolation::none(&why));
            return (Err(format!("no compiler can be tried: {why}")), isolation);
        }
    };
    let compiler = toolchain::probe(&executor, compiler, &BTreeSet::new());
    (compiler, executor.isolation().cloned())
}

fn temp(folder: &Path) -> Temp {
    let flags = statvfs(folder).map(|facts| facts.f_flag);
    let writable = access(folder, Access::WRITE_OK | Access::EXEC_OK);
    Temp {
        path: folder.display().to_string(),
        executable: flags
            .ok()
            .map(|flags| !flags.contains(StatVfsMountFlags::NOEXEC)),
        unusable: writable.err().map(|error| error.to_string()),
    }
}

#[cfg(target_os = "linux")]
fn kernel() -> Kernel {
    use rustix::process::{PidfdFlags, child_subreaper, getpid, pidfd_open};
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    Kernel {
        release: format!("Linux {}", release.trim()).trim_end().to_owned(),
        subreaper: child_subreaper().is_ok(),
        pidfd: pidfd_open(getpid(), PidfdFlags::empty()).is_ok(),
        lists_children: Path::new("/proc/thread-self/children").exists(),
    }
}

#[cfg(not(target_os = "linux"))]
fn kernel() -> Kernel {
    Kernel {
        release: std::env::consts::OS.to_owned(),
        subreaper: false,
        pidfd: false,
        lists_children: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_cannot_be_used() {
        let gone = temp(Path::new("/no/such/folder"));
        assert!(gone.unusable.is_some());
        assert_eq!(gone.executable, None);
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(temp(scratch.path()).unusable, None);
    }

    #[test]
    fn the_kernel_has_a_name() {
        assert!(kernel().release.len() > 3);
    }
}
