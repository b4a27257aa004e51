//! `standalone_header`: every public header, alone in a clean unit.
//!
//! **Pins** the header, what it can reach in its include folders, the flags and the toolchain.
//! **Moves** nothing: it is a grader.
//! **Names** whether a header compiles on its own, twice in a row, and if not, whether it leans
//! on what its includer happens to include: proven by a compile with that in front.
//! **Cannot see** branches that these flags do not take, what a template breaks only where it is
//! used, and what the header owes to another compiler's standard library.

use std::sync::Arc;

use crate::model::header::{Header, Language};
use crate::model::inquiry::{Inquiry, Next};
use crate::model::observation::Observation;
use crate::model::step::Step;
use crate::model::toolchain::Compiler;
use crate::model::tree_pins::{Subject, TreePins};
use crate::model::trial::Judgement;
use crate::model::verdict::{Status, Verdict};

use super::build::Steps;
use super::program::{settled, with_text};
use super::{GraderKind, Grading, Start};

/// The result of a part of the inquiry, or what that part asks for.
macro_rules! done {
    ($next:expr) => {
        match $next {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(done) => done,
        }
    };
}

mod advice;
mod broken;
mod classes;
mod complaints;
mod edited;
mod evidence;
mod flags;
mod insertion;
mod pairs;
mod probes;
mod settings;
mod standard_library;
mod suggestion;
mod units;

pub use classes::CLASSES;
pub use flags::without_preludes;
pub use settings::PAIRS;

use complaints::Complaints;
use pairs::Pairs;
use probes::{Mentioned, Probes, Repair};
use units::{Dialect, Ran, Unit, Units};

/// The entry in the table of graders.
pub const KIND: GraderKind = GraderKind {
    kind: "standalone_header",
    rev: 1,
    classes: CLASSES,
    open: false,
    effective: settings::effective,
    inputs: None,
    start: Start::Tree(start),
};

/// The class of a header in order.
const CLEAN: &str = "clean";
/// The class of a header of which nothing is known.
const INCOMPLETE: &str = "incomplete";

fn start(pins: &TreePins, compiler: &Compiler, nth: u32) -> Grading {
    let Subject::Header(header) = &pins.subject else {
        return settled(incomplete("what was asked for is no header"));
    };
    if let Some(verdict) = cannot_be_named(header).or_else(|| is_not_there(header)) {
        return settled(verdict);
    }
    match compiler {
        Err(why) => settled(incomplete(why)),
        Ok(toolchain) => Box::new(StandaloneHeader {
            header: Arc::clone(header),
            units: Units::new(header, &pins.grader.settings, toolchain, nth),
            sweep: pins.grader.settings[PAIRS] == true,
            mentioned: Mentioned::new(),
        }),
    }
}

/// The verdict on a header that no `#include` can name.
fn cannot_be_named(header: &Header) -> Option<Verdict> {
    let unwritable = header.name.contains(['\n', '\r', '\0'])
        || (header.name.contains('"') && header.name.contains('>'));
    unwritable.then(|| {
        let why = "its name cannot be written in an #include";
        let verdict = Verdict::new(Status::Fail, "other_compile_error", why);
        evidence::with_fault(verdict, why).with("at", evidence::at_start(header))
    })
}

/// The verdict on a header that is listed and not there, whatever else has its name.
fn is_not_there(header: &Header) -> Option<Verdict> {
    let is_there = header.tree.get(&header.path).is_some();
    let verdict = || evidence::listed_missing(header);
    (!is_there).then(|| evidence::with_language(verdict(), dialect(header)))
}

/// The language that a header is compiled as first.
fn dialect(header: &Header) -> Dialect {
    match header.language {
        Language::Cxx | Language::Either => Dialect::Cxx,
        Language::C => Dialect::C,
    }
}

fn incomplete(why: impl Into<String>) -> Verdict {
    Verdict::new(Status::Unjudged, INCOMPLETE, why)
}

/// One grading.
struct StandaloneHeader {
    header: Arc<Header>,
    units: Units,
    /// Whether it is looked at behind every other public header too.
    sweep: bool,
    mentioned: Mentioned,
}

