//! `policy`: what a team makes of classes, and what a change loosens. The policy that applies to
//! a change is the stricter of base and head: a change cannot excuse itself unseen.
//!
//! **Pins** nothing. **Moves** the configuration, from base to head. **Names** what head loosens.
//! **Cannot see** what a looser rule would have caught.

pub mod emptied;
mod excuses;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::InputError;
use crate::graders;
use crate::model::class::{Class, Level};
use crate::model::edge::Axis;
use crate::model::grader::GraderSpec;
use crate::model::report::Experiment;
use crate::model::row::{At, Row};
use crate::suite::Suite;
use crate::suite::config::{self, Config, Net, Quarantine, Sandbox};
use crate::suite::globs::{self, Star};
use crate::suite::quarantine::{self, Entry};

use super::quarantine::LOWERED;
use super::{ExperimentKind, catalogue, replay};

/// The entry in the table of experiments.
pub const KIND: ExperimentKind = ExperimentKind {
    name: "policy",
    classes: CLASSES,
};

/// Every class of a policy row.
pub const CLASSES: &[Class] = &[Class {
    name: "GATE_WEAKENED",
    level: Level::Review,
    meaning: "The change loosens what the gate holds it to. Where base and head can be joined the stricter still applies to it.",
    next: "Make sure that the looser gate is meant; it holds for every change after this one.",
}];

/// A row for everything that head loosens.
#[must_use]
pub fn weakened(base: &Suite, head: &Suite) -> Vec<Row> {
    let config = loosened_rules(&base.config, &head.config)
        .into_iter()
        .map(|(id, why)| row(&id, config::FILE, 1, why));
    let tolerated = head.quarantine.iter().filter(|entry| {
        let old = Entry {
            line: line_in(base, entry),
            ..(*entry).clone()
        };
        !base.quarantine.contains(&old)
    });
    let tolerated = tolerated.map(|entry| {
        let Entry {
            case,
            expires,
            owner,
            reason,
            line,
            ..
        } = entry;
        let why = format!("tolerated until {expires} for {owner}: {reason}");
        row(&format!("quarantine/{case}"), quarantine::FILE, *line, why)
    });
    let excused = excuses::rows(base, head);
    config.chain(tolerated).chain(excused).collect()
}

fn row(id: &str, path: &str, line: u32, why: String) -> Row {
    let mut row = Row::new(id, &CLASSES[0], why);
    row.at = Some(At {
        path: path.to_owned(),
        line,
    });
    row
}

/// What `new` asks less of than `old`: an id and a sentence each.
fn loosened_rules(old: &Config, new: &Config) -> Vec<(String, String)> {
    let mut rules = Vec::new();
    for entry in &old.fail_on {
        if !new.fail_on.iter().any(|kept| kept.text == entry.text) {
            let why = format!(
                "`{}` is no longer in fail_on; for this change it still is",
                entry.text
            );
            rules.push((format!("fail_on/{}", entry.text), why));
        }
    }
    for glob in old
        .protected
        .iter()
        .filter(|glob| !new.protected.contains(glob))
    {
        let why = format!("`{glob}` is no longer protected; for this change it still is");
        rules.push((format!("protected/{glob}"), why));
    }
    let (before, after) = (&old.quarantine, &new.quarantine);
    for (name, before, after) in [
        ("quarantine.max_days", before.max_days, after.max_days),
        (
            "quarantine.max_entries",
            before.max_entries,
            after.max_entries,
        ),
    ] {
        if after > before {
            let why = format!("raised from {before} to {after}; for this change {before} holds");
            rules.push((name.to_owned(), why));
        }
    }
    if before.default_branch != after.default_branch {
        let why = "changed; for this change the base's branch holds".to_owned();
        rules.push(("quarantine.default_branch".to_owned(), why));
    }
    let changed = changed_sections(old, new).into_iter();
    rules.extend(changed.map(|name| (name.to_owned(), "changed; head's settings hold".to_owned())));
    rules
}

/// The line at which `base` has the entry of the same case, so that a moved line is no change.
fn line_in(base: &Suite, entry: &Entry) -> u32 {
    let same = base.quarantine.iter().find(|old| old.case == entry.case);
    same.map_or(entry.line, |old| old.line)
}

/// The sections in which stricter has no meaning, and that differ.
fn changed_sections(old: &Config, new: &Config) -> Vec<&'static str> {
    let differs = [
        ("audit", old.audit != new.audit),
        ("compiler", old.compiler != new.compiler),
        ("consumer_link", old.consumer_link != new.consumer_link),
        ("matrix", old.matrix != new.matrix),
        ("repeat", old.repeat != new.repeat),
        ("sandbox", old.sandbox != new.sandbox),
        ("sensitivity", old.sensitivity != new.sensitivity),
        ("shuffle", old.shuffle != new.shuffle),
        (
            "standalone_header",
            old.standalone_header != new.standalone_header,
        ),
    ];
    differs
        .into_iter()
        .filter(|(_, differs)| *differs)
        .map(|(name, _)| name)
        .collect()
}

