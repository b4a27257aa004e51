//! What a step takes of the machine besides CPU time: memory, disk and processes. Limits of the
//! kernel where it has such, and a look now and then where it has none.

use std::collections::HashSet;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::process::{Resource as Limit, Rlimit, getrlimit, setrlimit};

use super::clock;
use super::process_tree::{self, ProcessTree};
use super::protocol::Request;
use crate::model::observation::Resource;

/// Threads of a step at one time.
pub(super) const THREADS: u64 = 256;

/// Memory of a step, or three quarters of the machine's if that is less.
const MEMORY: u64 = 4 << 30;

/// Files and folders in the scratch tree of a step.
const ENTRIES: u64 = 200_000;

/// The longest file that a step may write.
const FILE: u64 = 1 << 30;

/// Descriptors of a process. What lies in a pipe is in no process's size.
const DESCRIPTORS: u64 = 1024;

/// By so many bytes the machine's page tables may grow while a step runs before those of the step
/// are looked at. To look at a page that nobody wrote to takes no memory but in these tables.
const TABLES: u64 = 256 << 20;

/// How many threads a user's other programs may start while a step runs, where the kernel counts
/// them together with the step's.
const BESIDES: u64 = 128;

/// Between two looks at the disk: at least this, and many times what a look takes.
const PAUSE: Duration = Duration::from_millis(150);
const SHARE: u32 = 20;

/// How the limits turned out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Limited {
    /// As they should be, or nearly.
    AsWanted,
    /// Lower: the machine runs more than when this process set them first.
    Lower,
}

/// Lowers the limits that the child inherits; they hold for us too, who need less. The kernel
/// counts processes by their user, and tells nobody how many one has. Where that is not a user of
/// the step's own it has no more than the machine, and what is above that bounds a bomb until it
/// is found. A process that has lowered them before cannot raise them again.
pub(super) fn limit(request: &Request) -> Limited {
    lower(Limit::Core, 0);
    let file = FILE.max(request.disk / 4);
    lower(Limit::Fsize, file);
    lower(Limit::Nofile, DESCRIPTORS);
    // Above the limit that is looked for, which tells what happened.
    let most = request.threads + request.threads / 4;
    let others = match &request.confine {
        Some(confine) if confine.drop_identity => Some(0),
        // Steps beside it may be bombs too, and must not take from it what it may have.
        Some(_) => process_tree::threads_of_machine()
            .map(|threads| threads + BESIDES + request.beside * most),
        None => None,
    };
    let Some(wanted) = others.map(|others| others + most) else {
        return Limited::AsWanted;
    };
    lower(Limit::Nproc, wanted);
    match getrlimit(Limit::Nproc).maximum {
        Some(maximum) if maximum + BESIDES / 2 < wanted => Limited::Lower,
        _ => Limited::AsWanted,
    }
}

fn lower(limit: Limit, wanted: u64) {
    let own = getrlimit(limit).maximum;
    let most = Some(own.map_or(wanted, |own| own.min(wanted)));
    let lowered = Rlimit {
        current: most,
        maximum: most,
    };
    // It was allowed: nothing is raised.
    let _ = setrlimit(limit, lowered);
}

/// What a step may take, and when its disk was last looked at.
pub(super) struct Usage {
    threads: u64,
    memory: u64,
    /// Bytes of the machine's page tables when it was started.
    tables: u64,
    disk: u64,
    folders: Vec<PathBuf>,
    /// Bytes that were free on their disk when it was started.
    free: u64,
    next_look: Instant,
}

impl Usage {
    /// For the step that was just started.
    pub(super) fn new(request: &Request) -> Self {
        let facts = memory_facts();
        Self {
            threads: request.threads,
            memory: memory_limit(&facts),
            tables: bytes_of(&facts, TABLES_FACT),
            disk: request.disk,
            free: free(&request.own),
            folders: request.own.clone(),
            next_look: clock::now_monotonic() + PAUSE,
        }
    }

    /// What `tree` has taken too much of, as it was when its CPU time was last asked for.
    pub(super) fn exceeded(&mut self, tree: &ProcessTree) -> Option<Resource> {
        if tree.threads() > self.threads {
            return Some(Resource::Processes);
        }
        let grown = bytes_of(&memory_facts(), TABLES_FACT).saturating_sub(self.tables);
        let tables = if grown > TABLES {
            tree.page_tables()
        } else {
            0
        };
        // Pages that many share count for each at first sight.
        if tree.resident() + tables > self.memory && tree.proportional() + tables > self.memory {
            return Some(Resource::Memory);
        }
        let now = clock::now_monotonic();
        if now < self.next_look {
            return None;
        }
        let over = self.disk_exceeded(tree);
        let end = clock::now_monotonic();
        self.next_look = end + PAUSE.max((end - now) * SHARE);
        over.then_some(Resource::Disk)
    }

