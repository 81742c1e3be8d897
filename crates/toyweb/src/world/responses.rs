//! Builds responses.

use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::message::{DeliveryFault, WebBody, WebResponse};

/// 200 with this content; `None` for no content type.
pub(crate) fn body_response(media_type: Option<&'static str>, body: WebBody) -> WebResponse {
    let mut headers = HeaderMap::with_capacity(4);
    if let Some(media_type) = media_type {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    WebResponse { status: StatusCode::OK, headers, body, delivery: DeliveryFault::Plain }
}

/// 200 with this text.
pub(crate) fn text_response(media_type: Option<&'static str>, text: String) -> WebResponse {
    body_response(media_type, WebBody::Whole(text.into()))
}

/// 200 with this page.
pub(crate) fn html_response(page: String) -> WebResponse {
    text_response(Some("text/html; charset=utf-8"), page)
}

/// A redirect.
pub(crate) fn redirect(status: StatusCode, location: &str) -> WebResponse {
    let mut response = html_response(String::new());
    response.status = status;
    let location = HeaderValue::try_from(location).expect("URLs of the world are plain ASCII");
    response.headers.insert(header::LOCATION, location);
    response
}

/// An error page with the reason of the status.
pub(crate) fn error_response(status: StatusCode) -> WebResponse {
    let reason = status.canonical_reason().unwrap_or("no");
    WebResponse { status, ..html_response(format!("<!DOCTYPE html><title>{reason}</title><p>{reason}.</p>\n")) }
}

/// The response with `Vary: Accept`.
pub(crate) fn with_vary_accept(mut response: WebResponse) -> WebResponse {
    response.headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}
