//! Similar entities, computed from the search index.
//!
//! The index stores the neighbours of an entity, and has the entities of each word. One pass counts
//! how many entities have each feature, a second one computes the lengths of all vectors; both are
//! kept while the index does not change. A query then reads the neighbours of all entities once, and
//! the entities of its own words. Counts are in a table of fixed size, so memory is bounded; two
//! features rarely share a counter.

use std::hash::{BuildHasher as _, Hash};

use foldhash::quality::FixedState;
use foldhash::{HashMap, HashSet};
use tantivy::postings::SegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, SegmentReader, TERMINATED};

use super::{SIMILARITY_PARTS, SimilarEntity, best};
use crate::entity::{Direction, EntityDescription, EntityKey};
use crate::index::{FieldName, IndexView, SearchError, SimilarityNorms, StoredNeighbours};
use crate::numbers::real;
use crate::text::is_stop_word;
use crate::vectors::features::for_each_stem;

/// Fields with the literals of an entity.
const TEXT_FIELDS: [FieldName; 4] = [FieldName::Label, FieldName::Alias, FieldName::Description, FieldName::Literal];

/// Bounds of the number of counters, 4 bytes each.
const MIN_COUNTERS: usize = 1 << 16;
const MAX_COUNTERS: usize = 1 << 24;

/// Blocks of features, in the order of [`SIMILARITY_PART_NAMES`](super::SIMILARITY_PART_NAMES).
const STATEMENTS: usize = 0;
const NEIGHBOURS: usize = 1;
const PREDICATES: usize = 2;
const WORDS: usize = 3;

/// Counts the features of all entities, and measures their vectors.
fn read_norms(view: &IndexView) -> Result<SimilarityNorms, SearchError> {
    let entities = usize::try_from(view.entity_count()).unwrap_or(usize::MAX);
    let size = entities.saturating_mul(64).clamp(MIN_COUNTERS, MAX_COUNTERS).next_power_of_two();
    let mut norms = SimilarityNorms::new(size, real(entities), view.number_end());
    for number in view.live_numbers() {
        for_each_link_feature(view.key(number), &view.neighbours(number)?, &mut |_, feature| norms.count(feature, 1));
    }
    for_each_word(view, &mut |word, entities| {
        norms.count(hash((WORDS, word)), u32::try_from(entities.len()).unwrap_or(u32::MAX));
    })?;
    for number in view.live_numbers() {
        for_each_link_feature(view.key(number), &view.neighbours(number)?, &mut |block, feature| {
            norms.measure(number, block, feature);
        });
    }
    for_each_word(view, &mut |word, entities| {
        for number in entities {
            norms.measure(*number, WORDS, hash((WORDS, word)));
        }
    })?;
    Ok(norms)
}

impl IndexView {
    /// Returns the entities that are most similar to an entity, the best first. The entity need not
    /// be in the index.
    pub fn similar(&self, entity: &EntityDescription, limit: usize) -> Result<Vec<SimilarEntity>, SearchError> {
        let norms = match self.similarity.get() {
            Some(norms) => norms,
            None => {
                let read = read_norms(self)?;
                self.similarity.get_or_init(|| read)
            }
        };
        let mut parts = self.shared_links(norms, entity)?;
        let own = self.add_shared_words(norms, entity, &mut parts)?;
        let numbers: Vec<u32> = self.live_numbers().collect();
        let cosines: Vec<[f32; SIMILARITY_PARTS]> = numbers
            .iter()
            .map(|number| {
                let squares = &norms.squares[*number as usize];
                std::array::from_fn(|block| {
                    let lengths = (squares[block] * own[block]).sqrt();
                    if lengths > 0.0 { parts[*number as usize][block] / lengths } else { 0.0 }
                })
            })
            .collect();
        let without = self.number(entity.key).and_then(|own| numbers.binary_search(&own).ok());
        let found = best(&cosines, without, limit).into_iter();
        Ok(found.map(|(at, shares)| SimilarEntity::new(self.key(numbers[at]), cosines[at], shares)).collect())
    }

    /// Sums of the squared weights of the statements, neighbours and predicates that each entity
    /// shares with one.
    fn shared_links(
        &self,
        norms: &SimilarityNorms,
        entity: &EntityDescription,
    ) -> Result<Vec<[f32; SIMILARITY_PARTS]>, SearchError> {
        let stored = StoredNeighbours::collect(entity, usize::MAX);
        let mut wanted: HashMap<u64, f32> = HashMap::default();
        for_each_link_feature(entity.key, &stored, &mut |_, feature| {
            wanted.insert(feature, norms.square(feature));
        });
        let mut shared = vec![[0.0; SIMILARITY_PARTS]; self.number_end()];
        for number in self.live_numbers() {
            let parts = &mut shared[number as usize];
            for_each_link_feature(self.key(number), &self.neighbours(number)?, &mut |block, feature| {
                parts[block] += wanted.get(&feature).copied().unwrap_or(0.0);
            });
        }
        Ok(shared)
    }

