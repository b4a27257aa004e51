//! `init`: the first suite of a repository, really recorded, with its settings and its workflow.
//! Each of the three comes into place whole, where nothing is; what is there is left alone.

mod places;
mod templates;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::checkout;
use crate::cli::{Cli, Command, Options};
use crate::error::Error;
use crate::model::report::{Outcome, Report};
use crate::report::style::one_line;
use crate::run::session::Claim;
use crate::run::workspace;
use crate::stdout;
use crate::suite::{GOLDENS, cassettes, config};

use places::{Places, WORKFLOW};

/// Makes what is missing. `record` carries out the command that records the completion.
///
/// # Errors
/// When something stands in the way or cannot be written, or nothing can be recorded here: then
/// nothing was written.
pub fn run(
    options: &Options,
    record: impl FnOnce(&Cli) -> Result<Report, Error>,
) -> Result<Outcome, Error> {
    let as_json = stdout::wants_json("init", options)?;
    let places = Places::look(&checkout::root(options)?).map_err(Error::Input)?;
    if !places.listed(true).is_empty() {
        write(&places, options, record)?;
    }
    stdout::print(|out| match as_json {
        true => writeln!(out, "{:#}", in_json(&places)),
        false => in_text(&places, out),
    })?;
    Ok(Outcome::Pass)
}

/// Writes what is missing: the suite first, since it is one without the others.
fn write(
    places: &Places,
    options: &Options,
    record: impl FnOnce(&Cli) -> Result<Report, Error>,
) -> Result<(), Error> {
    let claim = Claim::take(&places.root, "init")?;
    let folder = places.root.join(workspace::NAME);
    if places.suite {
        // Not in the checkout: nothing that git knows of it is about this suite.
        let draft = claim.scratch().join("init");
        let files = recorded(places, &draft, options, record)?;
        places.place_suite(&folder, &files)?;
    }
    if places.config {
        places.place_config(&folder, templates::CONFIG)?;
    }
    if places.workflow {
        places.place_workflow(&folder, workflow(&places.inner).as_bytes())?;
    }
    Ok(())
}

/// The files of the suite after its completion was recorded in the folder `draft`.
fn recorded(
    places: &Places,
    draft: &Path,
    options: &Options,
    record: impl FnOnce(&Cli) -> Result<Report, Error>,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let completions = draft.join("completions");
    let settings = match places.config {
        true => templates::CONFIG.to_owned(),
        // It may name the compiler.
        false => fs::read(places.root.join(config::FILE)).context("cannot read the settings")?,
    };
    let completion = format!("{}.cpp", templates::CASE);
    let of_suite = templates::SUITE.iter();
    let of_suite = of_suite.map(|(path, bytes)| (draft.join(GOLDENS).join(path), *bytes));
    let beside = [
        (draft.join(config::FILE), settings.as_slice()),
        (completions.join(completion), templates::COMPLETION),
    ];
    for (path, bytes) in of_suite.chain(beside) {
        put(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    record(&Cli {
        options: Options {
            root: Some(draft.to_owned()),
            base: None,
            report: None,
            case: Vec::new(),
            fail_on: Vec::new(),
            store: false,
            resume: false,
            ..options.clone()
        },
        command: Command::Record { from: completions },
    })?;
    let files = gather(draft).context("cannot read what was recorded")?;
    judged_as_meant(&files)?;
    Ok(files)
}

/// The files of the suite in `draft`, from its folder of goldens.
fn gather(draft: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let cassette = cassettes::path_of(templates::CASE);
    let output = cassettes::output_of(templates::CASE);
    let recorded = cassette
        .strip_prefix(&format!("{GOLDENS}/"))
        .map(str::to_owned);
    let written = templates::SUITE.iter().map(|(path, _)| (*path).to_owned());
    let read = |path: String| Ok((path.clone(), fs::read(draft.join(GOLDENS).join(path))?));
    written.chain(recorded).chain([output]).map(read).collect()
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

/// Refuses a recording that says something else than the example is there to say: a compiler that
/// cannot build it would make a suite about nothing.
fn judged_as_meant(files: &[(String, Vec<u8>)]) -> Result<(), Error> {
    let classes = files.iter().filter_map(|(_, bytes)| {
        let file: Value = serde_json::from_slice(bytes).ok()?;
        let class = file.pointer("/verdicts/io_match/class")?.as_str()?;
        Some(class.to_owned())
    });
    let classes: Vec<_> = classes.collect();
    if classes == [templates::CLASS] {
        return Ok(());
    }
    Err(Error::Incomplete(format!(
        "the example was judged `{}` here and not `{}`, so nothing was written\n    `driftgate doctor` says what this machine can do.",
        classes.join("`, `"),
        templates::CLASS
    )))
}

/// The workflow for a suite in the folder `inner` of the checkout.
fn workflow(inner: &str) -> String {
    match inner {
        "" => templates::GATE.to_owned(),
        _ => templates::GATE.replace(templates::ROOT, &format!("root: {}\n", quoted(inner))),
    }
}

/// `text` as YAML has it, whatever it looks like: `1.10` is no number.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn in_json(places: &Places) -> Value {
    json!({
        "schema": "driftgate/init/1",
        "root": places.root.display().to_string(),
        "wrote": places.listed(true),
        "kept": places.listed(false),
    })
}

fn in_text(places: &Places, out: &mut impl Write) -> io::Result<()> {
    let (wrote, kept) = (places.listed(true), places.listed(false));
    writeln!(
        out,
        "driftgate init in {}",
        one_line(&places.root.display().to_string())
    )?;
    for name in &wrote {
        writeln!(out, "  wrote  {}", one_line(name))?;
    }
    for name in &kept {
        writeln!(out, "  kept   {}: it was there already", one_line(name))?;
    }
    if wrote.is_empty() {
        return writeln!(out, "nothing to do");
    }
    writeln!(out, "next\n  driftgate check")?;
    if places.workflow {
        let line = 1 + templates::GATE
            .lines()
            .take_while(|line| !line.contains(templates::PLACEHOLDER))
            .count();
        writeln!(
            out,
            "  name the action in {WORKFLOW}, line {line}: who publishes it, and the commit"
        )?;
    }
    writeln!(out, "  commit all of it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workflow_names_the_root_and_what_is_to_fill_in() {
        assert_eq!(templates::GATE.matches(templates::ROOT).count(), 1);
        assert_eq!(templates::GATE.matches(templates::PLACEHOLDER).count(), 1);
        assert_eq!(workflow(""), templates::GATE);
        let inner = workflow("evals/suite");
        assert!(
            inner.ends_with("          root: 'evals/suite'\n"),
            "{inner}"
        );
        let odd = workflow("a 'b'/1.10");
        assert!(odd.ends_with("root: 'a ''b''/1.10'\n"), "{odd}");
    }

    #[test]
    fn only_the_verdict_that_the_example_is_about_is_taken() {
        let file = |class: &str| {
            let text = json!({"verdicts": {"io_match": {"status": "fail", "class": class}}});
            vec![("a".to_owned(), text.to_string().into_bytes())]
        };
        assert!(judged_as_meant(&file("stdout_differs")).is_ok());
        for class in ["match", "compile_error"] {
            let error = judged_as_meant(&file(class)).unwrap_err().to_string();
            assert!(
                error.contains(class) && error.contains("nothing was written"),
                "{error}"
            );
        }
        assert!(judged_as_meant(&[]).is_err());
    }
}
