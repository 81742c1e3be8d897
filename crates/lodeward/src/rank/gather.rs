//! What is known of entities, gathered across documents.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::addresses::Addresses;
use super::distinct::Distinct;
use super::facts::Facts;
use super::graph::{EntityGraph, EntityId, PredicateId};
use super::terms::{Tokeniser, Vocabulary, text_of_iri};
use super::texts::Texts;
use super::topic::Topic;
use crate::model::Uri;

/// How much is remembered; whatever is one too many is counted, and passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entities, blank nodes and classes among them.
    pub entities_max: usize,
    /// Links between entities, types of entities, and occurrences of terms in their
    /// texts: so many of each.
    pub links_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entities_max: 1_000_000, links_max: 5_000_000 }
    }
}

/// Names have this many bytes on average at most: so many entities, so much memory.
const NAME_BYTES_MEAN_MAX: usize = 256;

/// Everything that documents have said of entities so far.
///
/// The same fact from two documents counts once.
pub struct Gathering {
    limits: Limits,
    pub(super) names: Vec<Box<str>>,
    name_bytes: usize,
    numbers: HashMap<Box<str>, EntityId, RandomState>,
    pub(super) predicates: Vocabulary,
    /// Subject, predicate, object.
    pub(super) links: Distinct<3>,
    /// Entity and class.
    pub(super) types: Distinct<2>,
    pub(super) texts: Texts,
    described: HashSet<EntityId, RandomState>,
    addresses: Addresses,
    topics: HashMap<u128, Topic, RandomState>,
    left_out: u64,
    is_full: bool,
}

impl Gathering {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(limits: Limits, tokeniser: Tokeniser) -> Self {
        Self {
            limits,
            names: Vec::new(),
            name_bytes: 0,
            numbers: HashMap::default(),
            predicates: Vocabulary::default(),
            links: Distinct::new(limits.links_max),
            types: Distinct::new(limits.links_max),
            texts: Texts::new(limits.links_max, tokeniser),
            described: HashSet::default(),
            addresses: Addresses::default(),
            topics: HashMap::default(),
            left_out: 0,
            is_full: false,
        }
    }

    /// Takes in what a document says.
    pub fn add(&mut self, facts: &Facts) {
        self.left_out += facts.left_out;
        // Predicates are no entities unless something is said of them.
        let mut numbers = vec![None; facts.names.len()];
        for link in &facts.links {
            let fits = self.add_link(facts, *link, &mut numbers).unwrap_or(false);
            self.note_whether(fits);
        }
        for class in &facts.types {
            let ends = class.map(|name| self.entity_of(facts, name, &mut numbers));
            let fits = matches!(ends, [Some(entity), Some(class)] if self.types.push([entity, class]));
            self.note_whether(fits);
        }
        for text in &facts.texts {
            let entity = self.entity_of(facts, text.entity, &mut numbers);
            let fits = entity.is_some_and(|entity| self.texts.add(entity, text));
            self.note_whether(fits);
        }
    }

    /// Whether there is room for a link; `None` if there is none for its ends.
    fn add_link(&mut self, facts: &Facts, link: [u32; 3], numbers: &mut [Option<EntityId>]) -> Option<bool> {
        let [subject, predicate, object] = link;
        let subject = self.entity_of(facts, subject, numbers)?;
        let object = self.entity_of(facts, object, numbers)?;
        let predicate = self.predicates.number_below(&facts.names[predicate as usize], self.limits.links_max)?;
        Some(self.links.push([subject, predicate, object]))
    }

    fn note_whether(&mut self, fits: bool) {
        self.left_out += u64::from(!fits);
        self.is_full |= !fits;
    }

    fn entity_of(&mut self, facts: &Facts, name: u32, numbers: &mut [Option<EntityId>]) -> Option<EntityId> {
        let number = &mut numbers[name as usize];
        if number.is_none() {
            *number = self.entity(&facts.names[name as usize]);
        }
        *number
    }

    /// The number of an entity, which is made known if there is room.
    pub fn entity(&mut self, name: &str) -> Option<EntityId> {
        if let Some(known) = self.find(name) {
            return Some(known);
        }
        let bytes_max = self.limits.entities_max.saturating_mul(NAME_BYTES_MEAN_MAX);
        if self.names.len() >= self.limits.entities_max || self.name_bytes >= bytes_max {
            return None;
        }
        let number = EntityId::try_from(self.names.len()).ok()?;
        self.names.push(name.into());
        self.name_bytes += name.len();
        self.numbers.insert(name.into(), number);
        self.addresses.push(name);
        Some(number)
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

    /// Notes that a document about whoever is at an address was read.
    pub fn note_described_at(&mut self, address: u128) {
        self.described.extend(self.addresses.at(address));
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
        self.texts.label(entity)
    }

    /// How much is known: a measure of how much there is to rank.
    #[must_use]
    pub fn size(&self) -> usize {
        self.names.len() + self.links.len() + self.types.len() + self.texts.len()
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

    /// How many facts did not fit: here, or into those of their document.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Whether the [limits](Limits) were reached, so that something did not fit here.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The words of an entity's IRI, for those that nobody describes.
    pub(super) fn terms_of_name(&self, entity: EntityId) -> String {
        text_of_iri(&self.names[entity as usize])
    }

    /// Forgets doubles.
    pub fn tidy(&mut self) {
        self.links.tidy();
        self.types.tidy();
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
    use crate::rank::facts::Text;

    /// A gathering from statements of three words; the third begins with a quote
    /// if it is a text, in a language that nobody asked for if `@` and that language
    /// come next, and the second is `a` for types.
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
                Some(text) => {
                    let foreign = text.strip_prefix('@').and_then(|text| text.split_once(' '));
                    let (language, text) = foreign.unwrap_or(("", text));
                    texts.push(Text {
                        entity: number(subject),
                        label_rank: (predicate == "label").then_some(0),
                        language_rank: foreign.is_none().then_some(0),
                        language: language.into(),
                        text: text.into(),
                    });
                }
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
        assert_eq!((twice.links.len(), twice.types.len(), twice.texts.len()), (1, 1, 2));
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
        assert!(small.is_full() && narrow.is_full());
    }

    #[test]
    fn types_names_and_texts_are_not_endless() {
        let names = |names: [&str; 3]| names.map(Into::into).to_vec();
        let check = |limits, facts: Facts, kept: [usize; 2], left_out| {
            let mut gathered = Gathering::new(limits, Tokeniser::default());
            gathered.add(&facts);
            assert_eq!(([gathered.len(), gathered.types.len()], gathered.left_out()), (kept, left_out), "{facts:?}");
        };
        let limits = Limits { entities_max: 9, links_max: 1 };
        let types = vec![[0, 1], [0, 1], [0, 2], [0, 1]];

        check(limits, Facts { names: names(["a", "T", "U"]), types: types.clone(), ..Facts::default() }, [3, 1], 1);

        let (one, other) = ("x".repeat(9 * NAME_BYTES_MEAN_MAX), "y".repeat(9));
        check(limits, Facts { names: names([&one, &other, "z"]), types, ..Facts::default() }, [1, 0], 4);
    }

    #[test]
    fn a_gathering_is_not_full_because_a_document_is() {
        let mut gathered = Gathering::new(Limits::default(), Tokeniser::default());
        gathered.add(&Facts { left_out: 3, ..Facts::default() });
        assert_eq!((gathered.left_out(), gathered.is_full()), (3, false));
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
