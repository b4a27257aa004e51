//! Every class there is, by the grader or experiment that owns it: what `explain` and `fail_on`
//! look up.

use crate::graders;
use crate::model::class::Class;

/// A class and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The kind of grader or the experiment.
    pub owner: &'static str,
    /// Its class.
    pub class: &'static Class,
}

impl Entry {
    /// Whether a person may mean it by `text`: `CLASS` or `owner/CLASS`, in any case of letters.
    #[must_use]
    pub fn is_called(&self, text: &str) -> bool {
        let (owner, class) = match text.split_once('/') {
            Some((owner, class)) => (Some(owner), class),
            None => (None, text),
        };
        self.class.name.eq_ignore_ascii_case(class)
            && owner.is_none_or(|owner| self.owner.eq_ignore_ascii_case(owner))
    }
}

/// Every class: those of graders, then those of experiments, each in the order of its table.
pub fn entries() -> impl Iterator<Item = Entry> {
    let graders = graders::kinds()
        .iter()
        .map(|kind| (kind.kind, kind.classes));
    let experiments = super::KINDS.iter().map(|kind| (kind.name, kind.classes));
    graders.chain(experiments).flat_map(|(owner, classes)| {
        let entry = move |class| Entry { owner, class };
        classes.iter().map(entry)
    })
}

/// The `CLASS` or `owner/CLASS` that is spelt most like `text`.
#[must_use]
pub fn nearest(text: &str) -> Option<String> {
    // Measuring costs the product of the lengths; nothing that long is a slip of the pen.
    let text: String = text.to_lowercase().chars().take(200).collect();
    let names = entries().flat_map(|entry| {
        let name = entry.class.name;
        [name.to_owned(), format!("{}/{name}", entry.owner)]
    });
    names.min_by_key(|name| strsim::damerau_levenshtein(&name.to_lowercase(), &text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_found_by_its_name_with_or_without_its_owner() {
        let owners = |text: &str| {
            let found = entries().filter(|entry| entry.is_called(text));
            found.map(|entry| entry.owner).collect::<Vec<_>>()
        };
        assert_eq!(owners("grader_drift"), ["replay", "diff"]);
        assert_eq!(owners("Replay/GRADER_DRIFT"), ["replay"]);
        assert_eq!(owners("io_match/match"), ["io_match"]);
        for text in ["record/GRADER_DRIFT", "", "/", "a/b/c", "GRADER"] {
            assert_eq!(owners(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_slip_of_the_pen_has_a_nearest_name() {
        assert_eq!(nearest("GRADR_DRIFT").as_deref(), Some("GRADER_DRIFT"));
        assert_eq!(nearest("replay/nwe").as_deref(), Some("replay/NEW"));
        assert!(nearest(&"x".repeat(100_000)).is_some());
    }
}
