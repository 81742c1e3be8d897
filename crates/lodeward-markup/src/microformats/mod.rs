//! Reading microformats as RDF: hCard, adr, geo, hCalendar, hReview and XFN, and their version 2 (h-card, h-adr,
//! h-geo, h-event, h-review).
//!
//! An element with the class of a format is an entity, which becomes a blank node. An element in it with the class of
//! a property is a value: another entity, a URL or a text. The tables in `formats` map classes to RDF, as Any23 does:
//! to vCard (2006), the calendar vocabulary `icaltzd`, the review vocabulary and XFN. Differences from Any23: white
//! space in texts is collapsed, dates are not converted, and the parts of an address or a name belong to the entity
//! around them. `rel=license` is not read here, because it is a statement of RDFa.
//!
//! The tree is traversed once, without recursion. The texts of values are bounded in total, because the text of an
//! element is part of the texts of all elements around it.

mod formats;
mod value;
mod xfn;

use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, GraphNameRef, Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, QuadRef, Term, TermRef};

use self::formats::{FormatKind, MicroformatProperty, ValueKind, format_of_class, property_of_class};
use self::value::ValueReader;
use crate::sink::{EmbeddedSyntax, MarkupFault, PageSink};
use crate::tree::{NodeId, PageTree, TreeElement};
use crate::{RdfFaultKind, tokens};
use lodeward_rdf::iri::BaseIri;

/// A property belongs to one of this number of entities around it.
const MAX_OWNERS: usize = 8;

/// Whether a page may contain microformats. Most do not, and need no tree for them.
pub(crate) fn may_occur(page: &str) -> bool {
    const WORDS: [&str; 10] =
        ["vcard", "vevent", "vtodo", "vjournal", "hreview", "\"adr", "\"geo", "h-card", "h-event", "rel="];
    WORDS.iter().any(|word| tokens::contains_ignore_case(page, word.as_bytes(), word.len() / 2))
        || ["h-adr", "h-geo", "h-review"].iter().any(|word| page.contains(word))
}

/// Reads the microformats of a tree. `base` must include the effect of a `<base>` element.
pub(crate) fn read_tree(tree: &PageTree, page: &BaseIri, base: &BaseIri, sink: &mut dyn PageSink) {
    sink.begin(EmbeddedSyntax::Microformats);
    let values = ValueReader::new(tree, base);
    let mut walk = EntityWalk { tree, page, values, open: Vec::new(), nodes: 0, has_calendar: false, sink };
    walk.walk();
    let is_exhausted = walk.values.is_exhausted();
    let mut nodes = walk.nodes;
    xfn::read(tree, page, base, &mut nodes, sink);
    if is_exhausted {
        let detail = "texts of microformats are too long: only a part was read".to_owned();
        sink.fault(MarkupFault { syntax: EmbeddedSyntax::Microformats, kind: RdfFaultKind::Limit, detail });
    }
}

/// An entity whose element is open.
struct OpenEntity {
    kind: FormatKind,
    node: BlankNode,
    element: NodeId,
    /// The first node after the element.
    end: Option<NodeId>,
    is_version_2: bool,
    /// The name, once it is known.
    name: Option<String>,
    has_parts: bool,
    /// The organisation of a card, if its name has no parts.
    organization: Option<String>,
    /// The node of the name's parts.
    name_node: Option<BlankNode>,
}

struct EntityWalk<'t, 's> {
    tree: &'t PageTree,
    page: &'t BaseIri,
    values: ValueReader<'t>,
    open: Vec<OpenEntity>,
    nodes: usize,
    has_calendar: bool,
    sink: &'s mut dyn PageSink,
}

impl EntityWalk<'_, '_> {
    fn walk(&mut self) {
        let mut next = Some(PageTree::ROOT);
        while let Some(node) = next {
            while self.open.last().is_some_and(|entity| entity.end == Some(node)) {
                self.close();
            }
            if let Some(element) = self.tree.element(node) {
                self.enter(node, element);
            }
            next = self.tree.following(node, PageTree::ROOT);
        }
        while !self.open.is_empty() {
            self.close();
        }
    }

    fn enter(&mut self, node: NodeId, element: &TreeElement) {
        let Some(classes) = element.attribute("class") else { return };
        let mut properties: Vec<(usize, MicroformatProperty)> = Vec::new();
        let mut format: Option<(FormatKind, bool)> = None;
        for class in classes.split_ascii_whitespace() {
            let is_in = |kind| self.open.iter().rev().take(MAX_OWNERS).any(|entity| entity.kind == kind);
            let found = format_of_class(class, is_in);
            // A card that is reviewed has both classes.
            if found.is_some() && format.is_none_or(|(kind, _)| kind == FormatKind::Item) {
                format = found;
            }
            let found =
                self.open.iter().enumerate().rev().take(MAX_OWNERS).find_map(|(index, entity)| {
                    Some((index, property_of_class(class, entity.kind, entity.is_version_2)?))
                });
            properties.extend(found);
        }
        let entity = format.map(|(kind, is_version_2)| self.open_entity(kind, is_version_2, node));
        for (owner, property) in properties {
            match &entity {
                Some(entity) if property.has_entities => self.add_entity(owner, &property, entity.clone()),
                _ => self.add_value(owner, &property, node),
            }
        }
    }

    fn new_node(&mut self) -> BlankNode {
        self.nodes += 1;
        BlankNode::new_unchecked(format!("u{}", self.nodes - 1))
    }

