//! The documentation of the API: the OpenAPI document, and an HTML page.

mod page;

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::route_rules::{RouteAccess, RouteRules};
use crate::state::Service;

/// The OpenAPI document and the page, which handlers extract as an extension of the request.
pub(crate) struct ApiReference {
    document: Bytes,
    page: Bytes,
}

impl ApiReference {
    pub(crate) fn new(document: &OpenApi) -> Self {
        let document = serde_json::to_value(document).expect("the OpenAPI document can be serialized");
        Self { page: page::render(&document).into(), document: document.to_string().into() }
    }
}

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let reads = RouteRules::reads(RouteAccess::Public);
    OpenApiRouter::new()
        .routes(reads.on(routes!(get_openapi)))
        .routes(reads.on(routes!(get_page)))
        .routes(reads.on(routes!(get_style)))
}

fn static_response(content: impl Into<Body>, media_type: &'static str) -> Response {
    let mut response = content.into().into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    response
}

/// OpenAPI document of this API
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "reference",
    responses((status = 200, description = "The document", body = Object, content_type = "application/json")),
)]
async fn get_openapi(Extension(reference): Extension<Arc<ApiReference>>) -> Response {
    static_response(reference.document.clone(), "application/json")
}

/// This documentation as a page
#[utoipa::path(
    get, path = "/api/v1/docs", tag = "reference",
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
async fn get_page(Extension(reference): Extension<Arc<ApiReference>>) -> Response {
    let mut response = static_response(reference.page.clone(), "text/html; charset=utf-8");
    // The page loads its style sheet and nothing else.
    let policy = HeaderValue::from_static(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}

/// Style sheet of the page
#[utoipa::path(
    get, path = "/api/v1/docs/style.css", tag = "reference",
    responses((status = 200, description = "The style sheet", body = String, content_type = "text/css")),
)]
async fn get_style() -> Response {
    static_response(include_str!("style.css"), "text/css; charset=utf-8")
}
