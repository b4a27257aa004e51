//! What this machine can do and why, for people and for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::model::isolation::Part;
use crate::model::machine::{Machine, Temp};
use crate::model::report::Sandbox;

use super::style::{Style, one_line};

/// The schema's name.
const SCHEMA: &str = "driftgate/doctor/1";

/// What `doctor` looked at.
pub struct Examination {
    /// The machine.
    pub machine: Machine,
    /// The isolation that candidates would get.
    pub sandbox: Sandbox,
    /// What is known of the suite.
    pub suite: Suite,
}

/// The suite that was found, if any.
pub struct Suite {
    /// Its root.
    pub root: String,
    /// Whether the root has a configuration.
    pub configured: bool,
    /// What is in it, or what is wrong with it, a fault each.
    pub counts: Result<Counts, Vec<String>>,
}

/// How much there is in a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Golden cases.
    pub cases: usize,
    /// Cases with a recorded completion.
    pub recorded: usize,
    /// Graders, those without a file included.
    pub graders: usize,
    /// Entries of the quarantine.
    pub quarantined: usize,
}

/// Writes what a person reads.
///
/// # Errors
/// When `out` cannot be written.
pub fn text(seen: &Examination, style: Style, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", style.bold("driftgate doctor"))?;
    for (name, said) in lines(seen) {
        writeln!(out, "  {name:<10} {}", one_line(&said))?;
    }
    let (level, verdict) = match seen.machine.obstacle() {
        None => (
            crate::model::class::Level::Ok,
            "PASS: a check could run here".to_owned(),
        ),
        Some(why) => (
            crate::model::class::Level::Incomplete,
            format!(
                "INCOMPLETE: no check could judge anything here: {}",
                one_line(why)
            ),
        ),
    };
    writeln!(out, "\n{}", style.level(level, &verdict))
}

/// One line for each thing looked at; those that go on have no name.
fn lines(seen: &Examination) -> Vec<(&'static str, String)> {
    let machine = &seen.machine;
    let mut lines = Vec::new();
    match &machine.compiler {
        Ok(toolchain) => {
            lines.push(("compiler", toolchain.version.clone()));
            lines.push((
                "",
                format!(
                    "asked for as `{}`, identity {}",
                    machine.compiler_name,
                    toolchain.digest.short()
                ),
            ));
            lines.push(("", match toolchain.lists_link_reads {
                true => "the linker lists what it reads, so libraries are part of `system`",
                false => "the linker does not list what it reads, so libraries are no part of `system`",
            }.to_owned()));
        }
        Err(why) => lines.push(("compiler", why.clone())),
    }
    for tool in &machine.tools {
        lines.push((
            tool.name,
            match &tool.path {
                Some(path) => path.clone(),
                None => format!("not found; needed for {}", tool.needed_for),
            },
        ));
    }
    lines.push((
        "sandbox",
        format!("{}: {}", seen.sandbox.level, seen.sandbox.why),
    ));
    if let Some(isolation) = &machine.isolation {
        let parts = isolation.parts();
        lines.extend(parts.map(|(name, part)| ("", format!("{name}: {}", said(part)))));
    }
    lines.extend(kernel(seen));
    lines.push((
        "temp",
        format!("{}: {}", machine.temp.path, temp(&machine.temp)),
    ));
    lines.push(("cores", machine.cores.to_string()));
    lines.extend(suite(&seen.suite));
    lines
}

fn said(part: &Part) -> &str {
    match part {
        Part::Holds => "isolated",
        Part::NotNeeded => "no rights to give up: driftgate does not run as root",
        Part::Missing(why) => why,
    }
}

fn kernel(seen: &Examination) -> Vec<(&'static str, String)> {
    let kernel = &seen.machine.kernel;
    let fact = |holds: bool, yes: &str, no: &str| ("", (if holds { yes } else { no }).to_owned());
    vec![
        ("kernel", kernel.release.clone()),
        fact(
            kernel.subreaper,
            "subreaper: no process outlives its step",
            "no subreaper: a process that leaves its group may outlive its step",
        ),
        fact(
            kernel.pidfd,
            "pidfd: the end of a process is waited for",
            "no pidfd: the end of a process is looked for every few milliseconds",
        ),
        fact(
            kernel.lists_children,
            "/proc lists children: CPU time of whole trees is cheap to read",
            "/proc lists no children: all processes are looked through",
        ),
    ]
}

fn temp(temp: &Temp) -> String {
    match (&temp.unusable, temp.executable) {
        (Some(why), _) => format!("cannot be used: {why}"),
        (None, Some(true)) => "programs in it can be started".to_owned(),
        (None, Some(false)) => {
            "mounted noexec, so no candidate can be started; set TMPDIR to another folder"
                .to_owned()
        }
        (None, None) => "whether programs in it can be started is not known".to_owned(),
    }
}

