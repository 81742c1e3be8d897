//! References to other documents, taken from statements as they pass.
//!
//! A document says the same IRIs over and over, so all work beyond a hash is
//! done once for each distinct IRI: whether it is valid, which document it is
//! in, and whether that is one we could visit. A small cache in front answers
//! for the IRIs of late; it forgets, and then the work is merely done again.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::Arc;

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::Options;
use super::siblings::Siblings;
use crate::discover::promise;
use crate::model::{Link, Uri, Via};

/// Direct properties kept for a target: beyond a few they add nothing.
const PROPERTIES_MAX: usize = 8;
/// Distinct predicates remembered in one document.
const PREDICATES_MAX: usize = 65_536;
/// Entries of the cache, at most; 1 MiB.
const CACHE_SLOTS_MAX: usize = 1 << 16;

/// A number that stands for an IRI: that of a link, or one of these.
const INVALID: u32 = u32::MAX;
const NOT_PLACED: u32 = u32::MAX - 1;
const NO_LINK: u32 = u32::MAX - 2;
const NO_PREDICATE: u32 = u32::MAX;

pub(super) struct TripleLinks {
    document: Uri,
    links_max: usize,
    has_excess: bool,
    // Seeded by chance: results do not depend on it, and nobody can prepare a
    // document whose IRIs collide.
    hasher: foldhash::fast::RandomState,
    cache: Vec<Slot>,
    places: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    found: Vec<Found>,
    predicate_numbers: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    predicates: Vec<Arc<str>>,
    /// Which of them say what their objects are, and how plainly. Most documents
    /// have none.
    telling: HashMap<u32, u8>,
    siblings: Option<Siblings>,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u64,
    place: u32,
    predicate: u32,
}

/// What an IRI of a statement turned out to be.
#[derive(Clone, Copy)]
struct Seen {
    hash: u64,
    place: u32,
}

struct Found {
    target: Uri,
    vocabulary: bool,
    properties: [u32; PROPERTIES_MAX],
    properties_len: u8,
    telling: u32,
}

/// An IRI that would make the output unreadable.
pub(super) struct InvalidIri<'a>(pub(super) &'a str);

impl TripleLinks {
    /// `bytes` is the size of the document, if known: small ones need little.
    pub(super) fn of_document(document: &Uri, options: &Options, bytes: Option<usize>) -> Self {
        let slots = bytes.map_or(CACHE_SLOTS_MAX, |bytes| (bytes / 32).next_power_of_two().clamp(256, CACHE_SLOTS_MAX));
        Self {
            document: document.clone(),
            links_max: options.links_per_document_max.min(NO_LINK as usize),
            has_excess: false,
            hasher: foldhash::fast::RandomState::default(),
            cache: vec![Slot { hash: 0, place: INVALID, predicate: NO_PREDICATE }; slots],
            places: HashMap::default(),
            found: Vec::new(),
            predicate_numbers: HashMap::default(),
            predicates: Vec::new(),
            telling: HashMap::new(),
            siblings: (options.siblings_max > 0).then(|| Siblings::new(options.siblings_max)),
        }
    }

