//! The features of an entity.

use std::hash::{BuildHasher as _, Hash};

use foldhash::quality::FixedState;

use super::VectorOptions;
use crate::entity::{Direction, EntityDescription, TaggedText};
use crate::text::names::name_from_iri;
use crate::text::{StemmedLanguages, is_stop_word, words};

/// A kind of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureBlock {
    /// Words and pairs of words of all literals; sublinear frequency, weighted by rarity as
    /// scikit-learn does.
    Words,
    /// IRIs of objects.
    Objects,
    /// Predicates, by direction.
    Predicates,
    /// Stems of the words of all literals, weighted by rarity.
    Stems,
    /// Predicate, direction and neighbour, weighted by rarity.
    Statements,
    /// Neighbours in both directions and the entity itself, weighted by rarity.
    Neighbours,
    /// Predicates, by direction, weighted by rarity.
    RarePredicates,
}

impl FeatureBlock {
    /// Weight of a feature that occurs `count` times in an entity, and in `frequency` of `all`
    /// entities.
    pub(super) fn weight(self, count: f64, frequency: u32, all: f64) -> f64 {
        let frequency = f64::from(frequency);
        match self {
            Self::Words => (1.0 + count.ln()) * (((1.0 + all) / (1.0 + frequency)).ln() + 1.0),
            Self::Objects | Self::Predicates => 1.0,
            Self::Stems | Self::Statements | Self::Neighbours | Self::RarePredicates => (all / frequency).ln(),
        }
    }
}

/// A set of blocks for a purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VectorFeatures {
    /// Words and objects: the vector that DURAARK D3.6 §3.1 prints.
    Published,
    /// Words, objects and predicates: for clusters.
    #[default]
    WithPredicates,
    /// Statements, neighbours, predicates and stems, compared block by block: for similar entities.
    Similarity,
}

impl VectorFeatures {
    /// The blocks of the set.
    #[must_use]
    pub fn blocks(self) -> &'static [FeatureBlock] {
        match self {
            Self::Published => &[FeatureBlock::Words, FeatureBlock::Objects],
            Self::WithPredicates => &[FeatureBlock::Words, FeatureBlock::Objects, FeatureBlock::Predicates],
            Self::Similarity => {
                &[FeatureBlock::Statements, FeatureBlock::Neighbours, FeatureBlock::RarePredicates, FeatureBlock::Stems]
            }
        }
    }

    pub(super) fn min_document_frequency(self) -> u32 {
        match self {
            Self::Published | Self::WithPredicates => 2,
            // A feature of one entity makes it less similar to all others.
            Self::Similarity => 1,
        }
    }

    pub(super) fn normalisation(self) -> Normalisation {
        match self {
            Self::Published => Normalisation::Words,
            Self::WithPredicates => Normalisation::BlocksAndWhole,
            Self::Similarity => Normalisation::Blocks,
        }
    }
}

/// Which parts of a vector have length 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Normalisation {
    /// The words; other features count 1, as in the paper.
    Words,
    /// Each block: blocks are compared one by one.
    Blocks,
    /// Each block, then the whole.
    BlocksAndWhole,
}

/// A hashed feature of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RawFeature {
    pub(super) block: u8,
    pub(super) hash: u32,
    /// How often it occurs in the entity.
    pub(super) count: u32,
}

/// Replaces the content of `found` by the distinct features of an entity.
pub(super) fn collect(entity: &EntityDescription, options: &VectorOptions, found: &mut Vec<RawFeature>) {
    found.clear();
    for (block, kind) in (0_u8..).zip(options.features.blocks()) {
        let start = found.len();
        collect_block(entity, *kind, &mut |hash| found.push(RawFeature { block, hash, count: 1 }));
        merge_equal(found, start);
        if found.len() - start > options.max_block_features {
            found[start..].sort_unstable_by_key(|feature| (std::cmp::Reverse(feature.count), feature.hash));
            found.truncate(start + options.max_block_features);
        }
    }
}

/// Merges equal features from a place on.
fn merge_equal(found: &mut Vec<RawFeature>, start: usize) {
    found[start..].sort_unstable();
    let mut end = start;
    for at in start..found.len() {
        if end > start && found[end - 1].hash == found[at].hash {
            found[end - 1].count += 1;
        } else {
            found[end] = found[at];
            end += 1;
        }
    }
    found.truncate(end);
}

fn collect_block(entity: &EntityDescription, kind: FeatureBlock, add: &mut dyn FnMut(u32)) {
    match kind {
        FeatureBlock::Words => for_each_text(entity, &mut |text| {
            let words = words(&text.text);
            for word in &words {
                add(hash(word));
            }
            words.windows(2).for_each(|pair| add(hash(pair)));
        }),
        FeatureBlock::Stems => for_each_stem(entity, &StemmedLanguages::default(), &mut |stem| add(hash(stem))),
        FeatureBlock::Objects => {
            let objects = entity.neighbours.iter().filter(|link| link.direction == Direction::Out);
            objects.for_each(|link| add(hash(link.key)));
        }
        FeatureBlock::Predicates | FeatureBlock::RarePredicates => {
            entity.neighbours.iter().for_each(|link| add(hash((link.predicate, link.direction))));
        }
        FeatureBlock::Statements => {
            entity.neighbours.iter().for_each(|link| add(hash((link.predicate, link.direction, link.key))));
        }
        FeatureBlock::Neighbours => {
            entity.neighbours.iter().for_each(|link| add(hash(link.key)));
            add(hash(entity.key));
        }
    }
}

/// Calls `visit` for the stem of every word of all literals, without stop words.
pub(crate) fn for_each_stem(entity: &EntityDescription, stemmed: &StemmedLanguages, visit: &mut dyn FnMut(String)) {
    for_each_text(entity, &mut |text| {
        let words = words(&text.text).into_iter().filter(|word| !is_stop_word(word));
        words.for_each(|word| visit(stemmed.term(word, text.language.as_deref())));
    });
}

/// Calls `visit` for every literal; for the name in the IRI, if there is no label.
fn for_each_text(entity: &EntityDescription, visit: &mut dyn FnMut(&TaggedText)) {
    if entity.labels.is_empty() {
        visit(&TaggedText::plain(name_from_iri(&entity.iri)));
    }
    let texts = entity.labels.iter().chain(&entity.aliases).chain(&entity.descriptions).chain(&entity.literals);
    texts.for_each(visit);
}

fn hash(feature: impl Hash) -> u32 {
    let wide = FixedState::with_seed(0).hash_one(feature);
    (wide >> 32) as u32
}
