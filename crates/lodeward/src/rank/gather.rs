//! What is known of entities, gathered across documents.

use std::collections::{HashMap, HashSet};

use foldhash::fast::{FixedState, RandomState};
use std::hash::BuildHasher as _;

use super::addresses::Addresses;
use super::facts::{Facts, Text};
use super::graph::{EntityGraph, EntityId, PredicateId, TermId};
use super::terms::{Tokeniser, Vocabulary, text_of_iri};
use super::topic::Topic;
use crate::model::Uri;

/// How much is remembered; whatever is one too many is counted, and passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entities, blank nodes and classes among them.
    pub entities_max: usize,
    /// Links between entities, and occurrences of terms in their texts: each of
    /// both.
    pub links_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entities_max: 1_000_000, links_max: 5_000_000 }
    }
}

/// Everything that documents have said of entities so far.
///
/// The same fact from two documents counts once.
pub struct Gathering {
    limits: Limits,
    tokeniser: Tokeniser,
    pub(super) names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, EntityId, RandomState>,
    pub(super) predicates: Vocabulary,
    pub(super) vocabulary: Vocabulary,
    /// Subject, predicate, object; sorted and without doubles up to `tidied`.
    pub(super) links: Vec<[u32; 3]>,
    /// Entity and class.
    pub(super) types: Vec<[u32; 2]>,
    /// Entity and term, one for each occurrence.
    pub(super) terms: Vec<[u32; 2]>,
    /// The best label so far.
    labels: HashMap<EntityId, Label, RandomState>,
    /// Texts in languages that nobody asked for: what an entity has if it has
    /// nothing else.
    foreign: HashMap<EntityId, Vec<TermId>, RandomState>,
    has_text: HashSet<EntityId, RandomState>,
    texts_known: HashSet<u64, RandomState>,
    described: HashSet<EntityId, RandomState>,
    addresses: Addresses,
    topics: HashMap<u128, Topic, RandomState>,
    left_out: u64,
    tidied: [usize; 2],
}

/// A label, and how good it is: the lowest is the best.
struct Label {
    rank: (u8, u8),
    text: Box<str>,
}

impl Gathering {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(limits: Limits, tokeniser: Tokeniser) -> Self {
        Self {
            limits,
            tokeniser,
            names: Vec::new(),
            numbers: HashMap::default(),
            predicates: Vocabulary::default(),
            vocabulary: Vocabulary::default(),
            links: Vec::new(),
            types: Vec::new(),
            terms: Vec::new(),
            labels: HashMap::default(),
            foreign: HashMap::default(),
            has_text: HashSet::default(),
            texts_known: HashSet::default(),
            described: HashSet::default(),
            addresses: Addresses::default(),
            topics: HashMap::default(),
            left_out: 0,
            tidied: [0; 2],
        }
    }

    /// Takes in what a document says.
    pub fn add(&mut self, facts: &Facts) {
        self.left_out += facts.left_out;
        // Predicates are no entities unless something is said of them.
        let mut numbers = vec![None; facts.names.len()];
        for link in &facts.links {
            let ends = [link[0], link[2]].map(|name| self.entity_of(facts, name, &mut numbers));
            let [Some(subject), Some(object)] = ends else { continue };
            if self.links.len() >= self.limits.links_max {
                self.tidy();
            }
            if self.links.len() >= self.limits.links_max {
                self.left_out += 1;
                continue;
            }
            let predicate = self.predicates.number(&facts.names[link[1] as usize]);
            self.links.push([subject, predicate, object]);
        }
        for class in &facts.types {
            let ends = class.map(|name| self.entity_of(facts, name, &mut numbers));
            if let [Some(entity), Some(class)] = ends {
                self.types.push([entity, class]);
            }
        }
        for text in &facts.texts {
            if let Some(entity) = self.entity_of(facts, text.entity, &mut numbers) {
                self.add_text(entity, text);
            }
        }
    }

    fn entity_of(&mut self, facts: &Facts, name: u32, numbers: &mut [Option<EntityId>]) -> Option<EntityId> {
        let known = numbers[name as usize];
        if known.is_some() {
            return known;
        }
        let found = self.entity(&facts.names[name as usize]);
        numbers[name as usize] = found;
        self.left_out += u64::from(found.is_none());
        found
    }

