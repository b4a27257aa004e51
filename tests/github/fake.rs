//! A GitHub of our own, with as much state as a conversation with it has.

use std::collections::BTreeSet;
use std::io::BufReader;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

use super::openapi;
use super::reviews::Reviews;
use super::server::{Answer, Request};

/// The repository that is served.
pub(super) const REPOSITORY: &str = "Codertocat/Hello-World";
/// The token that is let in.
pub(super) const TOKEN: &str = "ghs_0123456789abcdefghijklmnopqrstuvwxyz";
/// Who writes with it.
pub(super) const BOT: &str = "github-actions[bot]";

/// A fake, running until it is dropped.
pub(super) struct Fake {
    pub(super) url: String,
    state: Arc<Mutex<State>>,
}

/// What it knows and has seen.
#[derive(Default)]
pub(super) struct State {
    /// Where the API starts: `/api/v3` on GitHub Enterprise.
    prefix: String,
    pub(super) comments: Vec<Value>,
    pub(super) reviews: Reviews,
    pub(super) checks: Vec<Value>,
    pub(super) pulls: Vec<Value>,
    /// The diff of every pull request; `None` where it is too large.
    pub(super) diff: Option<String>,
    pub(super) files: Vec<Value>,
    /// Permissions that the token lacks.
    pub(super) lacks: BTreeSet<&'static str>,
    pub(super) faults: Vec<Fault>,
    pub(super) requests: Vec<(Instant, Request)>,
    /// What GitHub would have held against any of them.
    pub(super) wrong: Vec<String>,
    /// Holds listings of comments until as many have come.
    pub(super) together: Option<Arc<Barrier>>,
    /// Removes the first comment once the comments were listed.
    pub(super) delete_once_listed: bool,
    /// Who the token writes as, if not the bot of Actions.
    pub(super) writer: Option<&'static str>,
    last_id: u64,
}

/// What goes wrong with a request.
pub(super) struct Fault {
    /// How its method and path start, after the API's own path and the repository.
    pub(super) of: &'static str,
    /// How many times.
    pub(super) times: u32,
    pub(super) reply: Reply,
}

/// What becomes of a request.
#[derive(Clone)]
pub(super) enum Reply {
    Answer(Answer),
    /// The connection is closed without an answer.
    Close,
    /// It is done, and the connection is closed without an answer.
    Lose,
    /// Nothing, and the connection stays.
    Silence,
}

impl Fake {
    pub(super) fn start() -> Self {
        Self::at("")
    }

    /// One whose API starts at `prefix`.
    pub(super) fn at(prefix: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}{prefix}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            prefix: prefix.to_owned(),
            last_id: 100,
            ..State::default()
        }));
        let shared = Arc::clone(&state);
        // It ends with the process of the test.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Self { url, state }
    }

    /// Looks at the state, or changes it.
    pub(super) fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap())
    }

    /// Lets requests fail; `None` closes the connection.
    pub(super) fn fault(&self, of: &'static str, times: u32, answer: Option<Answer>) {
        self.reply(of, times, answer.map_or(Reply::Close, Reply::Answer));
    }

    pub(super) fn reply(&self, of: &'static str, times: u32, reply: Reply) {
        self.with(|state| state.faults.push(Fault { of, times, reply }));
    }

    /// Fails if GitHub would have refused any request so far; returns them as `METHOD path`, from
    /// the repository on.
    #[track_caller]
    pub(super) fn valid_requests(&self) -> Vec<String> {
        self.with(|state| {
            assert!(state.wrong.is_empty(), "{:#?}", state.wrong);
            assert!(most_writes_a_minute(&state.requests) < 80);
            state
                .requests
                .iter()
                .map(|(_, request)| short(request, &state.prefix))
                .collect()
        })
    }

    /// The bodies of our comments.
    pub(super) fn bodies(&self) -> Vec<String> {
        self.with(|state| {
            let bodies = state
                .comments
                .iter()
                .map(|comment| comment["body"].as_str().unwrap());
            bodies.map(str::to_owned).collect()
        })
    }
}

fn most_writes_a_minute(requests: &[(Instant, Request)]) -> usize {
    let writes: Vec<Instant> = requests
        .iter()
        .filter(|(_, r)| r.method != "GET")
        .map(|(at, _)| *at)
        .collect();
    let within = |at: &Instant| {
        writes
            .iter()
            .filter(|other| *other >= at && other.duration_since(*at).as_secs() < 60)
            .count()
    };
    writes.iter().map(within).max().unwrap_or(0)
}

