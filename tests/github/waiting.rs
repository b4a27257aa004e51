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

use super::fake::{Fake, REPOSITORY, Reply, TOKEN};
use super::server::Answer;

/// A time that passes when somebody sleeps, or waits for a request.
#[derive(Clone, Default)]
struct Dream {
    now: Rc<Cell<Duration>>,
    slept: Rc<RefCell<Vec<u64>>>,
    /// How long each request takes.
    latency: Rc<Cell<Duration>>,
    /// How long those were waited for that got no answer.
    hung: Rc<RefCell<Vec<u64>>>,
}

/// How long a request that gets no answer takes in truth.
const HANG: Duration = Duration::from_millis(300);

impl Time for Dream {
    fn now(&self) -> Duration {
        self.now.get()
    }

    fn sleep(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        self.now.set(self.now.get() + wait);
        self.slept.borrow_mut().push(wait.as_secs());
        Box::pin(std::future::ready(()))
    }

    fn limit(&self, most: Duration) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        let latency = self.latency.get();
        assert!(latency <= most, "{latency:?} is longer than {most:?}");
        self.now.set(self.now.get() + latency);
        Box::pin(async move {
            tokio::time::sleep(HANG).await;
            self.now.set(self.now.get() + most - latency);
            self.hung.borrow_mut().push(most.as_secs());
        })
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

#[test]
fn an_api_that_never_answers_costs_a_minute_in_all() {
    let fake = Fake::start();
    fake.reply("", 99, Reply::Silence);
    let slept = talk(&fake.url, async |api, dream| {
        for _ in 0..5 {
            assert_eq!(comment(api).await.unwrap_err().status, None);
        }
        let refusal = comment(api).await.unwrap_err();
        assert!(
            refusal.why.contains("a minute went by without its answers"),
            "{}",
            refusal.why
        );
        assert_eq!(*dream.hung.borrow(), [20, 13, 8, 5, 5, 5, 1]);
        assert!(dream.now() <= Duration::from_secs(60), "{:?}", dream.now());
    });
    assert!(slept.is_empty(), "{slept:?}");
}

#[test]
fn what_never_answers_does_not_stand_for_the_rest() {
    let fake = Fake::start();
    fake.reply("POST check-runs", 99, Reply::Silence);
    talk(&fake.url, async |api, dream| {
        let refusal = api.write(Method::POST, "check-runs", &json!({})).await;
        let why = refusal.unwrap_err().why;
        assert!(why.contains("no answer in 13 s"), "{why}");
        comment(api).await.unwrap();
        assert_eq!(*dream.hung.borrow(), [20, 13]);
    });
    assert_eq!(fake.bodies(), ["b"]);
    // And neither does what always loses the connection.
    fake.reply("POST check-runs", 99, Reply::Close);
    let slept = talk(&fake.url, async |api, _| {
        let body = json!({});
        fake.with(|state| state.faults.remove(0));
        let refusal = api.write(Method::POST, "check-runs", &body).await;
        let why = refusal.unwrap_err().why;
        assert!(why.contains("the connection to the API is lost"), "{why}");
        comment(api).await.unwrap();
    });
    assert_eq!(slept, [1, 2, 4, 8]);
    assert_eq!(fake.bodies(), ["b", "b"]);
}

#[test]
fn a_list_without_end_is_given_up_after_two_minutes_and_everything_after_ten() {
    let fake = Fake::start();
    let page = Answer::json(200, &json!([{"id": 1}])).with("link", "<x>; rel=\"next\"");
    fake.fault("GET", 999, Some(page));
    talk(&fake.url, async |api, dream| {
        dream.latency.set(Duration::from_secs(19));
        for _ in 0..4 {
            let start = dream.now();
            let refusal = api.list::<serde_json::Value>("issues/2/comments", 10_000);
            let why = refusal.await.unwrap_err().why;
            assert_eq!(why, "a list has no end after 120 s");
            let took = dream.now() - start;
            assert!(took <= Duration::from_secs(140), "{took:?}");
        }
        dream.latency.set(Duration::ZERO);
        dream.now.set(Duration::from_secs(595));
        api.get("pulls/2", JSON).await.unwrap();
        dream.now.set(Duration::from_secs(600));
        let why = api.get("pulls/2", JSON).await.unwrap_err().why;
        assert!(why.contains("publishing took ten minutes"), "{why}");
    });
}

#[test]
fn a_wait_for_a_limit_is_none_for_the_end_of_a_list() {
    let fake = Fake::start();
    fake.with(|state| {
        for _ in 0..150 {
            state.comment("x", "");
        }
    });
    let limit = Answer::refusal(429, "").with("retry-after", 130);
    fake.fault("GET", 1, Some(limit));
    let slept = talk(&fake.url, async |api, _| {
        let all = api.list::<serde_json::Value>("issues/2/comments", 10_000);
        assert_eq!(all.await.unwrap().len(), 150);
    });
    assert_eq!(slept, [130]);
}

#[test]
fn nothing_is_waited_for_beyond_ten_minutes() {
    let fake = Fake::start();
    let limit = Answer::refusal(429, "").with("retry-after", 60);
    fake.fault("POST", 9, Some(limit));
    let slept = talk(&fake.url, async |api, dream| {
        dream.now.set(Duration::from_secs(530));
        let why = comment(api).await.unwrap_err().why;
        assert!(why.contains("limit was met"), "{why}");
    });
    assert_eq!(slept, [60]);
}
