//! Trees put together by hand.

use html5ever::tendril::StrTendril;
use html5ever::{LocalName, QualName, ns};

use super::html::kept_attributes;
use super::{Data, Element, NodeId, Tree};
use crate::tokens::Attributes;

/// A tree of HTML elements without text.
#[derive(Debug)]
pub(crate) struct Sketch(Tree);

impl Sketch {
    pub(crate) fn new() -> Self {
        Self(Tree::new())
    }

    /// Adds an element, to the end of its parent.
    pub(crate) fn element(&mut self, parent: Option<NodeId>, name: &str, attributes: &Attributes<'_>) -> NodeId {
        let attributes = kept_attributes(attributes, true, |value| StrTendril::from_slice(&value));
        let name = QualName::new(None, ns!(html), LocalName::from(name));
        let element = Element { name, attributes, template: None, is_integration_point: false };
        let node = self.0.add(Data::Element(element));
        self.0.insert(node, parent.unwrap_or(Tree::ROOT), None);
        node
    }

    pub(crate) fn finish(self) -> Tree {
        self.0
    }
}
