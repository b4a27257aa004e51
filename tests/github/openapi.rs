//! What GitHub accepts: its own description of the operations used, and what that leaves out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::server::Request;

struct Operation {
    method: String,
    /// The path's segments; one in braces stands for any.
    path: Vec<String>,
    /// The schema of each parameter in the query, or in the path.
    parameters: BTreeMap<String, Validator>,
    body: Option<Validator>,
}

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let described: Value = serde_json::from_str(include_str!("octokit/operations.json")).unwrap();
    let operations = described["operations"].as_array().unwrap().iter();
    operations.map(operation).collect()
});

fn operation(described: &Value) -> Operation {
    let schema = |schema: &Value| jsonschema::draft7::new(schema).unwrap();
    let parameters = described["parameters"].as_array().unwrap().iter();
    let named = |parameter: &Value| {
        (
            parameter["name"].as_str().unwrap().to_owned(),
            schema(&parameter["schema"]),
        )
    };
    Operation {
        method: described["method"].as_str().unwrap().to_owned(),
        path: segments(described["path"].as_str().unwrap()),
        parameters: parameters.map(named).collect(),
        body: Some(&described["body"])
            .filter(|body| !body.is_null())
            .map(schema),
    }
}

fn segments(path: &str) -> Vec<String> {
    path.trim_matches('/')
        .split('/')
        .map(str::to_owned)
        .collect()
}

/// What GitHub would hold against `request`, whose path starts after the API's own.
pub(super) fn faults(request: &Request) -> Vec<String> {
    let path = segments(&request.path);
    let matches = |operation: &&Operation| {
        let same = |(ours, theirs): (&String, &String)| ours == theirs || theirs.starts_with('{');
        operation.method == request.method
            && operation.path.len() == path.len()
            && path.iter().zip(&operation.path).all(same)
    };
    let Some(operation) = OPERATIONS.iter().find(matches) else {
        return vec!["no such operation".to_owned()];
    };
    let mut faults = Vec::new();
    let in_path = path.iter().zip(&operation.path);
    let in_path = in_path.filter_map(|(value, name)| {
        Some((name.strip_prefix('{')?.strip_suffix('}')?, value.as_str()))
    });
    let in_query = request
        .query
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in in_path.chain(in_query) {
        match operation.parameters.get(name) {
            None => faults.push(format!("no parameter `{name}`")),
            Some(schema) => {
                let typed = value.parse::<u64>().map_or(json!(value), Value::from);
                faults.extend(
                    schema
                        .iter_errors(&typed)
                        .map(|error| format!("{name}: {error}")),
                );
            }
        }
    }
    let body = request.json();
    if let Some(schema) = &operation.body {
        faults.extend(
            schema
                .iter_errors(&body)
                .map(|error| format!("{}: {error}", error.instance_path())),
        );
        if request.header("content-type") != "application/json" {
            faults.push(format!("content-type {}", request.header("content-type")));
        }
    }
    faults.extend(left_out(&request.path, &body));
    faults.extend(of_headers(request));
    faults
}

/// The limits that are written in prose only, or not at all.
fn left_out(path: &str, body: &Value) -> Vec<String> {
    let faults = RefCell::new(Vec::new());
    let at_most = |name: &str, value: &Value, limit: usize, bytes: bool| {
        let text = value.as_str().unwrap_or_default();
        let size = if bytes {
            text.len()
        } else {
            text.chars().count()
        };
        if size > limit {
            let fault = format!("{name} has {size} of at most {limit}");
            faults.borrow_mut().push(fault);
        }
    };
    if path.contains("/comments") {
        at_most("body", &body["body"], 65_536, false);
    }
    for comment in body["comments"].as_array().unwrap_or(&Vec::new()) {
        at_most("body", &comment["body"], 65_536, false);
        if comment["line"].as_u64().unwrap_or(0) == 0 || comment["side"] != "RIGHT" {
            faults.borrow_mut().push(format!("place {comment}"));
        }
    }
    let output = &body["output"];
    at_most("output.title", &output["title"], 255, false);
    at_most("output.summary", &output["summary"], 65_535, true);
    for annotation in output["annotations"].as_array().unwrap_or(&Vec::new()) {
        at_most("title", &annotation["title"], 255, false);
        at_most("message", &annotation["message"], 64 << 10, true);
        at_most("raw_details", &annotation["raw_details"], 64 << 10, true);
        let line = |name: &str| annotation[name].as_u64().unwrap_or(0);
        if line("start_line") == 0 || line("end_line") < line("start_line") {
            faults.borrow_mut().push(format!("lines {annotation}"));
        }
    }
    if body["status"] == "completed" && body["conclusion"].is_null() {
        faults
            .borrow_mut()
            .push("completed without a conclusion".to_owned());
    }
    faults.into_inner()
}

fn of_headers(request: &Request) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, starts) in [
        ("authorization", "Bearer "),
        ("user-agent", "driftgate/"),
        ("accept", "application/vnd.github"),
        ("x-github-api-version", "2022-11-28"),
    ] {
        let value = request.header(name);
        if !value.starts_with(starts) || value.contains(", ") {
            faults.push(format!("{name}: {value}"));
        }
    }
    faults
}

#[test]
fn what_github_refuses_is_found() {
    let request = |method: &str, path: &str, body: &Value| Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: BTreeMap::new(),
        headers: [
            ("authorization", "Bearer t"),
            ("user-agent", "driftgate/0"),
            ("accept", "application/vnd.github+json"),
            ("x-github-api-version", "2022-11-28"),
            ("content-type", "application/json"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        body: body.to_string().into_bytes(),
    };
    let line = json!({"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"});
    let check = |annotations: &Value| {
        json!({"name": "n", "head_sha": "s", "status": "completed", "conclusion": "success",
            "output": {"title": "t", "summary": "s", "annotations": annotations}})
    };
    let runs = "/repos/o/r/check-runs";
    assert_eq!(
        faults(&request("POST", runs, &check(&json!([line])))),
        Vec::<String>::new()
    );
    let mut wrong = check(&json!([]));
    wrong["conclusion"] = Value::Null;
    let long = json!({"body": "x".repeat(65_537)});
    let mut reversed = line.clone();
    reversed["start_line"] = json!(2);
    for (method, path, body) in [
        ("POST", runs, wrong),
        ("POST", runs, check(&json!(vec![line; 51]))),
        ("POST", runs, check(&json!([reversed]))),
        ("POST", "/repos/o/r/issues/1/comments", long),
        (
            "POST",
            "/repos/o/r/issues/one/comments",
            json!({"body": "b"}),
        ),
        ("PUT", runs, json!({})),
    ] {
        assert!(
            !faults(&request(method, path, &body)).is_empty(),
            "{method} {path} {body}"
        );
    }
}
