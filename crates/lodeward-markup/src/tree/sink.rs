//! The html5ever sink that builds a [`PageTree`].

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};

use super::{NodeData, NodeId, PageTree, TreeDoctype, TreeElement};

/// The maximum number of attributes after merging repeated `<html>` and `<body>` tags.
const MAX_MERGED_ATTRIBUTES: usize = 256;

/// A tree under construction. html5ever accesses it through shared references, so changes need
/// cells.
#[derive(Debug)]
pub(super) struct GrowingTree {
    tree: RefCell<PageTree>,
    /// The depth of the last element that was added.
    depth: Cell<u32>,
    /// The last element that was added.
    last: Cell<NodeId>,
    /// How often the rules of tree construction have examined an element.
    work: Cell<u64>,
}

impl GrowingTree {
    pub(super) fn new() -> Self {
        let (depth, last, work) = (Cell::new(0), Cell::new(PageTree::ROOT), Cell::new(0));
        Self { tree: RefCell::new(PageTree::new()), depth, last, work }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.tree.borrow().nodes.len()
    }

    /// How often the rules of tree construction have examined an element. Most of their time is spent
    /// on searches of the open elements, and each step of a search examines one.
    pub(super) fn work(&self) -> u64 {
        self.work.get()
    }

    fn count_work(&self) {
        self.work.set(self.work.get() + 1);
    }

    /// The depth of the last element that was added; an estimate after end tags.
    pub(super) fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// The name of the last node that was added, if it is an element.
    pub(super) fn last_name(&self) -> Option<LocalName> {
        self.tree.borrow().element(self.last.get()).map(|element| element.name.local.clone())
    }

    /// Records that an element was closed.
    pub(super) fn close_element(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// Records that a part of the page was omitted.
    pub(super) fn mark_truncated(&self) {
        self.tree.borrow_mut().is_truncated = true;
    }

    fn insert_child(&self, child: NodeOrText<NodeId>, parent: NodeId, before: Option<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => {
                tree.insert(node, parent, before);
                let depth = tree.node(parent).depth.saturating_add(1);
                tree.node_mut(node).depth = depth;
                self.depth.set(depth);
                self.last.set(node);
            }
            NodeOrText::AppendText(text) => tree.insert_text(text, parent, before),
        }
    }

    fn add(&self, data: NodeData) -> NodeId {
        self.tree.borrow_mut().add(data)
    }

    /// Calls `get` with an element of the tree. The tree cannot be changed while `get` runs.
    fn with_element<T>(&self, node: NodeId, get: impl FnOnce(&TreeElement) -> T) -> T {
        match self.tree.borrow().data(node) {
            NodeData::Element(element) => get(element),
            _ => unreachable!("html5ever passes only elements here"),
        }
    }
}

/// The name of an element of the tree.
#[derive(Debug)]
pub(super) struct ElementName<'a>(Ref<'a, QualName>);

impl ElemName for ElementName<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for GrowingTree {
    type Handle = NodeId;
    type Output = PageTree;
    type ElemName<'a> = ElementName<'a>;

    fn finish(self) -> PageTree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        PageTree::ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> ElementName<'a> {
        self.count_work();
        ElementName(Ref::map(self.tree.borrow(), |tree| match tree.data(*target) {
            NodeData::Element(element) => &element.name,
            _ => unreachable!("html5ever passes only elements here"),
        }))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        let template = flags.template.then(|| self.add(NodeData::Document));
        let is_integration_point = flags.mathml_annotation_xml_integration_point;
        self.add(NodeData::Element(TreeElement { name, attributes, template, is_integration_point }))
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.add(NodeData::Comment(text))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.add(NodeData::Instruction { target, data })
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert_child(child, *parent, None);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.tree.borrow().parent(*element);
        match parent {
            Some(parent) => self.insert_child(child, parent, Some(*element)),
            None => self.insert_child(child, *previous, None),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, public_id: StrTendril, _: StrTendril) {
        let node = self.add(NodeData::Doctype(TreeDoctype { public_id }));
        self.tree.borrow_mut().insert(node, PageTree::ROOT, None);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.with_element(*target, |element| element.template).expect("html5ever passes only templates here")
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        self.count_work();
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.tree.borrow().parent(*sibling);
        if let Some(parent) = parent {
            self.insert_child(child, parent, Some(*sibling));
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        if let NodeData::Element(element) = &mut self.tree.borrow_mut().node_mut(*target).data {
            for attribute in attributes {
                // A limit keeps thousands of `<body>` tags from being compared with all attributes.
                let is_below_limit = element.attributes.len() < MAX_MERGED_ATTRIBUTES;
                if is_below_limit && element.attributes.iter().all(|it| it.name != attribute.name) {
                    element.attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, parent: &NodeId) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.first_child(*node) {
            tree.insert(child, *parent, None);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, node: &NodeId) -> bool {
        self.with_element(*node, |element| element.is_integration_point)
    }

    fn allow_declarative_shadow_roots(&self, _: &NodeId) -> bool {
        false
    }
}
