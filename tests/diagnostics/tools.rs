//! A folder to compile in, and the tools, in the locale that the parsers are for.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Programs that the tests need, with the package that has each.
const PACKAGES: &[(&str, &str)] = &[
    ("ar", "binutils"),
    ("clang++", "clang"),
    ("g++", "g++"),
    ("ld.bfd", "binutils"),
    ("ld.gold", "binutils"),
    ("ld.lld", "lld"),
    ("mold", "mold"),
    ("sh", "dash"),
];

/// Says which package is missing, if one is.
fn need(program: &str) {
    let found = Command::new(program).arg("--version").output();
    if found.is_err() {
        let package = PACKAGES.iter().find(|(name, _)| *name == program);
        let (_, package) = package.unwrap();
        panic!("{program} is not installed: the tests need the package {package}");
    }
}

/// The same for what `-fuse-ld=` names.
pub(crate) fn need_linker(linker: &str) {
    match linker {
        "mold" => need("mold"),
        other => need(&format!("ld.{other}")),
    }
}

/// An empty folder with sources in it.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap()
    }

    /// Runs a command, words apart by blanks.
    pub(crate) fn run(&self, command: &str) -> Output {
        let mut words = command.split_whitespace();
        let program = words.next().unwrap();
        need(program);
        let mut command = Command::new(program);
        command.args(words).current_dir(self.path());
        for name in [
            "LANGUAGE",
            "LANG",
            "CPATH",
            "CPLUS_INCLUDE_PATH",
            "LIBRARY_PATH",
        ] {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").output().unwrap()
    }

    /// Runs a command that must succeed.
    pub(crate) fn make(&self, command: &str) {
        let output = self.run(command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {said}");
    }
}
