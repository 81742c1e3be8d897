//! How html5ever builds a [`Tree`].

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};

use super::{Data, Doctype, Element, NodeId, Tree};

/// Attributes that further tags may add to `<html>` and `<body>`.
const MERGED_ATTRIBUTES_MAX: usize = 256;

/// A tree that is being built. Its builder shares it, hence the cells.
#[derive(Debug)]
pub(super) struct Growing {
    tree: RefCell<Tree>,
    /// How deep the elements are that are being added.
    depth: Cell<u32>,
    /// The element that was added last.
    last: Cell<NodeId>,
}

impl Growing {
    pub(super) fn new() -> Self {
        Self { tree: RefCell::new(Tree::new()), depth: Cell::new(0), last: Cell::new(Tree::ROOT) }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.tree.borrow().nodes.len()
    }

    /// How deep the last element is that was added; an estimate after end tags.
    pub(super) fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// The name of the element that was added last, if it is one.
    pub(super) fn last_name(&self) -> Option<LocalName> {
        self.tree.borrow().element(self.last.get()).map(|element| element.name.local.clone())
    }

    /// An element was closed.
    pub(super) fn rise(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// Something was left out.
    pub(super) fn cut(&self) {
        self.tree.borrow_mut().is_cut = true;
    }

    fn place(&self, child: NodeOrText<NodeId>, parent: NodeId, before: Option<NodeId>) {
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

    fn add(&self, data: Data) -> NodeId {
        self.tree.borrow_mut().add(data)
    }

    /// Reads an element: while html5ever holds its name, it cannot be changed.
    fn of_element<T>(&self, node: NodeId, get: impl FnOnce(&Element) -> T) -> T {
        match self.tree.borrow().data(node) {
            Data::Element(element) => get(element),
            _ => unreachable!("html5ever promises an element here"),
        }
    }
}

/// The name of an element of the tree.
#[derive(Debug)]
pub(super) struct Name<'a>(Ref<'a, QualName>);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Growing {
    type Handle = NodeId;
    type Output = Tree;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        Tree::ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name<'a> {
        Name(Ref::map(self.tree.borrow(), |tree| match tree.data(*target) {
            Data::Element(element) => &element.name,
            _ => unreachable!("html5ever promises an element here"),
        }))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        let template = flags.template.then(|| self.add(Data::Document));
        let is_integration_point = flags.mathml_annotation_xml_integration_point;
        self.add(Data::Element(Element { name, attributes, template, is_integration_point }))
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.add(Data::Comment(text))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.add(Data::Instruction { target, data })
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.place(child, *parent, None);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.tree.borrow().parent(*element);
        match parent {
            Some(parent) => self.place(child, parent, Some(*element)),
            None => self.place(child, *previous, None),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, public_id: StrTendril, _: StrTendril) {
        let node = self.add(Data::Doctype(Doctype { public_id }));
        self.tree.borrow_mut().insert(node, Tree::ROOT, None);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.of_element(*target, |element| element.template).expect("html5ever promises a template here")
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.tree.borrow().parent(*sibling);
        if let Some(parent) = parent {
            self.place(child, parent, Some(*sibling));
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        if let Data::Element(element) = &mut self.tree.borrow_mut().node_mut(*target).data {
            for attribute in attributes {
                // A thousand `<body>` tags are no reason to compare with all.
                let has_room = element.attributes.len() < MERGED_ATTRIBUTES_MAX;
                if has_room && element.attributes.iter().all(|it| it.name != attribute.name) {
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
        self.of_element(*node, |element| element.is_integration_point)
    }

    fn allow_declarative_shadow_roots(&self, _: &NodeId) -> bool {
        false
    }
}
