//! The path of the service behind a proxy: the prefix of all URLs in responses.
//!
//! A proxy that serves `https://example.org/tools/lodeward/` removes `/tools/lodeward` from the path of requests, so
//! routes do not know it. What clients follow must contain it: `Location`, `Link`, the path of cookies, links in JSON.

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use http::HeaderValue;
use http::header::{LINK, LOCATION};
use lodeward_app::settings::Config;
use std::sync::Arc;
use url::Url;

use crate::live_settings::LiveSettings;

/// The path of `service.public_url` without a slash at its end; empty if it is at the root of its host.
pub(crate) fn public_path(config: &Config) -> String {
    let url = config.service.public_url.as_deref().and_then(|url| Url::parse(url).ok());
    url.map_or(String::new(), |url| url.path().trim_end_matches('/').to_owned())
}

/// Adds the path to the header fields with URLs.
pub(crate) fn with_public_path(router: Router, settings: &Arc<LiveSettings>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(settings), add_public_path))
}

async fn add_public_path(State(settings): State<Arc<LiveSettings>>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let prefix = public_path(&settings.current().config);
    if prefix.is_empty() {
        return response;
    }
    let headers = response.headers_mut();
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
    // The URL of a new graph is complete.
    let location = headers.get(LOCATION).and_then(text).filter(|location| location.starts_with('/'));
    if let Some(value) = location.and_then(|location| HeaderValue::from_str(&format!("{prefix}{location}")).ok()) {
        headers.insert(LOCATION, value);
    }
    if let Some(link) = headers.get(LINK).and_then(text)
        && let Ok(value) = HeaderValue::from_str(&link.replace("</", &format!("<{prefix}/")))
    {
        headers.insert(LINK, value);
    }
    response
}
