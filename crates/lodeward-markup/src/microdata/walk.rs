//! Converting items to statements (sections 6.2 and 6.3).

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, NamedNode, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, TermRef};

use super::names::{NameScope, PropertyNames, parse_absolute};
use super::parts::{MicrodataPart, MicrodataParts};
use super::registry::VocabularyRegistry;
use super::value::{self, ItemValue};
use super::writer::MicrodataWriter;
use super::{MicrodataOptions, StrayItemPolicy};
use crate::PageSink;
use lodeward_rdf::iri::BaseIri;

/// The work of examining a part, charged to the work limit of the page.
const PART_WORK: usize = 8;

/// Writes the statements of all top-level items, then those of stray items.
pub(super) fn write_items(
    parts: &MicrodataParts<'_>,
    base: &BaseIri,
    options: &MicrodataOptions,
    sink: &mut dyn PageSink,
) {
    let mut walk = ItemWalk::new(parts, base, &options.registry, sink);
    for at in 0..parts.len() {
        if parts.get(at).is_top_level_item() {
            walk.write_item(at);
        }
    }
    if options.stray_items == StrayItemPolicy::Read {
        for at in 0..parts.len() {
            if parts.get(at).is_item && !walk.subjects.contains_key(&at) {
                walk.write_item(at);
            }
        }
    }
}

struct ItemWalk<'w> {
    parts: &'w MicrodataParts<'w>,
    base: &'w BaseIri,
    names: PropertyNames<'w>,
    writer: MicrodataWriter<'w>,
    ids: Option<HashMap<&'w str, usize>>,
    /// The subjects of items; the Note calls this map “memory”.
    subjects: HashMap<usize, NamedOrBlankNode>,
    blank_nodes: usize,
    /// Items and scopes that were written. An item without a type is written once for each scope
    /// from which it is reached; the Note's algorithm would write it each time it is reached.
    done: HashSet<(usize, NameScope)>,
    /// For each part: whether the properties of the item are being written.
    is_open: Vec<bool>,
    /// For each part: the number of the last search that found it.
    seen_by: Vec<usize>,
    searches: usize,
}

/// An item whose properties are being written.
struct OpenItem {
    item: usize,
    scope: NameScope,
    properties: std::vec::IntoIter<usize>,
}

impl<'w> ItemWalk<'w> {
    fn new(
        parts: &'w MicrodataParts<'w>,
        base: &'w BaseIri,
        registry: &'w VocabularyRegistry,
        sink: &'w mut dyn PageSink,
    ) -> Self {
        Self {
            parts,
            base,
            names: PropertyNames::new(base, registry),
            writer: MicrodataWriter::new(sink, parts.page_bytes),
            ids: None,
            subjects: HashMap::new(),
            blank_nodes: 0,
            done: HashSet::new(),
            is_open: vec![false; parts.len()],
            seen_by: vec![0; parts.len()],
            searches: 0,
        }
    }

    /// Writes the statements of a top-level item and of the items below it. The Note uses
    /// recursion; this uses an explicit stack.
    fn write_item(&mut self, top: usize) {
        if self.writer.is_exhausted() {
            return;
        }
        let mut path = Vec::new();
        self.name(top);
        path.extend(self.open_item(top, NameScope::DOCUMENT));
        while let Some(open) = path.last_mut() {
            let (item, scope) = (open.item, open.scope);
            match open.properties.next() {
                Some(property) => path.extend(self.write_property(item, scope, property)),
                None => {
                    self.is_open[item] = false;
                    path.pop();
                }
            }
            if self.writer.is_exhausted() {
                return;
            }
        }
    }

    /// Assigns a subject to an item (section 6.3, steps 1 and 2). An empty `itemid` is ignored,
    /// while the Note resolves it to the page: newspapers leave it empty for their authors, who
    /// would all become one resource, the page.
    fn name(&mut self, item: usize) {
        if self.subjects.contains_key(&item) {
            return;
        }
        let id = self.parts.get(item).element.attribute("itemid").filter(|id| !id.trim_ascii().is_empty());
        let iri = id.and_then(|id| self.base.resolve(id));
        if let (Some(id), None) = (id, &iri) {
            self.writer.report_fault("itemid", id, "is not an IRI");
        }
        let subject = match iri {
            Some(iri) => NamedNode::new_unchecked(iri).into(),
            None => {
                self.blank_nodes += 1;
                BlankNode::new_unchecked(format!("m{}", self.blank_nodes - 1)).into()
            }
        };
        self.subjects.insert(item, subject);
    }

