//! The links of a feed: Atom (RFC 4287) and RSS 0.9x and 2.0. RSS 1.0 is RDF/XML.

use html5ever::ns;

use super::collector::CollectedLinks;
use super::{LinkOptions, PageLink};
use crate::tree::{NodeId, PageTree, TreeElement};

const ATOM_NAMESPACE: &str = "http://www.w3.org/2005/Atom";

/// Collects the links of a feed; `None` if the document is not a feed.
///
/// In Atom, these are the `link` elements and the sources of `content`; in RSS, the texts of `link`, `comments` and a
/// permanent `guid`, the URL of an `enclosure`, and the `link` elements of Atom in it. Links in escaped HTML are not
/// read: the page of an entry has them, too.
pub(crate) fn collect_from_feed(tree: &PageTree, options: &LinkOptions) -> Option<CollectedLinks> {
    let root = tree.element(tree.root_element()?)?;
    let is_feed = match &*root.name.local {
        "rss" => root.name.ns == ns!(),
        "feed" | "entry" => &*root.name.ns == ATOM_NAMESPACE,
        _ => false,
    };
    if !is_feed {
        return None;
    }
    let mut collected = CollectedLinks::default();
    let mut known = std::collections::HashSet::new();
    for node in tree.descendants(PageTree::ROOT) {
        let Some(link) = tree.element(node).and_then(|element| feed_link(tree, node, element)) else { continue };
        if link.href.is_empty() || !known.insert(link.href.clone()) {
            continue;
        }
        if collected.links.len() >= options.max_links {
            collected.has_excess = true;
            break;
        }
        collected.links.push(link);
    }
    Some(collected)
}

fn feed_link(tree: &PageTree, node: NodeId, element: &TreeElement) -> Option<PageLink> {
    let is_atom = &*element.name.ns == ATOM_NAMESPACE;
    if !is_atom && element.name.ns != ns!() {
        return None;
    }
    let attribute = |name| element.attribute(name).map(|value| value.trim().to_owned());
    let text = || tree.text(node).trim().to_owned();
    let href = match &*element.name.local {
        "link" if is_atom => attribute("href")?,
        "content" if is_atom => attribute("src")?,
        "link" | "comments" => text(),
        "guid" if element.attribute("isPermaLink") != Some("false") => text(),
        "enclosure" => attribute("url")?,
        _ => return None,
    };
    let is_url = is_atom || href.starts_with("http://") || href.starts_with("https://");
    let element = element.name.local.to_string();
    is_url.then(|| PageLink {
        href,
        element,
        rel: attribute("rel"),
        media_type: attribute("type"),
        title: attribute("title"),
        ..PageLink::default()
    })
}