    /// Adds what entities share of the words of one. Returns the squared lengths of its own blocks.
    fn add_shared_words(
        &self,
        norms: &SimilarityNorms,
        entity: &EntityDescription,
        shared: &mut [[f32; SIMILARITY_PARTS]],
    ) -> Result<[f32; SIMILARITY_PARTS], SearchError> {
        let mut own = [0.0; SIMILARITY_PARTS];
        for_each_link_feature(entity.key, &StoredNeighbours::collect(entity, usize::MAX), &mut |block, feature| {
            own[block] += norms.square(feature);
        });
        let mut stems: HashSet<String> = HashSet::default();
        for_each_stem(entity, &self.stemmed, &mut |stem| _ = stems.insert(stem));
        for stem in stems {
            let square = norms.square(hash((WORDS, stem.as_bytes())));
            own[WORDS] += square;
            let mut entities: HashSet<u32> = HashSet::default();
            for field in TEXT_FIELDS {
                self.for_each_posting(field, &stem, |number, _, _| _ = entities.insert(number))?;
            }
            for number in entities {
                shared[number as usize][WORDS] += square;
            }
        }
        Ok(own)
    }
}

/// Calls `visit` with the block and the hash of every distinct feature of the links of an entity.
fn for_each_link_feature(key: EntityKey, neighbours: &StoredNeighbours, visit: &mut dyn FnMut(usize, u64)) {
    let predicates: Vec<u64> = neighbours.predicates.iter().map(hash).collect();
    let mut known: HashSet<(u32, Direction)> = HashSet::default();
    let mut last = None;
    let mut has_own = false;
    for edge in neighbours.edges() {
        let predicate = predicates[edge.predicate as usize];
        visit(STATEMENTS, hash((STATEMENTS, predicate, edge.direction, edge.neighbour)));
        if last != Some(edge.neighbour) {
            last = Some(edge.neighbour);
            has_own |= edge.neighbour == key;
            visit(NEIGHBOURS, hash((NEIGHBOURS, edge.neighbour)));
        }
        if known.insert((edge.predicate, edge.direction)) {
            visit(PREDICATES, hash((PREDICATES, predicate, edge.direction)));
        }
    }
    if !has_own {
        visit(NEIGHBOURS, hash((NEIGHBOURS, key)));
    }
}

/// Calls `visit` with every word of literals and the numbers of the entities that have it, segment by
/// segment.
fn for_each_word(view: &IndexView, visit: &mut dyn FnMut(&[u8], &[u32])) -> Result<(), SearchError> {
    for (at, segment) in view.searcher().segment_readers().iter().enumerate() {
        let mut indexes = Vec::new();
        for field in TEXT_FIELDS {
            indexes.push(segment.inverted_index(view.schema.text[field as usize])?);
        }
        let mut streams = Vec::new();
        for index in &indexes {
            let mut stream = index.terms().stream()?;
            if stream.advance() {
                streams.push((index, stream));
            }
        }
        let mut entities: Vec<u32> = Vec::new();
        while let Some(word) = streams.iter().map(|(_, stream)| stream.key()).min().map(<[u8]>::to_vec) {
            entities.clear();
            let mut at_end = Vec::new();
            for (place, (index, stream)) in
                streams.iter_mut().enumerate().filter(|(_, (_, stream))| stream.key() == word)
            {
                let postings = index.read_postings_from_terminfo(stream.value(), IndexRecordOption::Basic)?;
                collect_entities(segment, postings, view.base(at), &mut entities);
                if !stream.advance() {
                    at_end.push(place);
                }
            }
            at_end.into_iter().rev().for_each(|place| _ = streams.remove(place));
            if !std::str::from_utf8(&word).is_ok_and(is_stop_word) {
                entities.sort_unstable();
                entities.dedup();
                visit(&word, &entities);
            }
        }
    }
    Ok(())
}

fn collect_entities(segment: &SegmentReader, mut postings: SegmentPostings, base: u32, entities: &mut Vec<u32>) {
    while postings.doc() != TERMINATED {
        if !segment.is_deleted(postings.doc()) {
            entities.push(base + postings.doc());
        }
        postings.advance();
    }
}

fn hash(feature: impl Hash) -> u64 {
    FixedState::with_seed(0).hash_one(feature)
}
