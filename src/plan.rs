//! Which inquiries a command needs: from a loaded suite and a compiler to tasks.

pub mod scope;
pub mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::InputError;
use crate::experiments::RowInquiry;
use crate::experiments::accept::{Acceptance, Regraded};
use crate::experiments::gate::Graded;
use crate::experiments::record::Recording;
use crate::experiments::replay::base::Base;
use crate::experiments::replay::{Before, Gone, KnownClasses, Replay};
use crate::graders::unit::Unit;
use crate::graders::{self, GraderKind};
use crate::model::case::Case;
use crate::model::grader::GraderSpec;
use crate::model::header::Header;
use crate::model::pins::{Completion, Pins};
use crate::model::row::Row;
use crate::model::toolchain::{Compiler, Toolchain};
use crate::model::verdict::Status;
use crate::run::driver::Task;
use crate::run::times::Times;
use crate::suite::Suite;
use crate::suite::globs::{self, Star};

/// What pins need beside the suite.
pub struct Bench<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// The suite at the base, if there is one.
    pub base: Option<&'a Suite>,
    /// The public headers that were there at the base, as they were.
    pub headers_at_base: &'a BTreeMap<String, Arc<Header>>,
    /// Whether ordered pairs of headers are looked at too.
    pub pairs: bool,
    /// The base's revision.
    pub base_name: Option<&'a str>,
    /// The compiler.
    pub compiler: &'a Compiler,
    /// How long rows took last time.
    pub times: &'a Times,
}

/// The name of a row where its time is remembered.
#[must_use]
pub fn label(lane: &str, id: &str, grader: &str) -> String {
    format!("{lane} {id} {grader}")
}

/// The sets of flags that choose another tool, over all cases of all `suites`.
#[must_use]
pub fn flag_sets<'a>(suites: impl IntoIterator<Item = &'a Suite>) -> BTreeSet<Vec<String>> {
    let of_suite = |suite: &'a Suite| {
        let cases = suite.cases.iter().map(|case| &case.flags);
        let consumers = suite.consumers.iter().map(|consumer| &consumer.flags);
        cases.chain(consumers).chain(tree::flags_of(suite))
    };
    let flags = suites.into_iter().flat_map(of_suite);
    let sets = flags.map(|flags| Toolchain::selecting(flags));
    sets.filter(|flags| !flags.is_empty()).collect()
}

