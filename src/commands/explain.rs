//! `explain`: what a class means and what to do about it.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::cli::Options;
use crate::error::{Error, InputError};
use crate::experiments::catalogue::{self, Entry};
use crate::model::class::Class;
use crate::report::style::{Style, one_line};
use crate::stdout;

/// Prints the classes that `name` may mean; without a name, all.
///
/// # Errors
/// When there is no such class.
pub fn run(name: Option<&str>, options: &Options) -> Result<(), Error> {
    let as_json = stdout::wants_json("explain", options)?;
    let found = match name {
        Some(name) => find(name)?,
        None => catalogue::entries().collect(),
    };
    let style = stdout::style(options);
    stdout::print(|out| match (as_json, name) {
        (true, _) => writeln!(out, "{:#}", value(&found)),
        (false, Some(_)) => explain(&found, style, out),
        (false, None) => list(&found, style, out),
    })
}

fn find(name: &str) -> Result<Vec<Entry>, Error> {
    let found: Vec<_> = catalogue::entries()
        .filter(|entry| entry.is_called(name))
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let shown = one_line(name);
    let problem = format!("no grader or experiment has the class `{shown}`");
    let hint = match catalogue::nearest(name) {
        Some(nearest) => format!("The nearest is `{nearest}`; `driftgate explain` lists all."),
        None => String::new(),
    };
    Err(InputError::new("", problem).hint(hint).into())
}

/// One paragraph for each meaning, with everybody whose class has it.
fn explain(found: &[Entry], style: Style, out: &mut impl Write) -> io::Result<()> {
    let text = |class: &Class| (class.name, class.level, class.meaning, class.next);
    let mut meanings: Vec<(&Class, Vec<&str>)> = Vec::new();
    for Entry { owner, class } in found {
        match meanings
            .iter_mut()
            .find(|(known, _)| text(known) == text(class))
        {
            Some((_, owners)) => owners.push(owner),
            None => meanings.push((class, vec![owner])),
        }
    }
    for (index, (class, owners)) in meanings.into_iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        writeln!(out, "{gap}{}", style.bold(class.name))?;
        writeln!(out, "  of       {}", owners.join(", "))?;
        writeln!(
            out,
            "  level    {}",
            style.level(class.level, class.level.as_str())
        )?;
        writeln!(out, "  meaning  {}", class.meaning)?;
        writeln!(out, "  next     {}", class.next)?;
    }
    Ok(())
}

fn list(all: &[Entry], style: Style, out: &mut impl Write) -> io::Result<()> {
    let width = all
        .iter()
        .map(|entry| entry.class.name.len())
        .max()
        .unwrap_or(0);
    let mut last = "";
    for Entry { owner, class } in all {
        if *owner != last {
            let gap = if last.is_empty() { "" } else { "\n" };
            writeln!(out, "{gap}{}", style.bold(owner))?;
            last = owner;
        }
        let level = style.level(class.level, &format!("{:<10}", class.level));
        writeln!(out, "  {:<width$}  {level}  {}", class.name, class.meaning)?;
    }
    Ok(())
}

fn value(found: &[Entry]) -> Value {
    let class = |Entry { owner, class }: &Entry| {
        json!({
            "owner": owner,
            "class": class.name,
            "level": class.level,
            "meaning": class.meaning,
            "next": class.next,
        })
    };
    json!({"classes": found.iter().map(class).collect::<Vec<_>>()})
}
