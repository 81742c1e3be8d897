//! Collects links to other documents from statements.
//!
//! A document repeats the same IRIs, so all work beyond a hash is done once per distinct IRI: whether it is valid, in
//! which document it is, and whether that document can be fetched. A small cache holds the recent IRIs; if an entry is
//! evicted, the work is repeated.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::Arc;

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::ExtractOptions;
use super::siblings::LinkSiblings;
use crate::discover::promise;
use crate::model::{Link, LinkKind, Uri};

/// Maximum number of direct properties per target. Further ones are ignored.
const MAX_PROPERTIES: usize = 8;
/// Maximum number of distinct predicates per document.
const MAX_PREDICATES: usize = 65_536;
/// Maximum number of cache entries (1 MiB).
const MAX_CACHE_SLOTS: usize = 1 << 16;

/// Special values of `link_id`: the cache slot is empty, the IRI has not been resolved yet, or it is not a link.
const INVALID: u32 = u32::MAX;
const UNRESOLVED: u32 = u32::MAX - 1;
const NO_LINK: u32 = u32::MAX - 2;
const NO_PREDICATE: u32 = u32::MAX;

pub(super) struct TripleLinks {
    document: Uri,
    max_links: usize,
    exceeds_limit: bool,
    // Randomly seeded, so that an attacker cannot construct a document whose IRIs collide. The results do not depend on
    // the seed.
    hasher: foldhash::fast::RandomState,
    cache: Vec<IriCacheSlot>,
    link_ids: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    found: Vec<FoundTarget>,
    predicate_numbers: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    predicates: Vec<Arc<str>>,
    /// The predicates that state what their objects are, with their specificity. Most documents have none.
    type_hints: HashMap<u32, u8>,
    siblings: Option<LinkSiblings>,
}

#[derive(Clone, Copy)]
struct IriCacheSlot {
    hash: u64,
    link_id: u32,
    predicate: u32,
}

/// An IRI that occurs in a statement: its hash and the index of its link.
#[derive(Clone, Copy)]
struct SeenIri {
    hash: u64,
    link_id: u32,
}

struct FoundTarget {
    target: Uri,
    vocabulary: bool,
    properties: [u32; MAX_PROPERTIES],
    properties_len: u8,
    type_hint: u32,
}

/// An IRI that is invalid and therefore cannot be serialised.
pub(super) struct InvalidIri<'a>(pub(super) &'a str);

impl TripleLinks {
    /// `bytes` is the size of the document, if known: small ones need less memory.
    pub(super) fn for_document(document: &Uri, options: &ExtractOptions, bytes: Option<usize>) -> Self {
        let slots = bytes.map_or(MAX_CACHE_SLOTS, |bytes| (bytes / 32).next_power_of_two().clamp(256, MAX_CACHE_SLOTS));
        Self {
            document: document.clone(),
            max_links: options.max_links_per_document.min(NO_LINK as usize),
            exceeds_limit: false,
            hasher: foldhash::fast::RandomState::default(),
            cache: vec![IriCacheSlot { hash: 0, link_id: INVALID, predicate: NO_PREDICATE }; slots],
            link_ids: HashMap::default(),
            found: Vec::new(),
            predicate_numbers: HashMap::default(),
            predicates: Vec::new(),
            type_hints: HashMap::new(),
            siblings: (options.max_siblings > 0).then(|| LinkSiblings::new(options.max_siblings)),
        }
    }

