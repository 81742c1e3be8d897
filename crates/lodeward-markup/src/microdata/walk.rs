//! From items to statements (sections 6.2 and 6.3).

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, NamedNode, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, TermRef};

use super::names::{Names, Scope, absolute};
use super::parts::{Part, Parts};
use super::registry::Registry;
use super::value::{self, Value};
use super::writer::Writer;
use super::{Options, StrayItems};
use crate::Sink;
use crate::iri::Base;

/// A look at a part costs this.
const VISIT_WORK: usize = 8;

/// Writes the statements of all top-level items, and then of stray ones.
pub(super) fn all(parts: &Parts<'_>, base: &Base, options: &Options, sink: &mut dyn Sink) {
    let mut walk = Walk::new(parts, base, &options.registry, sink);
    for at in 0..parts.len() {
        if parts.get(at).is_top_level_item() {
            walk.item(at);
        }
    }
    if options.stray_items == StrayItems::Read {
        for at in 0..parts.len() {
            if parts.get(at).is_item && !walk.subjects.contains_key(&at) {
                walk.item(at);
            }
        }
    }
}

struct Walk<'w> {
    parts: &'w Parts<'w>,
    base: &'w Base,
    names: Names<'w>,
    writer: Writer<'w>,
    ids: Option<HashMap<&'w str, usize>>,
    /// The Note's memory.
    subjects: HashMap<usize, NamedOrBlankNode>,
    blank_nodes: usize,
    /// An item without a type has its properties once in each scope that it
    /// is reached from; the Note does the same again and again.
    done: HashSet<(usize, Scope)>,
    /// Items whose properties are being written.
    is_open: Vec<bool>,
    /// Which item has last seen a part.
    seen_by: Vec<usize>,
    visits: usize,
}

/// An item whose properties are being written.
struct Open {
    item: usize,
    scope: Scope,
    properties: std::vec::IntoIter<usize>,
}

impl<'w> Walk<'w> {
    fn new(parts: &'w Parts<'w>, base: &'w Base, registry: &'w Registry, sink: &'w mut dyn Sink) -> Self {
        Self {
            parts,
            base,
            names: Names::new(base, registry),
            writer: Writer::new(sink, parts.page_bytes),
            ids: None,
            subjects: HashMap::new(),
            blank_nodes: 0,
            done: HashSet::new(),
            is_open: vec![false; parts.len()],
            seen_by: vec![0; parts.len()],
            visits: 0,
        }
    }

    /// Writes the statements of a top-level item and of those below it. Where
    /// the Note recurses there is a path, as deep as a page may like.
    fn item(&mut self, top: usize) {
        if self.writer.is_spent() {
            return;
        }
        let mut path = Vec::new();
        self.name(top);
        path.extend(self.open(top, Scope::DOCUMENT));
        while let Some(open) = path.last_mut() {
            let (item, scope) = (open.item, open.scope);
            match open.properties.next() {
                Some(property) => path.extend(self.property(item, scope, property)),
                None => {
                    self.is_open[item] = false;
                    path.pop();
                }
            }
            if self.writer.is_spent() {
                return;
            }
        }
    }

