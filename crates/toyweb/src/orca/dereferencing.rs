//! Nodes whose resources can be looked up, each a document of its own.

use std::fmt::Write as _;

use http::StatusCode;
use oxigraph::io::RdfSerializer;
use oxigraph::model::Triple;

use super::node::{Node, resource_number};
use super::pack::Syntax;
use super::parameters::Parameters;
use crate::accept::Accept;
use crate::message::{Body, Response};
use crate::world::answer::{failure, text, varying, with_body};

/// The answer of a dereferencing node.
pub(super) fn respond(parameters: &Parameters, nodes: &[Node], node: &Node, path: &str, accept: &Accept) -> Response {
    if path == "/robots.txt" {
        return robots(parameters, node)
            .map_or_else(|| failure(StatusCode::NOT_FOUND), |it| text(Some("text/plain"), it));
    }
    if node.disallows(path) {
        return with_body(None, Body::Whole("".into()));
    }
    let resources = node.graph.as_ref().map_or(0, |graph| graph.resources);
    match resource_number(path).filter(|number| *number < resources) {
        None => failure(StatusCode::NOT_FOUND),
        Some(number) => negotiated(&node.triples_of(nodes, number), number, accept),
    }
}

/// The triples in the syntax that is asked for. Those who take anything get
/// any: not always the same, but always the same for a resource.
fn negotiated(triples: &[Triple], number: u32, accept: &Accept) -> Response {
    let mut offered = Syntax::ALL;
    offered.rotate_left(number as usize % Syntax::ALL.len());
    varying(match accept.best(&offered, Syntax::media_type) {
        None => failure(StatusCode::NOT_ACCEPTABLE),
        Some(syntax) => with_body(Some(syntax.media_type()), Body::Whole(written(syntax, triples).into())),
    })
}

/// Triples in a syntax.
pub(super) fn written<'a>(syntax: Syntax, triples: impl IntoIterator<Item = &'a Triple>) -> Vec<u8> {
    let mut serializer = RdfSerializer::from_format(syntax.format()).for_writer(Vec::new());
    for triple in triples {
        serializer.serialize_triple(triple).expect("memory takes all writes");
    }
    serializer.finish().expect("memory takes all writes")
}

/// robots.txt, where there is something to say.
fn robots(parameters: &Parameters, node: &Node) -> Option<String> {
    if parameters.crawl_delay_s == 0 && node.disallowed.is_empty() {
        return None;
    }
    let mut rules = "User-agent: *\n".to_owned();
    if parameters.crawl_delay_s > 0 {
        let _ = writeln!(rules, "Crawl-delay: {}", parameters.crawl_delay_s);
    }
    let resources = node.graph.as_ref().map_or(0, |graph| graph.resources);
    for (_, number) in node.disallowed.iter().zip(resources..) {
        // No path of an allowed resource begins with one of these: their
        // numbers are the largest.
        let _ = writeln!(rules, "Disallow: /dataset-0/resource-{number}");
    }
    Some(rules)
}
