//! The reviews of a pull request, as GitHub keeps them: a comment stands on a line of the diff,
//! moves with it, and is outdated once that line is gone.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::server::Answer;

/// What was posted.
#[derive(Default)]
pub(super) struct Reviews {
    pub(super) comments: Vec<Value>,
    /// How many reviews there were.
    pub(super) posted: u32,
    /// Posts the same once more, before whoever posts next.
    pub(super) posted_by_another: bool,
}

/// The lines of head that `diff` shows of the file `path`.
fn shown(diff: &str, path: &str) -> BTreeMap<u64, String> {
    let (mut found, mut file, mut next) = (BTreeMap::new(), "", 0);
    for line in diff.split('\n') {
        if let Some(name) = line.strip_prefix("+++ b/") {
            file = name;
        } else if let Some(ranges) = line.strip_prefix("@@ ") {
            let (_, new) = ranges.split_once('+').unwrap();
            next = new.split([',', ' ']).next().unwrap().parse().unwrap();
        } else if let Some(text) = line.strip_prefix(['+', ' '])
            && next > 0
        {
            if file == path {
                found.insert(next, text.to_owned());
            }
            next += 1;
        } else if line.starts_with("diff ") {
            next = 0;
        }
    }
    found
}

impl Reviews {
    /// A review by `login`, whose comments have ids from `first` on.
    pub(super) fn post(&mut self, login: &str, first: u64, diff: &str, review: &Value) -> Answer {
        let comments = review["comments"].as_array().unwrap();
        let mut made = Vec::new();
        for (id, comment) in (first..).zip(comments) {
            let lines = shown(diff, comment["path"].as_str().unwrap());
            let Some(text) = lines.get(&comment["line"].as_u64().unwrap()) else {
                return Answer::refusal(422, "Unprocessable Entity");
            };
            made.push(json!({
                "id": id, "user": {"login": login}, "body": comment["body"], "path": comment["path"],
                "line": comment["line"], "original_line": comment["line"], "text": text,
            }));
        }
        if std::mem::take(&mut self.posted_by_another) {
            for comment in &made {
                let mut other = comment.clone();
                other["id"] = json!(comment["id"].as_u64().unwrap() - 500);
                self.comments.push(other);
            }
        }
        self.comments.extend(made);
        self.posted += 1;
        Answer::json(200, &json!({"id": first, "user": {"login": login}}))
    }

    /// The answer of a person to the comment `id`.
    pub(super) fn answer(&mut self, id: &Value) {
        let id = id.as_u64().unwrap();
        self.comments.push(json!({
            "id": id + 1_000_000, "user": {"login": "somebody"}, "body": "why?", "line": null,
            "in_reply_to_id": id, "text": "", "path": "",
        }));
    }

    /// All comments where they are now that the diff is `diff`.
    pub(super) fn listed(&mut self, diff: &str) -> Vec<Value> {
        for comment in &mut self.comments {
            let lines = shown(diff, comment["path"].as_str().unwrap());
            let same = |line: &u64| {
                lines
                    .get(line)
                    .is_some_and(|text| comment["text"] == **text)
            };
            let stays = comment["line"].as_u64().filter(same);
            let moved = || lines.keys().find(|line| same(line)).copied();
            comment["line"] = json!(stays.or_else(moved));
        }
        self.comments.clone()
    }

    pub(super) fn remove(&mut self, id: &str) -> Answer {
        let count = self.comments.len();
        self.comments
            .retain(|comment| comment["id"].as_u64() != id.parse().ok());
        match self.comments.len() == count {
            true => Answer::refusal(404, "Not Found"),
            false => Answer {
                status: 204,
                headers: Vec::new(),
                body: Vec::new(),
            },
        }
    }
}
