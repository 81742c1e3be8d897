//! The browser interface: its page at `/`, and the files that the page loads.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use lodeward_workbench::WorkbenchFile;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::PathParams;
use crate::problem::{Problem, ProblemCode};
use crate::route_rules::{RouteAccess, RouteRules};
use crate::state::Service;

/// Pages that this page opens, or that open it, cannot access it.
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    // Browsers and proxies add query parameters, such as those of campaigns.
    let reads = RouteRules::reads(RouteAccess::Public).lenient();
    OpenApiRouter::new().routes(reads.on(routes!(get_workbench))).routes(reads.on(routes!(get_asset)))
}

/// Path parameter that selects a file.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct AssetPath {
    /// Name of a file that the page loads.
    file: String,
}

/// The browser interface
#[utoipa::path(
    get, path = "/", tag = "workbench",
    responses(
        (status = 200, description = "The page", body = String, content_type = "text/html"),
        (status = 304, description = "The page has not changed"),
    ),
)]
async fn get_workbench(headers: HeaderMap) -> Response {
    let mut response = file_response(lodeward_workbench::page(), &headers, "no-cache");
    let policy = HeaderValue::from_static(lodeward_workbench::CONTENT_SECURITY_POLICY);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response.headers_mut().insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// A file of the browser interface
///
/// The names contain a digest of the content, so a file never changes.
#[utoipa::path(
    get, path = "/assets/{file}", tag = "workbench",
    params(AssetPath),
    responses(
        (status = 200, description = "The file", body = String, content_type = "application/octet-stream"),
        (status = 304, description = "The file has not changed"),
    ),
)]
async fn get_asset(
    PathParams(AssetPath { file }): PathParams<AssetPath>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let unknown = || {
        Problem::new(ProblemCode::NotFound, "no file of this name")
            .hint("reload the page: the service may have been updated")
    };
    let file = lodeward_workbench::asset(&file).ok_or_else(unknown)?;
    Ok(file_response(file, &headers, "public, max-age=31536000, immutable"))
}

fn file_response(file: &'static WorkbenchFile, headers: &HeaderMap, cache_control: &'static str) -> Response {
    let is_known =
        header_values(headers, &IF_NONE_MATCH).any(|tag| tag.trim_start_matches("W/") == file.etag || tag == "*");
    let is_gzip = accepts_gzip(headers);
    let mut response = match (is_known, is_gzip) {
        (true, _) => StatusCode::NOT_MODIFIED.into_response(),
        (false, true) => Body::from(file.gzip()).into_response(),
        (false, false) => Body::from(file.content).into_response(),
    };
    let fields = response.headers_mut();
    fields.insert(ETAG, HeaderValue::from_static(file.etag));
    fields.insert(CACHE_CONTROL, HeaderValue::from_static(cache_control));
    fields.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if !is_known {
        fields.insert(CONTENT_TYPE, HeaderValue::from_static(file.media_type));
        if is_gzip {
            fields.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }
    response
}

/// Whether the client accepts gzip: it is named, and not with a weight of 0.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    header_values(headers, &ACCEPT_ENCODING).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let is_rejected = parts.any(|part| part.strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0_f32)));
        is_gzip && !is_rejected
    })
}

/// The comma-separated values of a header field.
fn header_values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let fields = headers.get_all(name).into_iter().filter_map(|field| field.to_str().ok());
    fields.flat_map(|field| field.split(',')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it() {
        let check = |field: &'static str| {
            accepts_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(field))]))
        };

        assert!(check("gzip") && check("br, GZIP") && check("deflate, gzip;q=0.5"));
        assert!(!check("") && !check("br, deflate") && !check("gzip;q=0") && !check("gzip; q=0.0"));
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
