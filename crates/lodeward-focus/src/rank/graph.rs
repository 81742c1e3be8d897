//! The graph of entities and links, indexed for traversal.

use super::fact_base::FactBase;
use super::terms::TermVocabulary;

/// Number of an entity of a [`FactBase`].
pub type EntityId = u32;
/// Number of a predicate of a [`FactBase`].
pub(crate) type PredicateId = u32;
/// Number of a term of a [`TermVocabulary`].
pub(crate) type WordId = u32;

/// A link, seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Neighbour {
    /// Predicate of the link.
    pub predicate: PredicateId,
    /// Entity at the other end.
    pub entity: EntityId,
}

/// The facts of a [`FactBase`], as adjacency lists.
pub struct EntityGraph<'a> {
    fact_base: &'a FactBase,
    outgoing: AdjacencyRows<Neighbour>,
    incoming: AdjacencyRows<Neighbour>,
    neighbours: AdjacencyRows<EntityId>,
    types: AdjacencyRows<EntityId>,
    terms: AdjacencyRows<(WordId, u32)>,
    /// Terms of texts in other languages, and terms of the IRIs of entities without texts. Their
    /// numbers follow the numbers of the fact base's terms.
    extra: TermVocabulary,
}

impl<'a> EntityGraph<'a> {
    pub(super) fn new(fact_base: &'a FactBase) -> Self {
        let count = fact_base.len();
        let mut links = fact_base.links.as_slice().to_vec();
        links.sort_unstable();
        links.dedup();
        let arc = |predicate, entity| Neighbour { predicate, entity };
        let outgoing = AdjacencyRows::new(count, links.iter().map(|&[s, p, o]| (s, arc(p, o))));
        let incoming = AdjacencyRows::new(count, links.iter().map(|&[s, p, o]| (o, arc(p, s))));
        let between = links.iter().filter(|[s, _, o]| s != o);
        let mut neighbours = AdjacencyRows::new(count, between.flat_map(|&[s, _, o]| [(s, o), (o, s)]));
        neighbours.sort_and_merge(|_, _| {});
        let mut types =
            AdjacencyRows::new(count, fact_base.types.as_slice().iter().map(|&[entity, class]| (entity, class)));
        types.sort_and_merge(|_, _| {});
        let (terms, extra) = build_terms(fact_base);
        Self { fact_base, outgoing, incoming, neighbours, types, terms, extra }
    }

    /// Number of entities. Entities are numbered from 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.fact_base.len()
    }

    /// Whether there are no entities.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fact_base.is_empty()
    }

    /// The IRI of an entity, or `_:` and the label of a blank node.
    #[must_use]
    pub fn name(&self, entity: EntityId) -> &str {
        &self.fact_base.names[entity as usize]
    }

    /// The entity with this IRI.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.fact_base.find(name)
    }

    /// Whether the entity is a blank node.
    #[must_use]
    pub(crate) fn is_blank(&self, entity: EntityId) -> bool {
        self.name(entity).starts_with("_:")
    }

    /// Whether a document about the entity was read.
    #[must_use]
    pub fn is_described(&self, entity: EntityId) -> bool {
        self.fact_base.is_described(entity)
    }

    /// The best label of an entity.
    #[must_use]
    pub fn label(&self, entity: EntityId) -> Option<&str> {
        self.fact_base.label(entity)
    }

    /// Label of an entity, or the words of its IRI if it has none.
    #[must_use]
    pub(crate) fn display_name(&self, entity: EntityId) -> String {
        self.label(entity).map_or_else(|| self.fact_base.name_text(entity), str::to_owned)
    }

    /// Links of which the entity is the subject.
    #[must_use]
    pub fn outgoing(&self, entity: EntityId) -> &[Neighbour] {
        self.outgoing.row(entity)
    }

    /// Links of which the entity is the object.
    #[must_use]
    pub(crate) fn incoming(&self, entity: EntityId) -> &[Neighbour] {
        self.incoming.row(entity)
    }

    /// Entities one link away, in either direction: distinct, in order, without the entity itself.
    #[must_use]
    pub fn neighbours(&self, entity: EntityId) -> &[EntityId] {
        self.neighbours.row(entity)
    }

    /// Classes of an entity, in order.
    #[must_use]
    pub fn types(&self, entity: EntityId) -> &[EntityId] {
        self.types.row(entity)
    }

    /// Terms of an entity's texts with their counts, in order; of its IRI if it has no texts.
    #[must_use]
    pub fn terms(&self, entity: EntityId) -> &[(WordId, u32)] {
        self.terms.row(entity)
    }

    /// The text of a term.
    #[must_use]
    pub fn term(&self, term: WordId) -> &str {
        let known = self.fact_base.texts.vocabulary().len();
        match (term as usize).checked_sub(known) {
            None => self.fact_base.texts.vocabulary().term(term),
            Some(index) => self.extra.term(WordId::try_from(index).unwrap_or_default()),
        }
    }

    /// Number of terms. Terms are numbered from 0.
    #[must_use]
    pub(crate) fn terms_len(&self) -> usize {
        self.fact_base.texts.vocabulary().len() + self.extra.len()
    }

    /// The IRI of a predicate.
    #[must_use]
    pub fn predicate(&self, predicate: PredicateId) -> &str {
        self.fact_base.predicate(predicate)
    }

    /// Number of predicates. Predicates are numbered from 0.
    #[must_use]
    pub(crate) fn predicates_len(&self) -> usize {
        self.fact_base.predicates.len()
    }

    /// Number of links.
    #[must_use]
    pub fn links_len(&self) -> usize {
        self.outgoing.len()
    }
}