impl Inquiry for StandaloneHeader {
    type Ask = Step;
    type Answer = Arc<Observation>;
    type Done = Judgement;

    fn next(&self, seen: &Steps) -> Next<Step, Judgement> {
        let dialect = dialect(&self.header);
        let ran = done!(self.units.run(seen, &self.units.whole(dialect)));
        match ran {
            Ran::Accepted(compiled) => self.unless_behind_another(seen, dialect, compiled),
            Ran::Machine(why) => Next::Done(Judgement::of(incomplete(why))),
            Ran::Refused(_) | Ran::Bomb(_) => self.unless_it_is_c(seen, dialect, &ran),
        }
    }
}

impl StandaloneHeader {
    /// The verdict on a header that stands alone, unless a sweep over pairs was asked for and finds
    /// one that it fails behind.
    fn unless_behind_another(
        &self,
        seen: &Steps,
        dialect: Dialect,
        compiled: &Observation,
    ) -> Next<Step, Judgement> {
        let pairs = Pairs {
            header: &self.header,
            units: &self.units,
            dialect,
        };
        let verdict = match self.sweep {
            false => None,
            true => match done!(pairs.next(seen)) {
                Ok(verdict) => verdict,
                Err(why) => Some(incomplete(why)),
            },
        };
        Next::Done(match verdict {
            None => self.clean(dialect, compiled),
            Some(verdict) => Judgement {
                verdict: evidence::with_language(verdict, dialect),
                system: compiled.reads,
            },
        })
    }

    /// The verdict on a header that does not compile in `dialect`, unless it is really C.
    fn unless_it_is_c(
        &self,
        seen: &Steps,
        dialect: Dialect,
        ran: &Ran<'_>,
    ) -> Next<Step, Judgement> {
        if self.may_be_c() {
            match done!(self.units.run(seen, &self.units.whole(Dialect::C))) {
                Ran::Accepted(compiled) => return Next::Done(self.clean(Dialect::C, compiled)),
                Ran::Machine(why) => return Next::Done(Judgement::of(incomplete(why))),
                Ran::Refused(_) | Ran::Bomb(_) => {}
            }
        }
        let (verdict, system) = match ran {
            Ran::Bomb(why) => (self.bomb(why), None),
            Ran::Refused(compiled) => (
                done!(self.explain(seen, dialect, compiled)),
                self.units.system(seen, dialect, compiled),
            ),
            Ran::Accepted(_) | Ran::Machine(_) => (incomplete("nothing was refused"), None),
        };
        Next::Done(Judgement {
            verdict: evidence::with_language(verdict, dialect),
            system,
        })
    }

    /// Whether a header that is no C++ may be C: nobody said which, and it says nothing of C++.
    fn may_be_c(&self) -> bool {
        let text = self.header.tree.get(&self.header.path);
        self.header.language == Language::Either
            && has_extension_h(&self.header.path)
            && text.is_some_and(|text| !complaints::mentions(&text.bytes, "__cplusplus"))
    }

    /// Whether a header of either language has nothing that only C++ has.
    fn may_serve_c(&self) -> bool {
        const OF_CXX: [&[u8]; 10] = [
            b"class",
            b"constexpr",
            b"namespace",
            b"nullptr",
            b"operator",
            b"std",
            b"template",
            b"typename",
            b"using",
            b"virtual",
        ];
        let text = self.header.tree.get(&self.header.path);
        self.header.language == Language::Either
            && has_extension_h(&self.header.path)
            && text.is_some_and(|text| {
                complaints::words(&text.bytes).all(|(_, word)| !OF_CXX.contains(&word))
            })
    }

    fn clean(&self, dialect: Dialect, compiled: &Observation) -> Judgement {
        let verdict = Verdict::new(Status::Pass, CLEAN, "compiles alone");
        let advice = match dialect {
            Dialect::Cxx => advice::on(&self.header),
            // The tables are those of C++.
            Dialect::C => Vec::new(),
        };
        let verdict = if advice.is_empty() {
            verdict
        } else {
            verdict.with("advice", advice)
        };
        Judgement {
            verdict: evidence::with_language(verdict, dialect),
            system: compiled.reads,
        }
    }

