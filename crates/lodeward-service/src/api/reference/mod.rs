//! What the API is: as an OpenAPI document, and as a page for people.

mod page;

use std::sync::{Arc, LazyLock};

use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::service::Service;

/// The document, as it is sent, and the page that is made of it: both follow from the
/// code, and never change while it runs.
static REFERENCE: LazyLock<Reference> = LazyLock::new(|| {
    let document = super::with_common_answers(super::router().split_for_parts().1);
    let document = serde_json::to_value(&document).expect("a document is plain data");
    Reference { page: page::of(&document), document: document.to_string() }
});

struct Reference {
    document: String,
    page: String,
}

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(document)).routes(routes!(page)).routes(routes!(style))
}

fn sent(content: &'static str, media_type: &'static str) -> Response {
    let mut response = content.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    response
}

/// The OpenAPI document of this API
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "reference", security(()),
    responses((status = 200, description = "The document", body = Object, content_type = "application/json")),
)]
async fn document() -> Response {
    sent(&REFERENCE.document, "application/json")
}

/// The same as a page
#[utoipa::path(
    get, path = "/api/v1/docs", tag = "reference", security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
async fn page() -> Response {
    let mut response = sent(&REFERENCE.page, "text/html; charset=utf-8");
    // It needs its style, and nothing else.
    let policy = HeaderValue::from_static(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}

/// How the page looks
#[utoipa::path(
    get, path = "/api/v1/docs/style.css", tag = "reference", security(()),
    responses((status = 200, description = "The style", body = String, content_type = "text/css")),
)]
async fn style() -> Response {
    sent(include_str!("style.css"), "text/css; charset=utf-8")
}
