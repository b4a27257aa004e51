//! What a person sees while it works: one moving line on a terminal, plain lines elsewhere.

use std::cell::Cell;
use std::io::{IsTerminal as _, Write as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::run::driver::Progress;

/// Plain lines come this often: every so many rows.
const PLAIN_EVERY: u64 = 50;

/// Progress on standard error.
pub struct Bar {
    bar: Option<ProgressBar>,
    plain: bool,
    done: Cell<u64>,
    total: u64,
}

impl Bar {
    /// Progress over `total` rows; silent if `quiet`.
    #[must_use]
    pub fn new(total: usize, quiet: bool) -> Self {
        let total = total as u64;
        let terminal = std::io::stderr().is_terminal();
        let bar = (!quiet && terminal).then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
            let bar = ProgressBar::with_draw_target(Some(total), target);
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        Self {
            bar,
            plain: !quiet && !terminal,
            done: Cell::new(0),
            total,
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn row_done(&self, label: &str) {
        let done = self.done.get() + 1;
        self.done.set(done);
        if let Some(bar) = &self.bar {
            bar.set_message(label.to_owned());
            bar.set_position(done);
        }
        if self.plain && (done.is_multiple_of(PLAIN_EVERY) || done == self.total) {
            // Nobody may be reading: progress is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{done}/{} done", self.total);
        }
    }
}
