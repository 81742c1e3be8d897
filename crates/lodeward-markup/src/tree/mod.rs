//! The tree of a page, independent of the format it was parsed from.
//!
//! Nodes are stored in one vector and linked by indexes, so building and dropping a tree needs no
//! allocation per node, and traversal needs no stack.

mod html;
mod serialize;
mod sink;
mod sketch;
mod xml;

use std::num::NonZeroU32;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, ns};

use crate::{EmbeddedSyntax, MarkupFault, PageSink, RdfFaultKind};

pub(crate) use html::{from_html, from_html_with};
pub(crate) use serialize::is_xml_name;
pub(crate) use sketch::Sketch;
pub(crate) use xml::from_xml;

/// A node of a [`PageTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(NonZeroU32);

impl NodeId {
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A parsed page.
#[derive(Debug)]
pub(crate) struct PageTree {
    nodes: Vec<TreeNode>,
    /// All `<base>` elements, in any position.
    bases: Vec<NodeId>,
    /// Whether a part of the page was omitted because a limit was exceeded.
    pub(crate) is_truncated: bool,
    /// Whether the input was XML that is not well-formed.
    pub(crate) is_malformed: bool,
}

#[derive(Debug)]
struct TreeNode {
    parent: Option<NodeId>,
    previous: Option<NodeId>,
    next: Option<NodeId>,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    /// The number of elements around the node when it was inserted.
    depth: u32,
    data: NodeData,
}

/// The content of a node.
#[derive(Debug)]
pub(crate) enum NodeData {
    Document,
    Doctype(TreeDoctype),
    Element(TreeElement),
    Text(StrTendril),
    Comment(StrTendril),
    Instruction { target: StrTendril, data: StrTendril },
}

/// The document type declaration.
#[derive(Debug)]
pub(crate) struct TreeDoctype {
    pub(crate) public_id: StrTendril,
}

/// An element with its attributes, in source order.
#[derive(Debug)]
pub(crate) struct TreeElement {
    pub(crate) name: QualName,
    pub(crate) attributes: Vec<Attribute>,
    /// The content of a `<template>`, which is not part of the document.
    template: Option<NodeId>,
    is_integration_point: bool,
}

impl TreeElement {
    /// The value of an attribute without namespace.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let attribute = self.attributes.iter().find(|it| it.name.ns == ns!() && &*it.name.local == name);
        attribute.map(|it| &*it.value)
    }

    /// Whether this is the (X)HTML element with this name.
    pub(crate) fn is_html(&self, name: &str) -> bool {
        self.name.ns == ns!(html) && &*self.name.local == name
    }
}

impl PageTree {
    pub(crate) const ROOT: NodeId = NodeId(NonZeroU32::MIN);

    fn new() -> Self {
        let mut tree = Self { nodes: Vec::new(), bases: Vec::new(), is_truncated: false, is_malformed: false };
        tree.add(NodeData::Document);
        tree
    }

    pub(crate) fn data(&self, node: NodeId) -> &NodeData {
        &self.node(node).data
    }

    pub(crate) fn element(&self, node: NodeId) -> Option<&TreeElement> {
        match self.data(node) {
            NodeData::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The content of a `<template>`: a separate document.
    pub(crate) fn template(&self, node: NodeId) -> Option<NodeId> {
        self.element(node)?.template
    }

    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).parent
    }

