//! A repository that git does not give.

use std::fs;

use super::repo::Repo;

#[test]
fn a_checkout_that_git_refuses_is_not_compared_with_itself() {
    let repo = Repo::new();
    repo.suite.run(&["check"]).assert_code(0);
    fs::write(repo.suite.root().join(".git/HEAD"), "garbage\n").unwrap();
    repo.suite
        .run(&["check"])
        .assert_code(3)
        .assert_says(&["git refuses this checkout", "base is unknown"]);
}

#[test]
fn where_there_is_no_git_to_ask_the_report_says_so() {
    let repo = Repo::new();
    let bin = repo.suite.home().join("no-git");
    fs::create_dir(&bin).unwrap();
    for tool in ["c++", "as", "ld", "sh"] {
        let found = ["/usr/bin", "/bin", "/usr/local/bin"].map(|folder| format!("{folder}/{tool}"));
        let path = found.iter().find(|path| fs::exists(path).unwrap()).unwrap();
        std::os::unix::fs::symlink(path, bin.join(tool)).unwrap();
    }
    let report = repo.suite.home().join("report.json");
    let mut command = repo
        .suite
        .command(&["check", "--report", report.to_str().unwrap()]);
    command.env("PATH", &bin);
    repo.suite.finish(command).assert_code(0);
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("there is no git to ask"), "{report}");
}

#[test]
fn what_somebody_committed_in_place_of_earlier_runs_is_not_believed() {
    let repo = Repo::new();
    repo.suite.run(&["check", "--store"]).assert_code(0);
    repo.git(&["add", "--force", ".driftgate/store"]);
    for option in ["--store", "--resume"] {
        repo.suite
            .run(&["check", option])
            .assert_code(2)
            .assert_says(&[".driftgate", "committed files", "git rm -r --cached"]);
    }
    // Nobody who believes nothing is bothered.
    repo.suite.run(&["check"]).assert_code(0);
    repo.suite
        .run(&["check", "--store", "--no-store"])
        .assert_code(0);
}