fn short(request: &Request, prefix: &str) -> String {
    let path = request.path.strip_prefix(prefix).unwrap_or("?");
    let start = format!("/repos/{REPOSITORY}/");
    format!(
        "{} {}",
        request.method,
        path.strip_prefix(&start).unwrap_or(path)
    )
}

fn serve(stream: TcpStream, state: &Mutex<State>) {
    let mut out = stream.try_clone().unwrap();
    let mut stream = BufReader::new(stream);
    while let Some(request) = Request::read(&mut stream) {
        let barrier = {
            let state = state.lock().unwrap();
            let is_list = request.method == "GET" && request.path.ends_with("/comments");
            state.together.clone().filter(|_| is_list)
        };
        if let Some(barrier) = barrier {
            let reply = state.lock().unwrap().reply(&request);
            barrier.wait();
            state.lock().unwrap().together = None;
            if let Reply::Answer(answer) = reply {
                answer.write(&mut out);
            }
            continue;
        }
        // Not within the match: it would hold the state for as long.
        let reply = state.lock().unwrap().reply(&request);
        match reply {
            Reply::Answer(answer) => answer.write(&mut out),
            Reply::Close | Reply::Lose => return,
            Reply::Silence => {}
        }
    }
}

impl State {
    /// Notes a request, and does what it asks unless a fault was planted.
    fn reply(&mut self, request: &Request) -> Reply {
        self.requests.push((Instant::now(), request.clone()));
        let Some(path) = request.path.strip_prefix(&self.prefix) else {
            self.wrong
                .push(format!("{} lies outside of the API", request.path));
            return Reply::Answer(Answer::refusal(404, "Not Found"));
        };
        let request = Request {
            path: path.to_owned(),
            ..request.clone()
        };
        let faults = openapi::faults(&request);
        let shown = short(&request, "");
        self.wrong
            .extend(faults.iter().map(|fault| format!("{shown}: {fault}")));
        let planted = self
            .faults
            .iter_mut()
            .find(|fault| fault.times > 0 && shown.starts_with(fault.of));
        if let Some(fault) = planted {
            fault.times -= 1;
            let reply = fault.reply.clone();
            if let Reply::Lose = reply {
                self.act(&request, &shown);
            }
            return reply;
        }
        Reply::Answer(
            if request.header("authorization") != format!("Bearer {TOKEN}") && self.writer.is_none()
            {
                Answer::refusal(401, "Bad credentials")
            } else if !faults.is_empty() {
                Answer::refusal(422, &faults[0])
            } else {
                self.granted(&request, &shown)
                    .unwrap_or_else(|| self.act(&request, &shown))
            },
        )
    }

    /// The refusal of what the token lacks a permission for.
    fn granted(&self, request: &Request, shown: &str) -> Option<Answer> {
        if request.method == "GET" {
            return None;
        }
        let (permission, named) = match shown {
            _ if shown.contains("check-runs") => ("checks", "checks=write"),
            _ if shown.contains(" pulls/") => ("pull_requests", "pull_requests=write"),
            _ => ("pull_requests", "issues=write; pull_requests=write"),
        };
        self.lacks.contains(permission).then(|| {
            Answer::refusal(403, "Resource not accessible by integration")
                .with("x-accepted-github-permissions", named)
        })
    }

    fn act(&mut self, request: &Request, shown: &str) -> Answer {
        let path = shown.split_once(' ').unwrap().1;
        let parts: Vec<&str> = path.split('/').collect();
        match (request.method.as_str(), parts.as_slice()) {
            ("POST", ["check-runs"]) => self.create_check(&request.json()),
            ("PATCH", ["check-runs", id]) => self.update_check(id, &request.json()),
            ("GET", ["issues", _, "comments"]) => {
                let answer = paged(&self.comments, request);
                if std::mem::take(&mut self.delete_once_listed) {
                    self.comments.remove(0);
                }
                answer
            }
            ("POST", ["issues", _, "comments"]) => {
                let writer = self.writer.unwrap_or(BOT);
                let id = self.comment(writer, request.json()["body"].as_str().unwrap());
                Answer::json(
                    201,
                    self.comments
                        .iter()
                        .find(|comment| comment["id"] == id)
                        .unwrap(),
                )
            }
            (method, ["issues", "comments", id]) => {
                self.change_comment(method, id, &request.json())
            }
            ("GET", ["pulls"]) => {
                let wanted = request.query.get("head").map_or("", String::as_str);
                let is_from = |pull: &&Value| pull["head"]["label"] == wanted;
                let found: Vec<Value> = self.pulls.iter().filter(is_from).cloned().collect();
                paged(&found, request)
            }
            ("GET", ["pulls", _, "comments"]) => {
                let diff = self.diff.as_deref().unwrap_or_default();
                paged(&self.reviews.listed(diff), request)
            }
            ("POST", ["pulls", number, "reviews"]) => self.review(number, &request.json()),
            ("DELETE", ["pulls", "comments", id]) => self.reviews.remove(id),
            ("GET", ["pulls", number]) => self.pull(number, request),
            ("GET", ["pulls", _, "files"]) => paged(&self.files, request),
            ("GET", ["", "user"]) => match self.writer {
                Some(writer) => Answer::json(200, &json!({"login": writer})),
                None => Answer::refusal(403, "Resource not accessible by integration"),
            },
            _ => Answer::refusal(404, "Not Found"),
        }
    }

