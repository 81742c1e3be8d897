//! The walk through a page: section 7.5, the processing sequence.
//!
//! There is a frame for each element that says something and is open, which
//! is the evaluation context of what is in it; other elements, which are most,
//! cost a look at their attributes. Frames share what they do not change.

use std::rc::Rc;

use super::Options;
use super::attributes::Attributes;
use super::budget::Budget;
use super::lists::Lists;
use super::names::{Names, Scope, Use};
use super::prefixes::Prefixes;
use super::report::{Notice, Report};
use super::rules::Rules;
use super::statement::{Blanks, Object, RDF_TYPE, Resource, Statement};
use crate::iri::Base;
use crate::tree::{Element, NodeId, Tree};

/// The evaluation context of what is in an element.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) node: NodeId,
    pub(super) scope: Scope,
    /// The parent subject of what is in it.
    subject: Resource,
    /// The parent object. There is always one: outside of all, it is the page,
    /// which is what the outermost element takes for its subject anyway.
    pub(super) object: Resource,
    incomplete: Rc<[Incomplete]>,
    /// Which of the open lists those in it are added to.
    lists: usize,
    /// How many lists, and prefixes, there were before this element.
    pub(super) lists_mark: usize,
    pub(super) prefixes_mark: usize,
}

/// A link that waits for its other end (section 7.5, step 10).
enum Incomplete {
    Forward(Rc<str>),
    Reverse(Rc<str>),
    List { lists: usize, predicate: Rc<str> },
}

/// The predicates of `rel` and `rev`, where these are present.
#[derive(Default)]
struct Links {
    rel: Option<Vec<Rc<str>>>,
    rev: Option<Vec<Rc<str>>>,
}

/// What steps 5 and 6 establish.
pub(super) struct Found {
    /// The new subject.
    pub(super) subject: Resource,
    /// What `typeof` is the type of.
    pub(super) typed: Option<Resource>,
    /// The current object resource.
    pub(super) object: Option<Resource>,
    /// What `resource`, `href` or `src` name.
    pub(super) target: Option<Resource>,
    pub(super) has_about: bool,
    pub(super) has_links: bool,
    pub(super) is_skipped: bool,
}

pub(super) struct Walk<'a> {
    pub(super) tree: &'a Tree,
    pub(super) names: Names<'a>,
    pub(super) root: Option<NodeId>,
    has_roles: bool,
    statements: Vec<Statement>,
    frames: Vec<Frame>,
    pub(super) lists: Vec<Lists>,
    nothing: Rc<[Incomplete]>,
    rdf_type: Rc<str>,
}

/// What the page states, and what else is known of it by then.
pub(super) fn walk<'a>(
    tree: &'a Tree,
    document: &'a Base,
    base: Base,
    rules: Rules,
    options: &Options,
) -> (Vec<Statement>, Names<'a>) {
    let mut report = Report::new(options.processor_graph);
    if tree.is_malformed {
        report.tell(Notice::Document, document.as_str(), "is not well-formed");
    }
    let (prefixes, blanks, budget) = (Prefixes::default(), Blanks::default(), Budget::new(tree));
    let page = Resource::Iri(base.as_str().into());
    let nothing: Rc<[Incomplete]> = Rc::new([]);
    let mut walk = Walk {
        tree,
        names: Names { rules, prefixes, blanks, report, budget, document },
        root: tree.root_element(),
        has_roles: options.role,
        statements: Vec::new(),
        frames: vec![Frame {
            node: Tree::ROOT,
            scope: Scope { base: Rc::new(base), language: None, vocabulary: None },
            subject: page.clone(),
            object: page.clone(),
            incomplete: Rc::clone(&nothing),
            lists: 0,
            lists_mark: 0,
            prefixes_mark: 0,
        }],
        lists: vec![Lists::of(page)],
        nothing,
        rdf_type: RDF_TYPE.into(),
    };
    walk.go();
    (walk.statements, walk.names)
}

