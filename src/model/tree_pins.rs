//! What a grading of the checked-out tree depends on: one header or one consumer, the tree it is
//! looked at in, and the grader.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::json;

use super::canonical;
use super::consumer::Consumer;
use super::digest::{Digest, Hasher};
use super::grader::GraderSpec;
use super::header::Header;
use super::pins::Hashes;

/// What of the tree is graded.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A public header, alone in a unit.
    Header(Arc<Header>),
    /// A stranger's program, linked against the library.
    Consumer(Arc<Consumer>),
}

impl Subject {
    /// The id of its row: the header's path or the consumer's id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Header(header) => &header.path,
            Self::Consumer(consumer) => &consumer.id,
        }
    }

    /// The digest of what people wrote beside the library: a template, or the consumer.
    fn fixture(&self) -> Digest {
        match self {
            Self::Header(header) => {
                let probe = header.probe.as_ref().map(|probe| probe.digest);
                probe.unwrap_or_else(|| Digest::of(b""))
            }
            Self::Consumer(consumer) => {
                let mut hasher = Hasher::default();
                for (path, text) in &consumer.files {
                    hasher.part(path.as_bytes());
                    hasher.part(text.digest.to_string().as_bytes());
                }
                hasher.finish()
            }
        }
    }

    /// The digest of how it is looked at and what must come of it.
    fn contract(&self) -> Digest {
        canonical::digest(&match self {
            Self::Header(header) => json!({
                "include": header.include,
                "language": header.language.as_str(),
                "once_only": header.once_only,
            }),
            Self::Consumer(consumer) => json!({
                "public_header": consumer.public_header,
                "archive_sources": consumer.archive_sources,
                "include": consumer.include,
                "flags": consumer.flags,
                "link": consumer.link,
                "forbid_consumer_decls": consumer.forbidden,
                "expect_stdout": consumer.expect_stdout,
                "expect_exit": consumer.expect_exit,
                "timeout_s": consumer.timeout_s,
            }),
        })
    }

    /// The digest of what else a grading may look at, to explain what it found.
    fn surroundings(&self) -> Digest {
        match self {
            Self::Header(header) => {
                let tree = header.tree.digest().to_string();
                let public = header.public.iter().map(String::as_bytes);
                Digest::of_parts(std::iter::once(tree.as_bytes()).chain(public))
            }
            Self::Consumer(consumer) => {
                let changed = consumer.changed.iter().flat_map(|changed| changed.iter());
                Digest::of_parts(changed.map(String::as_bytes))
            }
        }
    }

    /// The digest of the candidate: the files of the tree that are looked at.
    fn candidate(&self) -> Digest {
        match self {
            Self::Header(header) => header.reach,
            Self::Consumer(consumer) => {
                let trees = [consumer.published.digest(), consumer.library.digest()];
                let texts = trees.map(|digest| digest.to_string());
                Digest::of_parts(texts.iter().map(String::as_bytes))
            }
        }
    }
}

/// Everything one grading of the tree depends on. Compared by digests.
#[derive(Clone, Debug)]
pub struct TreePins {
    /// What is graded.
    pub subject: Subject,
    /// The grader.
    pub grader: Arc<GraderSpec>,
    hashes: Arc<Hashes>,
    key: Digest,
}

impl TreePins {
    /// Pins `subject` and `grader` on a machine whose toolchain, used with the grader's flags, has
    /// the identity `toolchain` (`None`: there is no compiler).
    #[must_use]
    pub fn new(subject: Subject, grader: Arc<GraderSpec>, toolchain: Option<Digest>) -> Self {
        let hashes = Hashes {
            // The tree was made for no prompt.
            prompt: Digest::of(b""),
            fixture: subject.fixture(),
            contract: subject.contract(),
            grader: Some(grader.digest()),
            output: subject.candidate(),
            toolchain,
            system: None,
        };
        let known = canonical::value(&hashes).to_string();
        let around = subject.surroundings().to_string();
        let parts = [grader.id.as_str(), subject.id(), &known, &around];
        Self {
            key: Digest::of_parts(parts.map(str::as_bytes)),
            hashes: Arc::new(hashes),
            subject,
            grader,
        }
    }

    /// The digests of everything pinned, with `system` as it was observed by a grading.
    #[must_use]
    pub fn hashes(&self, system: Option<Digest>) -> Hashes {
        Hashes {
            system,
            ..*self.hashes
        }
    }
}

impl PartialEq for TreePins {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for TreePins {}

impl PartialOrd for TreePins {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TreePins {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}