fn suite(suite: &Suite) -> Vec<(&'static str, String)> {
    let configured = if suite.configured {
        ""
    } else {
        " (no driftgate.yml: the defaults hold)"
    };
    let mut lines = vec![("suite", format!("{}{configured}", suite.root))];
    let contents = match &suite.counts {
        Ok(counts) => format!(
            "{}, {} recorded, {}, {} quarantined",
            several(counts.cases, "case"),
            counts.recorded,
            several(counts.graders, "grader"),
            counts.quarantined
        ),
        Err(faults) => {
            let first = faults.first().map_or("", String::as_str);
            format!("{}; the first: {first}", several(faults.len(), "fault"))
        }
    };
    lines.push(("", contents));
    lines
}

fn several(count: usize, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// Writes what a program reads.
///
/// # Errors
/// When `out` cannot be written.
pub fn json(seen: &Examination, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &value(seen))?;
    out.write_all(b"\n")
}

fn value(seen: &Examination) -> Value {
    let machine = &seen.machine;
    let compiler = match &machine.compiler {
        Ok(toolchain) => json!({
            "name": machine.compiler_name,
            "version": toolchain.version,
            "hash": toolchain.digest,
            "lists_link_reads": toolchain.lists_link_reads,
        }),
        Err(why) => json!({"name": machine.compiler_name, "problem": why}),
    };
    let counts = match &seen.suite.counts {
        Ok(counts) => json!({
            "cases": counts.cases,
            "recorded": counts.recorded,
            "graders": counts.graders,
            "quarantined": counts.quarantined,
        }),
        Err(faults) => json!({"faults": faults}),
    };
    let parts: Option<BTreeMap<_, _>> = machine.isolation.as_ref().map(|isolation| {
        let parts = isolation.parts().into_iter();
        parts.map(|(name, part)| (name, said(part))).collect()
    });
    json!({
        "schema": SCHEMA,
        "can_check": machine.obstacle().is_none(),
        "obstacle": machine.obstacle(),
        "compiler": compiler,
        "tools": machine.tools,
        "sandbox": {"level": seen.sandbox.level, "why": seen.sandbox.why, "parts": parts},
        "kernel": machine.kernel,
        "temp": machine.temp,
        "cores": machine.cores,
        "suite": {"root": seen.suite.root, "configured": seen.suite.configured, "contents": counts},
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::isolation::Isolation;
    use crate::model::machine::{Kernel, Tool};
    use crate::model::testing::toolchain;

    fn isolated() -> Isolation {
        Isolation {
            identity: Part::NotNeeded,
            files: Part::Holds,
            network: Part::Holds,
            scope: Part::Holds,
            calls: Part::Holds,
            kernel_able: true,
        }
    }

    fn seen(able: bool) -> Examination {
        let compiler = match able {
            true => Ok(toolchain()),
            false => Err("no compiler: `c++` is not a program here".to_owned()),
        };
        Examination {
            machine: Machine {
                compiler_name: "c++".to_owned(),
                compiler,
                tools: vec![Tool {
                    name: "git",
                    path: able.then(|| "/usr/bin/git".to_owned()),
                    needed_for: "comparing with a base revision",
                }],
                isolation: Some(match able {
                    true => isolated(),
                    false => Isolation::none("Landlock is old"),
                }),
                kernel: Kernel {
                    release: "Linux 6".to_owned(),
                    subreaper: able,
                    pidfd: able,
                    lists_children: able,
                },
                temp: Temp {
                    path: "/tmp".to_owned(),
                    executable: Some(able),
                    unusable: None,
                },
                cores: 2,
            },
            sandbox: Sandbox {
                level: "partial".to_owned(),
                why: "limits hold".to_owned(),
            },
            suite: Suite {
                root: "/suite".to_owned(),
                configured: able,
                counts: match able {
                    true => Ok(Counts {
                        cases: 3,
                        recorded: 2,
                        graders: 1,
                        quarantined: 0,
                    }),
                    false => Err(vec!["driftgate.yml:1:1: not UTF-8".to_owned()]),
                },
            },
        }
    }

    fn rendered(seen: &Examination) -> String {
        let mut bytes = Vec::new();
        text(
            seen,
            Style {
                colour: false,
                width: 100,
            },
            &mut bytes,
        )
        .unwrap();
        json(seen, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_machine_that_can_judge_says_so() {
        insta::assert_snapshot!(rendered(&seen(true)));
    }

    #[test]
    fn a_machine_that_cannot_says_why() {
        insta::assert_snapshot!(rendered(&seen(false)));
    }
}
