//! RDFa sites: an entry page with links, and test pages.

use std::fmt::Write as _;

use http::StatusCode;
use oxigraph::model::vocab::rdfs;
use oxigraph::model::{NamedNode, Triple};

use super::node::OrcaNode;
use super::parameters::RdfaParameters;
use super::suite::SuitePage;
use crate::message::WebResponse;
use crate::world::responses::{error_response, html_response, text_response};

/// The response of an RDFa site.
pub(super) fn respond(
    parameters: &RdfaParameters,
    nodes: &[OrcaNode],
    node: &OrcaNode,
    pages: &[SuitePage],
    path: &str,
) -> WebResponse {
    if path == "/dataset-0/resource-0" {
        return html_response(entry_page(nodes, node, pages));
    }
    match pages.iter().find(|page| page.path == path) {
        None => error_response(StatusCode::NOT_FOUND),
        Some(page) if parameters.xhtml_type && page.xhtml => {
            text_response(Some("application/xhtml+xml"), page.markup(&node.host()))
        }
        Some(page) => text_response(Some("text/html"), page.markup(&node.host())),
    }
}

/// The links of the entry page: to all test pages, and to other nodes.
fn targets(nodes: &[OrcaNode], node: &OrcaNode, pages: &[SuitePage]) -> impl Iterator<Item = String> {
    let host = node.host();
    let own: Vec<String> = pages.iter().map(|page| format!("http://{host}{}", page.path)).collect();
    let others: Vec<String> = node.links.iter().map(|(_, to)| nodes[*to as usize].entry_uri()).collect();
    own.into_iter().chain(others)
}

/// The statements of the entry page.
pub(super) fn statements(nodes: &[OrcaNode], node: &OrcaNode, pages: &[SuitePage]) -> impl Iterator<Item = Triple> {
    let subject = NamedNode::new_unchecked(node.entry_uri());
    let object = NamedNode::new_unchecked;
    targets(nodes, node, pages).map(move |target| Triple::new(subject.clone(), rdfs::SEE_ALSO, object(target)))
}

fn entry_page(nodes: &[OrcaNode], node: &OrcaNode, pages: &[SuitePage]) -> String {
    let mut page =
        "<!DOCTYPE html>\n<html prefix=\"rdfs: http://www.w3.org/2000/01/rdf-schema#\">\n<head><title>RDFa test \
                    pages</title></head>\n<body>\n<ul>\n"
            .to_owned();
    for target in targets(nodes, node, pages) {
        let _ = writeln!(page, "<li><a property=\"rdfs:seeAlso\" href=\"{target}\">{target}</a></li>");
    }
    page + "</ul>\n</body>\n</html>\n"
}
