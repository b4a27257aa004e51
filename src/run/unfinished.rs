//! What a run has finished so far, under `.driftgate/unfinished/` until the run is complete: the
//! observations of its steps, their outputs, and what they depend on beside their identities.
//! After an interrupt or a crash `--resume` goes on from there; a run without it starts anew.
//!
//! An observation is only as good as what it was made with. What belongs to no step - driftgate
//! itself, the user, the isolation, the compiler, the files of the system that were read - is noted
//! beside the observations, and they are forgotten as soon as any of it is not what it was. The
//! note also keeps out what was not written here: it names a file in the folder by its inode and the
//! time it was made, so that nobody can commit observations that a run would believe.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::executor;
use super::file_digests::{FileDigests, Seen};
use super::scratch::remove_tree;
use super::store::Store;
use super::workspace;
use crate::model::observation::Observation;
use crate::model::step::{Profile, Step};
use crate::whole_file::Staged;

/// What holds for all observations.
const CIRCUMSTANCES: &str = "circumstances.json";
/// Every file of the system that was read, one a line, and every folder that was searched.
const READ: &str = "read.jsonl";
/// A file that is made with the folder and never touched again.
const MARK: &str = "mark";
/// What our own binary and the folder are called among the circumstances.
const BINARY: &str = "driftgate itself";
const FOLDER: &str = "the folder it was left in";

/// What holds for all observations of a run: what people call it, and what it is.
pub type Circumstances = BTreeMap<String, String>;

/// What a run that is not complete has finished.
pub struct Unfinished {
    folder: PathBuf,
    store: Store,
    before: Before,
    digests: Arc<FileDigests>,
    /// Whether all is noted that the observations depend on.
    is_sound: Cell<bool>,
}

/// What an earlier run left.
#[derive(Debug, PartialEq, Eq)]
pub enum Before {
    /// Nothing.
    Nothing,
    /// So many finished steps, which are reused.
    Steps(usize),
    /// So many, forgotten because nobody asked for them.
    Forgotten(usize),
    /// Some, forgotten because this is not what it was.
    Moved(String),
}

impl Unfinished {
    /// What is in `folder`: what an earlier run left there if it is to be continued, else nothing.
    /// Only [`Self::settle`] tells whether it still holds.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(folder: PathBuf, resume: bool) -> io::Result<Self> {
        let before = match steps_in(&folder) {
            0 => Before::Nothing,
            steps if resume && is_ours(&folder) => Before::Steps(steps),
            _ if resume => Before::Moved(format!("{BINARY} or {FOLDER}")),
            steps => Before::Forgotten(steps),
        };
        let blobs = folder.join("blobs");
        if !matches!(before, Before::Steps(_)) {
            remove_tree(&folder)?;
            fs::create_dir_all(&blobs)?;
            fs::write(folder.join(MARK), "")?;
        }
        Ok(Self {
            store: Store::open(&folder, &blobs)?,
            is_sound: Cell::new(true),
            before,
            digests: Arc::default(),
            folder,
        })
    }

    /// Where the outputs of steps are.
    #[must_use]
    pub fn blobs(&self) -> &Path {
        self.store.blobs()
    }

    /// Compares what is there with how things are now, forgets it if they moved, and notes them.
    /// `searched` are the folders where headers and libraries are looked for; `digests` tells from
    /// now on which files are read.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn settle(
        &mut self,
        mut now: Circumstances,
        searched: &[PathBuf],
        digests: Arc<FileDigests>,
    ) -> io::Result<()> {
        self.digests = digests;
        now.extend(own(&self.folder).unwrap_or_default());
        let mut read = Vec::new();
        if let Before::Steps(_) = self.before {
            let then = circumstances_in(&self.folder);
            let files = read_in(&self.folder);
            if let Some(moved) = moved(&then, &now).or_else(|| changed(files.as_deref())) {
                self.store.clear()?;
                self.before = Before::Moved(moved);
            } else {
                read = files.unwrap_or_default();
            }
        }
        read.extend(searched.iter().map(|path| Seen::folder(path)));
        // Every run that went on noted the same ones.
        read.sort_by(|a, b| a.path.cmp(&b.path));
        read.dedup();
        let lines = lines(read)?;
        for (name, bytes) in [(READ, lines), (CIRCUMSTANCES, serde_json::to_vec(&now)?)] {
            Staged::new(&self.folder, &bytes)?.place(&self.folder.join(name))?;
        }
        Ok(())
    }

    /// What is known of `step`.
    #[must_use]
    pub fn get(&self, step: &Step) -> Option<Arc<Observation>> {
        self.store.get(step)
    }

    /// Keeps an observation. That it cannot be kept is no error: only a run that is interrupted
    /// would want it.
    pub fn put(&self, step: &Step, observation: &Observation) {
        let is_kept = match step.spec().profile {
            // What did not compile may have missed something that is installed meanwhile.
            Profile::Compile => observation.succeeded(),
            Profile::Candidate => true,
            // What a team grants its tools may have been mended since.
            Profile::Harness => false,
        };
        if !is_kept || !self.is_sound.get() {
            return;
        }
        // Before the observation: there must be none without what it depends on.
        let noted = self.note_read(self.digests.newly_read());
        self.is_sound.set(noted.is_ok());
        if noted.is_ok() {
            self.store.put(step, observation);
        }
    }

    fn note_read(&self, files: Vec<Seen>) -> io::Result<()> {
        let lines = lines(files)?;
        if lines.is_empty() {
            return Ok(());
        }
        let mut list = OpenOptions::new()
            .append(true)
            .open(self.folder.join(READ))?;
        list.write_all(&lines)
    }

    /// What to say of an earlier run before this one begins.
    #[must_use]
    pub fn found(&self) -> &Before {
        &self.before
    }

    /// Forgets everything: the run is complete.
    pub fn complete(&self) {
        // What stays is forgotten by the next run.
        let _ = remove_tree(&self.folder);
    }
}