    /// The number of an entity, which is made known if there is room.
    pub fn entity(&mut self, name: &str) -> Option<EntityId> {
        if let Some(known) = self.find(name) {
            return Some(known);
        }
        if self.names.len() >= self.limits.entities_max {
            return None;
        }
        let number = EntityId::try_from(self.names.len()).ok()?;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        self.addresses.push(name);
        Some(number)
    }

    fn add_text(&mut self, entity: EntityId, text: &Text) {
        let digest = FixedState::default().hash_one((entity, &text.text));
        if self.terms.len() >= self.limits.links_max {
            self.left_out += 1;
            return;
        }
        if !self.texts_known.insert(digest) {
            return;
        }
        self.note_label(entity, text);
        let Self { tokeniser, vocabulary, terms, foreign, has_text, .. } = self;
        if text.language_rank.is_some() {
            has_text.insert(entity);
            foreign.remove(&entity);
            tokeniser.each_term(&text.text, &text.language, |term| terms.push([entity, vocabulary.number(term)]));
        } else if !has_text.contains(&entity) {
            let foreign = foreign.entry(entity).or_default();
            if foreign.is_empty() {
                tokeniser.each_term(&text.text, &text.language, |term| foreign.push(vocabulary.number(term)));
            }
        }
    }

    fn note_label(&mut self, entity: EntityId, text: &Text) {
        let Some(label_rank) = text.label_rank else { return };
        let rank = (text.language_rank.unwrap_or(u8::MAX), label_rank);
        let known = self.labels.get(&entity);
        let is_better = known.is_none_or(|known| (rank, &text.text) < (known.rank, &known.text));
        if is_better {
            self.labels.insert(entity, Label { rank, text: text.text.clone() });
        }
    }

    /// Notes that a document about an entity was read.
    pub fn note_described(&mut self, entity: EntityId) {
        self.described.insert(entity);
    }

    /// The entities that are to be had at an address: those whose IRI it is,
    /// whatever their fragment.
    pub fn at(&self, address: &Uri) -> impl Iterator<Item = EntityId> {
        self.addresses.at(address.fingerprint())
    }

    /// The same, by the [fingerprint](Uri::fingerprint) of an address.
    pub fn at_fingerprint(&self, address: u128) -> impl Iterator<Item = EntityId> {
        self.addresses.at(address)
    }

    /// The [fingerprint](Uri::fingerprint) of the address of an entity, if it has
    /// one that can be visited.
    #[must_use]
    pub fn address(&self, entity: EntityId) -> Option<u128> {
        self.addresses.of(entity)
    }

    /// Notes whom the document at an address is about. As many addresses are
    /// remembered as entities.
    pub(super) fn note_topic(&mut self, address: &Uri, topic: Topic) {
        if self.topics.len() < self.limits.entities_max {
            self.topics.insert(address.fingerprint(), topic);
        }
    }

    /// Whom the document at an address is about.
    pub(super) fn topic(&self, address: &Uri) -> Option<Topic> {
        self.topics.get(&address.fingerprint()).copied()
    }

    /// Whether a document about an entity was read.
    #[must_use]
    pub fn is_described(&self, entity: EntityId) -> bool {
        self.described.contains(&entity)
    }

