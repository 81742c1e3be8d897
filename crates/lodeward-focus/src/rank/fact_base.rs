//! Collects facts about entities across documents.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::distinct_facts::DistinctFacts;
use super::entity_urls::EntityUrls;
use super::graph::{EntityGraph, EntityId, PredicateId};
use super::terms::{TermVocabulary, Tokeniser, iri_text};
use super::texts::EntityTexts;
use super::topic::DocumentTopic;
use lodeward::model::Uri;
use lodeward::select::facts::Facts;

/// Limits of a fact base. Facts that exceed them are omitted and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactLimits {
    /// Maximum number of entities, including blank nodes and classes.
    pub max_entities: usize,
    /// Maximum number of links between entities; also the maximum number of types, and of terms in texts.
    pub max_links: usize,
}

impl Default for FactLimits {
    fn default() -> Self {
        Self { max_entities: 1_000_000, max_links: 5_000_000 }
    }
}

/// Maximum average length of names in bytes, which bounds the memory they use.
const MAX_MEAN_NAME_BYTES: usize = 256;

/// The facts about entities of all documents read so far.
///
/// A fact in two documents counts once.
pub struct FactBase {
    limits: FactLimits,
    pub(super) names: Vec<Box<str>>,
    name_bytes: usize,
    numbers: HashMap<Box<str>, EntityId, RandomState>,
    pub(super) predicates: TermVocabulary,
    /// Subject, predicate, object.
    pub(super) links: DistinctFacts<3>,
    /// Entity and class.
    pub(super) types: DistinctFacts<2>,
    pub(super) texts: EntityTexts,
    described: HashSet<EntityId, RandomState>,
    urls: EntityUrls,
    topics: HashMap<u128, DocumentTopic, RandomState>,
    omitted: u64,
    is_full: bool,
}

impl FactBase {
    /// Creates an empty fact base.
    #[must_use]
    pub fn new(limits: FactLimits, tokeniser: Tokeniser) -> Self {
        Self {
            limits,
            names: Vec::new(),
            name_bytes: 0,
            numbers: HashMap::default(),
            predicates: TermVocabulary::default(),
            links: DistinctFacts::new(limits.max_links),
            types: DistinctFacts::new(limits.max_links),
            texts: EntityTexts::new(limits.max_links, tokeniser),
            described: HashSet::default(),
            urls: EntityUrls::default(),
            topics: HashMap::default(),
            omitted: 0,
            is_full: false,
        }
    }

    /// Adds the facts of a document.
    pub fn add(&mut self, facts: &Facts) {
        self.omitted += facts.omitted;
        // A predicate becomes an entity only if it is the subject or object of a statement.
        let mut numbers = vec![None; facts.names.len()];
        for link in &facts.links {
            let fits = self.add_link(facts, *link, &mut numbers).unwrap_or(false);
            self.record_fit(fits);
        }
        for class in &facts.types {
            let ends = class.map(|name| self.intern_name(facts, name, &mut numbers));
            let fits = matches!(ends, [Some(entity), Some(class)] if self.types.push([entity, class]));
            self.record_fit(fits);
        }
        for text in &facts.texts {
            let entity = self.intern_name(facts, text.entity, &mut numbers);
            let fits = entity.is_some_and(|entity| self.texts.add(entity, text));
            self.record_fit(fits);
        }
    }

    /// Adds a link. Returns `false` if the maximum number of links is reached, `None` if the maximum
    /// number of entities or predicates is reached.
    fn add_link(&mut self, facts: &Facts, link: [u32; 3], numbers: &mut [Option<EntityId>]) -> Option<bool> {
        let [subject, predicate, object] = link;
        let subject = self.intern_name(facts, subject, numbers)?;
        let object = self.intern_name(facts, object, numbers)?;
        let predicate = self.predicates.intern_bounded(&facts.names[predicate as usize], self.limits.max_links)?;
        Some(self.links.push([subject, predicate, object]))
    }

    fn record_fit(&mut self, fits: bool) {
        self.omitted += u64::from(!fits);
        self.is_full |= !fits;
    }

    fn intern_name(&mut self, facts: &Facts, name: u32, numbers: &mut [Option<EntityId>]) -> Option<EntityId> {
        let number = &mut numbers[name as usize];
        if number.is_none() {
            *number = self.intern_entity(&facts.names[name as usize]);
        }
        *number
    }

