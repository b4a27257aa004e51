//! A user for one process, where we are root. With root's capabilities a process reads the
//! environment of any other through Landlock, and limits on processes do not bind it.

use std::fs;
use std::io;
use std::os::unix::fs::lchown;
use std::path::Path;

use rustix::process::{Gid, Uid, getpid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, configure_capability_in_ambient_set, set_capabilities,
    set_keep_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

/// Where the users of processes begin: far above those that systems give out (and those that
/// containers are given by the ten thousand), and below 2^31.
const FIRST: u32 = 0x5000_0000;

/// How many numbers are used where only few are there.
const FEW: u32 = 4096;

/// A user and group that nothing else has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity(u32);

/// The one that goes with this supervisor. Its own number makes it different from that of every
/// other supervisor that lives, so that no two processes reach each other, and none counts
/// towards another's limit.
///
/// # Errors
/// Where this process lives in a namespace that has no such users.
pub(super) fn own() -> io::Result<Identity> {
    let map = |name: &str| fs::read_to_string(format!("/proc/self/{name}_map"));
    let process = getpid().as_raw_nonzero().get().cast_unsigned();
    let none = || io::Error::other("this user namespace has no users to spare");
    pick(&map("uid")?, &map("gid")?, process)
        .map(Identity)
        .ok_or_else(none)
}

/// A number that both maps (lines of `inside outside count`) know.
fn pick(users: &str, groups: &str, process: u32) -> Option<u32> {
    let last = |map: &str| {
        let ends = map.lines().filter_map(|line| {
            let mut numbers = line.split_ascii_whitespace().map(str::parse::<u32>);
            let (first, _, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
            let (first, count) = (first.ok()?, count.ok()?);
            // Few in a row are somebody in particular.
            (count > 2 * FEW).then(|| first.saturating_add(count - 1))
        });
        ends.max()
    };
    let last = last(users)?.min(last(groups)?);
    let wanted = FIRST.saturating_add(process);
    // -1 means nobody, and the last of a short map is often `nobody`.
    Some(if wanted < last {
        wanted
    } else {
        last - 2 - process % FEW
    })
}

impl Identity {
    /// Gives it `path` and everything below; follows no link.
    pub(super) fn take(self, path: &Path) -> io::Result<()> {
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            lchown(&path, Some(self.0), Some(self.0))?;
            if fs::symlink_metadata(&path)?.is_dir() {
                for entry in fs::read_dir(&path)? {
                    open.push(entry?.path());
                }
            }
        }
        Ok(())
    }

    /// Makes this thread, and what it starts, belong to it, with no group and no capability. With
    /// `search_all` it keeps the one to read what root may read: Landlock decides what that is.
    pub(super) fn assume(self, search_all: bool) -> io::Result<()> {
        let kept = if search_all {
            CapabilitySet::DAC_READ_SEARCH
        } else {
            CapabilitySet::empty()
        };
        let group = Gid::from_raw(self.0);
        let user = Uid::from_raw(self.0);
        set_thread_groups(&[])?;
        set_thread_res_gid(group, group, group)?;
        set_keep_capabilities(search_all)?;
        set_thread_res_uid(user, user, user)?;
        set_capabilities(
            None,
            CapabilitySets {
                effective: kept,
                permitted: kept,
                inheritable: kept,
            },
        )?;
        if search_all {
            configure_capability_in_ambient_set(kept, true)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "         0          0 4294967295\n";

    #[test]
    fn a_process_gets_a_user_that_no_other_has() {
        assert_eq!(pick(ALL, ALL, 7), Some(FIRST + 7));
        assert_ne!(pick(ALL, ALL, 7), pick(ALL, ALL, 8));
        let container = "0 100000 65536\n";
        let picked = pick(container, ALL, 9000).unwrap();
        assert!((60_000..65_534).contains(&picked), "{picked}");
    }

    #[test]
    fn a_namespace_of_one_user_has_none_to_spare() {
        assert_eq!(pick("0 1000 1\n", "0 1000 1\n", 7), None);
        assert_eq!(pick("", "nonsense", 7), None);
        let rootless = "0 1000 1\n1 100000 65536\n";
        assert!(pick(rootless, rootless, 7).unwrap() > 60_000);
    }
}