    /// Writes the types of an item and finds its properties, unless that has been done (section
    /// 6.3, steps 3 to 8).
    fn open_item(&mut self, item: usize, outer: NameScope) -> Option<OpenItem> {
        let part = self.parts.get(item);
        let types = part.element.attribute("itemtype").unwrap_or_default();
        if !self.writer.spend(PART_WORK + part.element.attributes.len() + types.len()) {
            return None;
        }
        let first = types.split_ascii_whitespace().find_map(parse_absolute);
        let scope = first.map_or(outer, |it| self.names.scope(&it));
        if !self.done.insert((item, scope)) {
            return None;
        }
        for token in types.split_ascii_whitespace() {
            match parse_absolute(token) {
                Some(iri) => {
                    let subject = self.subjects[&item].as_ref();
                    self.writer.write_statement(subject, rdf::TYPE, NamedNodeRef::new_unchecked(&iri));
                }
                None => self.writer.report_fault("itemtype", token, "is not an absolute IRI"),
            }
        }
        self.is_open[item] = true;
        Some(OpenItem { item, scope, properties: self.find_properties(item).into_iter() })
    }

    /// Writes the statements of one property element (section 6.3, step 9), and opens the element
    /// if it is an item.
    fn write_property(&mut self, item: usize, scope: NameScope, property: usize) -> Option<OpenItem> {
        let parts = self.parts;
        let part = parts.get(property);
        if !self.writer.spend(PART_WORK + part.element.attributes.len() + part.names_length()) {
            return None;
        }
        match value::property_value(parts, part, self.base) {
            ItemValue::Literal(literal) => self.write_statements(item, scope, part, literal.into()),
            ItemValue::Iri(iri) => self.write_statements(item, scope, part, NamedNodeRef::new_unchecked(&iri).into()),
            ItemValue::Item if self.is_open[property] => {
                let names = part.names.or(part.reverse_names).unwrap_or_default();
                self.writer.report_fault("itemprop", names, "makes an item a value of itself");
            }
            ItemValue::Item => {
                self.name(property);
                // Cloned, because `write_statements` borrows `self` mutably.
                let value = self.subjects[&property].clone();
                self.write_statements(item, scope, part, value.as_ref().into());
                return self.open_item(property, scope);
            }
            ItemValue::Unresolvable(reference) => {
                self.writer.spend(reference.len());
                self.writer.report_fault("reference", reference, "is not an IRI");
            }
            ItemValue::Missing => {}
        }
        None
    }

    /// Writes a statement for each name of a property, and for each name of a reverse property
    /// (appendix A).
    fn write_statements(&mut self, item: usize, scope: NameScope, part: &MicrodataPart<'_>, value: TermRef<'_>) {
        let Self { subjects, names, writer, .. } = self;
        let subject = subjects[&item].as_ref();
        for name in part.names.unwrap_or_default().split_ascii_whitespace() {
            let implied = names.implied_predicates(name, scope);
            match names.predicate(name, scope) {
                Some(predicate) => writer.write_statement(subject, predicate, value),
                None => writer.report_fault("itemprop", name, "is not a valid part of an IRI"),
            }
            for predicate in implied {
                writer.write_statement(subject, predicate.as_ref(), value);
            }
        }
        for name in part.reverse_names.unwrap_or_default().split_ascii_whitespace() {
            let Some(value) = as_subject(value) else {
                writer.report_fault("itemprop-reverse", name, "has a literal as subject");
                return;
            };
            match names.predicate(name, scope) {
                Some(predicate) => writer.write_statement(value, predicate, subject),
                None => writer.report_fault("itemprop-reverse", name, "is not a valid part of an IRI"),
            }
        }
    }

    /// The properties of an item in document order, as in HTML: those inside it and inside the
    /// elements it refers to, but not inside other items.
    fn find_properties(&mut self, item: usize) -> Vec<usize> {
        let parts = self.parts;
        let part = parts.get(item);
        let mut found = Vec::new();
        self.searches += 1;
        self.seen_by[item] = self.searches;
        self.collect_properties(item + 1, part.end, &mut found);
        let references = part.element.attribute("itemref").unwrap_or_default();
        self.writer.spend(references.len());
        for id in references.split_ascii_whitespace() {
            let ids = self.ids.get_or_insert_with(|| parts.by_id());
            if let Some(&at) = ids.get(id) {
                self.collect_properties(at, parts.get(at).end, &mut found);
            }
        }
        if !references.is_empty() {
            found.sort_unstable();
        }
        found
    }

    fn collect_properties(&mut self, start: usize, end: usize, found: &mut Vec<usize>) {
        let mut at = start;
        while at < end && self.writer.spend(PART_WORK) {
            let part = self.parts.get(at);
            if self.seen_by[at] == self.searches {
                at = part.end;
                continue;
            }
            self.seen_by[at] = self.searches;
            if part.is_property() {
                found.push(at);
            }
            at = if part.is_item { part.end } else { at + 1 };
        }
    }
}

fn as_subject(value: TermRef<'_>) -> Option<NamedOrBlankNodeRef<'_>> {
    match value {
        TermRef::NamedNode(node) => Some(node.into()),
        TermRef::BlankNode(node) => Some(node.into()),
        TermRef::Literal(_) => None,
    }
}
