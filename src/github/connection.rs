//! The way to the API: through a proxy where the environment names one, with the machine's own
//! certificates, and with the token only ever in a header to the API's own host.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Uri};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioExecutor;
use octocrab::service::middleware::auth_header::AuthHeaderLayer;
use octocrab::service::middleware::extra_headers::ExtraHeadersLayer;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};

use crate::run::environment;

use super::surroundings::Token;

/// How long the API may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// A way to the API.
pub struct Connection {
    pub(super) client: Octocrab,
    pub(super) base: Uri,
}

impl Connection {
    /// The API's address without a last `/`, for paths to follow.
    pub(super) fn root(&self) -> String {
        let scheme = self.base.scheme_str().unwrap_or_default();
        let host = self
            .base
            .authority()
            .map_or("", http::uri::Authority::as_str);
        format!(
            "{scheme}://{host}{}",
            self.base.path().trim_end_matches('/')
        )
    }
}

/// A way to the API at `base`, whose path is kept: on GitHub Enterprise it is `/api/v3`. Must
/// be called within a runtime.
///
/// # Errors
/// A sentence, when the address is none, or the machine has no certificates to check it by.
pub fn open(base: &str, token: &Token) -> Result<Connection, String> {
    let address = base.trim_end_matches('/');
    let base: Uri = address
        .parse()
        .map_err(|error| format!("GITHUB_API_URL is no address: {error}"))?;
    if !matches!(base.scheme_str(), Some("http" | "https")) || base.host().is_none() {
        return Err(
            "GITHUB_API_URL starts with neither https:// nor http:// and a host".to_owned(),
        );
    }
    let mut direct = HttpConnector::new();
    direct.set_connect_timeout(Some(CONNECT));
    direct.enforce_http(false);
    let secured = || {
        let builder = HttpsConnectorBuilder::new().with_native_roots();
        let roots = builder
            .map_err(|error| format!("there are no certificates to check the API by: {error}"))?;
        Ok::<_, String>(roots.https_only().enable_http1())
    };
    let is_plain = base.scheme_str() != Some("https");
    match proxies().intercept(&base) {
        None if is_plain => client(direct, base, token),
        None => client(secured()?.wrap_connector(direct), base, token),
        Some(proxy) if is_plain => client(through(&proxy, direct), base, token),
        Some(proxy) => client(
            secured()?.wrap_connector(through(&proxy, direct)),
            base,
            token,
        ),
    }
}

/// What of the environment decides on proxies, in the words and with the rules of curl.
fn proxies() -> Matcher {
    let value = |name: &str| {
        let lower = environment::var(&name.to_ascii_lowercase());
        lower.or_else(|| environment::var(name)).unwrap_or_default()
    };
    Matcher::builder()
        .all(value("ALL_PROXY"))
        .http(value("HTTP_PROXY"))
        .https(value("HTTPS_PROXY"))
        .no(value("NO_PROXY"))
        .build()
}

/// Through the proxy with CONNECT, whatever the scheme: so it sees no request and no token.
fn through(proxy: &Intercept, direct: HttpConnector) -> Tunnel<HttpConnector> {
    let tunnel = Tunnel::new(proxy.uri().clone(), direct);
    match proxy.basic_auth() {
        Some(auth) => tunnel.with_auth(auth.clone()),
        None => tunnel,
    }
}

fn client<C>(connector: C, base: Uri, token: &Token) -> Result<Connection, String>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let mut auth = HeaderValue::from_str(&format!("Bearer {}", token.reveal()))
        .map_err(|_| "the token holds characters that no token has".to_owned())?;
    auth.set_sensitive(true);
    let agent = concat!("driftgate/", env!("CARGO_PKG_VERSION"));
    // The version of the API comes from the crate.
    let headers = vec![(http::header::USER_AGENT, HeaderValue::from_static(agent))];
    let service = Client::builder(TokioExecutor::new()).build::<_, OctoBody>(connector);
    let built = OctocrabBuilder::new_empty()
        .with_service(service)
        .with_layer(&ExtraHeadersLayer::new(Arc::new(headers)))
        .with_layer(&AuthHeaderLayer::new(
            Some(auth),
            base.clone(),
            base.clone(),
        ))
        .with_auth(AuthState::None)
        .build();
    let client = built.unwrap_or_else(|never| match never {});
    Ok(Connection { client, base })
}
