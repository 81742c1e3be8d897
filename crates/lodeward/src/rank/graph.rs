//! Entities and what connects them, to be walked quickly.

use super::gather::Gathering;
use super::terms::Vocabulary;

/// Which entity of a [`Gathering`].
pub type EntityId = u32;
/// Which predicate of a [`Gathering`].
pub type PredicateId = u32;
/// Which term of a [`Vocabulary`].
pub type TermId = u32;

/// A link, seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Neighbour {
    /// By which predicate.
    pub predicate: PredicateId,
    /// Who is at the other end.
    pub entity: EntityId,
}

/// What a [`Gathering`] knows, in rows.
pub struct EntityGraph<'a> {
    gathered: &'a Gathering,
    outgoing: Rows<Neighbour>,
    incoming: Rows<Neighbour>,
    neighbours: Rows<EntityId>,
    types: Rows<EntityId>,
    terms: Rows<(TermId, u32)>,
    /// Terms of other languages, and of the names of entities that nobody describes;
    /// their numbers go on where those of the gathering end.
    extra: Vocabulary,
}

impl<'a> EntityGraph<'a> {
    pub(super) fn new(gathered: &'a Gathering) -> Self {
        let count = gathered.len();
        let mut links = gathered.links.as_slice().to_vec();
        links.sort_unstable();
        links.dedup();
        let arc = |predicate, entity| Neighbour { predicate, entity };
        let outgoing = Rows::new(count, links.iter().map(|&[s, p, o]| (s, arc(p, o))));
        let incoming = Rows::new(count, links.iter().map(|&[s, p, o]| (o, arc(p, s))));
        let between = links.iter().filter(|[s, _, o]| s != o);
        let mut neighbours = Rows::new(count, between.flat_map(|&[s, _, o]| [(s, o), (o, s)]));
        neighbours.sort_and_merge(|_, _| {});
        let mut types = Rows::new(count, gathered.types.as_slice().iter().map(|&[entity, class]| (entity, class)));
        types.sort_and_merge(|_, _| {});
        let (terms, extra) = terms(gathered);
        Self { gathered, outgoing, incoming, neighbours, types, terms, extra }
    }

    /// How many entities there are; their numbers are below that.
    #[must_use]
    pub fn len(&self) -> usize {
        self.gathered.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gathered.is_empty()
    }

    /// The IRI of an entity, or `_:` and the label of a blank node.
    #[must_use]
    pub fn name(&self, entity: EntityId) -> &str {
        &self.gathered.names[entity as usize]
    }

    /// The entity with this IRI.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.gathered.find(name)
    }

    /// Whether it has no name of its own.
    #[must_use]
    pub fn is_blank(&self, entity: EntityId) -> bool {
        self.name(entity).starts_with("_:")
    }

    /// Whether a document about it was read.
    #[must_use]
    pub fn is_described(&self, entity: EntityId) -> bool {
        self.gathered.is_described(entity)
    }

    /// What it is called: its best label.
    #[must_use]
    pub fn label(&self, entity: EntityId) -> Option<&str> {
        self.gathered.label(entity)
    }

    /// What it is called, whatever there is: its label, or what its IRI says.
    #[must_use]
    pub fn called(&self, entity: EntityId) -> String {
        self.label(entity).map_or_else(|| self.gathered.terms_of_name(entity), str::to_owned)
    }

    /// The links it is the subject of.
    #[must_use]
    pub fn outgoing(&self, entity: EntityId) -> &[Neighbour] {
        self.outgoing.row(entity)
    }

    /// The links it is the object of.
    #[must_use]
    pub fn incoming(&self, entity: EntityId) -> &[Neighbour] {
        self.incoming.row(entity)
    }

    /// Who is one link away, in either direction: each once, in order, without
    /// itself.
    #[must_use]
    pub fn neighbours(&self, entity: EntityId) -> &[EntityId] {
        self.neighbours.row(entity)
    }

    /// Its classes, in order.
    #[must_use]
    pub fn types(&self, entity: EntityId) -> &[EntityId] {
        self.types.row(entity)
    }

    /// The terms of its texts, and how often each occurs; in order. Those of its
    /// IRI if it has no texts.
    #[must_use]
    pub fn terms(&self, entity: EntityId) -> &[(TermId, u32)] {
        self.terms.row(entity)
    }

    /// A term.
    #[must_use]
    pub fn term(&self, term: TermId) -> &str {
        let known = self.gathered.texts.vocabulary().len();
        match (term as usize).checked_sub(known) {
            None => self.gathered.texts.vocabulary().term(term),
            Some(place) => self.extra.term(TermId::try_from(place).unwrap_or_default()),
        }
    }

    /// How many terms there are; their numbers are below that.
    #[must_use]
    pub fn terms_len(&self) -> usize {
        self.gathered.texts.vocabulary().len() + self.extra.len()
    }

    /// The IRI of a predicate.
    #[must_use]
    pub fn predicate(&self, predicate: PredicateId) -> &str {
        self.gathered.predicate(predicate)
    }

    /// How many predicates there are; their numbers are below that.
    #[must_use]
    pub fn predicates_len(&self) -> usize {
        self.gathered.predicates.len()
    }

    /// How many links there are.
    #[must_use]
    pub fn links_len(&self) -> usize {
        self.outgoing.len()
    }
}

