//! Nodes with one file, whose name says what it is.

use http::header::{ACCEPT_RANGES, ETAG};
use http::{HeaderValue, StatusCode};

use super::dereferencing::written;
use super::node::Node;
use crate::conditional::tag;
use crate::message::{Body, Conduct, Response};
use crate::world::answer::{failure, with_body};

/// The answer of a dump node, asked so many times before.
pub(super) fn respond(nodes: &[Node], node: &Node, path: &str, asked: u64) -> Response {
    let (outer, inner) = node.dump_names();
    if path.strip_prefix('/') != Some(&outer) {
        return failure(StatusCode::NOT_FOUND);
    }
    let triples: Vec<_> = node.triples(nodes).collect();
    let content = written(node.syntax, &triples);
    let (media_type, content) = match node.packing {
        None => (node.syntax.media_type(), content),
        Some(packing) => (packing.media_type(), packing.pack(&inner, &content)),
    };
    let half = content.len() as u64 / 2;
    let validator = tag(&content);
    let mut response = with_body(Some(media_type), Body::Whole(content.into()));
    response.headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    response.headers.insert(ETAG, validator);
    if node.cuts && asked == 0 {
        response.conduct = Conduct::Cut(half);
    }
    response
}
