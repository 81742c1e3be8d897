//! Building small trees directly.

use html5ever::tendril::StrTendril;
use html5ever::{LocalName, QualName, ns};

use super::html::filter_attributes;
use super::{NodeData, NodeId, PageTree, TreeElement};
use crate::tokens::TagAttributes;

/// A tree of HTML elements without text.
#[derive(Debug)]
pub(crate) struct Sketch(PageTree);

impl Sketch {
    pub(crate) fn new() -> Self {
        Self(PageTree::new())
    }

    /// Adds an element as the last child of its parent.
    pub(crate) fn add_element(&mut self, parent: Option<NodeId>, name: &str, attributes: &TagAttributes<'_>) -> NodeId {
        let attributes = filter_attributes(attributes, true, |value| StrTendril::from_slice(&value));
        let name = QualName::new(None, ns!(html), LocalName::from(name));
        let element = TreeElement { name, attributes, template: None, is_integration_point: false };
        let node = self.0.add(NodeData::Element(element));
        self.0.insert(node, parent.unwrap_or(PageTree::ROOT), None);
        node
    }

    pub(crate) fn finish(self) -> PageTree {
        self.0
    }
}