    pub(crate) fn first_child(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).first_child
    }

    pub(crate) fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        self.node(node).next
    }

    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(node), |child| self.next_sibling(*child))
    }

    /// The node and all below it, in document order.
    pub(crate) fn descendants(&self, top: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(top), move |node| self.following(*node, top))
    }

    /// The next node below `top` in document order.
    pub(crate) fn following(&self, node: NodeId, top: NodeId) -> Option<NodeId> {
        self.first_child(node).or_else(|| self.following_outside(node, top))
    }

    /// The next node below `top` that is not below `node`.
    pub(crate) fn following_outside(&self, node: NodeId, top: NodeId) -> Option<NodeId> {
        let mut node = node;
        while node != top {
            let TreeNode { next, parent, .. } = *self.node(node);
            if next.is_some() {
                return next;
            }
            node = parent?;
        }
        None
    }

    /// The root element.
    pub(crate) fn root_element(&self) -> Option<NodeId> {
        self.children(Self::ROOT).find(|node| self.element(*node).is_some())
    }

    pub(crate) fn doctype(&self) -> Option<&TreeDoctype> {
        self.children(Self::ROOT).find_map(|node| match self.data(node) {
            NodeData::Doctype(doctype) => Some(doctype),
            _ => None,
        })
    }

    /// The `href` of the first `<base>` that has one.
    pub(crate) fn base_href(&self) -> Option<&str> {
        let is_part = |node: &NodeId| {
            let top = std::iter::successors(Some(*node), |node| self.parent(*node)).last();
            top == Some(Self::ROOT)
        };
        self.bases.iter().copied().filter(is_part).find_map(|node| self.element(node)?.attribute("href"))
    }

    /// The detail of a fault, if a part of the page was omitted.
    pub(crate) fn truncation(&self) -> Option<&'static str> {
        self.is_truncated.then_some(
            "page has too many elements or unmatched tags, is nested too deep, or its entities are too long: only a part was read",
        )
    }

    /// Reports a fault if a part of the page was omitted.
    pub(crate) fn report_truncation(&self, syntax: EmbeddedSyntax, sink: &mut dyn PageSink) {
        if let Some(detail) = self.truncation() {
            sink.fault(MarkupFault { syntax, kind: RdfFaultKind::Limit, detail: detail.to_owned() });
        }
    }

    /// The concatenated text of a node and its descendants.
    pub(crate) fn text(&self, top: NodeId) -> String {
        let mut text = String::new();
        for node in self.descendants(top) {
            if let NodeData::Text(piece) = self.data(node) {
                text.push_str(piece);
            }
        }
        text
    }

    fn node(&self, node: NodeId) -> &TreeNode {
        &self.nodes[node.index()]
    }

    fn node_mut(&mut self, node: NodeId) -> &mut TreeNode {
        &mut self.nodes[node.index()]
    }

    fn add(&mut self, data: NodeData) -> NodeId {
        let is_base = matches!(&data, NodeData::Element(element) if element.is_html("base"));
        self.nodes.push(TreeNode {
            parent: None,
            previous: None,
            next: None,
            first_child: None,
            last_child: None,
            depth: 0,
            data,
        });
        let number = u32::try_from(self.nodes.len()).ok().and_then(NonZeroU32::new);
        let node = NodeId(number.expect("a tree has fewer than 2³² nodes"));
        if is_base {
            self.bases.push(node);
        }
        node
    }

    fn detach(&mut self, node: NodeId) {
        let TreeNode { parent, previous, next, .. } = *self.node(node);
        match previous {
            Some(previous) => self.node_mut(previous).next = next,
            None => {
                if let Some(parent) = parent {
                    self.node_mut(parent).first_child = next;
                }
            }
        }
        match next {
            Some(next) => self.node_mut(next).previous = previous,
            None => {
                if let Some(parent) = parent {
                    self.node_mut(parent).last_child = previous;
                }
            }
        }
        let node = self.node_mut(node);
        (node.parent, node.previous, node.next) = (None, None, None);
    }

    /// Inserts a node below a parent, before one of its children or at the end.
    fn insert(&mut self, node: NodeId, parent: NodeId, before: Option<NodeId>) {
        self.detach(node);
        let previous = match before {
            Some(before) => self.node(before).previous,
            None => self.node(parent).last_child,
        };
        let it = self.node_mut(node);
        (it.parent, it.previous, it.next) = (Some(parent), previous, before);
        match previous {
            Some(previous) => self.node_mut(previous).next = Some(node),
            None => self.node_mut(parent).first_child = Some(node),
        }
        match before {
            Some(before) => self.node_mut(before).previous = Some(node),
            None => self.node_mut(parent).last_child = Some(node),
        }
    }

    /// Inserts text; adjacent text is merged.
    fn insert_text(&mut self, text: StrTendril, parent: NodeId, before: Option<NodeId>) {
        let previous = match before {
            Some(before) => self.node(before).previous,
            None => self.node(parent).last_child,
        };
        if let Some(previous) = previous
            && let NodeData::Text(present) = &mut self.node_mut(previous).data
        {
            present.push_tendril(&text);
            return;
        }
        let node = self.add(NodeData::Text(text));
        self.insert(node, parent, before);
    }
}

/// Whether an HTML element has no content.
pub(crate) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}
