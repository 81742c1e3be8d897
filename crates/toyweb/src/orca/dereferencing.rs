//! Dereferencing nodes: each resource is a document.

use std::fmt::Write as _;

use http::StatusCode;
use oxigraph::io::RdfSerializer;
use oxigraph::model::Triple;

use super::node::{OrcaNode, resource_number};
use super::pack::DumpSyntax;
use super::parameters::OrcaParameters;
use crate::accept::AcceptHeader;
use crate::message::{WebBody, WebResponse};
use crate::world::responses::{body_response, error_response, text_response, with_vary_accept};

/// The response of a dereferencing node.
pub(super) fn respond(
    parameters: &OrcaParameters,
    nodes: &[OrcaNode],
    node: &OrcaNode,
    path: &str,
    accept: &AcceptHeader,
) -> WebResponse {
    if path == "/robots.txt" {
        return robots_txt(parameters, node)
            .map_or_else(|| error_response(StatusCode::NOT_FOUND), |it| text_response(Some("text/plain"), it));
    }
    if node.disallows(path) {
        return body_response(None, WebBody::Whole("".into()));
    }
    let resources = node.graph.as_ref().map_or(0, |graph| graph.resources);
    match resource_number(path).filter(|number| *number < resources) {
        None => error_response(StatusCode::NOT_FOUND),
        Some(number) => negotiate(&node.resource_triples(nodes, number), number, accept),
    }
}

/// The triples in the negotiated syntax. If the client accepts everything, the syntax depends on the resource.
fn negotiate(triples: &[Triple], number: u32, accept: &AcceptHeader) -> WebResponse {
    let mut offered = DumpSyntax::ALL;
    offered.rotate_left(number as usize % DumpSyntax::ALL.len());
    with_vary_accept(match accept.best(&offered, DumpSyntax::media_type) {
        None => error_response(StatusCode::NOT_ACCEPTABLE),
        Some(syntax) => {
            body_response(Some(syntax.media_type()), WebBody::Whole(serialise_triples(syntax, triples).into()))
        }
    })
}

/// Serialises triples.
pub(super) fn serialise_triples<'a>(syntax: DumpSyntax, triples: impl IntoIterator<Item = &'a Triple>) -> Vec<u8> {
    let mut serializer = RdfSerializer::from_format(syntax.format()).for_writer(Vec::new());
    for triple in triples {
        serializer.serialize_triple(triple).expect("writing to memory cannot fail");
    }
    serializer.finish().expect("writing to memory cannot fail")
}

/// The robots.txt, or `None` without rules.
fn robots_txt(parameters: &OrcaParameters, node: &OrcaNode) -> Option<String> {
    if parameters.crawl_delay_seconds == 0 && node.disallowed.is_empty() {
        return None;
    }
    let mut rules = "User-agent: *\n".to_owned();
    if parameters.crawl_delay_seconds > 0 {
        let _ = writeln!(rules, "Crawl-delay: {}", parameters.crawl_delay_seconds);
    }
    let resources = node.graph.as_ref().map_or(0, |graph| graph.resources);
    for (_, number) in node.disallowed.iter().zip(resources..) {
        // A rule matches a prefix. Disallowed resources have the largest numbers, so no rule matches an allowed one.
        let _ = writeln!(rules, "Disallow: /dataset-0/resource-{number}");
    }
    Some(rules)
}
