//! Parses, calls, returns the exit code.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use driftgate::cli::Cli;
use driftgate::report::style::harmless;
use driftgate::run::supervisor;
use driftgate::{app, exit_code};

fn main() -> ExitCode {
    // Before anything else: a supervisor starts once for every process that is judged.
    if let Some(errand) = supervisor::asked_for(std::env::args_os().nth(1).as_deref()) {
        return errand();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() {
                exit_code::INPUT
            } else {
                exit_code::PASS
            };
            tell(&error);
            return ExitCode::from(code);
        }
    };
    let result = app::run(&cli);
    if let Err(error) = &result {
        // If standard error is gone, the exit code still tells.
        let _ = writeln!(std::io::stderr(), "{}", harmless(&error.to_string()));
    }
    exit_code::of_result(&result)
}

/// Prints help, or what is wrong with what was typed: that may come from a job's inputs, and a
/// runner reads what is no terminal.
fn tell(error: &clap::Error) {
    // Help that nobody reads is no fault.
    let _ = match error.use_stderr() && !std::io::stderr().is_terminal() {
        true => write!(
            std::io::stderr(),
            "{}",
            harmless(&error.render().to_string())
        ),
        false => error.print(),
    };
}