    /// Collects the links of a statement. If one of its IRIs is invalid, the statement is rejected and has no links.
    pub(super) fn observe<'a>(&mut self, quad: QuadRef<'a>) -> Result<(), InvalidIri<'a>> {
        let subject = match quad.subject {
            NamedOrBlankNodeRef::NamedNode(node) => Some(self.resolve_iri(node)?),
            NamedOrBlankNodeRef::BlankNode(_) => None,
        };
        let predicate = self.resolve_iri(quad.predicate)?;
        let object = match quad.object {
            TermRef::NamedNode(node) => Some(self.resolve_iri(node)?),
            TermRef::BlankNode(_) => None,
            TermRef::Literal(literal) => {
                let datatype = literal.datatype();
                if datatype != xsd::STRING && literal.language().is_none() {
                    self.validate_iri(datatype)?;
                }
                None
            }
        };
        if let GraphNameRef::NamedNode(name) = quad.graph_name {
            self.validate_iri(name)?;
        }
        let property = self.predicate_number(quad.predicate, predicate.hash);
        let is_type = quad.predicate == rdf::TYPE;
        self.add_property(subject, property, false);
        self.add_property(Some(predicate), NO_PREDICATE, true);
        self.add_property(object, property, is_type);
        if !self.type_hints.is_empty() {
            self.record_relation(object, property);
        }
        if self.siblings.is_some() {
            self.add_siblings(quad, subject, predicate, object);
        }
        Ok(())
    }

    /// The links, in the order in which their targets first occurred.
    pub(super) fn into_links(self) -> impl Iterator<Item = Link> {
        let Self { found, predicates, siblings, .. } = self;
        (0u32..).zip(0..found.len()).map(move |(number, index)| {
            let target = &found[index];
            let properties = &target.properties[..usize::from(target.properties_len)];
            let siblings = siblings.as_ref().map_or(&[][..], |siblings| siblings.get(number));
            let via = LinkKind::Triple {
                properties: properties.iter().map(|&number| Arc::clone(&predicates[number as usize])).collect(),
                vocabulary: target.vocabulary,
                siblings: siblings.iter().map(|&number| found[number as usize].target.clone()).collect(),
                type_hint: predicates.get(target.type_hint as usize).cloned(),
            };
            Link { target: target.target.clone(), via }
        })
    }

    /// Whether there were more links than the limit.
    pub(super) fn has_excess(&self) -> bool {
        self.exceeds_limit
    }

    /// Validates an IRI and finds the index of its link.
    fn resolve_iri<'a>(&mut self, node: NamedNodeRef<'a>) -> Result<SeenIri, InvalidIri<'a>> {
        let hash = self.validate_iri(node)?;
        let index = self.slot_index(hash);
        if self.cache[index].link_id == UNRESOLVED {
            self.cache[index].link_id = self.link_index(node.as_str());
        }
        Ok(SeenIri { hash, link_id: self.cache[index].link_id })
    }

    /// Validates an IRI, stores it in the cache and returns its hash.
    fn validate_iri<'a>(&mut self, node: NamedNodeRef<'a>) -> Result<u64, InvalidIri<'a>> {
        let iri = node.as_str();
        let hash = self.hash(iri);
        let index = self.slot_index(hash);
        if self.cache[index].hash == hash && self.cache[index].link_id != INVALID {
            return Ok(hash);
        }
        // A strict parser rejects a line with an invalid IRI. The lenient parsers accept them.
        if oxiri::Iri::parse(iri).is_err() {
            return Err(InvalidIri(iri));
        }
        self.cache[index] = IriCacheSlot { hash, link_id: UNRESOLVED, predicate: NO_PREDICATE };
        Ok(hash)
    }

    fn link_index(&mut self, iri: &str) -> u32 {
        let url = iri.split_once('#').map_or(iri, |(url, _)| url);
        if !url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http")) {
            return NO_LINK;
        }
        let hash = self.hash(url);
        if let Some(&link_id) = self.link_ids.get(&hash) {
            return link_id;
        }
        let link_id = Uri::parse(url).map_or(NO_LINK, |target| self.target_index(target));
        // This limit bounds the memory if a few targets have many spellings.
        if self.link_ids.len() < 4 * self.max_links {
            self.link_ids.insert(hash, link_id);
        }
        link_id
    }

    fn target_index(&mut self, target: Uri) -> u32 {
        if target == self.document {
            return NO_LINK;
        }
        let hash = self.hash(target.as_str());
        if let Some(&link_id) = self.link_ids.get(&hash) {
            return link_id;
        }
        if self.found.len() >= self.max_links {
            self.exceeds_limit = true;
            return NO_LINK;
        }
        let link_id = u32::try_from(self.found.len()).expect("the number of links is below 2^32");
        self.link_ids.insert(hash, link_id);
        let properties = [NO_PREDICATE; MAX_PROPERTIES];
        let type_hint = NO_PREDICATE;
        self.found.push(FoundTarget { target, vocabulary: false, properties, properties_len: 0, type_hint });
        link_id
    }

    fn predicate_number(&mut self, predicate: NamedNodeRef<'_>, hash: u64) -> u32 {
        let index = self.slot_index(hash);
        let slot = self.cache[index];
        if slot.hash == hash && slot.predicate != NO_PREDICATE {
            return slot.predicate;
        }
        let number = match self.predicate_numbers.get(&hash) {
            Some(&number) => number,
            None if self.predicates.len() >= MAX_PREDICATES => return NO_PREDICATE,
            None => {
                let number = u32::try_from(self.predicates.len()).expect("the number of predicates is below 2^32");
                self.predicates.push(predicate.as_str().into());
                let specificity = promise::specificity(predicate.as_str());
                if specificity > 0 {
                    self.type_hints.insert(number, specificity);
                }
                self.predicate_numbers.insert(hash, number);
                number
            }
        };
        if slot.hash == hash {
            self.cache[index].predicate = number;
        }
        number
    }

    fn add_property(&mut self, seen: Option<SeenIri>, property: u32, vocabulary: bool) {
        let Some(found) = seen.and_then(|seen| self.found.get_mut(seen.link_id as usize)) else { return };
        found.vocabulary |= vocabulary;
        let len = usize::from(found.properties_len);
        if property != NO_PREDICATE && len < MAX_PROPERTIES && !found.properties[..len].contains(&property) {
            found.properties[len] = property;
            found.properties_len += 1;
        }
    }

    /// Stores `property` as the type hint of the object's link, if it is more specific than the current hint.
    fn record_relation(&mut self, object: Option<SeenIri>, property: u32) {
        let Some(specificity) = self.type_hints.get(&property) else { return };
        let Some(found) = object.and_then(|seen| self.found.get_mut(seen.link_id as usize)) else { return };
        if self.type_hints.get(&found.type_hint).is_none_or(|current| current < specificity) {
            found.type_hint = property;
        }
    }

    fn add_siblings(
        &mut self,
        quad: QuadRef<'_>,
        subject: Option<SeenIri>,
        predicate: SeenIri,
        object: Option<SeenIri>,
    ) {
        let is_link = |seen: &SeenIri| seen.link_id < NO_LINK;
        let hash_of =
            |seen: Option<SeenIri>, term: String| seen.map_or_else(|| self.hasher.hash_one(term), |seen| seen.hash);
        let subject_hash = hash_of(subject, quad.subject.to_string());
        let object_hash = hash_of(object, quad.object.to_string());
        let Some(siblings) = &mut self.siblings else { return };
        // The rotated hash distinguishes a group (p, o) from a group (s, p).
        if let Some(object) = object.filter(is_link) {
            siblings.add((subject_hash, predicate.hash), object.link_id);
        }
        if let Some(subject) = subject.filter(is_link) {
            siblings.add((predicate.hash.rotate_left(1), object_hash), subject.link_id);
        }
    }

    fn hash(&self, text: &str) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(text.as_bytes());
        hasher.finish()
    }

    fn slot_index(&self, hash: u64) -> usize {
        let mask = self.cache.len() - 1;
        usize::try_from(hash >> 32).unwrap_or(0) & mask
    }
}

/// A hasher that returns its input, which is a hash already.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are hashes of type u64")
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
#[path = "triple_links_tests.rs"]
mod tests;
