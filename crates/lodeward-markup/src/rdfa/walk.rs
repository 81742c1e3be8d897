//! The traversal of a page: the processing sequence of section 7.5.
//!
//! Each open element with relevant attributes has a frame, the evaluation context of its content.
//! Other elements, which are the majority, only cost a check of their attributes. Frames share
//! unchanged data.

use std::rc::Rc;

use super::RdfaOptions;
use super::attributes::RdfaAttributes;
use super::budget::RdfaBudget;
use super::lists::ListMapping;
use super::names::{NameResolver, NameUse, RdfaScope};
use super::prefixes::Prefixes;
use super::report::{ProcessorNotice, ProcessorReport};
use super::rules::RdfaRules;
use super::statement::{PageBlankNodes, RDF_TYPE, RdfaObject, RdfaResource, RdfaStatement};
use crate::tree::{NodeId, PageTree, TreeElement};
use lodeward_rdf::iri::BaseIri;

/// The evaluation context in which the content of an element is processed.
#[derive(Clone)]
pub(super) struct EvaluationContext {
    pub(super) node: NodeId,
    pub(super) scope: RdfaScope,
    /// The parent subject.
    subject: RdfaResource,
    /// The parent object. Unlike in the specification, it is always set: at the top it is the page,
    /// which is the default subject of the outermost element.
    pub(super) object: RdfaResource,
    incomplete: Rc<[IncompleteTriple]>,
    /// The index of the list mapping for the content of the element.
    lists: usize,
    /// The numbers of list mappings and prefixes before this element.
    pub(super) lists_mark: usize,
    pub(super) prefixes_mark: usize,
}

/// An incomplete triple (section 7.5, step 10).
enum IncompleteTriple {
    Forward(Rc<str>),
    Reverse(Rc<str>),
    List { lists: usize, predicate: Rc<str> },
}

/// The predicates of `rel` and `rev`, if these are present.
#[derive(Default)]
struct RelLinks {
    rel: Option<Vec<Rc<str>>>,
    rev: Option<Vec<Rc<str>>>,
}

/// The result of steps 5 and 6.
pub(super) struct ElementSubject {
    /// The new subject.
    pub(super) subject: RdfaResource,
    /// The resource that `typeof` applies to.
    pub(super) typed: Option<RdfaResource>,
    /// The current object resource.
    pub(super) object: Option<RdfaResource>,
    /// The resource of `resource`, `href` or `src`.
    pub(super) target: Option<RdfaResource>,
    pub(super) has_about: bool,
    pub(super) has_links: bool,
    pub(super) is_skipped: bool,
}

pub(super) struct RdfaWalk<'a> {
    pub(super) tree: &'a PageTree,
    pub(super) names: NameResolver<'a>,
    pub(super) root: Option<NodeId>,
    has_roles: bool,
    statements: Vec<RdfaStatement>,
    frames: Vec<EvaluationContext>,
    pub(super) lists: Vec<ListMapping>,
    none: Rc<[IncompleteTriple]>,
    rdf_type: Rc<str>,
}

/// Traverses a page. Returns its statements, and the name resolver with its report.
pub(super) fn walk<'a>(
    tree: &'a PageTree,
    document: &'a BaseIri,
    base: BaseIri,
    rules: RdfaRules,
    options: &RdfaOptions,
) -> (Vec<RdfaStatement>, NameResolver<'a>) {
    let mut report = ProcessorReport::new(options.processor_graph);
    if tree.is_malformed {
        report.add(ProcessorNotice::Document, document.as_str(), "is not well-formed");
    }
    let (prefixes, blanks, budget) = (Prefixes::default(), PageBlankNodes::default(), RdfaBudget::new(tree));
    let page = RdfaResource::Iri(base.as_str().into());
    let none: Rc<[IncompleteTriple]> = Rc::new([]);
    let mut walk = RdfaWalk {
        tree,
        names: NameResolver { rules, prefixes, blanks, report, budget, document },
        root: tree.root_element(),
        has_roles: options.role,
        statements: Vec::new(),
        frames: vec![EvaluationContext {
            node: PageTree::ROOT,
            scope: RdfaScope { base: Rc::new(base), language: None, vocabulary: None },
            subject: page.clone(),
            object: page.clone(),
            incomplete: Rc::clone(&none),
            lists: 0,
            lists_mark: 0,
            prefixes_mark: 0,
        }],
        lists: vec![ListMapping::new(page)],
        none,
        rdf_type: RDF_TYPE.into(),
    };
    walk.run();
    (walk.statements, walk.names)
}