    /// Returns the number of an entity, and adds it if it is new; `None` if the limits are reached.
    pub(crate) fn intern_entity(&mut self, name: &str) -> Option<EntityId> {
        if let Some(known) = self.find(name) {
            return Some(known);
        }
        let bytes_max = self.limits.max_entities.saturating_mul(MAX_MEAN_NAME_BYTES);
        if self.names.len() >= self.limits.max_entities || self.name_bytes >= bytes_max {
            return None;
        }
        let number = EntityId::try_from(self.names.len()).ok()?;
        self.names.push(name.into());
        self.name_bytes += name.len();
        self.numbers.insert(name.into(), number);
        self.urls.push(name);
        Some(number)
    }

    /// Records that a document about an entity was read.
    pub fn mark_described(&mut self, entity: EntityId) {
        self.described.insert(entity);
    }

    /// The entities at a URL: those with this IRI, apart from the fragment.
    pub(crate) fn entities_at(&self, url: &Uri) -> impl Iterator<Item = EntityId> {
        self.urls.entities_at(url.fingerprint())
    }

    /// As [`entities_at`](Self::entities_at), by the [fingerprint](Uri::fingerprint) of the URL.
    pub(crate) fn entities_at_fingerprint(&self, url: u128) -> impl Iterator<Item = EntityId> {
        self.urls.entities_at(url)
    }

    /// Records that a document about the entities at a URL was read.
    pub(crate) fn mark_described_at(&mut self, url: u128) {
        self.described.extend(self.urls.entities_at(url));
    }

    /// The [fingerprint](Uri::fingerprint) of the URL of an entity, if its IRI can be fetched.
    #[must_use]
    pub(crate) fn url_fingerprint(&self, entity: EntityId) -> Option<u128> {
        self.urls.address(entity)
    }

    /// Records the topic of the document at a URL. The number of URLs is limited to the maximum
    /// number of entities.
    pub(super) fn set_topic(&mut self, url: &Uri, topic: DocumentTopic) {
        if self.topics.len() < self.limits.max_entities {
            self.topics.insert(url.fingerprint(), topic);
        }
    }

    /// The topic of the document at a URL.
    pub(super) fn topic(&self, url: &Uri) -> Option<DocumentTopic> {
        self.topics.get(&url.fingerprint()).copied()
    }

    /// Whether a document about an entity was read.
    #[must_use]
    pub fn is_described(&self, entity: EntityId) -> bool {
        self.described.contains(&entity)
    }