/// How many steps were finished in `folder`; 0 if there is none.
fn steps_in(folder: &Path) -> usize {
    if !fs::symlink_metadata(folder).is_ok_and(|facts| facts.is_dir()) {
        return 0;
    }
    Store::entries(folder)
}

/// Whether what is in `folder` was written there, by the binary that runs now.
fn is_ours(folder: &Path) -> bool {
    let then = circumstances_in(folder);
    let now = own(folder);
    now.is_some_and(|now| {
        now.iter()
            .all(|(name, state)| then.get(name) == Some(state))
    })
}

/// What the binary that runs now and the mark in `folder` are; `None` if that cannot be seen.
fn own(folder: &Path) -> Option<Circumstances> {
    let binary = identity(&executor::own_binary().ok()?)?;
    let found = [
        (BINARY, format!("{} {binary}", env!("CARGO_PKG_VERSION"))),
        (FOLDER, identity(&folder.join(MARK))?),
    ];
    Some(found.map(|(name, state)| (name.to_owned(), state)).into())
}

/// Which file is at `path`. Who owns it, and how many names it has, may change.
fn identity(path: &Path) -> Option<String> {
    let facts = fs::metadata(path).ok()?;
    let (device, inode, seconds) = (facts.dev(), facts.ino(), facts.mtime());
    Some(format!(
        "{device}:{inode} {seconds}.{:09}",
        facts.mtime_nsec()
    ))
}

fn circumstances_in(folder: &Path) -> Circumstances {
    // Whatever it is: it may have come with the checkout.
    let bytes = workspace::read_line(&folder.join(CIRCUMSTANCES)).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// The first of the circumstances that is not what it was.
fn moved(then: &Circumstances, now: &Circumstances) -> Option<String> {
    let mut names = then.keys().chain(now.keys());
    let moved = names.find(|name| then.get(*name) != now.get(*name));
    moved.cloned()
}

/// The files that were read for what is in `folder`; `None` if the list is damaged. The last line
/// may be torn: then what it was written for was not kept.
fn read_in(folder: &Path) -> Option<Vec<Seen>> {
    let bytes = fs::read(folder.join(READ)).ok()?;
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).ok())
        .collect()
}

/// The first of the files that is not what it was; also one that changed while it was used, for
/// that one is there as it was before and as it was then.
fn changed(files: Option<&[Seen]>) -> Option<String> {
    let Some(files) = files else {
        return Some("the list of what was read".to_owned());
    };
    let changed = files.iter().find(|seen| !seen.holds());
    changed.map(|seen| seen.path.display().to_string())
}

