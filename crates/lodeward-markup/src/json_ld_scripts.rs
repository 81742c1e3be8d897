//! Reading JSON-LD in the script elements of pages
//! ([JSON-LD 1.1, section 7](https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents)).

use std::sync::Arc;

use lodeward_rdf::iri::BaseIri;
use lodeward_rdf::json_ld::{ContextLoader, JsonLdOptions, ScriptSelection, ScriptSession};
use lodeward_rdf::media_type::essence;
use lodeward_rdf::{QuadSink, RdfFault, RdfFaultKind};

use crate::tree::{NodeId, PageTree, TreeElement, from_html};

/// Reads the JSON-LD scripts of a page.
///
/// If the base has a fragment, only the script with this `id` is read. Otherwise
/// [`JsonLdOptions::scripts`] selects the scripts.
pub fn read_html(
    page: &str,
    base: &str,
    options: &JsonLdOptions,
    contexts: &Arc<dyn ContextLoader>,
    sink: &mut dyn QuadSink,
) {
    let tree = from_html(page);
    if let Some(detail) = tree.truncation() {
        sink.fault(RdfFault::new(RdfFaultKind::Limit, detail));
    }
    let (url, fragment) = base.split_once('#').map_or((base, None), |(base, fragment)| (base, Some(fragment)));
    let inside = tree.base_href().and_then(|href| BaseIri::new(url)?.resolve(href));
    let base = inside.as_deref().unwrap_or(url);
    let mut scripts = tree.descendants(PageTree::ROOT).filter(|node| tree.element(*node).is_some_and(is_script));
    let mut session = ScriptSession::new(options, contexts);
    let mut read = |node: NodeId| session.read_script(&tree.text(node), base, sink);
    let only = match (fragment, options.scripts) {
        (None, ScriptSelection::All) => return scripts.for_each(read),
        (None, ScriptSelection::First) => scripts.next(),
        (Some(fragment), _) => scripts.find(|node| has_id(&tree, *node, fragment)),
    };
    match only {
        Some(node) => read(node),
        None => {
            sink.begin_scope();
            let detail = "loading document failed: the page has no such JSON-LD script";
            sink.fault(RdfFault::new(RdfFaultKind::Syntax, detail));
        }
    }
}

fn has_id(tree: &PageTree, node: NodeId, id: &str) -> bool {
    tree.element(node).is_some_and(|element| element.attribute("id") == Some(id))
}

fn is_script(element: &TreeElement) -> bool {
    element.is_html("script") && element.attribute("type").is_some_and(is_json_ld)
}

/// Whether the media type of a script is JSON-LD. A frame is JSON-LD as well, but contains no
/// statements.
pub(crate) fn is_json_ld(media_type: &str) -> bool {
    essence(media_type).eq_ignore_ascii_case("application/ld+json") && !media_type.contains("json-ld#frame")
}
