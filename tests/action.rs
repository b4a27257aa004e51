//! `action.yml`, the workflows and what is said of them hold together. `.ci/workflows` has the
//! linters that know GitHub's own rules.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Every file that names an action of somebody else's.
const NAMING: [&str; 6] = [
    "action.yml",
    ".github/workflows/ci.yml",
    ".github/workflows/gate.yml",
    ".github/workflows/publish.yml",
    "src/commands/init/gate.yml",
    "docs/action.md",
];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn action() -> Value {
    serde_yaml::from_str(&read("action.yml")).unwrap()
}

fn names(of: &Value) -> BTreeSet<String> {
    of.as_object().unwrap().keys().cloned().collect()
}

fn steps() -> Vec<Value> {
    action()["runs"]["steps"].as_array().unwrap().clone()
}

#[test]
fn every_input_and_output_is_described_where_people_read() {
    let page = read("docs/action.md");
    for input in names(&action()["inputs"]) {
        assert!(page.contains(&format!("\n| `{input}` |")), "{input}");
    }
    for output in names(&action()["outputs"]) {
        assert!(page.contains(&format!("`{output}`")), "{output}");
    }
}

#[test]
fn every_input_is_used_and_none_is_pasted_into_a_script() {
    let text = read("action.yml");
    for input in names(&action()["inputs"]) {
        assert!(text.contains(&format!("inputs.{input}")), "{input}");
    }
    for script in steps().iter().filter_map(|step| step["run"].as_str()) {
        assert!(!script.contains("${{"), "{script}");
    }
}

#[test]
fn the_gate_is_run_once_and_nothing_else_can_fail_it() {
    let runs =
        |step: &Value, what: &str| step["run"].as_str().is_some_and(|run| run.contains(what));
    let steps = steps();
    let judging: Vec<_> = steps.iter().filter(|step| runs(step, " ci ")).collect();
    assert_eq!(judging.len(), 1);
    assert_eq!(judging[0]["continue-on-error"], Value::Null);
    for step in steps.iter().filter(|step| step["uses"].is_string()) {
        assert_eq!(step["continue-on-error"], true, "{step}");
    }
    let saving = steps.iter().filter(|step| {
        let uses = step["uses"].as_str().unwrap_or("");
        uses.contains("/save@") || uses.contains("/upload-artifact@")
    });
    for step in saving {
        assert!(
            step["if"].as_str().unwrap().starts_with("always() && "),
            "{step}"
        );
    }
}

#[test]
fn actions_of_others_are_named_by_one_commit_each_with_its_version() {
    let mut commits = BTreeMap::<String, BTreeSet<String>>::new();
    for path in NAMING {
        for line in read(path).lines() {
            let Some((_, named)) = line.split_once("uses: ") else {
                continue;
            };
            if named.starts_with("./") || named.starts_with("OWNER/driftgate@") {
                continue;
            }
            let (action, rest) = named.split_once('@').unwrap();
            let (commit, version) = rest.split_once(" # v").unwrap();
            assert!(
                commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit()),
                "{line}"
            );
            let repository: Vec<_> = action.split('/').take(2).collect();
            let known = commits.entry(repository.join("/")).or_default();
            known.insert(format!("{commit} v{version}"));
        }
    }
    assert!(commits.len() >= 4, "{commits:?}");
    assert!(
        commits.values().all(|known| known.len() == 1),
        "{commits:?}"
    );
}

#[test]
fn every_asset_has_an_address_and_a_sum() {
    for line in read(".github/assets.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let [_, address, sum] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            unreachable!("{line}");
        };
        assert!(address.starts_with("https://"), "{line}");
        assert!(
            sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_hexdigit()),
            "{line}"
        );
    }
}
