//! How html5ever and xml5ever build a [`Tree`].

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};

use super::{Data, Doctype, Element, NodeId, Tree};

/// A tree that is being built. The parsers share it, hence the cell.
#[derive(Debug)]
pub(super) struct Growing {
    pub(super) tree: RefCell<Tree>,
}

impl Growing {
    pub(super) fn new() -> Self {
        Self { tree: RefCell::new(Tree::new()) }
    }

    fn place(&self, child: NodeOrText<NodeId>, parent: NodeId, before: Option<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => tree.insert(node, parent, before),
            NodeOrText::AppendText(text) => tree.insert_text(text, parent, before),
        }
    }

    fn add(&self, data: Data) -> NodeId {
        self.tree.borrow_mut().add(data)
    }

    fn on_element<T>(&self, node: NodeId, act: impl FnOnce(&mut Element) -> T) -> T {
        match &mut self.tree.borrow_mut().node_mut(node).data {
            Data::Element(element) => act(element),
            _ => unreachable!("the parsers promise an element here"),
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
            _ => unreachable!("the parsers promise an element here"),
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

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        let node = self.add(Data::Doctype(Doctype { name, public_id, system_id }));
        self.tree.borrow_mut().insert(node, Tree::ROOT, None);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.on_element(*target, |element| element.template).expect("the parsers promise a template here")
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
        self.on_element(*target, |element| {
            for attribute in attributes {
                if element.attributes.iter().all(|it| it.name != attribute.name) {
                    element.attributes.push(attribute);
                }
            }
        });
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
        self.on_element(*node, |element| element.is_integration_point)
    }

    fn allow_declarative_shadow_roots(&self, _: &NodeId) -> bool {
        false
    }
}
