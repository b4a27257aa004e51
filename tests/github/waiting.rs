//! How long is waited for what, in a time of our own.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use driftgate::github::api::{Api, JSON, Refusal};
use driftgate::github::connection;
use driftgate::github::pace::Time;
use driftgate::github::surroundings::Token;
use http::Method;
use serde_json::json;

use super::fake::{Fake, REPOSITORY, TOKEN};
use super::server::Answer;

/// A time that passes when somebody sleeps.
#[derive(Clone, Default)]
struct Dream {
    now: Rc<Cell<Duration>>,
    slept: Rc<RefCell<Vec<u64>>>,
}

impl Time for Dream {
    fn now(&self) -> Duration {
        self.now.get()
    }

    fn sleep(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        self.now.set(self.now.get() + wait);
        self.slept.borrow_mut().push(wait.as_secs());
        Box::pin(std::future::ready(()))
    }
}

/// Talks to the API at `url`, and returns what was slept.
fn talk(url: &str, talk: impl AsyncFnOnce(&Api, &Dream)) -> Vec<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let dream = Dream::default();
    runtime.block_on(async {
        let client = connection::open(url, &Token::new(TOKEN)).unwrap();
        let api = Api::new(client, REPOSITORY, Box::new(dream.clone()), None);
        talk(&api, &dream).await;
    });
    dream.slept.take()
}

async fn comment(api: &Api) -> Result<(), Refusal> {
    api.write(Method::POST, "issues/2/comments", &json!({"body": "b"}))
        .await
        .map(|_| ())
}

#[test]
fn a_secondary_limit_that_does_not_say_how_long_is_waited_for_a_minute_and_more() {
    let fake = Fake::start();
    let limit = Answer::refusal(
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes.",
    );
    fake.fault("POST", 2, Some(limit.clone()));
    let slept = talk(&fake.url, async |api, _| comment(api).await.unwrap());
    assert_eq!(slept, [60, 120]);
    assert_eq!(fake.bodies(), ["b"]);
    // One that does not end is given up, and costs a second request no more time.
    fake.fault("POST", 99, Some(limit));
    let slept = talk(&fake.url, async |api, _| {
        for _ in 0..2 {
            let refusal = comment(api).await.unwrap_err();
            assert!(refusal.why.contains("limit was met"), "{}", refusal.why);
        }
    });
    assert_eq!(slept, [60, 120, 60]);
}

#[test]
fn the_api_says_when_to_come_back() {
    let fake = Fake::start();
    let spent = |name: &str, value: u64| {
        Answer::refusal(403, "API rate limit exceeded")
            .with("x-ratelimit-remaining", 0)
            .with(name, value)
    };
    fake.fault(
        "POST",
        1,
        Some(Answer::refusal(429, "").with("retry-after", 7)),
    );
    fake.fault(
        "POST",
        1,
        Some(
            spent("x-ratelimit-reset", 1_793_613_630).with("date", "Mon, 02 Nov 2026 10:00:00 GMT"),
        ),
    );
    assert_eq!(
        talk(&fake.url, async |api, _| comment(api).await.unwrap()),
        [7, 31]
    );
    // An hour is too long to hold a job for.
    fake.fault("POST", 1, Some(spent("retry-after", 3600)));
    let slept = talk(&fake.url, async |api, _| {
        assert!(comment(api).await.is_err());
    });
    assert!(slept.is_empty(), "{slept:?}");
}

#[test]
fn an_outage_is_waited_for_a_quarter_of_a_minute_a_run() {
    let fake = Fake::start();
    fake.fault("GET", 99, Some(Answer::refusal(503, "")));
    let slept = talk(&fake.url, async |api, _| {
        for _ in 0..3 {
            let refusal = api.get("pulls/2", JSON).await.unwrap_err();
            assert_eq!(refusal.status, Some(503));
        }
    });
    assert_eq!(slept, [1, 2, 4, 8]);
}

#[test]
fn what_cannot_be_reached_is_not_asked_for_ever() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let slept = talk(&format!("http://{closed}/api/v3"), async |api, _| {
        for _ in 0..3 {
            let refusal = comment(api).await.unwrap_err();
            assert!(refusal.why.contains("cannot be reached"), "{}", refusal.why);
        }
    });
    assert_eq!(slept, [1, 2, 4, 8]);
}

#[test]
fn no_minute_sees_eighty_writes() {
    let fake = Fake::start();
    let mut times = Vec::new();
    talk(&fake.url, async |api, dream| {
        for _ in 0..200 {
            comment(api).await.unwrap();
            times.push(dream.now());
        }
    });
    let minute = Duration::from_secs(60);
    let most = times.iter().map(|at| {
        times
            .iter()
            .filter(|other| **other >= *at && **other - *at < minute)
            .count()
    });
    assert!(most.max().unwrap() < 80);
    assert!(*times.last().unwrap() < minute * 4);
}
