//! Observations by step, kept between runs when asked to. Never a verdict: judging is always
//! done again.
//!
//! An entry is one file: the digest of the rest, a JSON header line, then the bytes of stdout and
//! stderr. An entry that does not check is dropped and made again.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::digest::Digest;
use crate::model::observation::{Ended, Observation};
use crate::model::step::{Limits, Profile, Program, Step};

/// Where observations are kept.
pub struct Store {
    /// `None`: nothing outlives the run.
    folder: Option<PathBuf>,
    blobs: PathBuf,
}

/// The first line of an entry.
#[derive(Serialize, Deserialize)]
struct Header {
    observation: Observation,
    stdout: usize,
    stderr: usize,
    cpu_limit_ms: u64,
    wall_limit_ms: u64,
    output_limit: usize,
    flood_ends: bool,
}

impl Store {
    /// A store that forgets everything with the run. `blobs` holds the outputs of steps.
    #[must_use]
    pub fn forgetful(blobs: &Path) -> Self {
        Self {
            folder: None,
            blobs: blobs.to_owned(),
        }
    }

    /// A store under `folder`.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(folder: &Path, blobs: &Path) -> std::io::Result<Self> {
        let observations = folder.join("observations");
        std::fs::create_dir_all(&observations)?;
        Ok(Self {
            folder: Some(observations),
            blobs: blobs.to_owned(),
        })
    }

    /// Where the observation of `step` is kept; what is shown is kept already.
    fn path(&self, step: &Step) -> Option<PathBuf> {
        if let Program::Show(_) = step.spec().program {
            return None;
        }
        let key = step.key().to_string();
        Some(self.folder.as_ref()?.join(&key[..2]).join(&key[2..]))
    }

    /// The stored observation of `step`, if it answers the step's limits and its outputs are
    /// still there.
    #[must_use]
    pub fn get(&self, step: &Step) -> Option<Arc<Observation>> {
        let path = self.path(step)?;
        let bytes = std::fs::read(&path).ok()?;
        let Some((observation, limits)) = read(&bytes) else {
            // Torn or corrupt: made again. If it cannot be removed it will be overwritten.
            let _ = std::fs::remove_file(&path);
            return None;
        };
        let outputs_there = observation
            .outputs
            .values()
            .all(|digest| self.blobs.join(digest.to_string()).is_file());
        let answers = outputs_there && observation.answers(&limits, &step.spec().limits);
        answers.then(|| Arc::new(observation))
    }

    /// Keeps an observation, unless it says nothing about the step. A store that cannot be
    /// written only costs time, so that is no error.
    pub fn put(&self, step: &Step, observation: &Observation) {
        let tells = match observation.ended {
            Ended::Exit(_) | Ended::Signal(_) | Ended::CpuLimit | Ended::OutputLimit => true,
            Ended::WallLimit { starved } => !starved,
            Ended::ResourceLimit(_)
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => false,
        };
        // Why a team's own tool failed may lie in what is no part of the step, such as a module
        // that is installed meanwhile.
        let may_mend = match step.spec().profile {
            Profile::Compile | Profile::Candidate => false,
            Profile::Harness => !observation.succeeded(),
        };
        if let Some(path) = self.path(step)
            && tells
            && !may_mend
        {
            let _ = write(&path, &entry(observation, &step.spec().limits));
        }
    }
}

/// The bytes of the entry of `observation`, which was made under `limits`.
#[must_use]
pub fn entry(observation: &Observation, limits: &Limits) -> Vec<u8> {
    let mut plain = observation.clone();
    let (stdout, stderr) = (
        std::mem::take(&mut plain.stdout),
        std::mem::take(&mut plain.stderr),
    );
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let header = Header {
        observation: plain,
        stdout: stdout.len(),
        stderr: stderr.len(),
        cpu_limit_ms: millis(limits.cpu),
        wall_limit_ms: millis(limits.wall),
        output_limit: limits.output,
        flood_ends: limits.flood_ends,
    };
    let mut body = serde_json::to_vec(&header).unwrap_or_default();
    body.push(b'\n');
    body.extend(stdout);
    body.extend(stderr);
    let mut bytes = Digest::of(&body).to_string().into_bytes();
    bytes.push(b'\n');
    bytes.extend(body);
    bytes
}

/// What [`entry`] wrote; nothing if a byte of it is another one.
#[must_use]
pub fn read(bytes: &[u8]) -> Option<(Observation, Limits)> {
    let (digest, body) = bytes.split_at_checked(64)?;
    let body = body.strip_prefix(b"\n")?;
    if Digest::of(body).to_string().as_bytes() != digest {
        return None;
    }
    let newline = body.iter().position(|byte| *byte == b'\n')?;
    let header: Header = serde_json::from_slice(&body[..newline]).ok()?;
    let (stdout, stderr) = body[newline + 1..].split_at_checked(header.stdout)?;
    if stderr.len() != header.stderr {
        return None;
    }
    let mut observation = header.observation;
    observation.stdout = stdout.to_vec();
    observation.stderr = stderr.to_vec();
    let limits = Limits {
        cpu: Duration::from_millis(header.cpu_limit_ms),
        wall: Duration::from_millis(header.wall_limit_ms),
        output: header.output_limit,
        flood_ends: header.flood_ends,
    };
    Some((observation, limits))
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {

    use proptest::prelude::*;

    use super::*;
    use crate::model::step::{Program, StepSpec};

    fn limits() -> Limits {
        Limits {
            cpu: Duration::from_secs(1),
            wall: Duration::from_secs(3),
            output: 10,
            flood_ends: true,
        }
    }

    #[test]
    fn an_entry_reads_back_and_a_changed_one_does_not() {
        let mut observation = Observation::without_run(Ended::Exit(3));
        observation.stdout = b"a\n\xff".to_vec();
        observation.stderr = b"b".to_vec();
        let bytes = entry(&observation, &limits());
        assert_eq!(read(&bytes), Some((observation, limits())));
        for at in 0..bytes.len() {
            let mut torn = bytes.clone();
            torn[at] ^= 1;
            assert_eq!(read(&torn), None, "byte {at}");
            assert_eq!(read(&bytes[..at]), None, "cut at {at}");
        }
    }

    #[test]
    fn why_a_teams_tool_failed_is_not_kept() {
        let step = |profile| {
            let tool = Program::Tool(vec!["x".to_owned()]);
            Step::new(StepSpec::bare(tool, profile, limits()))
        };
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), folder.path()).unwrap();
        for (profile, code, kept) in [
            (Profile::Harness, 1, false),
            (Profile::Harness, 0, true),
            (Profile::Candidate, 1, true),
        ] {
            let step = step(profile);
            store.put(&step, &Observation::without_run(Ended::Exit(code)));
            assert_eq!(store.get(&step).is_some(), kept, "{profile:?} {code}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_read_without_panic(bytes: Vec<u8>) {
            prop_assert_eq!(read(&bytes), None);
        }
    }
}
