//! The sweep over ordered pairs: a header that stands alone may still fail behind another one that
//! does, where both share a guard or a macro.

use serde_json::json;

use crate::graders::build::Steps;
use crate::graders::compare::printable;
use crate::model::header::Header;
use crate::model::inquiry::Next;
use crate::model::observation::Observation;
use crate::model::step::Step;
use crate::model::verdict::{Status, Verdict};

use super::complaints::Complaints;
use super::evidence;
use super::probes::{Other, Probed, all_others};
use super::units::{Dialect, Unit, Units, include};

/// The header behind each of the others.
pub(super) struct Pairs<'a> {
    pub(super) header: &'a Header,
    pub(super) units: &'a Units,
    pub(super) dialect: Dialect,
}

impl Pairs<'_> {
    /// The verdict on the first pair that does not compile although both do alone, or the machine's
    /// part; `None` if all compile.
    pub(super) fn next(&self, seen: &Steps) -> Next<Step, Probed<Option<Verdict>>> {
        let others = all_others(self.header);
        let clean = match done!(self.units.clean(seen, self.dialect, &others)) {
            Ok(clean) => clean,
            Err(why) => return Next::Done(Err(why)),
        };
        let pair = |other: &Other| self.units.behind(self.dialect, &include(&other.name));
        let units: Vec<Unit> = clean.iter().map(pair).collect();
        done!(
            self.units
                .ask_together(seen, &units.iter().collect::<Vec<_>>())
        );
        for (other, unit) in clean.iter().zip(&units) {
            match done!(self.units.compiles(seen, unit)) {
                Ok(None) => {}
                Ok(Some(said)) => return Next::Done(Ok(Some(self.fails_behind(other, said)))),
                Err(why) => return Next::Done(Err(why)),
            }
        }
        Next::Done(Ok(None))
    }

    fn fails_behind(&self, other: &Other, said: &Observation) -> Verdict {
        let complaints = Complaints::read(&said.stderr, self.header);
        let first = printable(other.path.as_bytes());
        let detail = format!("stands alone, and not behind {first}{}", complaints.said());
        let verdict = Verdict::new(Status::Fail, "other_compile_error", detail);
        let verdict = verdict.with("behind", json!(first));
        evidence::with_complaints(verdict, self.header, &complaints, said)
    }
}
