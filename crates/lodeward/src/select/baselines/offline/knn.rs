//! k nearest neighbours among examples collected before the crawl.
//!
//! The similarity of two feature sets is their cosine, |a ∩ b| / √(|a|·|b|). Neighbours are found
//! through an inverted index. The rarest features are looked up first, because examples that share
//! them are the nearest. The number of entries read is bounded, so that a common feature does not
//! cause a scan of all examples.

use serde::{Deserialize, Serialize};

use super::{Classifier, TrainingExample};

/// Number of neighbours.
const K: usize = 5;
/// Maximum number of index entries read per query.
const MAX_ENTRIES: usize = 8_192;
/// Maximum number of examples compared feature by feature per query.
const MAX_COMPARISONS: usize = 128;

/// Examples with an inverted index of their features.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Knn {
    examples: StoredExamples,
    /// The features in ascending order, each with the start of its entries.
    features: Vec<(u32, u32)>,
    /// Numbers of examples, grouped by feature.
    entries: Vec<u32>,
}

/// The stored examples; the index is computed from them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct StoredExamples {
    /// Features of all examples, those of each in ascending order.
    features: Vec<u32>,
    /// End of the features of each example.
    ends: Vec<u32>,
    labels: Vec<bool>,
}

impl StoredExamples {
    fn example_features(&self, example: u32) -> &[u32] {
        let index = example as usize;
        let begin = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.features[begin..self.ends[index] as usize]
    }

    fn is_valid(&self) -> bool {
        self.ends.len() == self.labels.len()
            && self.ends.is_sorted()
            && self.ends.last().copied().unwrap_or_default() as usize == self.features.len()
    }
}

impl Knn {
    /// Stores and indexes the examples.
    #[must_use]
    pub(crate) fn train(examples: &[TrainingExample]) -> Self {
        let mut stored = StoredExamples::default();
        for TrainingExample { features, label } in examples {
            let mut features = features.clone();
            features.sort_unstable();
            features.dedup();
            stored.features.append(&mut features);
            stored.ends.push(u32::try_from(stored.features.len()).expect("there are fewer than 2^32 features"));
            stored.labels.push(*label);
        }
        Self::index(stored)
    }

    fn index(examples: StoredExamples) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(examples.features.len());
        for example in 0..u32::try_from(examples.ends.len()).unwrap_or(u32::MAX) {
            pairs.extend(examples.example_features(example).iter().map(|feature| (*feature, example)));
        }
        pairs.sort_unstable();
        let mut features: Vec<(u32, u32)> = Vec::new();
        for (position, (feature, _)) in (0_u32..).zip(&pairs) {
            if features.last().is_none_or(|(last, _)| last != feature) {
                features.push((*feature, position));
            }
        }
        Self { examples, features, entries: pairs.into_iter().map(|(_, example)| example).collect() }
    }

    /// Returns the examples with a feature.
    fn entries(&self, feature: u32) -> &[u32] {
        let Ok(index) = self.features.binary_search_by_key(&feature, |(feature, _)| *feature) else { return &[] };
        let end = self.features.get(index + 1).map_or(self.entries.len(), |(_, begin)| *begin as usize);
        &self.entries[self.features[index].1 as usize..end]
    }

    /// The examples that share the most features, weighted by rarity; at most [`MAX_COMPARISONS`] examples.
    fn candidates(&self, features: &[u32]) -> Vec<u32> {
        let mut lists: Vec<&[u32]> = features.iter().map(|feature| self.entries(*feature)).collect();
        lists.sort_by_key(|list| list.len());
        let mut shared = vec![0.0_f32; self.examples.ends.len()];
        let mut touched = Vec::new();
        let mut left = MAX_ENTRIES;
        for list in lists {
            let read = &list[..list.len().min(left)];
            left -= read.len();
            #[expect(clippy::cast_precision_loss, reason = "rarity need only be approximate")]
            let rarity = (1.0 + shared.len() as f32 / list.len().max(1) as f32).ln();
            for &example in read {
                let sum = &mut shared[example as usize];
                if *sum == 0.0 {
                    touched.push(example);
                }
                *sum += rarity;
            }
        }
        if touched.len() > MAX_COMPARISONS {
            touched.select_nth_unstable_by(MAX_COMPARISONS, |one, other| {
                let of = |example: &u32| shared[*example as usize];
                of(other).total_cmp(&of(one)).then(one.cmp(other))
            });
            touched.truncate(MAX_COMPARISONS);
        }
        touched
    }

    /// The nearest examples with their similarity; most similar first, ties in the order of
    /// training.
    fn neighbours(&self, features: &[u32]) -> Vec<(f32, u32)> {
        let mut features = features.to_vec();
        features.sort_unstable();
        features.dedup();
        let compare = |example: u32| (cosine(&features, self.examples.example_features(example)), example);
        let mut near: Vec<(f32, u32)> = self.candidates(&features).into_iter().map(compare).collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        near.truncate(K);
        near
    }

    /// Encodes the examples.
    #[must_use]
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.examples).expect("serialisation to memory does not fail")
    }

    /// Decodes the result of [`Knn::to_bytes`].
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        let examples: StoredExamples = postcard::from_bytes(bytes)?;
        if examples.is_valid() { Ok(Self::index(examples)) } else { Err(postcard::Error::DeserializeBadEncoding) }
    }
}

