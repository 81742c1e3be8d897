//! Links of a tree.

use std::borrow::Cow;

use html5ever::ns;

use super::Options;
use super::gather::{Gathered, Gathering};
use crate::tokens::Raw;
use crate::tree::{Data, NodeId, Tree, is_void};

/// Gathers the links of a tree, and of what is in its templates: they may
/// become part of the page, and a crawler may as well look.
pub(crate) fn gather_from_tree(tree: &Tree, options: &Options) -> Gathered {
    let mut gathering = Gathering::new(options);
    // Nodes to be visited, and depths to be closed, the next one last.
    let mut steps = vec![Step::Visit(Tree::ROOT)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Close(depth) => gathering.close(depth),
            Step::Visit(node) => visit(tree, node, &mut gathering, &mut steps),
        }
    }
    gathering.finish()
}

enum Step {
    Visit(NodeId),
    Close(usize),
}

fn visit<'a>(tree: &'a Tree, node: NodeId, gathering: &mut Gathering<'a>, steps: &mut Vec<Step>) {
    if let Some(next) = tree.next_sibling(node) {
        steps.push(Step::Visit(next));
    }
    match tree.data(node) {
        Data::Element(element) => {
            let name = &*element.name.local;
            let has_content = !is_void(name);
            let depth = gathering.open(Cow::Borrowed(name), element, has_content);
            if has_content {
                steps.push(Step::Close(depth));
            }
            if let Some(template) = tree.template(node) {
                steps.push(Step::Visit(template));
            }
        }
        Data::Text(text) if !is_raw(tree, node) => gathering.text(text),
        _ => {}
    }
    if let Some(child) = tree.first_child(node) {
        steps.push(Step::Visit(child));
    }
}

/// Whether a text is not for reading, such as a script.
fn is_raw(tree: &Tree, text: NodeId) -> bool {
    let parent = tree.parent(text).and_then(|parent| tree.element(parent));
    parent.is_some_and(|parent| parent.name.ns == ns!(html) && Raw::of_element(&parent.name.local).is_some())
}