    /// The number of the entity with this name.
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
        0..EntityId::try_from(self.names.len()).expect("the number of entities fits into 32 bits")
    }

    /// The best label of an entity.
    #[must_use]
    pub fn label(&self, entity: EntityId) -> Option<&str> {
        self.texts.label(entity)
    }

    /// Number of facts and entities, used as a measure of the work of ranking.
    #[must_use]
    pub(crate) fn size(&self) -> usize {
        self.names.len() + self.links.len() + self.types.len() + self.texts.len()
    }

    /// Number of entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no entities.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Number of facts omitted because of limits, here or when their document was read.
    #[must_use]
    pub fn omitted_facts(&self) -> u64 {
        self.omitted
    }

    /// Whether a fact was omitted here because of the [limits](FactLimits).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Words of an entity's IRI, for entities without texts.
    pub(super) fn name_text(&self, entity: EntityId) -> String {
        iri_text(&self.names[entity as usize])
    }

    /// Removes duplicate links and types.
    pub fn dedup(&mut self) {
        self.links.dedup();
        self.types.dedup();
    }

    /// The facts as a graph. Fastest after [`dedup`](Self::dedup).
    #[must_use]
    pub fn graph(&self) -> EntityGraph<'_> {
        EntityGraph::new(self)
    }

    /// IRI of a predicate.
    #[must_use]
    pub(crate) fn predicate(&self, predicate: PredicateId) -> &str {
        self.predicates.term(predicate)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use lodeward::select::facts::EntityText;

    /// Builds a fact base from statements of three words. The third is a text if it begins with a
    /// quote; `@` and a language after the quote mark a language that is not preferred. The second
    /// is `a` for types.
    pub(crate) fn fact_base_from(statements: &[&str]) -> FactBase {
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
                Some(text) => {
                    let tagged = text.strip_prefix('@').and_then(|text| text.split_once(' '));
                    let (language, text) = tagged.unwrap_or(("", text));
                    texts.push(EntityText {
                        entity: number(subject),
                        label_rank: (predicate == "label").then_some(0),
                        language_rank: tagged.is_none().then_some(0),
                        language: language.into(),
                        text: text.into(),
                    });
                }
                None if predicate == "a" => types.push([number(subject), number(object)]),
                None => links.push([number(subject), number(predicate), number(object)]),
            }
        }
        let facts = Facts { links, types, texts, ..facts };
        let mut fact_base = FactBase::new(FactLimits::default(), Tokeniser::default());
        fact_base.add(&facts);
        fact_base.dedup();
        fact_base
    }

    #[test]
    fn a_fact_in_two_documents_counts_once() {
        let mut twice = fact_base_from(&["a p b", "a p b", "a label \"one two", "a label \"one two", "a a T", "a a T"]);
        twice.dedup();
        assert_eq!((twice.links.len(), twice.types.len(), twice.texts.len()), (1, 1, 2));
        assert_eq!(twice.label(twice.find("a").unwrap()), Some("one two"));
    }

    #[test]
    fn facts_above_the_limits_are_counted() {
        let facts = Facts {
            names: ["a", "p", "b", "c"].map(Into::into).to_vec(),
            links: vec![[0, 1, 2], [0, 1, 3], [2, 1, 0]],
            ..Facts::default()
        };
        let mut small = FactBase::new(FactLimits { max_entities: 2, max_links: 9 }, Tokeniser::default());
        small.add(&facts);
        assert_eq!((small.len(), small.links.len(), small.omitted_facts()), (2, 2, 1));

        let mut narrow = FactBase::new(FactLimits { max_entities: 9, max_links: 1 }, Tokeniser::default());
        narrow.add(&facts);
        assert_eq!((narrow.len(), narrow.links.len(), narrow.omitted_facts()), (3, 1, 2));
        assert!(small.is_full() && narrow.is_full());
    }

    #[test]
    fn types_names_and_texts_are_bounded() {
        let names = |names: [&str; 3]| names.map(Into::into).to_vec();
        let check = |limits, facts: Facts, kept: [usize; 2], left_out| {
            let mut fact_base = FactBase::new(limits, Tokeniser::default());
            fact_base.add(&facts);
            assert_eq!(
                ([fact_base.len(), fact_base.types.len()], fact_base.omitted_facts()),
                (kept, left_out),
                "{facts:?}"
            );
        };
        let limits = FactLimits { max_entities: 9, max_links: 1 };
        let types = vec![[0, 1], [0, 1], [0, 2], [0, 1]];

        check(limits, Facts { names: names(["a", "T", "U"]), types: types.clone(), ..Facts::default() }, [3, 1], 1);

        let (one, other) = ("x".repeat(9 * MAX_MEAN_NAME_BYTES), "y".repeat(9));
        check(limits, Facts { names: names([&one, &other, "z"]), types, ..Facts::default() }, [1, 0], 4);
    }

    #[test]
    fn a_truncated_document_does_not_make_the_fact_base_full() {
        let mut fact_base = FactBase::new(FactLimits::default(), Tokeniser::default());
        fact_base.add(&Facts { omitted: 3, ..Facts::default() });
        assert_eq!((fact_base.omitted_facts(), fact_base.is_full()), (3, false));
    }

    #[test]
    fn other_languages_count_only_if_there_is_no_preferred_one() {
        let text = |language_rank, text: &str| EntityText {
            entity: 0,
            label_rank: Some(0),
            language_rank,
            language: "".into(),
            text: text.into(),
        };
        let mut fact_base = FactBase::new(FactLimits::default(), Tokeniser::default());
        let facts = |texts| Facts { names: vec!["a".into()], texts, ..Facts::default() };

        fact_base.add(&facts(vec![text(None, "Dom")]));
        assert_eq!(fact_base.graph().terms(0).len(), 1);
        assert_eq!(fact_base.label(0), Some("Dom"));

        fact_base.add(&facts(vec![text(Some(0), "cathedral church"), text(None, "Kirche")]));
        assert_eq!(fact_base.graph().terms(0).len(), 2);
        assert_eq!(fact_base.label(0), Some("cathedral church"));
    }
}
