//! A grader as configured: its kind, its effective settings and the digest of both.

use serde_json::{Value, json};

use super::canonical;
use super::case::SourceFile;
use super::digest::Digest;

/// A grader with everything that decides its verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct GraderSpec {
    /// Its id, as cases name it.
    pub id: String,
    /// The kind in the table of graders.
    pub kind: &'static str,
    /// The code revision of that kind.
    pub rev: u32,
    /// All settings, defaults filled in, in canonical form.
    pub settings: Value,
    /// The files of the suite that it is given, sorted by path.
    pub inputs: Vec<SourceFile>,
    /// The file that configures it, from the root, if there is one.
    pub path: Option<String>,
}

impl GraderSpec {
    /// The digest of kind, revision, effective settings and declared inputs: a file that spells
    /// out the defaults hashes like no file.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest_at(self.rev)
    }

    /// Whether `recorded` is this grader at an earlier revision of our code: then the engine
    /// moved and the team's own settings did not.
    #[must_use]
    pub fn is_earlier_engine(&self, recorded: Digest) -> bool {
        (0..self.rev).any(|rev| self.digest_at(rev) == recorded)
    }

    /// The file, from the root, that makes this another grader than `old`: its own if that says
    /// something else now, else the first declared input that is new or has other bytes. Its own
    /// where nothing of the kind is to be seen, and `None` if it has none.
    #[must_use]
    pub fn file_changed_since(&self, old: Option<&Self>) -> Option<&str> {
        let own = self.path.as_deref();
        let Some(old) = old.filter(|old| old.kind == self.kind && old.settings == self.settings)
        else {
            return own;
        };
        let is_old = |input: &&SourceFile| {
            let same = |old: &SourceFile| old.beside == input.beside && old.digest == input.digest;
            old.inputs.iter().any(same)
        };
        let new = self.inputs.iter().find(|input| !is_old(input));
        new.map(|input| input.path.as_str()).or(own)
    }

    fn digest_at(&self, rev: u32) -> Digest {
        let mut parts = json!({"kind": self.kind, "rev": rev, "settings": self.settings});
        if !self.inputs.is_empty() {
            let input = |input: &SourceFile| json!([input.beside, input.digest]);
            parts["inputs"] = self.inputs.iter().map(input).collect();
        }
        canonical::digest(&parts)
    }
}