    fn bomb(&self, why: &str) -> Verdict {
        let verdict = Verdict::new(Status::Fail, "other_compile_error", why);
        evidence::with_fault(verdict, why).with("at", evidence::at_start(&self.header))
    }

    /// The compiler said no: which phase, and what would repair it.
    fn explain(&self, seen: &Steps, dialect: Dialect, whole: &Observation) -> Next<Step, Verdict> {
        let units = &self.units;
        let (control, once) = (units.control(dialect), units.once(dialect));
        let preprocessed = units.preprocessed(dialect);
        done!(units.ask_together(seen, &[&control, &preprocessed, &once]));
        if let Some(why) = done!(self.control_fails(seen, &control)) {
            return Next::Done(why);
        }
        match done!(units.run(seen, &preprocessed)) {
            Ran::Machine(why) => return Next::Done(incomplete(why)),
            Ran::Refused(said) => {
                if let Some(verdict) = evidence::header_missing(&self.header, &said.stderr) {
                    return Next::Done(verdict);
                }
            }
            Ran::Accepted(_) | Ran::Bomb(_) => {}
        }
        match done!(units.run(seen, &once)) {
            Ran::Machine(why) => Next::Done(incomplete(why)),
            Ran::Accepted(_) => Next::Done(self.not_reincludable(whole)),
            Ran::Refused(said) => self.repair(seen, dialect, said),
            Ran::Bomb(why) => Next::Done(self.bomb(&why)),
        }
    }

    /// Why nothing can be said of a header with a compiler that does not compile a trivial unit.
    fn control_fails(&self, seen: &Steps, control: &Unit) -> Next<Step, Option<Verdict>> {
        let why = "a trivial unit does not compile with these flags either";
        Next::Done(match done!(self.units.run(seen, control)) {
            Ran::Accepted(_) => None,
            Ran::Refused(said) => Some(with_text(incomplete(why), "diagnostics", &said.stderr)),
            Ran::Bomb(why) | Ran::Machine(why) => Some(incomplete(why)),
        })
    }

    fn not_reincludable(&self, whole: &Observation) -> Verdict {
        let complaints = Complaints::read(&whole.stderr, &self.header);
        let detail = format!("compiles once and not twice{}", complaints.said());
        let verdict = Verdict::new(Status::Fail, "not_reincludable", detail);
        evidence::with_complaints(verdict, &self.header, &complaints, whole)
    }

    fn repair(&self, seen: &Steps, dialect: Dialect, said: &Observation) -> Next<Step, Verdict> {
        let complaints = Complaints::read(&said.stderr, &self.header);
        let probes = Probes {
            header: &self.header,
            units: &self.units,
            dialect,
            serves_c: self.may_serve_c(),
            complaints: &complaints,
            mentioned: &self.mentioned,
        };
        let verdict = match done!(probes.next(seen)) {
            Err(why) => incomplete(why),
            Ok(Some(repair)) => missing_declaration(&complaints, &repair),
            Ok(None) => {
                let message = complaints.first_message();
                let detail = message.unwrap_or_else(|| "does not compile".to_owned());
                Verdict::new(Status::Fail, "other_compile_error", detail)
            }
        };
        Next::Done(evidence::with_complaints(
            verdict,
            &self.header,
            &complaints,
            said,
        ))
    }
}

fn missing_declaration(complaints: &Complaints, repair: &Repair) -> Verdict {
    let detail = evidence::missing_declaration(complaints.name(), repair);
    let verdict = Verdict::new(Status::Fail, "missing_declaration", detail)
        .with("repaired_by", repair.as_json());
    match &repair.suggestion {
        Some(suggestion) => verdict.with("suggestion", suggestion.as_json()),
        None => verdict,
    }
}

fn has_extension_h(path: &str) -> bool {
    std::path::Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "h")
}

#[cfg(test)]
mod tests;