impl Classifier for Knn {
    /// The share of RDF among the nearest, weighted by similarity; one half if there are none.
    fn score(&self, features: &[u32]) -> f32 {
        let near = self.neighbours(features);
        let all: f32 = near.iter().map(|(similarity, _)| similarity).sum();
        let is_rdf = |neighbour: &&(f32, u32)| self.examples.labels[neighbour.1 as usize];
        let rdf: f32 = near.iter().filter(is_rdf).map(|(similarity, _)| similarity).sum();
        if all > 0.0 { rdf / all } else { 0.5 }
    }
}

/// The cosine of two sets of features, each in ascending order.
#[expect(clippy::cast_precision_loss, reason = "an example has a few dozen features")]
fn cosine(one: &[u32], other: &[u32]) -> f32 {
    let (mut left, mut right, mut shared) = (0, 0, 0_u32);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                (left, right, shared) = (left + 1, right + 1, shared + 1);
            }
        }
    }
    if shared == 0 { 0.0 } else { shared as f32 / ((one.len() * other.len()) as f32).sqrt() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::select::baselines::offline::examples;

    #[test]
    fn the_nearest_examples_vote_by_similarity() {
        let training_set =
            examples(&[(&[1, 2, 3], true), (&[1, 2, 4], false), (&[1, 9], false), (&[7, 8], true), (&[], true)]);
        let knn = Knn::train(&training_set);

        // Similarities to {1, 2, 3}: 1, 2/3 and 1/√6; the others share nothing.
        let near = knn.neighbours(&[3, 1, 2, 2]);
        assert_eq!(near.iter().map(|(_, example)| *example).collect::<Vec<_>>(), [0, 1, 2]);
        let expected = 1.0 / (1.0 + 2.0 / 3.0 + 1.0 / 6.0_f32.sqrt());
        assert!((knn.score(&[1, 2, 3]) - expected).abs() < 1e-6);
        assert!((knn.score(&[100]) - 0.5).abs() < 1e-6, "no example is near");
        assert!((Knn::train(&[]).score(&[1]) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_common_feature_does_not_cause_a_scan() {
        let many: Vec<TrainingExample> = (0..20_000)
            .map(|number| TrainingExample { features: vec![0, number + 1], label: number == 15_000 })
            .collect();
        let knn = Knn::train(&many);

        assert!(knn.candidates(&[0, 15_001]).len() <= MAX_COMPARISONS);
        assert_eq!(knn.neighbours(&[0, 15_001])[0], (1.0, 15_000), "found by the rare feature");
    }

    #[test]
    fn encoded_examples_are_decoded() {
        let knn = Knn::train(&examples(&[(&[1, 2], true), (&[2, 3], false)]));

        assert_eq!(Knn::from_bytes(&knn.to_bytes()).unwrap(), knn);
        let invalid = StoredExamples { features: vec![1], ends: vec![9], labels: vec![true] };
        assert!(Knn::from_bytes(&postcard::to_stdvec(&invalid).unwrap()).is_err());
    }

    proptest! {
        #[test]
        fn the_index_finds_the_same_neighbours_as_a_scan(
            training_set in proptest::collection::vec((proptest::collection::btree_set(0_u32..12, 0..5), any::<bool>()), 0..40),
            queried in proptest::collection::btree_set(0_u32..14, 0..5),
        ) {
            let queried: Vec<u32> = queried.into_iter().collect();
            let training_set: Vec<TrainingExample> = training_set
                .into_iter()
                .map(|(features, label)| TrainingExample { features: features.into_iter().collect(), label })
                .collect();
            let mut scan: Vec<(f32, u32)> = (0..).zip(&training_set)
                .map(|(number, example)| (cosine(&queried, &example.features), number))
                .filter(|(similarity, _)| *similarity > 0.0)
                .collect();
            scan.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            scan.truncate(K);

            prop_assert_eq!(Knn::train(&training_set).neighbours(&queried), scan);
        }
    }
}