/// Terms of all entities. An entity without texts has the terms of its IRI.
fn build_terms(fact_base: &FactBase) -> (AdjacencyRows<(WordId, u32)>, TermVocabulary) {
    let vocabulary = fact_base.texts.vocabulary();
    let known = WordId::try_from(vocabulary.len()).expect("the number of terms fits into 32 bits");
    let mut extra = TermVocabulary::default();
    let mut number = |term: &str| vocabulary.find(term).unwrap_or_else(|| known + extra.intern(term));
    let mut all: Vec<(EntityId, WordId)> = fact_base.texts.terms().collect();
    all.extend(fact_base.texts.foreign_terms().map(|(entity, term)| (entity, number(term))));
    let mut has_text = vec![false; fact_base.len()];
    for (entity, _) in &all {
        has_text[*entity as usize] = true;
    }
    let mut tokeniser = fact_base.texts.tokeniser();
    for (entity, _) in (0..).zip(&has_text).filter(|(_, has_text)| !**has_text) {
        tokeniser.for_each_term(&fact_base.name_text(entity), "", |term| all.push((entity, number(term))));
    }
    let mut rows = AdjacencyRows::new(fact_base.len(), all.iter().map(|(entity, term)| (*entity, (*term, 1))));
    rows.sort_and_merge(|kept: &mut (WordId, u32), other| kept.1 += other.1);
    (rows, extra)
}

/// Lists of different lengths in one vector.
struct AdjacencyRows<T> {
    starts: Vec<u32>,
    cells: Vec<T>,
}

/// A cell of a row; cells of one row for which `is_same` is true are merged.
trait AdjacencyCell: Copy + Ord {
    fn is_same(&self, other: &Self) -> bool;
}

impl AdjacencyCell for EntityId {
    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

impl AdjacencyCell for (WordId, u32) {
    fn is_same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Copy> AdjacencyRows<T> {
    /// Distributes cells to rows; keeps their order within a row.
    fn new(count: usize, cells: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for (row, _) in cells.clone() {
            starts[row as usize + 1] += 1;
        }
        for row in 0..count {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut placed: Vec<Option<T>> = vec![None; starts[count] as usize];
        for (row, cell) in cells {
            let index = &mut next[row as usize];
            placed[*index as usize] = Some(cell);
            *index += 1;
        }
        Self { starts, cells: placed.into_iter().flatten().collect() }
    }

    fn row(&self, row: u32) -> &[T] {
        &self.cells[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }

    fn len(&self) -> usize {
        self.cells.len()
    }
}

impl<T: AdjacencyCell> AdjacencyRows<T> {
    /// Sorts every row and merges equal cells.
    fn sort_and_merge(&mut self, merge: impl Fn(&mut T, T)) {
        let mut kept: Vec<T> = Vec::with_capacity(self.cells.len());
        let mut starts = Vec::with_capacity(self.starts.len());
        for row in 0..self.starts.len() - 1 {
            let begin = kept.len();
            starts.push(u32::try_from(begin).expect("merging does not increase the number of cells"));
            let (from, to) = (self.starts[row] as usize, self.starts[row + 1] as usize);
            let cells = &mut self.cells[from..to];
            cells.sort_unstable();
            for cell in cells {
                match kept[begin..].last_mut() {
                    Some(last) if last.is_same(cell) => merge(last, *cell),
                    _ => kept.push(*cell),
                }
            }
        }
        starts.push(u32::try_from(kept.len()).expect("merging does not increase the number of cells"));
        kept.shrink_to_fit();
        *self = Self { starts, cells: kept };
    }
}

#[cfg(test)]
mod tests {
    use crate::rank::fact_base::tests::fact_base_from;
    use crate::rank::fact_base::{FactBase, FactLimits};
    use crate::rank::terms::Tokeniser;

    #[test]
    fn links_are_followed_in_both_directions() {
        let fact_base =
            fact_base_from(&["a p b", "a q b", "c p a", "a p a", "a a T", "a label \"the town by the town hall"]);
        let graph = fact_base.graph();
        let a = graph.find("a").unwrap();
        let named = |entities: &[u32]| entities.iter().map(|entity| graph.name(*entity).to_owned()).collect::<Vec<_>>();

        assert_eq!(named(graph.neighbours(a)), ["b", "c"]);
        assert_eq!(graph.outgoing(a).len(), 3);
        assert_eq!(graph.incoming(a).len(), 2);
        assert_eq!(named(graph.types(a)), ["T"]);
        let terms: Vec<_> = graph.terms(a).iter().map(|(term, count)| (graph.term(*term), *count)).collect();
        assert_eq!(terms, [("town", 2), ("hall", 1)]);
        assert_eq!((graph.links_len(), graph.predicates_len()), (4, 2));
    }

    #[test]
    fn an_entity_without_texts_has_the_terms_of_its_iri() {
        let fact_base =
            fact_base_from(&["http://a.example/Cologne_Cathedral p http://a.example/x", "b label \"cathedral"]);
        let graph = fact_base.graph();
        let entity = graph.find("http://a.example/Cologne_Cathedral").unwrap();
        let terms: Vec<_> = graph.terms(entity).iter().map(|(term, _)| graph.term(*term)).collect();
        assert_eq!(terms, ["cathedral", "cologne"]);
        assert_eq!(graph.display_name(entity), "Cologne Cathedral");
        assert_eq!(graph.label(entity), None);
    }

    #[test]
    fn words_of_iris_are_tokenised_as_texts() {
        let mut fact_base = FactBase::new(FactLimits::default(), Tokeniser::new("de", &["Bild".to_owned()]));
        let entity = fact_base.intern_entity("http://a.example/Das_Bild_the_Dom").unwrap();
        let graph = fact_base.graph();
        let terms: Vec<_> = graph.terms(entity).iter().map(|(term, _)| graph.term(*term)).collect();
        assert_eq!(terms, ["the", "dom"]);
    }
}
