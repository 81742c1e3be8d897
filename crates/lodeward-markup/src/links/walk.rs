//! Collecting the links of a tree.

use std::borrow::Cow;

use html5ever::ns;

use super::LinkOptions;
use super::collector::{CollectedLinks, LinkCollector};
use crate::tokens::RawTextKind;
use crate::tree::{NodeData, NodeId, PageTree, is_void};

/// Collects the links of a tree, including those in templates, which scripts can insert into the
/// page.
pub(crate) fn collect_from_tree(tree: &PageTree, options: &LinkOptions) -> CollectedLinks {
    let mut collector = LinkCollector::new(options);
    // A stack of nodes to enter and of depths to close.
    let mut steps = vec![LinkWalkStep::Enter(PageTree::ROOT)];
    while let Some(step) = steps.pop() {
        match step {
            LinkWalkStep::Close(depth) => collector.close_element(depth),
            LinkWalkStep::Enter(node) => enter(tree, node, &mut collector, &mut steps),
        }
    }
    collector.finish()
}

enum LinkWalkStep {
    Enter(NodeId),
    Close(usize),
}

fn enter<'a>(tree: &'a PageTree, node: NodeId, collector: &mut LinkCollector<'a>, steps: &mut Vec<LinkWalkStep>) {
    if let Some(next) = tree.next_sibling(node) {
        steps.push(LinkWalkStep::Enter(next));
    }
    match tree.data(node) {
        NodeData::Element(element) => {
            let name = &*element.name.local;
            let has_content = !is_void(name);
            let depth = collector.open_element(Cow::Borrowed(name), element, has_content);
            if has_content {
                steps.push(LinkWalkStep::Close(depth));
            }
            if let Some(template) = tree.template(node) {
                steps.push(LinkWalkStep::Enter(template));
            }
        }
        NodeData::Text(text) if !is_raw(tree, node) => collector.text(text),
        _ => {}
    }
    if let Some(child) = tree.first_child(node) {
        steps.push(LinkWalkStep::Enter(child));
    }
}

/// Whether a text is raw, such as a script.
fn is_raw(tree: &PageTree, text: NodeId) -> bool {
    let parent = tree.parent(text).and_then(|parent| tree.element(parent));
    parent.is_some_and(|parent| parent.name.ns == ns!(html) && RawTextKind::from_element(&parent.name.local).is_some())
}
