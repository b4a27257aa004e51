//! `docs/classes.md`: every class of every grader and experiment, rendered from their tables.

use std::io::{self, Write};

use crate::experiments;
use crate::graders;
use crate::model::class::Class;

const INTRODUCTION: &str = "\
# Classes

Every row of a report has a class. This page is rendered from the tables in the source, and a test
fails when the two differ; `UPDATE_DOCS=1 cargo test --test architecture` writes it again.

The level says what a row of the class means for the build unless something moves it:

| level | meaning for the build |
|---|---|
| ok | nothing to do |
| review | a person should look; does not fail the build |
| incomplete | could not be judged: exit code 3 unless something fails |
| fail | exit code 1 |

`fail_on` in `driftgate.yml` or on the command line raises a class to fail.
";

const GRADERS: &str = "
## Graders

In `grade` the level is that of the class. In `replay` a verdict that stays what it was is
`STABLE` whatever its class, so a recorded failure that still fails is fine.
";

/// Writes the page.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(out: &mut impl Write) -> io::Result<()> {
    out.write_all(INTRODUCTION.as_bytes())?;
    out.write_all(b"\n## Experiments\n")?;
    for kind in experiments::KINDS {
        table(kind.name, kind.classes, out)?;
    }
    out.write_all(GRADERS.as_bytes())?;
    for kind in graders::KINDS {
        table(kind.kind, kind.classes, out)?;
    }
    Ok(())
}

fn table(name: &str, classes: &[Class], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n### `{name}`\n")?;
    writeln!(out, "| class | level | meaning | next |\n|---|---|---|---|")?;
    for class in classes {
        let Class {
            name,
            level,
            meaning,
            next,
        } = class;
        writeln!(
            out,
            "| `{name}` | {level} | {} | {} |",
            cell(meaning),
            cell(next)
        )?;
    }
    Ok(())
}

/// Text that stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
