//! What processes may read: the system's programs, libraries and data, and the tools they are.
//! Nothing that a person keeps: not the checkout, not a home, not another step's folder.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Programs, libraries, headers and data that come with a system.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr",
    "/nix/store",
    "/gnu/store",
    "/proc",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

/// What of `/etc` the loader, the C library, compilers and interpreters ask for. No more: it holds
/// keys too.
const SETTINGS: &[&str] = &[
    "alternatives",
    "clang",
    "debian_version",
    "gai.conf",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld.so.preload",
    "locale.alias",
    "locale.conf",
    "localtime",
    "lsb-release",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "protocols",
    "redhat-release",
    "services",
    "ssl/openssl.cnf",
    "timezone",
];

/// Where people keep things, whoever they are.
const PEOPLES: &[&str] = &[
    "/etc", "/home", "/media", "/mnt", "/root", "/run", "/srv", "/tmp", "/var",
];

/// Folders that hold programs, beside which a tool keeps the rest of itself.
const PROGRAM_FOLDERS: &[&str] = &["bin", "sbin", "libexec", "shims"];

/// What may be read on this machine.
#[derive(Debug, Default)]
pub(in crate::run) struct Places {
    /// For every process.
    system: Vec<PathBuf>,
    /// The folders that programs are looked for in.
    program_folders: Vec<PathBuf>,
    /// Never in a grant that was not made for them.
    kept: Vec<PathBuf>,
}

impl Places {
    /// What may be read where `kept` (the checkout, the home, our own folders) is to be kept, and
    /// programs are looked for on `search_path`.
    pub(in crate::run) fn new(search_path: &str, kept: &[PathBuf]) -> Self {
        let mut kept: Vec<_> = kept.iter().map(|path| resolved(path)).collect();
        kept.extend(PEOPLES.iter().map(PathBuf::from));
        let mut system = BTreeSet::new();
        for path in SYSTEM.iter().map(Path::new).filter(|path| path.exists()) {
            add_around(&resolved(path), &kept, &mut system);
        }
        let settings = SETTINGS.iter().map(|name| Path::new("/etc").join(name));
        system.extend(settings.filter(|path| path.exists()));
        let mut places = Self {
            system: system.into_iter().collect(),
            program_folders: Vec::new(),
            kept,
        };
        let folders = search_path.split(':').map(Path::new);
        let folders = folders.filter(|folder| folder.is_dir() && places.grantable(folder));
        places.program_folders = folders.map(resolved).collect();
        places
    }

    /// For every process.
    pub(in crate::run) fn system(&self) -> &[PathBuf] {
        &self.system
    }

    /// The folders that programs are looked for in.
    pub(in crate::run) fn program_folders(&self) -> &[PathBuf] {
        &self.program_folders
    }

    /// Where each of `programs` lives, with what it keeps beside itself.
    pub(in crate::run) fn homes(&self, programs: &[PathBuf]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for program in programs {
            self.add_home_of(program, &mut found);
        }
        found
    }

    /// Those of `folders` that hold nothing to be kept, or lie in one that is `allowed`.
    pub(in crate::run) fn harmless(
        &self,
        folders: &[PathBuf],
        allowed: &[PathBuf],
    ) -> Vec<PathBuf> {
        let harmless = |folder: &&PathBuf| {
            let folder = resolved(folder);
            let is_kept = self.kept.iter().any(|kept| folder.starts_with(kept));
            let is_allowed = || {
                let mut allowed = allowed.iter().map(|path| resolved(path));
                allowed.any(|allowed| folder.starts_with(allowed))
            };
            self.grantable(&folder) && (!is_kept || is_allowed())
        };
        folders.iter().filter(harmless).cloned().collect()
    }

    /// Those of `paths` that lie in nothing that every process may read anyway, and not in each
    /// other. They may be named through links, which lead elsewhere.
    pub(in crate::run) fn without_known(&self, mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
        for path in &mut paths {
            *path = resolved(path);
        }
        paths.sort();
        let mut kept: Vec<PathBuf> = Vec::new();
        for path in paths {
            let mut wider = self.system.iter().chain(&kept);
            if !wider.any(|known| path.starts_with(known)) {
                kept.push(path);
            }
        }
        kept
    }

