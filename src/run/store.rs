//! Observations by step, kept between runs when asked to. Never a verdict: judging is always
//! done again.
//!
//! An entry is one file: the digest of the rest, a JSON header line, then the bytes of stdout and
//! stderr. An entry that does not check is dropped and made again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::file_digests;
use crate::model::digest::Digest;
use crate::model::observation::{Ended, Observation};
use crate::model::step::{Limits, Profile, Step};
use crate::whole_file::{self, Staged};

/// The folder of the entries.
const OBSERVATIONS: &str = "observations";

/// Where observations are kept.
pub struct Store {
    folder: PathBuf,
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
    /// A store under `folder`.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(folder: &Path, blobs: &Path) -> std::io::Result<Self> {
        let observations = folder.join(OBSERVATIONS);
        std::fs::create_dir_all(&observations)?;
        whole_file::sweep(&observations);
        Ok(Self {
            folder: observations,
            blobs: blobs.to_owned(),
        })
    }

    /// How many entries there are under `folder`, where a store was.
    #[must_use]
    pub fn entries(folder: &Path) -> usize {
        let shards = std::fs::read_dir(folder.join(OBSERVATIONS));
        let shards = shards.into_iter().flatten().flatten();
        let entries = shards.flat_map(|shard| std::fs::read_dir(shard.path()));
        entries.map(Iterator::count).sum()
    }

    /// Where the outputs of steps are.
    #[must_use]
    pub fn blobs(&self) -> &Path {
        &self.blobs
    }

    /// Forgets all observations.
    ///
    /// # Errors
    /// When they cannot be removed.
    pub fn clear(&self) -> std::io::Result<()> {
        std::fs::remove_dir_all(&self.folder)?;
        std::fs::create_dir(&self.folder)
    }

    /// Where the observation of `step` is kept; what is shown is kept already.
    fn path(&self, step: &Step) -> Option<PathBuf> {
        if !step.starts_a_process() {
            return None;
        }
        let key = step.key().to_string();
        Some(self.folder.join(&key[..2]).join(&key[2..]))
    }

    /// The stored observation of `step`, if it answers the step's limits and its outputs are
    /// still there and whole.
    #[must_use]
    pub fn get(&self, step: &Step) -> Option<Arc<Observation>> {
        let path = self.path(step)?;
        let bytes = std::fs::read(&path).ok()?;
        let Some((observation, limits)) = read(&bytes) else {
            // Torn or corrupt: made again. If it cannot be removed it will be overwritten.
            let _ = std::fs::remove_file(&path);
            return None;
        };
        let mut outputs = observation.outputs.values();
        let outputs_there = outputs.all(|digest| self.is_whole(digest));
        let answers = outputs_there && observation.answers(&limits, &step.spec().limits);
        answers.then(|| Arc::new(observation))
    }

    /// Whether the output with this digest is what it should be.
    fn is_whole(&self, digest: &Digest) -> bool {
        let file = File::open(self.blobs.join(digest.to_string()));
        file.and_then(|mut file| file_digests::of_stream(&mut file))
            .is_ok_and(|found| found == *digest)
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
            let _ = self.write(&path, &entry(observation, &step.spec().limits));
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(path.parent().unwrap_or(path))?;
        // In the one folder that is swept, and without waiting for the disk: an entry that a loss
        // of power tears is made again.
        Staged::new(&self.folder, bytes)?.place(path)
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