/// The terms of all entities. Whoever has no text is called what its IRI says.
fn terms(gathered: &Gathering) -> (Rows<(TermId, u32)>, Vocabulary) {
    let vocabulary = gathered.texts.vocabulary();
    let known = TermId::try_from(vocabulary.len()).expect("terms are bounded");
    let mut extra = Vocabulary::default();
    let mut number = |term: &str| vocabulary.find(term).unwrap_or_else(|| known + extra.number(term));
    let mut all: Vec<(EntityId, TermId)> = gathered.texts.terms().collect();
    all.extend(gathered.texts.foreign_terms().map(|(entity, term)| (entity, number(term))));
    let mut has_text = vec![false; gathered.len()];
    for (entity, _) in &all {
        has_text[*entity as usize] = true;
    }
    let mut tokeniser = gathered.texts.tokeniser();
    for (entity, _) in (0..).zip(&has_text).filter(|(_, has_text)| !**has_text) {
        tokeniser.each_term(&gathered.terms_of_name(entity), "", |term| all.push((entity, number(term))));
    }
    let mut rows = Rows::new(gathered.len(), all.iter().map(|(entity, term)| (*entity, (*term, 1))));
    rows.sort_and_merge(|kept: &mut (TermId, u32), other| kept.1 += other.1);
    (rows, extra)
}

/// Lists of different lengths, one behind the other.
struct Rows<T> {
    starts: Vec<u32>,
    cells: Vec<T>,
}

/// What is told apart within a row, and what is merged.
trait Cell: Copy + Ord {
    fn is_same(&self, other: &Self) -> bool;
}

impl Cell for EntityId {
    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

impl Cell for (TermId, u32) {
    fn is_same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Copy> Rows<T> {
    /// Rows of what comes, each in the order in which it comes.
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
            let place = &mut next[row as usize];
            placed[*place as usize] = Some(cell);
            *place += 1;
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

impl<T: Cell> Rows<T> {
    /// Sorts every row, and makes one of those that are the same.
    fn sort_and_merge(&mut self, merge: impl Fn(&mut T, T)) {
        let mut kept: Vec<T> = Vec::with_capacity(self.cells.len());
        let mut starts = Vec::with_capacity(self.starts.len());
        for row in 0..self.starts.len() - 1 {
            let begin = kept.len();
            starts.push(u32::try_from(begin).expect("there are no more than before"));
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
        starts.push(u32::try_from(kept.len()).expect("there are no more than before"));
        kept.shrink_to_fit();
        *self = Self { starts, cells: kept };
    }
}

#[cfg(test)]
mod tests {
    use crate::rank::gather::tests::gathering;
    use crate::rank::gather::{Gathering, Limits};
    use crate::rank::terms::Tokeniser;

    #[test]
    fn a_graph_is_walked_in_both_directions() {
        let gathered = gathering(&["a p b", "a q b", "c p a", "a p a", "a a T", "a label \"the town by the town hall"]);
        let graph = gathered.graph();
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
    fn who_has_no_text_is_called_what_its_iri_says() {
        let gathered = gathering(&["http://a.example/Cologne_Cathedral p http://a.example/x", "b label \"cathedral"]);
        let graph = gathered.graph();
        let entity = graph.find("http://a.example/Cologne_Cathedral").unwrap();
        let terms: Vec<_> = graph.terms(entity).iter().map(|(term, _)| graph.term(*term)).collect();
        assert_eq!(terms, ["cathedral", "cologne"]);
        assert_eq!(graph.called(entity), "Cologne Cathedral");
        assert_eq!(graph.label(entity), None);
    }

    #[test]
    fn words_of_iris_are_counted_as_those_of_texts_are() {
        let mut gathered = Gathering::new(Limits::default(), Tokeniser::new("de", &["Bild".to_owned()]));
        let entity = gathered.entity("http://a.example/Das_Bild_the_Dom").unwrap();
        let graph = gathered.graph();
        let terms: Vec<_> = graph.terms(entity).iter().map(|(term, _)| graph.term(*term)).collect();
        assert_eq!(terms, ["the", "dom"]);
    }
}
