//! What a machine can do, as facts that were probed.

use serde::Serialize;

use super::isolation::Isolation;
use super::toolchain::Compiler;

/// A machine, as far as it decides what can be judged on it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The compiler that was asked for.
    pub compiler_name: String,
    /// What became of it.
    pub compiler: Compiler,
    /// Other programs.
    pub tools: Vec<Tool>,
    /// What keeps steps from the rest of it; `None` if nobody asked for that.
    pub isolation: Option<Isolation>,
    /// What the kernel offers.
    pub kernel: Kernel,
    /// The folder for temporary files.
    pub temp: Temp,
    /// How many processes run at once unless `--jobs` says otherwise.
    pub cores: usize,
}

/// A program that some part of a run needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Where it was found.
    pub path: Option<String>,
    /// What it is needed for.
    pub needed_for: &'static str,
}

/// What a kernel offers to whoever ends processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kernel {
    /// Its name and release.
    pub release: String,
    /// Whether orphaned processes can be taken over, so that none outlives its step.
    pub subreaper: bool,
    /// Whether the end of a process can be waited for.
    pub pidfd: bool,
    /// Whether children are listed; if not, all processes are looked through.
    pub lists_children: bool,
}

/// The folder for temporary files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Temp {
    /// Where it is.
    pub path: String,
    /// Whether programs in it can be started; `None` if that cannot be told.
    pub executable: Option<bool>,
    /// Why it cannot be used, if it cannot.
    pub unusable: Option<String>,
}

impl Machine {
    /// Why no check could run here, if none could.
    #[must_use]
    pub fn obstacle(&self) -> Option<&str> {
        self.compiler.as_ref().err().map(String::as_str)
    }
}