    fn review(&mut self, number: &str, review: &Value) -> Answer {
        let is_head = |pull: &Value| {
            pull["number"].as_u64() == number.parse().ok()
                && pull["head"]["sha"] == review["commit_id"]
        };
        if !self.pulls.iter().any(is_head) {
            return Answer::refusal(422, "Unprocessable Entity");
        }
        let (writer, first) = (self.writer.unwrap_or(BOT), self.new_id() * 1000);
        let diff = self.diff.as_deref().unwrap_or_default();
        self.reviews.post(writer, first, diff, review)
    }

    fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// A comment by `login`.
    pub(super) fn comment(&mut self, login: &str, body: &str) -> u64 {
        let id = self.new_id();
        self.comments
            .push(json!({"id": id, "body": body, "user": {"login": login}}));
        id
    }

    fn create_check(&mut self, body: &Value) -> Answer {
        let id = self.new_id();
        let mut check = body.clone();
        check["id"] = json!(id);
        self.checks.push(check);
        Answer::json(201, &json!({"id": id}))
    }

    fn update_check(&mut self, id: &str, body: &Value) -> Answer {
        let found = self
            .checks
            .iter_mut()
            .find(|check| check["id"].as_u64() == id.parse().ok());
        let Some(check) = found else {
            return Answer::refusal(404, "Not Found");
        };
        let further = body["output"]["annotations"].as_array().unwrap().clone();
        check["output"]["annotations"]
            .as_array_mut()
            .unwrap()
            .extend(further);
        Answer::json(200, check)
    }

    fn change_comment(&mut self, method: &str, id: &str, body: &Value) -> Answer {
        let at = self
            .comments
            .iter()
            .position(|comment| comment["id"].as_u64() == id.parse().ok());
        match (at, method) {
            (Some(at), "PATCH") => {
                self.comments[at]["body"] = body["body"].clone();
                Answer::json(200, &self.comments[at])
            }
            (Some(at), "DELETE") => {
                self.comments.remove(at);
                Answer {
                    status: 204,
                    headers: Vec::new(),
                    body: Vec::new(),
                }
            }
            _ => Answer::refusal(404, "Not Found"),
        }
    }

    fn pull(&self, number: &str, request: &Request) -> Answer {
        let Some(pull) = self
            .pulls
            .iter()
            .find(|pull| pull["number"].as_u64() == number.parse().ok())
        else {
            return Answer::refusal(404, "Not Found");
        };
        if !request.header("accept").ends_with(".diff") {
            return Answer::json(200, pull);
        }
        match &self.diff {
            Some(diff) => Answer {
                status: 200,
                headers: Vec::new(),
                body: diff.clone().into_bytes(),
            },
            None => Answer::refusal(
                406,
                "Sorry, the diff exceeded the maximum number of lines (20000)",
            ),
        }
    }
}

/// One page of a list, with a link to the next one as GitHub gives it.
fn paged(all: &[Value], request: &Request) -> Answer {
    let number = |name: &str, default: usize| {
        request
            .query
            .get(name)
            .map_or(default, |text| text.parse().unwrap())
    };
    let (size, page) = (number("per_page", 30).min(100), number("page", 1).max(1));
    let start = ((page - 1) * size).min(all.len());
    let end = (start + size).min(all.len());
    let answer = Answer::json(200, &json!(all[start..end]));
    if end == all.len() {
        return answer;
    }
    let next = page + 1;
    answer.with(
        "link",
        format!("<https://api.github.com/repositories/1/x?page={next}>; rel=\"next\""),
    )
}
