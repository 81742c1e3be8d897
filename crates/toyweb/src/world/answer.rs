//! Putting answers together.

use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::message::{Body, Conduct, Response};

/// 200 with this content; `None` for no content type.
pub(crate) fn with_body(media_type: Option<&'static str>, body: Body) -> Response {
    let mut headers = HeaderMap::with_capacity(4);
    if let Some(media_type) = media_type {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    Response { status: StatusCode::OK, headers, body, conduct: Conduct::Plain }
}

/// 200 with this text.
pub(crate) fn text(media_type: Option<&'static str>, text: String) -> Response {
    with_body(media_type, Body::Whole(text.into()))
}

/// 200 with this page.
pub(crate) fn html(page: String) -> Response {
    text(Some("text/html; charset=utf-8"), page)
}

/// A redirect.
pub(crate) fn redirect(status: StatusCode, location: &str) -> Response {
    let mut response = html(String::new());
    response.status = status;
    let location = HeaderValue::try_from(location).expect("URLs of the world are plain ASCII");
    response.headers.insert(header::LOCATION, location);
    response
}

/// An error with a few words.
pub(crate) fn failure(status: StatusCode) -> Response {
    let reason = status.canonical_reason().unwrap_or("no");
    Response { status, ..html(format!("<!DOCTYPE html><title>{reason}</title><p>{reason}.</p>\n")) }
}

/// The same answer, which depends on `Accept`.
pub(crate) fn varying(mut response: Response) -> Response {
    response.headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}