impl RdfaWalk<'_> {
    fn run(&mut self) {
        let tree = self.tree;
        let mut next = tree.first_child(PageTree::ROOT);
        while let Some(node) = next {
            if self.names.budget.is_exhausted() {
                return;
            }
            let descend = tree.element(node).is_some_and(|element| self.enter(node, element));
            next = tree.first_child(node).filter(|_| descend).or_else(|| self.leave(node));
        }
        self.emit_lists(0);
    }

    /// Leaves a node and all elements that end with it. Returns the next node.
    fn leave(&mut self, node: NodeId) -> Option<NodeId> {
        let mut node = node;
        loop {
            if let Some(frame) = self.frames.pop_if(|frame| frame.node == node && node != PageTree::ROOT) {
                self.emit_lists(frame.lists_mark);
                self.names.prefixes.rollback(frame.prefixes_mark);
            }
            if let Some(next) = self.tree.next_sibling(node) {
                return Some(next);
            }
            node = self.tree.parent(node)?;
        }
    }

    fn emit_lists(&mut self, lists_mark: usize) {
        for lists in self.lists.drain(lists_mark..) {
            lists.emit(&mut self.statements, &mut self.names);
        }
    }

    /// Processes an element. Returns whether to process its content.
    fn enter(&mut self, node: NodeId, element: &TreeElement) -> bool {
        let attributes = RdfaAttributes::from_element(element, self.names.rules);
        if self.is_transparent(node, element, &attributes) {
            return true;
        }
        let mut frame = self.element_context(node, element, &attributes);
        if self.has_roles {
            self.emit_roles(&attributes, &frame.scope);
        }
        let links = self.read_links(&attributes, &frame.scope);
        let has_links = links.rel.is_some() || links.rev.is_some();
        let mut found = self.find_subject(node, element, &attributes, &frame, has_links);
        self.emit_types(&attributes, &found, &frame.scope);
        // Step 8: lists belong to a subject.
        let lists = if found.subject == frame.object { frame.lists } else { self.open_lists(&found.subject) };
        let incomplete = self.emit_links(links, &attributes, &mut found, lists);
        let descend = self.emit_properties(node, element, &attributes, &found, &frame.scope, lists);
        if !found.is_skipped {
            self.complete_triples(&frame, &found.subject);
            frame.lists = match &found.object {
                Some(object) if *object != found.subject => self.open_lists(object),
                _ => lists,
            };
            frame.object = found.object.unwrap_or_else(|| found.subject.clone());
            frame.subject = found.subject;
            frame.incomplete = incomplete;
        }
        self.frames.push(frame);
        descend
    }

    pub(super) fn current(&self) -> &EvaluationContext {
        self.frames.last().expect("the frame of the page is never popped")
    }

    /// Whether the element affects no statement, neither its own nor those of its content.
    fn is_transparent(&self, node: NodeId, element: &TreeElement, attributes: &RdfaAttributes<'_>) -> bool {
        if attributes.may_emit(self.has_roles) {
            return false;
        }
        let rules = self.names.rules;
        let is_pending = !self.current().incomplete.is_empty();
        if (is_pending || rules.is_rdfa_1_0()) && rules.is_head_or_body(element) {
            return false;
        }
        if is_pending && attributes.has_resource() {
            return false;
        }
        // If the element has no child elements, its attributes affect no other element. Most links
        // contain only text.
        !attributes.affects_children() || !self.tree.children(node).any(|child| self.tree.element(child).is_some())
    }

    /// The predicates of `rel` and `rev`. Next to `property`, words without a colon are for
    /// browsers and are ignored (HTML+RDFa 1.1, section 3.1).
    fn read_links(&mut self, attributes: &RdfaAttributes<'_>, scope: &RdfaScope) -> RelLinks {
        let ignores_terms = self.names.rules.is_html5() && attributes.property.is_some();
        let mut read = |value: Option<&str>| {
            let words = value?.split_ascii_whitespace();
            let mut words = words.filter(|word| !ignores_terms || word.contains(':')).peekable();
            if ignores_terms && words.peek().is_none() {
                return None;
            }
            Some(words.filter_map(|word| self.names.predicate(word, NameUse::Link, scope)).collect())
        };
        RelLinks { rel: read(attributes.rel), rev: read(attributes.rev) }
    }

    /// Step 7: writes the types of the typed resource.
    fn emit_types(&mut self, attributes: &RdfaAttributes<'_>, found: &ElementSubject, scope: &RdfaScope) {
        let (Some(types), Some(typed)) = (attributes.type_of, &found.typed) else { return };
        let rdf_type = Rc::clone(&self.rdf_type);
        for name in types.split_ascii_whitespace() {
            if let Some(class) = self.names.name(name, NameUse::Other, scope) {
                self.emit(typed, &rdf_type, class.into());
            }
        }
    }

    /// Steps 9 and 10: writes links to known objects, and returns incomplete ones.
    fn emit_links(
        &mut self,
        links: RelLinks,
        attributes: &RdfaAttributes<'_>,
        found: &mut ElementSubject,
        lists: usize,
    ) -> Rc<[IncompleteTriple]> {
        let (rel, rev) = (links.rel.unwrap_or_default(), links.rev.unwrap_or_default());
        if rel.is_empty() && rev.is_empty() {
            return Rc::clone(&self.none);
        }
        let Some(object) = &found.object else {
            found.object = Some(self.names.blanks.new_node());
            let forward = |predicate| {
                if !attributes.inlist {
                    return IncompleteTriple::Forward(predicate);
                }
                self.lists[lists].list_mut(&predicate);
                IncompleteTriple::List { lists, predicate }
            };
            return rel.into_iter().map(forward).chain(rev.into_iter().map(IncompleteTriple::Reverse)).collect();
        };
        for predicate in &rel {
            self.emit_or_list(attributes.inlist.then_some(lists), &found.subject, predicate, object.clone().into());
        }
        for predicate in &rev {
            self.emit(object, predicate, found.subject.clone().into());
        }
        Rc::clone(&self.none)
    }

    /// Step 11: writes the values of properties. Returns whether to process the content of the
    /// element.
    fn emit_properties(
        &mut self,
        node: NodeId,
        element: &TreeElement,
        attributes: &RdfaAttributes<'_>,
        found: &ElementSubject,
        scope: &RdfaScope,
        lists: usize,
    ) -> bool {
        let mut predicates = Vec::new();
        for name in attributes.property.unwrap_or_default().split_ascii_whitespace() {
            predicates.extend(self.names.predicate(name, NameUse::Other, scope));
        }
        if predicates.is_empty() {
            return true;
        }
        let Some(value) = self.property_value(node, element, attributes, found, scope) else { return true };
        for predicate in &predicates {
            let lists = attributes.inlist.then_some(lists);
            self.emit_or_list(lists, &found.subject, predicate, value.object.clone());
        }
        value.process_content
    }

    /// Step 12: completes the incomplete triples of the parent element.
    fn complete_triples(&mut self, frame: &EvaluationContext, subject: &RdfaResource) {
        for incomplete in &*frame.incomplete {
            match incomplete {
                IncompleteTriple::Forward(predicate) => self.emit(&frame.subject, predicate, subject.clone().into()),
                IncompleteTriple::Reverse(predicate) => self.emit(subject, predicate, frame.subject.clone().into()),
                IncompleteTriple::List { lists, predicate } => {
                    self.emit_or_list(Some(*lists), &frame.subject, predicate, subject.clone().into());
                }
            }
        }
    }

    fn open_lists(&mut self, subject: &RdfaResource) -> usize {
        self.lists.push(ListMapping::new(subject.clone()));
        self.lists.len() - 1
    }

    fn emit_or_list(&mut self, lists: Option<usize>, subject: &RdfaResource, predicate: &Rc<str>, object: RdfaObject) {
        match lists {
            None => self.emit(subject, predicate, object),
            Some(lists) => {
                if !object.is_unresolvable() && self.names.budget.spend(object.len()).is_some() {
                    self.lists[lists].list_mut(predicate).push(object);
                }
            }
        }
    }

    pub(super) fn emit(&mut self, subject: &RdfaResource, predicate: &Rc<str>, object: RdfaObject) {
        if *subject == RdfaResource::Unresolvable || object.is_unresolvable() {
            return;
        }
        let statement = RdfaStatement { subject: subject.clone(), predicate: Rc::clone(predicate), object };
        if self.names.budget.spend(statement.len()).is_some() {
            self.statements.push(statement);
        }
    }
}