/// The files among `touched` that are protected at the base or at head.
#[must_use]
pub fn protected<'a>(base: Option<&Config>, head: &Config, touched: &'a [String]) -> Vec<&'a str> {
    let configs = base.into_iter().chain([head]);
    // The loader has refused what is no glob.
    let matchers: Vec<_> = configs
        .flat_map(|config| &config.protected)
        .filter_map(|glob| globs::matcher(glob, Star::Anywhere).ok())
        .collect();
    let protected = |path: &&String| matchers.iter().any(|matcher| matcher.is_match(path));
    touched
        .iter()
        .filter(protected)
        .map(String::as_str)
        .collect()
}

/// The tighter of two sets of quarantine limits.
#[must_use]
pub fn tighter(old: &Quarantine, new: &Quarantine) -> Quarantine {
    Quarantine {
        max_days: old.max_days.min(new.max_days),
        max_entries: old.max_entries.min(new.max_entries),
        default_branch: old.default_branch.clone(),
    }
}

/// The tighter of two sets of grants: what both give.
#[must_use]
pub fn tighter_sandbox(old: &Sandbox, new: &Sandbox) -> Sandbox {
    let both = |old: &[String], new: &[String]| {
        let kept = new.iter().filter(|item| old.contains(item));
        kept.cloned().collect()
    };
    Sandbox {
        read: both(&old.read, &new.read),
        env: both(&old.env, &new.env),
        net: if old.net == new.net {
            new.net
        } else {
            Net::None
        },
    }
}

/// The configured graders, by id.
pub type Graders = BTreeMap<String, Arc<GraderSpec>>;

/// One entry of `fail_on`: `CLASS`, or `experiment/CLASS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailOn {
    experiment: Option<String>,
    class: String,
}

impl FailOn {
    /// Reads an entry. `graders` are those that are configured, by id: a class may be named
    /// under a grader's id, also one in the grader's own words.
    ///
    /// # Errors
    /// When no grader or experiment has the class; the error names the nearest one.
    pub fn parse(text: &str, graders: &Graders) -> Result<Self, InputError> {
        let (experiment, class) = match text.rsplit_once('/') {
            Some((experiment, class)) => (Some(experiment), class),
            None => (None, text),
        };
        let kind = experiment.and_then(|id| graders::find(graders.get(id)?.kind));
        let own_word = kind.is_some_and(|kind| kind.open) && graders::is_class_name(class);
        let of_kind = kind.is_some_and(|kind| kind.classes.iter().any(|known| known.name == class));
        let fits = |entry: catalogue::Entry| {
            entry.class.name == class && experiment.is_none_or(|name| name == entry.owner)
        };
        if own_word || of_kind || catalogue::entries().any(fits) {
            let experiment = experiment.map(str::to_owned);
            return Ok(Self {
                experiment,
                class: class.to_owned(),
            });
        }
        let problem = format!("no grader or experiment has the class `{text}`");
        let hint = catalogue::nearest(text).map(|name| format!("The nearest is `{name}`."));
        let error = InputError::new("", problem).field("fail_on");
        Err(error.hint(hint.unwrap_or_default()))
    }

    fn covers(&self, experiment: &str, class: &str) -> bool {
        self.class == class
            && self
                .experiment
                .as_deref()
                .is_none_or(|name| name == experiment)
    }
}

/// Raises every row that shows a class named in `fail_on`, but for what a reviewed reason or the
/// past answers for, and for what a quarantine lowered.
pub fn raise(experiment: &mut Experiment, fail_on: &[FailOn]) {
    for row in &mut experiment.rows {
        let raised = shown(row).any(|class| {
            let named = fail_on
                .iter()
                .any(|entry| entry.covers(&experiment.name, class));
            named && !is_excused(row, class)
        });
        if raised {
            row.level = Level::Fail;
        }
    }
}

/// The classes that a row shows.
fn shown(row: &Row) -> impl Iterator<Item = &str> {
    std::iter::once(&row.class)
        .chain(&row.also)
        .map(String::as_str)
}

/// Whether what the row shows as `class` must not fail the build.
fn is_excused(row: &Row, class: &str) -> bool {
    let explained = row.explained && replay::classes::is_explainable(class);
    let lowered = row.quarantined && row.level < Level::Fail && LOWERED.contains(&class);
    explained || lowered || row.inherited && !is_of_head(row, class)
}