/// The lines of the list for `files`.
fn lines(files: impl IntoIterator<Item = Seen>) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for file in files {
        serde_json::to_writer(&mut lines, &file)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::observation::Ended;
    use crate::model::step::{Limits, Program, StepSpec};

    fn step(profile: Profile) -> Step {
        let limits = Limits {
            cpu: Duration::from_secs(1),
            wall: Duration::from_secs(1),
            output: 10,
            flood_ends: true,
        };
        Step::new(StepSpec::bare(Program::Input("a".into()), profile, limits))
    }

    fn passed() -> Observation {
        Observation::without_run(Ended::Exit(0))
    }

    /// A folder with one finished compile, for which a file was read that is returned too.
    fn left() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let (folder, header) = (home.path().join("unfinished"), home.path().join("header"));
        fs::write(&header, "text").unwrap();
        let unfinished = opened(&folder, false, "full");
        unfinished.digests.digest(&header).unwrap();
        unfinished.put(&step(Profile::Compile), &passed());
        (home, folder, header)
    }

    fn opened(folder: &Path, resume: bool, isolation: &str) -> Unfinished {
        let mut unfinished = Unfinished::open(folder.to_owned(), resume).unwrap();
        let now = [("the isolation".to_owned(), isolation.to_owned())].into();
        unfinished.settle(now, &[], Arc::default()).unwrap();
        unfinished
    }

    #[test]
    fn what_was_finished_is_known_to_the_run_that_continues() {
        let (_home, folder, _) = left();
        for _ in 0..2 {
            let unfinished = opened(&folder, true, "full");
            assert_eq!(unfinished.found(), &Before::Steps(1));
            let known = unfinished.get(&step(Profile::Compile));
            assert_eq!(known.as_deref(), Some(&passed()));
        }
        let anew = opened(&folder, false, "full");
        assert_eq!(anew.found(), &Before::Forgotten(1));
        assert_eq!(anew.get(&step(Profile::Compile)), None);
        anew.complete();
        assert!(!folder.exists());
        assert_eq!(opened(&folder, true, "full").found(), &Before::Nothing);
    }

    #[test]
    fn nothing_is_known_once_anything_around_the_steps_moved() {
        let forgotten = |folder: &Path, isolation: &str, why: &str| {
            let unfinished = opened(folder, true, isolation);
            assert_eq!(unfinished.get(&step(Profile::Compile)), None);
            match unfinished.found() {
                Before::Moved(what) => assert!(what.contains(why), "{what}"),
                other @ (Before::Nothing | Before::Steps(_) | Before::Forgotten(_)) => {
                    panic!("{other:?}")
                }
            }
        };
        let (_home, folder, _) = left();
        forgotten(&folder, "off", "the isolation");
        let (_home, folder, header) = left();
        fs::write(&header, "another").unwrap();
        forgotten(&folder, "full", "header");
        let (_home, folder, header) = left();
        // It changed during the run, and a run that continues must not take the old compile.
        fs::write(&header, "another").unwrap();
        let digests = FileDigests::default();
        digests.digest(&header).unwrap();
        let lines = lines(digests.newly_read()).unwrap();
        let old = fs::read(folder.join(READ)).unwrap();
        fs::write(folder.join(READ), [old, lines].concat()).unwrap();
        forgotten(&folder, "full", "header");
        let (_home, folder, header) = left();
        fs::remove_file(&header).unwrap();
        forgotten(&folder, "full", "header");
        let (_home, folder, _) = left();
        fs::write(folder.join(READ), "{}\n").unwrap();
        forgotten(&folder, "full", "what was read");
        let (_home, folder, _) = left();
        fs::write(folder.join(CIRCUMSTANCES), "{}").unwrap();
        forgotten(&folder, "full", FOLDER);
    }

    #[test]
    fn a_torn_line_hides_none_of_the_others_and_is_gone_with_the_next_run() {
        let (_home, folder, _) = left();
        let list = folder.join(READ);
        let whole = fs::read(&list).unwrap();
        fs::write(&list, [&whole[..], b"[\"/us"].concat()).unwrap();
        assert_eq!(opened(&folder, true, "full").found(), &Before::Steps(1));
        assert_eq!(fs::read(&list).unwrap(), whole);
    }

    #[test]
    fn what_a_teams_tool_did_and_what_tells_nothing_is_not_kept() {
        let (_home, folder, _) = left();
        let unfinished = opened(&folder, true, "full");
        unfinished.put(&step(Profile::Harness), &passed());
        assert_eq!(unfinished.get(&step(Profile::Harness)), None);
        let anew = opened(&folder, false, "full");
        let failed = Observation::without_run(Ended::Exit(1));
        anew.put(&step(Profile::Compile), &failed);
        assert_eq!(anew.get(&step(Profile::Compile)), None);
        for ended in [Ended::Interrupted, Ended::Lost(String::new())] {
            unfinished.put(&step(Profile::Candidate), &Observation::without_run(ended));
        }
        assert_eq!(unfinished.get(&step(Profile::Candidate)), None);
    }

    #[test]
    fn nothing_is_kept_once_what_was_read_cannot_be_noted() {
        let (_home, folder, header) = left();
        let unfinished = opened(&folder, true, "full");
        fs::remove_file(folder.join(READ)).unwrap();
        unfinished.digests.digest(&header).unwrap();
        for _ in 0..2 {
            unfinished.put(&step(Profile::Candidate), &passed());
            assert_eq!(unfinished.get(&step(Profile::Candidate)), None);
        }
    }
}