    /// Whether a grant of `path` gives away nothing else.
    fn grantable(&self, path: &Path) -> bool {
        let path = resolved(path);
        path.parent().is_some() && !self.kept.iter().any(|kept| kept.starts_with(&path))
    }

    /// Adds where the program at `path` lives, and where every link on the way to it does.
    fn add_home_of(&self, path: &Path, found: &mut Vec<PathBuf>) {
        let mut path = path.to_owned();
        // As many links as the kernel follows.
        for _ in 0..40 {
            self.add_prefix_of(&path, found);
            let Ok(target) = fs::read_link(&path) else {
                break;
            };
            path = path
                .parent()
                .map_or(target.clone(), |folder| folder.join(target));
        }
        self.add_prefix_of(&resolved(&path), found);
    }

    fn add_prefix_of(&self, program: &Path, found: &mut Vec<PathBuf>) {
        let Some(folder) = program.parent() else {
            return;
        };
        let prefix = folder.parent().filter(|prefix| {
            PROGRAM_FOLDERS.iter().any(|name| folder.ends_with(name)) && self.grantable(prefix)
        });
        // Beside a program without a prefix of its own lies anything.
        let granted = prefix.unwrap_or(program);
        if !self.system.iter().any(|known| granted.starts_with(known)) {
            found.push(granted.to_owned());
        }
    }
}

/// Whether some of `paths` can be reached by root only, or by a group.
pub(in crate::run) fn need_root(paths: &[PathBuf]) -> bool {
    let closed =
        |path: &Path, bits: u32| fs::metadata(path).is_ok_and(|facts| facts.mode() & bits != bits);
    paths.iter().any(|path| {
        let readable = if path.is_dir() { 0o005 } else { 0o004 };
        closed(path, readable) || path.ancestors().skip(1).any(|folder| closed(folder, 0o001))
    })
}

/// Adds `path`, or of a folder that holds something kept, all that is beside it.
fn add_around(path: &Path, kept: &[PathBuf], found: &mut BTreeSet<PathBuf>) {
    if kept.iter().any(|kept| path == kept) {
        return;
    }
    if !kept.iter().any(|kept| kept.starts_with(path)) {
        found.insert(path.to_owned());
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        // What a link leads to is granted where it lies.
        if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            add_around(&entry.path(), kept, found);
        }
    }
}

/// `path` without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_lies_beside_something_kept_is_granted_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for path in ["a/b", "a/checkout", "c"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        symlink(root.join("a/checkout"), root.join("a/link")).unwrap();
        let mut found = BTreeSet::new();
        add_around(&root, &[root.join("a/checkout")], &mut found);
        assert_eq!(found, BTreeSet::from([root.join("a/b"), root.join("c")]));
    }

    #[test]
    fn no_home_and_no_checkout_is_granted_with_a_tool() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for path in ["bin", "tool/bin", "tool/lib"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        fs::write(home.join("bin/c++"), "").unwrap();
        fs::write(home.join("tool/bin/c++"), "").unwrap();
        let places = Places::new("/:/usr/bin", std::slice::from_ref(&home));
        assert!(!places.program_folders.contains(&PathBuf::from("/")));
        let at_home = places.homes(&[home.join("bin/c++")]);
        assert!(at_home.iter().all(|path| *path == home.join("bin/c++")));
        let of_tool = places.homes(&[home.join("tool/bin/c++")]);
        assert!(of_tool.contains(&home.join("tool")));
        let folders = [home.join("tool/lib"), "/".into()];
        assert!(places.harmless(&folders, &[]).is_empty());
        let allowed = places.harmless(&folders, &[home.join("tool")]);
        assert_eq!(allowed, [home.join("tool/lib")]);
    }

    #[test]
    fn the_system_is_there_and_the_keys_are_not() {
        let places = Places::new("/usr/bin", &[]);
        let granted = |path: &str| {
            places
                .system
                .iter()
                .any(|known| Path::new(path).starts_with(known))
        };
        assert!(granted("/usr/lib") && granted("/proc/self/maps"));
        for secret in [
            "/etc/shadow",
            "/root/.ssh/id_rsa",
            "/run/docker.sock",
            "/tmp/x",
            "/dev/tty",
        ] {
            assert!(!granted(secret), "{secret}");
        }
    }
}