    /// Gives an item its subject (section 6.3, steps 1 and 2). An empty `itemid`
    /// is none, where the Note would resolve it: newspapers leave it empty on
    /// their authors, who would all become the page.
    fn name(&mut self, item: usize) {
        if self.subjects.contains_key(&item) {
            return;
        }
        let id = self.parts.get(item).element.attribute("itemid").filter(|id| !id.trim_ascii().is_empty());
        let iri = id.and_then(|id| self.base.resolve(id));
        if let (Some(id), None) = (id, &iri) {
            self.writer.fault("itemid", id, "is not an IRI");
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

    /// Writes the types of an item, and finds its properties, unless that has
    /// been done (section 6.3, steps 3 to 8).
    fn open(&mut self, item: usize, outer: Scope) -> Option<Open> {
        let part = self.parts.get(item);
        let types = part.element.attribute("itemtype").unwrap_or_default();
        if !self.writer.spend(VISIT_WORK + part.element.attributes.len() + types.len()) {
            return None;
        }
        let first = types.split_ascii_whitespace().find_map(absolute);
        let scope = first.map_or(outer, |it| self.names.scope(&it));
        if !self.done.insert((item, scope)) {
            return None;
        }
        for token in types.split_ascii_whitespace() {
            match absolute(token) {
                Some(iri) => {
                    let subject = self.subjects[&item].as_ref();
                    self.writer.statement(subject, rdf::TYPE, NamedNodeRef::new_unchecked(&iri));
                }
                None => self.writer.fault("itemtype", token, "is not an absolute IRI"),
            }
        }
        self.is_open[item] = true;
        Some(Open { item, scope, properties: self.properties(item).into_iter() })
    }

    /// Writes what one element says of an item (section 6.3, step 9), and
    /// opens that element if it is an item.
    fn property(&mut self, item: usize, scope: Scope, property: usize) -> Option<Open> {
        let parts = self.parts;
        let part = parts.get(property);
        if !self.writer.spend(VISIT_WORK + part.element.attributes.len() + part.names_length()) {
            return None;
        }
        match value::of(parts, part, self.base) {
            Value::Literal(literal) => self.link(item, scope, part, literal.into()),
            Value::Iri(iri) => self.link(item, scope, part, NamedNodeRef::new_unchecked(&iri).into()),
            Value::Item if self.is_open[property] => {
                let names = part.names.or(part.reverse_names).unwrap_or_default();
                self.writer.fault("itemprop", names, "makes an item a part of itself");
            }
            Value::Item => {
                self.name(property);
                // Cloned, for it is in the same map as the subject.
                let value = self.subjects[&property].clone();
                self.link(item, scope, part, value.as_ref().into());
                return self.open(property, scope);
            }
            Value::Unresolvable(reference) => {
                self.writer.spend(reference.len());
                self.writer.fault("reference", reference, "is not an IRI");
            }
            Value::Nothing => {}
        }
        None
    }

    /// Writes a statement for each name of a property, and of a reverse one
    /// (appendix A).
    fn link(&mut self, item: usize, scope: Scope, part: &Part<'_>, value: TermRef<'_>) {
        let Self { subjects, names, writer, .. } = self;
        let subject = subjects[&item].as_ref();
        for name in part.names.unwrap_or_default().split_ascii_whitespace() {
            let implied = names.implied_by(name, scope);
            match names.predicate(name, scope) {
                Some(predicate) => writer.statement(subject, predicate, value),
                None => writer.fault("itemprop", name, "makes no IRI"),
            }
            for predicate in implied {
                writer.statement(subject, predicate.as_ref(), value);
            }
        }
        for name in part.reverse_names.unwrap_or_default().split_ascii_whitespace() {
            let Some(value) = as_subject(value) else {
                writer.fault("itemprop-reverse", name, "has a literal for a subject");
                return;
            };
            match names.predicate(name, scope) {
                Some(predicate) => writer.statement(value, predicate, subject),
                None => writer.fault("itemprop-reverse", name, "makes no IRI"),
            }
        }
    }

    /// The properties of an item in document order, as HTML finds them: those
    /// inside it and inside of what it refers to, but not inside other items.
    fn properties(&mut self, item: usize) -> Vec<usize> {
        let parts = self.parts;
        let part = parts.get(item);
        let mut found = Vec::new();
        self.visits += 1;
        self.seen_by[item] = self.visits;
        self.gather(item + 1, part.end, &mut found);
        let references = part.element.attribute("itemref").unwrap_or_default();
        self.writer.spend(references.len());
        for id in references.split_ascii_whitespace() {
            let ids = self.ids.get_or_insert_with(|| parts.by_id());
            if let Some(&at) = ids.get(id) {
                self.gather(at, parts.get(at).end, &mut found);
            }
        }
        if !references.is_empty() {
            found.sort_unstable();
        }
        found
    }

    fn gather(&mut self, start: usize, end: usize, found: &mut Vec<usize>) {
        let mut at = start;
        while at < end && self.writer.spend(VISIT_WORK) {
            let part = self.parts.get(at);
            if self.seen_by[at] == self.visits {
                at = part.end;
                continue;
            }
            self.seen_by[at] = self.visits;
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