impl Bench<'_> {
    /// The pins of `completion` for `case` under `grader`.
    #[must_use]
    pub fn pins(
        &self,
        case: &Arc<Case>,
        completion: &Arc<Completion>,
        grader: &Arc<GraderSpec>,
    ) -> Pins {
        let toolchain = self
            .compiler
            .as_ref()
            .ok()
            .map(|toolchain| toolchain.identity(&case.flags));
        Pins::new(
            Arc::clone(case),
            Arc::clone(completion),
            Arc::clone(grader),
            toolchain,
        )
    }

    /// The task of an inquiry of `lane` about an id and, where one row has one, a grader.
    fn task<D>(&self, lane: &str, (id, grader): (&str, &str), inquiry: RowInquiry<D>) -> Task<D> {
        let label = label(lane, id, grader);
        Task {
            known_seconds: self.times.get(&label),
            label,
            inquiry,
        }
    }

    /// The graders of `case` with their kinds. The loader has seen to it that all exist.
    fn graders<'a>(
        &'a self,
        case: &'a Case,
    ) -> impl Iterator<Item = (&'a Arc<GraderSpec>, &'static GraderKind)> {
        let specs = case
            .graders
            .iter()
            .filter_map(|id| self.suite.graders.get(id));
        specs.filter_map(|spec| Some((spec, graders::find(spec.kind)?)))
    }

    /// Every (case, grader) to be replayed, and those that are gone since the base.
    #[must_use]
    pub fn replays(&self) -> Vec<Task<Row>> {
        let mut tasks = Vec::new();
        for case in &self.suite.cases {
            for (spec, kind) in self.graders(case) {
                let inquiry = Box::new(self.replay(case, spec, kind));
                tasks.push(self.task("replay", (&case.id, &spec.id), inquiry));
            }
        }
        tasks.extend(self.gone());
        tasks
    }

    fn replay(&self, case: &Arc<Case>, spec: &Arc<GraderSpec>, kind: &GraderKind) -> Replay {
        let recording = self.suite.recordings.get(&case.id);
        let old_spec = self
            .base
            .as_ref()
            .and_then(|base| base.graders.get(&spec.id));
        let old_spec = old_spec.map(Arc::as_ref);
        Replay {
            head: recording.map(|found| self.pins(case, &found.completion, spec)),
            case: case.id.clone(),
            case_path: case.path.clone(),
            grader: spec.id.clone(),
            grader_path: spec.file_changed_since(old_spec).map(str::to_owned),
            cassette: recording.map(|found| Arc::clone(&found.cassette)),
            cassette_path: recording
                .map(|found| found.path.clone())
                .unwrap_or_default(),
            known: KnownClasses {
                table: (!kind.open).then_some(kind.classes),
            },
            before: match &self.base {
                None => Before::Alone,
                Some(base) => self.before(base, case, spec),
            },
            command: self.command(),
        }
    }

    /// What the base knows of this grader on this case.
    fn before(&self, base: &Suite, case: &Arc<Case>, spec: &Arc<GraderSpec>) -> Before {
        let (Some(old), Some(recording), Some(old_spec)) = (
            base.case(&case.id),
            base.recordings.get(&case.id),
            base.graders.get(&spec.id),
        ) else {
            return Before::Nothing;
        };
        if !recording.cassette.verdicts.contains_key(&spec.id) {
            return Before::Nothing;
        }
        let completion = &recording.completion;
        Before::Base(Box::new(Base {
            cassette: Arc::clone(&recording.cassette),
            recorded: self.pins(old, completion, old_spec),
            regraded: self.pins(old, completion, spec),
            recased: self.pins(case, completion, spec),
        }))
    }

    /// What the base judges and head does not.
    fn gone(&self) -> Vec<Task<Row>> {
        let mut tasks = Vec::new();
        for old in self.base.iter().flat_map(|base| &base.cases) {
            let case = self.suite.case(&old.id);
            let kept = |grader: &String| case.is_some_and(|case| case.graders.contains(grader));
            for grader in old.graders.iter().filter(|grader| !kept(grader)) {
                let path = case.map_or(&old.path, |case| &case.path);
                let inquiry = Box::new(Gone::new(&old.id, path, grader));
                tasks.push(self.task("replay", (&old.id, grader), inquiry));
            }
        }
        tasks
    }

    /// The source that was judged for `row`, with a name for it; `None` where nothing was.
    #[must_use]
    pub fn source(&self, row: &Row) -> Option<(&'static str, Arc<[u8]>)> {
        if let Some(source) = self.tree_source(row) {
            return Some(source);
        }
        let case = self.suite.case(&row.id)?;
        let recording = self.suite.recordings.get(&row.id)?;
        let unit = Unit::assemble(case, &recording.completion.bytes);
        Some(("candidate.cpp", unit.ok()?.source))
    }

    fn command(&self) -> String {
        match self.base_name {
            Some(base) => format!("driftgate replay --base {base}"),
            None => "driftgate replay".to_owned(),
        }
    }

    /// Every recorded completion whose recorded verdict is a pass, under the graders that gave it.
    #[must_use]
    pub fn grades(&self) -> Vec<Task<Row>> {
        let mut tasks = Vec::new();
        for case in &self.suite.cases {
            let Some(recording) = self.suite.recordings.get(&case.id) else {
                continue;
            };
            let passed = |grader: &str| {
                let verdict = recording.cassette.verdicts.get(grader);
                verdict.is_some_and(|outcome| outcome.status == Status::Pass)
            };
            for (spec, kind) in self.graders(case).filter(|(spec, _)| passed(&spec.id)) {
                tasks.push(self.grade(case, &recording.completion, spec, kind));
            }
        }
        tasks
    }

    /// One completion under every grader of `case`.
    #[must_use]
    pub fn grades_of(&self, case: &Arc<Case>, completion: &Arc<Completion>) -> Vec<Task<Row>> {
        let graders = self.graders(case);
        graders
            .map(|(spec, kind)| self.grade(case, completion, spec, kind))
            .collect()
    }

    fn grade(
        &self,
        case: &Arc<Case>,
        completion: &Arc<Completion>,
        spec: &Arc<GraderSpec>,
        kind: &'static GraderKind,
    ) -> Task<Row> {
        let graded = Graded {
            pins: self.pins(case, completion, spec),
            kind,
            expect_class: kind.passing_class().map(str::to_owned),
        };
        self.task("grade", (&case.id, &spec.id), Box::new(graded))
    }

    /// Every recording that may take today's verdicts.
    #[must_use]
    pub fn acceptances(&self) -> Vec<Task<Vec<Regraded>>> {
        let mut tasks = Vec::new();
        for case in &self.suite.cases {
            let Some(recording) = self.suite.recordings.get(&case.id) else {
                continue;
            };
            let pins = |(spec, _)| self.pins(case, &recording.completion, spec);
            let acceptance = Acceptance {
                pins: self.graders(case).map(pins).collect(),
                cassette: Arc::clone(&recording.cassette),
            };
            tasks.push(self.task("accept", (&case.id, ""), Box::new(acceptance)));
        }
        tasks
    }

    /// One completion of `case` to be recorded.
    #[must_use]
    pub fn recording(
        &self,
        case: &Arc<Case>,
        completion: &Arc<Completion>,
    ) -> Task<<Recording as crate::model::inquiry::Inquiry>::Done> {
        let pins = self
            .graders(case)
            .map(|(spec, _)| self.pins(case, completion, spec))
            .collect();
        self.task("record", (&case.id, ""), Box::new(Recording { pins }))
    }
}

