//! Dump nodes: one file, whose name states its format.

use http::header::{ACCEPT_RANGES, ETAG};
use http::{HeaderValue, StatusCode};

use super::dereferencing::serialise_triples;
use super::node::OrcaNode;
use crate::conditional::strong_etag;
use crate::message::{DeliveryFault, WebBody, WebResponse};
use crate::world::responses::{body_response, error_response};

/// The response of a dump node to the request with this number.
pub(super) fn respond(nodes: &[OrcaNode], node: &OrcaNode, path: &str, number: u64) -> WebResponse {
    let (outer, inner) = node.dump_names();
    if path.strip_prefix('/') != Some(&outer) {
        return error_response(StatusCode::NOT_FOUND);
    }
    let triples: Vec<_> = node.triples(nodes).collect();
    let content = serialise_triples(node.syntax, &triples);
    let (media_type, content) = match node.packing {
        None => (node.syntax.media_type(), content),
        Some(packing) => (packing.media_type(), packing.pack(&inner, &content)),
    };
    let half = content.len() as u64 / 2;
    let validator = strong_etag(&content);
    let mut response = body_response(Some(media_type), WebBody::Whole(content.into()));
    response.headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    response.headers.insert(ETAG, validator);
    if node.truncates_first_download && number == 0 {
        response.delivery = DeliveryFault::TruncatedAfter(half);
    }
    response
}
