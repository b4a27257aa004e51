//! The committed inputs of the fuzzers, through what the fuzzers check: also where there is no
//! fuzzer. An input that once broke something lies among them.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test says what it reads and fails by panicking"
)]

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "the items of a library")]
mod checks;

/// Runs `check` over the files in `fuzz/seeds/TARGET`. The name of the one under way is printed,
/// which is shown where it fails.
fn run(target: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no seeds in {}", folder.display());
    for path in paths {
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
    }
}

#[test]
fn every_seed_of_a_suite_is_loaded_or_refused() {
    run("suite", checks::suite::check);
}

#[test]
fn every_seed_of_a_patch_applies_or_is_refused() {
    run("diff", checks::diff::check);
}

#[test]
fn every_seed_of_a_tools_output_is_read_within_bounds() {
    run("diagnostics", checks::diagnostics::check);
}

#[test]
fn every_seed_of_what_we_write_reads_back() {
    run("report", checks::report::check);
}
