//! What a team makes of classes: `fail_on` raises them, and nothing here lowers one.

use crate::error::InputError;
use crate::graders;
use crate::model::class::Level;
use crate::model::report::Experiment;

/// One entry of `fail_on`: `CLASS`, or `experiment/CLASS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailOn {
    experiment: Option<String>,
    class: String,
}

impl FailOn {
    /// Reads an entry.
    ///
    /// # Errors
    /// When no grader or experiment has the class; the error names the nearest one.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        let (experiment, class) = match text.split_once('/') {
            Some((experiment, class)) => (Some(experiment), class),
            None => (None, text),
        };
        let known: Vec<(&str, &str)> = known_classes().collect();
        let fits = |(owner, name): &(&str, &str)| {
            *name == class && experiment.is_none_or(|experiment| experiment == *owner)
        };
        if known.iter().any(fits) {
            let experiment = experiment.map(str::to_owned);
            return Ok(Self {
                experiment,
                class: class.to_owned(),
            });
        }
        let candidates = known
            .iter()
            .flat_map(|(owner, name)| [(*name).to_owned(), format!("{owner}/{name}")]);
        let nearest = candidates.min_by_key(|name| {
            strsim::damerau_levenshtein(&name.to_lowercase(), &text.to_lowercase())
        });
        let problem = format!("no grader or experiment has the class `{text}`");
        let hint = nearest
            .map(|name| format!("The nearest is `{name}`."))
            .unwrap_or_default();
        Err(InputError::new("", problem).field("fail_on").hint(hint))
    }

    fn covers(&self, experiment: &str, class: &str) -> bool {
        self.class == class
            && self
                .experiment
                .as_deref()
                .is_none_or(|name| name == experiment)
    }
}

/// Every (owner, class) there is.
fn known_classes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let graders = graders::kinds()
        .iter()
        .map(|kind| (kind.kind, kind.classes));
    let experiments = super::KINDS.iter().map(|kind| (kind.name, kind.classes));
    graders
        .chain(experiments)
        .flat_map(|(owner, classes)| classes.iter().map(move |class| (owner, class.name)))
}

/// Raises every row whose class is named in `fail_on`.
pub fn raise(experiment: &mut Experiment, fail_on: &[FailOn]) {
    for row in &mut experiment.rows {
        if fail_on
            .iter()
            .any(|entry| entry.covers(&experiment.name, &row.class))
        {
            row.level = Level::Fail;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::replay;
    use crate::model::row::Row;

    fn levels(fail_on: &str) -> Vec<Level> {
        let rows = replay::CLASSES
            .iter()
            .map(|class| Row::new(class.name, class, ""))
            .collect();
        let mut experiment = Experiment::new("replay", rows);
        raise(&mut experiment, &[FailOn::parse(fail_on).unwrap()]);
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
    fn an_unknown_class_is_refused_with_the_nearest_name() {
        let error = FailOn::parse("CASE_DRFT").unwrap_err();
        assert!(error.hint.contains("CASE_DRIFT"), "{error}");
        assert!(FailOn::parse("record/CASE_DRIFT").is_err());
    }
}