/// Whether head moved what `class` is about, as the path from the base shows.
fn is_of_head(row: &Row, class: &str) -> bool {
    let axis = match class {
        "CASE_DRIFT" => Axis::Case,
        "GRADER_DRIFT" => Axis::Grader,
        _ => return true,
    };
    let steps = row.path.iter().skip(1);
    let along = |word: &str| word == axis.as_str() || word == Axis::Unresolved.as_str();
    steps.into_iter().any(|step| along(&step.axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::row::PathStep;
    use crate::model::verdict::Status;

    /// Reads an entry where `team/own` is a command grader, and nothing else is configured.
    fn parse(text: &str) -> Result<FailOn, InputError> {
        let kind = graders::find("command").unwrap();
        let spec = GraderSpec {
            id: "team/own".to_owned(),
            kind: kind.kind,
            rev: kind.rev,
            settings: serde_json::json!({}),
            inputs: Vec::new(),
            path: None,
        };
        FailOn::parse(text, &Graders::from([(spec.id.clone(), Arc::new(spec))]))
    }

    fn levels(fail_on: &str) -> Vec<Level> {
        let rows = replay::CLASSES
            .iter()
            .map(|class| Row::new(class.name, class, ""))
            .collect();
        let mut experiment = Experiment::new("replay", rows);
        raise(&mut experiment, &[parse(fail_on).unwrap()]);
        let drift = experiment
            .rows
            .iter()
            .filter(|row| row.class == "CASE_DRIFT");
        drift.map(|row| row.level).collect()
    }

    #[test]
    fn fail_on_raises_the_class_it_names() {
        assert_eq!(levels("CASE_DRIFT"), [Level::Fail]);
        assert_eq!(levels("replay/CASE_DRIFT"), [Level::Fail]);
        assert_eq!(levels("TOOLCHAIN_DRIFT"), [Level::Review]);
    }

    #[test]
    fn a_file_is_protected_if_base_or_head_says_so() {
        let config = |globs: &[&str]| Config {
            protected: globs.iter().map(|glob| (*glob).to_owned()).collect(),
            ..Config::default()
        };
        let touched = ["goldens/graders/a.yaml", "src/a.cpp", "x.yml"].map(str::to_owned);
        let named =
            |base: Option<&Config>, head: &Config| protected(base, head, &touched).join(" ");
        let (graders, yml) = (config(&["goldens/**"]), config(&["*.yml"]));
        assert_eq!(named(Some(&graders), &yml), "goldens/graders/a.yaml x.yml");
        assert_eq!(named(None, &yml), "x.yml");
        assert_eq!(named(Some(&config(&[])), &config(&[])), "");
    }

    #[test]
    fn an_unknown_class_is_refused_with_the_nearest_name() {
        let error = parse("CASE_DRFT").unwrap_err();
        assert!(error.hint.contains("CASE_DRIFT"), "{error}");
        assert!(parse("record/CASE_DRIFT").is_err());
    }

    #[test]
    fn a_class_in_a_graders_own_words_is_named_under_its_id() {
        for text in ["team/own/too_slow", "team/own/grader_error", "command/hang"] {
            assert!(parse(text).is_ok(), "{text}");
        }
        for text in [
            "too_slow",
            "other/too_slow",
            "team/own/",
            "team/own/no such",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let mut lane = Experiment::new("team/own", Vec::new());
        let mut row = Row::new("c", &CLASSES[0], "");
        row.class = "too_slow".to_owned();
        lane.rows.push(row);
        raise(&mut lane, &[parse("team/own/too_slow").unwrap()]);
        assert_eq!(lane.rows[0].level, Level::Fail);
    }

    /// The level of a row of `class` after `fail_on`, edited by `edit` before.
    fn level(class: &str, fail_on: &str, edit: impl Fn(&mut Row)) -> Level {
        let class = crate::model::class::find(replay::CLASSES, class).unwrap();
        let mut row = Row::new("a", class, "");
        row.level = row.level.min(Level::Review);
        edit(&mut row);
        let mut experiment = Experiment::new("replay", vec![row]);
        raise(
            &mut experiment,
            &[FailOn::parse(fail_on, &Graders::new()).unwrap()],
        );
        experiment.rows[0].level
    }

    #[test]
    fn a_class_behind_a_stronger_one_is_raised_too() {
        let also = |row: &mut Row| row.also = vec!["CASE_DRIFT".into()];
        assert_eq!(level("MODEL_DRIFT", "CASE_DRIFT", also), Level::Fail);
        assert_eq!(level("MODEL_DRIFT", "TOOLCHAIN_DRIFT", also), Level::Review);
    }

    #[test]
    fn what_was_reviewed_tolerated_or_there_before_is_not_raised() {
        let explained = |row: &mut Row| row.explained = true;
        assert_eq!(level("CASE_DRIFT", "CASE_DRIFT", explained), Level::Review);
        assert_eq!(level("MODEL_DRIFT", "MODEL_DRIFT", explained), Level::Fail);
        let tolerated = |row: &mut Row| row.quarantined = true;
        let flip = "NONDETERMINISTIC";
        assert_eq!(level(flip, flip, tolerated), Level::Review);
        assert_eq!(level("CASE_DRIFT", "CASE_DRIFT", tolerated), Level::Fail);
        let inherited = |axes: &'static [&'static str]| {
            move |row: &mut Row| {
                row.inherited = true;
                let step = |axis: &&str| PathStep {
                    axis: (*axis).to_owned(),
                    status: Status::Pass,
                    class: "match".into(),
                };
                row.path = axes.iter().map(step).collect();
            }
        };
        let past = inherited(&["base", "grader"]);
        assert_eq!(level("CASE_DRIFT", "CASE_DRIFT", past), Level::Review);
        let present = inherited(&["base", "case"]);
        assert_eq!(level("CASE_DRIFT", "CASE_DRIFT", present), Level::Fail);
    }
}