/// The ids of everything in `suite` that rows are about.
fn ids(suite: &Suite) -> impl Iterator<Item = &str> {
    let cases = suite.cases.iter().map(|case| case.id.as_str());
    let consumers = suite.consumers.iter().map(|consumer| consumer.id.as_str());
    let headers = suite.headers.headers.iter();
    let headers = headers.map(|public| public.header.path.as_str());
    cases.chain(consumers).chain(headers)
}

/// Keeps only the cases, consumers and headers of all `suites` that match one of `globs`; all if there are none.
///
/// # Errors
/// When a glob is malformed or matches no case of any suite.
pub fn select(suites: &mut [&mut Suite], globs: &[String]) -> Result<(), Vec<InputError>> {
    if globs.is_empty() {
        return Ok(());
    }
    let mut errors = Vec::new();
    let mut matchers = Vec::new();
    for text in globs {
        match globs::matcher(text, Star::Anywhere) {
            Ok(matcher) => matchers.push((text, matcher)),
            Err(why) => errors.push(fault(format!("`{text}` {why}"))),
        }
    }
    let ids: Vec<&str> = suites.iter().flat_map(|suite| ids(suite)).collect();
    for (text, matcher) in &matchers {
        if !ids.iter().any(|id| matcher.is_match(id)) {
            let nearest = ids
                .iter()
                .min_by_key(|id| strsim::damerau_levenshtein(id, text));
            let hint = nearest.map(|id| format!("The nearest id is `{id}`."));
            errors.push(fault(format!("no case matches `{text}`")).hint(hint.unwrap_or_default()));
        }
    }
    let is_meant = |id: &str| matchers.iter().any(|(_, matcher)| matcher.is_match(id));
    for suite in suites {
        suite.cases.retain(|case| is_meant(&case.id));
        suite.consumers.retain(|consumer| is_meant(&consumer.id));
        let headers = &mut suite.headers;
        headers.headers.retain(|it| is_meant(&it.header.path));
        if headers.headers.is_empty() {
            headers.declared = None;
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

fn fault(problem: String) -> InputError {
    InputError::new("", problem).field("--case")
}
