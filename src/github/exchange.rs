//! One request and what became of it: followed where the API sends it on to within itself, over
//! when it takes too long, and read only if it can be.

use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use http::{HeaderMap, Method, Uri, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper_util::client::legacy;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::report::style::one_line;

use super::connection::Connection;
use super::refusal::{Refusal, shown};

/// The most bytes of an answer. A diff of 20,000 lines is far below.
const ANSWER_LIMIT: usize = 64 << 20;
/// The most redirects that are followed.
const REDIRECTS: usize = 3;

/// What is asked for, wherever in the API it turns out to be.
pub(super) struct Ask<'a> {
    pub(super) method: Method,
    pub(super) accept: &'a str,
    pub(super) body: Option<&'a Value>,
}

impl<'a> Ask<'a> {
    /// To read in the form `accept`.
    pub(super) fn read(accept: &'a str) -> Self {
        Self {
            method: Method::GET,
            accept,
            body: None,
        }
    }
}

/// An answer that was read.
#[derive(Debug)]
pub struct Answer {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no way to the API.
    Unconnected(String),
    /// The connection was lost before the answer was whole.
    Lost(String),
    /// It took too long.
    Silent,
    /// There is one, and it is of no use.
    Useless(String),
}

impl Answer {
    /// The body, read as JSON.
    ///
    /// # Errors
    /// When it is something else.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_json::from_slice(&self.body).map_err(|error| {
            Refusal::unanswered(format!("the API's answer cannot be read: {error}"))
        })
    }
}

/// What `work` comes to, unless `end` comes first.
pub(super) async fn unless<T, E>(
    work: impl Future<Output = T>,
    end: impl Future<Output = E>,
) -> Result<T, E> {
    let (mut work, mut end) = (pin!(work), pin!(end));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Ok(done)),
        Poll::Pending => end.as_mut().poll(context).map(Err),
    })
    .await
}

/// The status and the rest of the answer to `ask` at `path` of the API, or wherever in it that is
/// sent on to.
pub(super) async fn exchange(
    api: &Connection,
    path: &str,
    ask: &Ask<'_>,
) -> Result<(u16, Answer), Failure> {
    let mut path = path.to_owned();
    for _ in 0..REDIRECTS {
        let (status, answer) = once(api, &path, ask).await?;
        match sent_on(status, &answer.headers) {
            Some(there) => path = within(&api.base, there).map_err(Failure::Useless)?,
            None => return Ok((status, answer)),
        }
    }
    Err(Failure::Useless(
        "the API sends the request on without end".to_owned(),
    ))
}

async fn once(api: &Connection, path: &str, ask: &Ask<'_>) -> Result<(u16, Answer), Failure> {
    let builder = http::Request::builder()
        .method(&ask.method)
        .uri(format!("{}{path}", api.root()))
        .header(header::ACCEPT, ask.accept)
        .header(header::ACCEPT_ENCODING, "identity");
    let request = api.client.build_request(builder, ask.body);
    let request = request.map_err(|error| Failure::Useless(said(&error)))?;
    let response = api.client.execute(request).await;
    let (parts, body) = response.map_err(|error| lost(&error))?.into_parts();
    let encoding = parts.headers.get(header::CONTENT_ENCODING);
    if let Some(encoding) =
        encoding.filter(|name| !name.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        let encoding = String::from_utf8_lossy(encoding.as_bytes());
        return Err(Failure::Useless(format!(
            "the answer is encoded as `{}`, which was not asked for",
            shown(&encoding)
        )));
    }
    let body = Limited::new(body, ANSWER_LIMIT).collect().await;
    let body = body.map_err(|error| match error.is::<LengthLimitError>() {
        true => Failure::Useless(format!(
            "the answer is larger than {} MiB",
            ANSWER_LIMIT >> 20
        )),
        false => Failure::Lost(said(&*error)),
    })?;
    let (headers, body) = (parts.headers, body.to_bytes().to_vec());
    Ok((parts.status.as_u16(), Answer { headers, body }))
}

/// Where an answer sends us on to with the same request: a repository that was renamed.
fn sent_on(status: u16, headers: &HeaderMap) -> Option<&str> {
    let location = || headers.get(header::LOCATION)?.to_str().ok();
    matches!(status, 301 | 302 | 307 | 308)
        .then(location)
        .flatten()
}

/// The path in the API at `base` that `location` names, if it lies within: nobody else is to have
/// what we write, or to say that it is published.
fn within(base: &Uri, location: &str) -> Result<String, String> {
    let refused = || {
        let there = shown(location);
        format!("the API sends the request on to `{there}`, which is not within GITHUB_API_URL")
    };
    let port = |uri: &Uri| {
        let usual = if uri.scheme_str() == Some("https") {
            443
        } else {
            80
        };
        uri.port_u16().unwrap_or(usual)
    };
    let there: Uri = location.parse().map_err(|_| refused())?;
    let is_here = match there.host() {
        Some(host) => {
            there.scheme() == base.scheme()
                && port(&there) == port(base)
                && base
                    .host()
                    .is_some_and(|ours| ours.eq_ignore_ascii_case(host))
        }
        None => location.starts_with('/') && !location.starts_with("//"),
    };
    let root = base.path().trim_end_matches('/');
    let path = there.path_and_query().filter(|_| is_here);
    let below = path.and_then(|path| path.as_str().strip_prefix(root));
    below
        .filter(|below| below.starts_with('/'))
        .map(str::to_owned)
        .ok_or_else(refused)
}

/// What a connection that failed says.
fn lost(error: &octocrab::Error) -> Failure {
    let why = said(error);
    let is_connect = |error: &(dyn Error + 'static)| {
        let error = error.downcast_ref::<legacy::Error>();
        error.is_some_and(legacy::Error::is_connect)
    };
    match layers(error).any(is_connect) {
        true => Failure::Unconnected(why),
        false => Failure::Lost(why),
    }
}

/// An error and what is behind it.
fn layers<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// An error with what is behind it: the layers of a client each say only their own part.
fn said(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    for error in layers(error) {
        let text = one_line(&error.to_string());
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_sent_on_only_within_the_api() {
        let base = Uri::from_static("https://h.example/api/v3");
        for (location, there) in [
            (
                "https://h.example/api/v3/repositories/1/x?a=b",
                "/repositories/1/x?a=b",
            ),
            ("https://H.example:443/api/v3/x#part", "/x"),
            ("https://somebody@h.example/api/v3/x", "/x"),
            ("/api/v3/x", "/x"),
        ] {
            assert_eq!(within(&base, location).as_deref(), Ok(there), "{location}");
        }
        for location in [
            "http://h.example/api/v3/x",
            "https://h.example:444/api/v3/x",
            "https://evil.example/api/v3/x",
            "https://h.example.evil.example/api/v3/x",
            "https://h.example@evil.example/api/v3/x",
            "https://h.example/login",
            "https://h.example/api/v33",
            "https://h.example/api/v3",
            "//evil.example/api/v3/x",
            "//h.example/api/v3/x",
            "/login",
            "foo",
            "foo/api/v3/x",
            "h.example",
            "../x",
            "?a=b",
            "",
            "file:///api/v3/x",
        ] {
            let why = within(&base, location).unwrap_err();
            assert!(
                why.contains("not within GITHUB_API_URL"),
                "{location}: {why}"
            );
        }
        let base = Uri::from_static("http://127.0.0.1:8080");
        assert_eq!(
            within(&base, "http://127.0.0.1:8080/x").as_deref(),
            Ok("/x")
        );
        assert!(within(&base, "http://127.0.0.1/x").is_err());
    }
}