    /// The number of an entity.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.numbers.get(name).copied()
    }

    /// The IRI of an entity, or `_:` and the label of a blank node.
    #[must_use]
    pub fn name(&self, entity: EntityId) -> &str {
        &self.names[entity as usize]
    }

    /// The numbers of all entities.
    pub fn entities(&self) -> impl Iterator<Item = EntityId> + use<> {
        0..EntityId::try_from(self.names.len()).expect("entities are bounded")
    }

    /// What an entity is called: its best label.
    #[must_use]
    pub fn label(&self, entity: EntityId) -> Option<&str> {
        self.labels.get(&entity).map(|label| &*label.text)
    }

    /// How much is known: a measure of how much there is to rank.
    #[must_use]
    pub fn size(&self) -> usize {
        self.names.len() + self.links.len() + self.types.len() + self.terms.len()
    }

    /// How many entities there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many facts did not fit.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The words of an entity's IRI, for those that nobody describes.
    pub(super) fn terms_of_name(&self, entity: EntityId) -> String {
        text_of_iri(&self.names[entity as usize])
    }

    pub(super) fn foreign_terms(&self) -> impl Iterator<Item = (EntityId, &[TermId])> {
        self.foreign.iter().map(|(entity, terms)| (*entity, terms.as_slice()))
    }

    /// Forgets doubles.
    pub fn tidy(&mut self) {
        if self.links.len() > self.tidied[0] {
            self.links.sort_unstable();
            self.links.dedup();
        }
        if self.types.len() > self.tidied[1] {
            self.types.sort_unstable();
            self.types.dedup();
        }
        self.tidied = [self.links.len(), self.types.len()];
    }

    /// What is known, as a graph. Quickest when [tidy](Self::tidy).
    #[must_use]
    pub fn graph(&self) -> EntityGraph<'_> {
        EntityGraph::new(self)
    }

    /// The name of a predicate.
    #[must_use]
    pub fn predicate(&self, predicate: PredicateId) -> &str {
        self.predicates.term(predicate)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A gathering from statements of three words; the third begins with a quote
    /// if it is a label, and the second is `a` for types.
    pub(crate) fn gathering(statements: &[&str]) -> Gathering {
        let mut facts = Facts::default();
        let mut number = |name: &str| {
            let known = facts.names.iter().position(|known| &**known == name).unwrap_or_else(|| {
                facts.names.push(name.into());
                facts.names.len() - 1
            });
            u32::try_from(known).unwrap()
        };
        let (mut links, mut types, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for statement in statements {
            let mut words = statement.splitn(3, ' ');
            let [subject, predicate, object] = std::array::from_fn(|_| words.next().unwrap());
            match object.strip_prefix('"') {
                Some(text) => texts.push(Text {
                    entity: number(subject),
                    label_rank: (predicate == "label").then_some(0),
                    language_rank: Some(0),
                    language: "".into(),
                    text: text.into(),
                }),
                None if predicate == "a" => types.push([number(subject), number(object)]),
                None => links.push([number(subject), number(predicate), number(object)]),
            }
        }
        let facts = Facts { links, types, texts, ..facts };
        let mut gathering = Gathering::new(Limits::default(), Tokeniser::default());
        gathering.add(&facts);
        gathering.tidy();
        gathering
    }

    #[test]
    fn what_two_documents_say_counts_once() {
        let mut twice = gathering(&["a p b", "a p b", "a label \"one two", "a label \"one two", "a a T", "a a T"]);
        twice.tidy();
        assert_eq!((twice.links.len(), twice.types.len(), twice.terms.len()), (1, 1, 2));
        assert_eq!(twice.label(twice.find("a").unwrap()), Some("one two"));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let facts = Facts {
            names: ["a", "p", "b", "c"].map(Into::into).to_vec(),
            links: vec![[0, 1, 2], [0, 1, 3], [2, 1, 0]],
            ..Facts::default()
        };
        let mut small = Gathering::new(Limits { entities_max: 2, links_max: 9 }, Tokeniser::default());
        small.add(&facts);
        assert_eq!((small.len(), small.links.len(), small.left_out()), (2, 2, 1));

        let mut narrow = Gathering::new(Limits { entities_max: 9, links_max: 1 }, Tokeniser::default());
        narrow.add(&facts);
        assert_eq!((narrow.len(), narrow.links.len(), narrow.left_out()), (3, 1, 2));
    }

    #[test]
    fn another_language_counts_only_where_there_is_nothing_else() {
        let text = |language_rank, text: &str| Text {
            entity: 0,
            label_rank: Some(0),
            language_rank,
            language: "".into(),
            text: text.into(),
        };
        let mut gathered = Gathering::new(Limits::default(), Tokeniser::default());
        let facts = |texts| Facts { names: vec!["a".into()], texts, ..Facts::default() };

        gathered.add(&facts(vec![text(None, "Dom")]));
        assert_eq!(gathered.graph().terms(0).len(), 1);
        assert_eq!(gathered.label(0), Some("Dom"));

        gathered.add(&facts(vec![text(Some(0), "cathedral church"), text(None, "Kirche")]));
        assert_eq!(gathered.graph().terms(0).len(), 2);
        assert_eq!(gathered.label(0), Some("cathedral church"));
    }
}