    /// Whether the step has filled too much of the disk.
    pub(super) fn disk_exceeded(&self, tree: &ProcessTree) -> bool {
        let mut sum = Sum::default();
        for folder in &self.folders {
            sum.add_tree(folder, self.disk);
        }
        tree.visit_open_files(|facts| {
            // One that has a name was seen already, or lies where the step cannot write.
            if facts.is_file() && facts.nlink() == 0 {
                sum.add(facts);
            }
        });
        // What only a mapping holds has no name and no size. If the disk has filled meanwhile, it
        // is that.
        let taken = self.free.saturating_sub(free(&self.folders));
        sum.exceeds(self.disk) || (taken > self.disk && tree.hides_files())
    }
}

/// The bytes that are free on the disk of `folders`.
fn free(folders: &[PathBuf]) -> u64 {
    let disk = folders
        .first()
        .and_then(|folder| rustix::fs::statvfs(folder).ok());
    disk.map_or(0, |disk| disk.f_bfree.saturating_mul(disk.f_frsize))
}

/// Disk space.
#[derive(Default)]
struct Sum {
    seen: HashSet<(u64, u64)>,
    entries: u64,
    bytes: u64,
    /// Something is nested beyond what a path can name.
    endless: bool,
}

impl Sum {
    fn exceeds(&self, disk: u64) -> bool {
        self.endless || self.bytes > disk || self.entries > ENTRIES
    }

    fn add(&mut self, facts: &Metadata) {
        self.entries += 1;
        if facts.nlink() < 2 || facts.is_dir() || self.seen.insert((facts.dev(), facts.ino())) {
            self.bytes += facts.blocks() * 512;
        }
    }

    fn add_tree(&mut self, root: &Path, disk: u64) {
        let mut open = vec![root.to_owned()];
        while let Some(folder) = open.pop() {
            let entries = match opened(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.endless |= error.kind() == ErrorKind::InvalidFilename;
                    continue;
                }
            };
            for entry in entries.flatten() {
                let Ok(facts) = entry.metadata() else {
                    continue;
                };
                self.add(&facts);
                if facts.is_dir() {
                    open.push(entry.path());
                }
            }
            if self.exceeds(disk) {
                return;
            }
        }
    }
}

/// The entries of `folder`, also if its owner, who is us, made it unreadable.
fn opened(folder: &Path) -> io::Result<fs::ReadDir> {
    let refused = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => error,
        result => return result,
    };
    // Through a descriptor, so that a link put in its place meanwhile is not followed.
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY;
    let held: File = fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(folder)
        .map_err(|_| refused)?;
    let held = format!("/proc/self/fd/{}", held.as_raw_fd());
    let mode = fs::metadata(&held)?.mode();
    fs::set_permissions(&held, Permissions::from_mode(mode | 0o700))?;
    fs::read_dir(folder)
}

/// The name of the machine's page tables among its facts.
const TABLES_FACT: &str = "PageTables:";

/// What the machine tells of its memory; nothing where it does not.
fn memory_facts() -> String {
    fs::read_to_string("/proc/meminfo").unwrap_or_default()
}

/// The bytes that `facts`, lines of a name and a number of KiB, give for `name`; 0 for none.
fn bytes_of(facts: &str, name: &str) -> u64 {
    process_tree::kib_of(facts, name).unwrap_or(0) * 1024
}

/// The memory a step may take.
fn memory_limit(facts: &str) -> u64 {
    let all = process_tree::kib_of(facts, "MemTotal:");
    all.map_or(MEMORY, |kib| MEMORY.min(kib * 1024 / 4 * 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_summed_once_for_each_file_and_through_closed_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("closed")).unwrap();
        fs::write(root.join("closed/file"), vec![1; 100_000]).unwrap();
        fs::hard_link(root.join("closed/file"), root.join("again")).unwrap();
        fs::set_permissions(root.join("closed"), Permissions::from_mode(0o300)).unwrap();
        let mut sum = Sum::default();
        sum.add_tree(root, 1 << 40);
        assert_eq!(sum.entries, 3);
        assert!((100_000..190_000).contains(&sum.bytes), "{}", sum.bytes);
        assert!(sum.exceeds(99_999) && !sum.exceeds(1 << 20));
    }

    #[test]
    fn a_machine_has_memory() {
        let limit = memory_limit(&memory_facts());
        assert!((1 << 26..=MEMORY).contains(&limit));
        assert!(bytes_of(&memory_facts(), TABLES_FACT) > 0);
    }
}