    fn open_entity(&mut self, kind: FormatKind, is_version_2: bool, element: NodeId) -> BlankNode {
        let node = self.new_node();
        if let Some(class) = kind.class() {
            self.add(node.clone().into(), rdf::TYPE, class.into_owned().into());
        }
        if kind.is_component() {
            let page: NamedOrBlankNode = NamedNode::new_unchecked(self.page.as_str()).into();
            if !std::mem::replace(&mut self.has_calendar, true) {
                self.add(page.clone(), rdf::TYPE, formats::CALENDAR.into_owned().into());
            }
            self.add(page, formats::COMPONENT, node.clone().into());
        }
        self.open.push(OpenEntity {
            kind,
            node: node.clone(),
            element,
            end: self.tree.following_outside(element, PageTree::ROOT),
            is_version_2,
            name: None,
            has_parts: false,
            organization: None,
            name_node: None,
        });
        node
    }

    fn add_entity(&mut self, owner: usize, property: &MicroformatProperty, entity: BlankNode) {
        let owner_node = self.open[owner].node.clone();
        self.open[owner].has_parts = true;
        if property.is_name() {
            self.open[owner].name_node = Some(entity.clone());
        }
        if property.is_reverse {
            self.add(entity.into(), property.predicate, owner_node.into());
        } else {
            self.add(owner_node.into(), property.predicate, entity.into());
        }
    }

    fn add_value(&mut self, owner: usize, property: &MicroformatProperty, element: NodeId) {
        self.open[owner].has_parts = true;
        let value = match property.value {
            ValueKind::Text => self.values.text(element).map(|text| Literal::new_simple_literal(text).into()),
            ValueKind::Date => self.values.date(element).map(|text| Literal::new_simple_literal(text).into()),
            ValueKind::Url => self.values.url(element),
            ValueKind::Mail => self.values.link(element, "mailto:"),
            ValueKind::Telephone => self.values.link(element, "tel:"),
        };
        let Some(value) = value else { return };
        let is_singular = property.predicate == formats::FULL_NAME;
        if is_singular && self.open[owner].name.is_some() {
            return;
        }
        if let (true, Term::Literal(literal)) = (is_singular, &value) {
            self.open[owner].name = Some(literal.value().to_owned());
        }
        let subject = if property.is_name_part { self.name_node(owner) } else { self.open[owner].node.clone() };
        self.add(subject.into(), property.predicate, value);
    }

    /// The node of the parts of a name that are not in an element `n`.
    fn name_node(&mut self, owner: usize) -> BlankNode {
        if let Some(node) = &self.open[owner].name_node {
            return node.clone();
        }
        let (node, card) = (self.new_node(), self.open[owner].node.clone());
        self.open[owner].name_node = Some(node.clone());
        self.add(card.into(), formats::NAME, node.clone().into());
        self.add(node.clone().into(), rdf::TYPE, formats::NAME_CLASS.into_owned().into());
        node
    }

    /// Adds what the parts of an entity imply.
    fn close(&mut self) {
        let Some(entity) = self.open.pop() else { return };
        let text = |walk: &mut Self| walk.values.text(entity.element);
        match entity.kind {
            FormatKind::Organization if !entity.has_parts => {
                let Some(text) = text(self) else { return };
                if let Some(card) = self.open.iter_mut().rfind(|open| open.kind == FormatKind::Card) {
                    card.organization = Some(text.clone());
                }
                self.add(entity.node.into(), formats::ORGANIZATION_NAME, Literal::new_simple_literal(text).into());
            }
            FormatKind::Location if !entity.has_parts => {
                let text = text(self).unwrap_or_default();
                let predicates = [formats::LATITUDE, formats::LONGITUDE, formats::ALTITUDE];
                for (part, predicate) in text.split(';').zip(predicates).filter(|_| text.contains(';')) {
                    let literal = Literal::new_simple_literal(part.trim());
                    self.add(entity.node.clone().into(), predicate, literal.into());
                }
            }
            FormatKind::Card => self.close_card(entity),
            _ => {}
        }
    }

    /// Adds the implied name of a card: in version 2 the text of a card without properties; in version 1 the parts
    /// of a name of two words, unless it is the name of an organisation.
    fn close_card(&mut self, mut entity: OpenEntity) {
        if entity.is_version_2 && !entity.has_parts {
            if let Some(text) = self.values.text(entity.element) {
                self.add(entity.node.clone().into(), formats::FULL_NAME, Literal::new_simple_literal(text).into());
            }
            if let Some(url) = self.values.own_url(entity.element) {
                self.add(entity.node.into(), formats::URL, url);
            }
            return;
        }
        let Some(name) = entity.name.take().filter(|_| entity.name_node.is_none() && !entity.is_version_2) else {
            return;
        };
        let words: Vec<&str> = name.split(' ').collect();
        let is_organization = entity.organization.as_ref() == Some(&name);
        let ([given, family], false) = (words.as_slice(), is_organization) else { return };
        self.open.push(entity);
        let node = self.name_node(self.open.len() - 1);
        self.open.pop();
        self.add(node.clone().into(), formats::GIVEN_NAME, Literal::new_simple_literal(*given).into());
        self.add(node.into(), formats::FAMILY_NAME, Literal::new_simple_literal(*family).into());
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers make the terms for this call")]
    fn add(&mut self, subject: NamedOrBlankNode, predicate: NamedNodeRef<'_>, object: Term) {
        let object: TermRef<'_> = object.as_ref();
        let quad = QuadRef { subject: subject.as_ref(), predicate, object, graph_name: GraphNameRef::DefaultGraph };
        self.sink.quad(EmbeddedSyntax::Microformats, quad);
    }
}
