//! Sites with RDFa: an entrance that leads everywhere, and test pages.

use std::fmt::Write as _;

use http::StatusCode;
use oxigraph::model::vocab::rdfs;
use oxigraph::model::{NamedNode, Triple};

use super::node::Node;
use super::parameters::Rdfa;
use super::suite::Page;
use crate::message::Response;
use crate::world::answer::{failure, html, text};

/// The answer of an RDFa site.
pub(super) fn respond(parameters: &Rdfa, nodes: &[Node], node: &Node, pages: &[Page], path: &str) -> Response {
    if path == "/dataset-0/resource-0" {
        return html(entrance(nodes, node, pages));
    }
    match pages.iter().find(|page| page.path == path) {
        None => failure(StatusCode::NOT_FOUND),
        Some(page) if parameters.xhtml_type && page.xhtml => {
            text(Some("application/xhtml+xml"), page.markup(&node.host()))
        }
        Some(page) => text(Some("text/html"), page.markup(&node.host())),
    }
}

/// Where the entrance leads to: all pages, and other nodes.
fn targets(nodes: &[Node], node: &Node, pages: &[Page]) -> impl Iterator<Item = String> {
    let host = node.host();
    let own: Vec<String> = pages.iter().map(|page| format!("http://{host}{}", page.path)).collect();
    let others: Vec<String> = node.links.iter().map(|(_, to)| nodes[*to as usize].access()).collect();
    own.into_iter().chain(others)
}

/// What the entrance says.
pub(super) fn statements(nodes: &[Node], node: &Node, pages: &[Page]) -> impl Iterator<Item = Triple> {
    let subject = NamedNode::new_unchecked(node.access());
    let object = NamedNode::new_unchecked;
    targets(nodes, node, pages).map(move |target| Triple::new(subject.clone(), rdfs::SEE_ALSO, object(target)))
}

fn entrance(nodes: &[Node], node: &Node, pages: &[Page]) -> String {
    let mut page =
        "<!DOCTYPE html>\n<html prefix=\"rdfs: http://www.w3.org/2000/01/rdf-schema#\">\n<head><title>RDFa test \
                    pages</title></head>\n<body>\n<ul>\n"
            .to_owned();
    for target in targets(nodes, node, pages) {
        let _ = writeln!(page, "<li><a property=\"rdfs:seeAlso\" href=\"{target}\">{target}</a></li>");
    }
    page + "</ul>\n</body>\n</html>\n"
}
