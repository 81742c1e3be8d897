//! JSON-LD in the script elements of pages, by
//! [JSON-LD 1.1, section 7](https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents).

use std::sync::Arc;

use super::contexts::Contexts;
use super::document::read_with;
use super::error::{Error, LOADING_DOCUMENT_FAILED};
use super::{Options, Scripts, Session, is_json_ld};
use crate::iri::Base;
use crate::tree::{Element, NodeId, Tree, from_html};
use crate::{Sink, Syntax};

/// Reads the scripts of a page that are JSON-LD.
///
/// If the base has a fragment, that is the name of the one script to read.
/// Otherwise [`Options::scripts`] tells which are read.
pub fn read_html(page: &str, base: &str, options: &Options, contexts: &Arc<dyn Contexts>, sink: &mut dyn Sink) {
    let tree = from_html(page);
    tree.tell_cut(Syntax::JsonLd, sink);
    let (address, fragment) = base.split_once('#').map_or((base, None), |(base, fragment)| (base, Some(fragment)));
    let inside = tree.base_href().and_then(|href| Base::new(address)?.resolve(href));
    let base = inside.as_deref().unwrap_or(address);
    let mut scripts = tree.descendants(Tree::ROOT).filter(|node| tree.element(*node).is_some_and(is_script));
    let mut session = Session::new(options, contexts);
    let mut read = |node: NodeId| session.script(&tree.text(node), base, sink);
    let only = match (fragment, options.scripts) {
        (None, Scripts::All) => return scripts.for_each(read),
        (None, Scripts::First) => scripts.next(),
        (Some(fragment), _) => scripts.find(|node| has_id(&tree, *node, fragment)),
    };
    match only {
        Some(node) => read(node),
        None => {
            let missing = Error::new(LOADING_DOCUMENT_FAILED, "there is no such script in the page");
            let result = read_with(base, &mut session, sink, |_| Err(missing.into()));
            result.expect("nothing is read");
        }
    }
}

fn has_id(tree: &Tree, node: NodeId, id: &str) -> bool {
    tree.element(node).is_some_and(|element| element.attribute("id") == Some(id))
}

fn is_script(element: &Element) -> bool {
    element.is_html("script") && element.attribute("type").is_some_and(is_json_ld)
}