    /// Takes the links of a statement, unless one of its IRIs is invalid: then
    /// the statement is not to be used, and leaves no link.
    pub(super) fn observe<'a>(&mut self, quad: QuadRef<'a>) -> Result<(), InvalidIri<'a>> {
        let subject = match quad.subject {
            NamedOrBlankNodeRef::NamedNode(node) => Some(self.see(node)?),
            NamedOrBlankNodeRef::BlankNode(_) => None,
        };
        let predicate = self.see(quad.predicate)?;
        let object = match quad.object {
            TermRef::NamedNode(node) => Some(self.see(node)?),
            TermRef::BlankNode(_) => None,
            TermRef::Literal(literal) => {
                let datatype = literal.datatype();
                if datatype != xsd::STRING && literal.language().is_none() {
                    self.check(datatype)?;
                }
                None
            }
        };
        if let GraphNameRef::NamedNode(name) = quad.graph_name {
            self.check(name)?;
        }
        let property = self.predicate_number(quad.predicate, predicate.hash);
        let is_type = quad.predicate == rdf::TYPE;
        self.connect(subject, property, false);
        self.connect(Some(predicate), NO_PREDICATE, true);
        self.connect(object, property, is_type);
        if !self.telling.is_empty() {
            self.tell(object, property);
        }
        if self.siblings.is_some() {
            self.meet_siblings(quad, subject, predicate, object);
        }
        Ok(())
    }

    /// The links, in the order in which their targets were first met.
    pub(super) fn into_links(self) -> impl Iterator<Item = Link> {
        let Self { found, predicates, siblings, .. } = self;
        (0u32..).zip(0..found.len()).map(move |(number, index)| {
            let one = &found[index];
            let properties = &one.properties[..usize::from(one.properties_len)];
            let siblings = siblings.as_ref().map_or(&[][..], |siblings| siblings.of(number));
            let via = Via::Triple {
                properties: properties.iter().map(|&number| Arc::clone(&predicates[number as usize])).collect(),
                vocabulary: one.vocabulary,
                siblings: siblings.iter().map(|&number| found[number as usize].target.clone()).collect(),
                telling: predicates.get(one.telling as usize).cloned(),
            };
            Link { target: one.target.clone(), via }
        })
    }

    /// Whether there were more links than are taken.
    pub(super) fn has_excess(&self) -> bool {
        self.has_excess
    }

    /// What an IRI that may be a link is.
    fn see<'a>(&mut self, node: NamedNodeRef<'a>) -> Result<Seen, InvalidIri<'a>> {
        let hash = self.check(node)?;
        let index = self.slot_index(hash);
        if self.cache[index].place == NOT_PLACED {
            self.cache[index].place = self.place(node.as_str());
        }
        Ok(Seen { hash, place: self.cache[index].place })
    }

    /// The hash of an IRI that is valid, and which is now in the cache.
    fn check<'a>(&mut self, node: NamedNodeRef<'a>) -> Result<u64, InvalidIri<'a>> {
        let iri = node.as_str();
        let hash = self.hash(iri);
        let index = self.slot_index(hash);
        if self.cache[index].hash == hash && self.cache[index].place != INVALID {
            return Ok(hash);
        }
        // A strict reader of the output, ours or another's, refuses the line of
        // an invalid IRI. The lenient parsers let them through.
        if oxiri::Iri::parse(iri).is_err() {
            return Err(InvalidIri(iri));
        }
        self.cache[index] = Slot { hash, place: NOT_PLACED, predicate: NO_PREDICATE };
        Ok(hash)
    }

    fn place(&mut self, iri: &str) -> u32 {
        let address = iri.split_once('#').map_or(iri, |(address, _)| address);
        if !address.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http")) {
            return NO_LINK;
        }
        let hash = self.hash(address);
        if let Some(&place) = self.places.get(&hash) {
            return place;
        }
        let place = Uri::parse(address).map_or(NO_LINK, |target| self.place_of_target(target));
        // Many spellings of few targets must not fill the memory either.
        if self.places.len() < 4 * self.links_max {
            self.places.insert(hash, place);
        }
        place
    }

    fn place_of_target(&mut self, target: Uri) -> u32 {
        if target == self.document {
            return NO_LINK;
        }
        let hash = self.hash(target.as_str());
        if let Some(&place) = self.places.get(&hash) {
            return place;
        }
        if self.found.len() >= self.links_max {
            self.has_excess = true;
            return NO_LINK;
        }
        let place = u32::try_from(self.found.len()).expect("links are bounded well below");
        self.places.insert(hash, place);
        let properties = [NO_PREDICATE; PROPERTIES_MAX];
        let telling = NO_PREDICATE;
        self.found.push(Found { target, vocabulary: false, properties, properties_len: 0, telling });
        place
    }

    fn predicate_number(&mut self, predicate: NamedNodeRef<'_>, hash: u64) -> u32 {
        let index = self.slot_index(hash);
        let slot = self.cache[index];
        if slot.hash == hash && slot.predicate != NO_PREDICATE {
            return slot.predicate;
        }
        let number = match self.predicate_numbers.get(&hash) {
            Some(&number) => number,
            None if self.predicates.len() >= PREDICATES_MAX => return NO_PREDICATE,
            None => {
                let number = u32::try_from(self.predicates.len()).expect("predicates are bounded");
                self.predicates.push(predicate.as_str().into());
                let plainness = promise::plainness(predicate.as_str());
                if plainness > 0 {
                    self.telling.insert(number, plainness);
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

    fn connect(&mut self, seen: Option<Seen>, property: u32, vocabulary: bool) {
        let Some(found) = seen.and_then(|seen| self.found.get_mut(seen.place as usize)) else { return };
        found.vocabulary |= vocabulary;
        let len = usize::from(found.properties_len);
        if property != NO_PREDICATE && len < PROPERTIES_MAX && !found.properties[..len].contains(&property) {
            found.properties[len] = property;
            found.properties_len += 1;
        }
    }

    /// Notes what a property says of its object.
    fn tell(&mut self, object: Option<Seen>, property: u32) {
        let Some(plainness) = self.telling.get(&property) else { return };
        let Some(found) = object.and_then(|seen| self.found.get_mut(seen.place as usize)) else { return };
        if self.telling.get(&found.telling).is_none_or(|said| said < plainness) {
            found.telling = property;
        }
    }

    fn meet_siblings(&mut self, quad: QuadRef<'_>, subject: Option<Seen>, predicate: Seen, object: Option<Seen>) {
        let is_link = |seen: &Seen| seen.place < NO_LINK;
        let hash_of =
            |seen: Option<Seen>, term: String| seen.map_or_else(|| self.hasher.hash_one(term), |seen| seen.hash);
        let subject_hash = hash_of(subject, quad.subject.to_string());
        let object_hash = hash_of(object, quad.object.to_string());
        let Some(siblings) = &mut self.siblings else { return };
        // The rotation keeps (s, p) and (p, o) apart.
        if let Some(object) = object.filter(is_link) {
            siblings.meet((subject_hash, predicate.hash), object.place);
        }
        if let Some(subject) = subject.filter(is_link) {
            siblings.meet((predicate.hash.rotate_left(1), object_hash), subject.place);
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

/// Takes a hash for its own hash.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only hashes are hashed")
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
#[path = "triple_links_tests.rs"]
mod tests;
