//! Content negotiation.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use lodeward_rdf::accept::Accept;

use crate::problem::{Problem, ProblemCode};

/// The offered media type with the highest quality. If several have the same quality, the first of
/// them.
pub(crate) fn negotiate<'a>(headers: &HeaderMap, offered: &[&'a str]) -> Result<&'a str, Problem> {
    let accept = Accept::parse(headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()));
    accept.select(offered.iter().copied()).ok_or_else(|| {
        Problem::new(ProblemCode::NotAcceptable, "the client accepts none of the offered media types")
            .hint(format!("offered: {}", offered.join(", ")))
    })
}