impl Walk<'_> {
    fn go(&mut self) {
        let tree = self.tree;
        let mut next = tree.first_child(Tree::ROOT);
        while let Some(node) = next {
            if self.names.budget.is_spent() {
                return;
            }
            let goes_on = tree.element(node).is_some_and(|element| self.enter(node, element));
            next = tree.first_child(node).filter(|_| goes_on).or_else(|| self.leave(node));
        }
        self.close(0);
    }

    /// Leaves a node and all that end with it, and gives the one after.
    fn leave(&mut self, node: NodeId) -> Option<NodeId> {
        let mut node = node;
        loop {
            if let Some(frame) = self.frames.pop_if(|frame| frame.node == node && node != Tree::ROOT) {
                self.close(frame.lists_mark);
                self.names.prefixes.back_to(frame.prefixes_mark);
            }
            if let Some(next) = self.tree.next_sibling(node) {
                return Some(next);
            }
            node = self.tree.parent(node)?;
        }
    }

    fn close(&mut self, lists_mark: usize) {
        for lists in self.lists.drain(lists_mark..) {
            lists.state(&mut self.statements, &mut self.names);
        }
    }

    /// Does what an element asks for; whether to go on with what is in it.
    fn enter(&mut self, node: NodeId, element: &Element) -> bool {
        let attributes = Attributes::of(element, self.names.rules);
        if self.is_transparent(node, element, &attributes) {
            return true;
        }
        let mut frame = self.scoped(node, element, &attributes);
        if self.has_roles {
            self.state_roles(&attributes, &frame.scope);
        }
        let links = self.links(&attributes, &frame.scope);
        let has_links = links.rel.is_some() || links.rev.is_some();
        let mut found = self.find_subject(node, element, &attributes, &frame, has_links);
        self.state_types(&attributes, &found, &frame.scope);
        // Step 8: lists are those of a subject.
        let lists = if found.subject == frame.object { frame.lists } else { self.open_lists(&found.subject) };
        let incomplete = self.state_links(links, &attributes, &mut found, lists);
        let goes_on = self.state_properties(node, element, &attributes, &found, &frame.scope, lists);
        if !found.is_skipped {
            self.complete(&frame, &found.subject);
            frame.lists = match &found.object {
                Some(object) if *object != found.subject => self.open_lists(object),
                _ => lists,
            };
            frame.object = found.object.unwrap_or_else(|| found.subject.clone());
            frame.subject = found.subject;
            frame.incomplete = incomplete;
        }
        self.frames.push(frame);
        goes_on
    }

    pub(super) fn top(&self) -> &Frame {
        self.frames.last().expect("the frame of the page is never left")
    }

    /// Whether nothing would change if the element were not there.
    fn is_transparent(&self, node: NodeId, element: &Element, attributes: &Attributes<'_>) -> bool {
        if attributes.may_state(self.has_roles) {
            return false;
        }
        let rules = self.names.rules;
        let is_pending = !self.top().incomplete.is_empty();
        if (is_pending || rules.is_old()) && rules.is_head_or_body(element) {
            return false;
        }
        if is_pending && attributes.names_something() {
            return false;
        }
        // Most links of most pages have nothing but text in them.
        !attributes.may_matter() || !self.tree.children(node).any(|child| self.tree.element(child).is_some())
    }

    /// The predicates of links. HTML+RDFa 1.1, section 3.1: next to
    /// `property`, those without colon are for browsers, not for us.
    fn links(&mut self, attributes: &Attributes<'_>, scope: &Scope) -> Links {
        let is_muted = self.names.rules.is_html5() && attributes.property.is_some();
        let mut read = |value: Option<&str>| {
            let words = value?.split_ascii_whitespace();
            let mut words = words.filter(|word| !is_muted || word.contains(':')).peekable();
            if is_muted && words.peek().is_none() {
                return None;
            }
            Some(words.filter_map(|word| self.names.predicate(word, Use::Link, scope)).collect())
        };
        Links { rel: read(attributes.rel), rev: read(attributes.rev) }
    }

    /// Step 7.
    fn state_types(&mut self, attributes: &Attributes<'_>, found: &Found, scope: &Scope) {
        let (Some(types), Some(typed)) = (attributes.type_of, &found.typed) else { return };
        let rdf_type = Rc::clone(&self.rdf_type);
        for name in types.split_ascii_whitespace() {
            if let Some(class) = self.names.name(name, Use::Other, scope) {
                self.state(typed, &rdf_type, class.into());
            }
        }
    }

    /// Steps 9 and 10: links to what is known, and those that wait for it.
    fn state_links(
        &mut self,
        links: Links,
        attributes: &Attributes<'_>,
        found: &mut Found,
        lists: usize,
    ) -> Rc<[Incomplete]> {
        let (rel, rev) = (links.rel.unwrap_or_default(), links.rev.unwrap_or_default());
        if rel.is_empty() && rev.is_empty() {
            return Rc::clone(&self.nothing);
        }
        let Some(object) = &found.object else {
            found.object = Some(self.names.blanks.fresh());
            let forward = |predicate| {
                if !attributes.inlist {
                    return Incomplete::Forward(predicate);
                }
                self.lists[lists].list(&predicate);
                Incomplete::List { lists, predicate }
            };
            return rel.into_iter().map(forward).chain(rev.into_iter().map(Incomplete::Reverse)).collect();
        };
        for predicate in &rel {
            self.state_or_list(attributes.inlist.then_some(lists), &found.subject, predicate, object.clone().into());
        }
        for predicate in &rev {
            self.state(object, predicate, found.subject.clone().into());
        }
        Rc::clone(&self.nothing)
    }

    /// Step 11; whether to go on with what is in the element.
    fn state_properties(
        &mut self,
        node: NodeId,
        element: &Element,
        attributes: &Attributes<'_>,
        found: &Found,
        scope: &Scope,
        lists: usize,
    ) -> bool {
        let mut predicates = Vec::new();
        for name in attributes.property.unwrap_or_default().split_ascii_whitespace() {
            predicates.extend(self.names.predicate(name, Use::Other, scope));
        }
        if predicates.is_empty() {
            return true;
        }
        let Some(value) = self.value(node, element, attributes, found, scope) else { return true };
        for predicate in &predicates {
            let lists = attributes.inlist.then_some(lists);
            self.state_or_list(lists, &found.subject, predicate, value.object.clone());
        }
        value.goes_on
    }

    /// Step 12.
    fn complete(&mut self, frame: &Frame, subject: &Resource) {
        for incomplete in &*frame.incomplete {
            match incomplete {
                Incomplete::Forward(predicate) => self.state(&frame.subject, predicate, subject.clone().into()),
                Incomplete::Reverse(predicate) => self.state(subject, predicate, frame.subject.clone().into()),
                Incomplete::List { lists, predicate } => {
                    self.state_or_list(Some(*lists), &frame.subject, predicate, subject.clone().into());
                }
            }
        }
    }

    fn open_lists(&mut self, subject: &Resource) -> usize {
        self.lists.push(Lists::of(subject.clone()));
        self.lists.len() - 1
    }

    fn state_or_list(&mut self, lists: Option<usize>, subject: &Resource, predicate: &Rc<str>, object: Object) {
        match lists {
            None => self.state(subject, predicate, object),
            Some(lists) => {
                if !object.is_unresolvable() && self.names.budget.spend(object.len()).is_some() {
                    self.lists[lists].list(predicate).push(object);
                }
            }
        }
    }

    pub(super) fn state(&mut self, subject: &Resource, predicate: &Rc<str>, object: Object) {
        if *subject == Resource::Unresolvable || object.is_unresolvable() {
            return;
        }
        let statement = Statement { subject: subject.clone(), predicate: Rc::clone(predicate), object };
        if self.names.budget.spend(statement.len()).is_some() {
            self.statements.push(statement);
        }
    }
}
