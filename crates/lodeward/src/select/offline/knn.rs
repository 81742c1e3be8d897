//! The nearest neighbours among examples seen before the crawl.
//!
//! The similarity of two sets of features is their cosine, |a ∩ b| / √(|a|·|b|).
//! Neighbours are found through an inverted index: the rarest features first,
//! because who shares those is near; and only so many entries are looked at, so
//! that a feature which everybody has does not make it a scan of all examples.

use serde::{Deserialize, Serialize};

use super::{Classifier, Example};

/// How many neighbours vote.
const K: usize = 5;
/// Entries of the index that are looked at for one question.
const ENTRIES_MAX: usize = 8_192;
/// Examples that are compared feature by feature for one question.
const COMPARED_MAX: usize = 128;

/// Examples, and where each feature is found among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Knn {
    kept: Kept,
    /// For each feature, in ascending order: where its entries begin.
    features: Vec<(u32, u32)>,
    /// Numbers of examples, feature by feature.
    entries: Vec<u32>,
}

/// What is kept on disk: the index follows from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Kept {
    /// Features of all examples, each example's in ascending order.
    features: Vec<u32>,
    /// Where the features of each example end.
    ends: Vec<u32>,
    labels: Vec<bool>,
}

impl Kept {
    fn features_of(&self, example: u32) -> &[u32] {
        let index = example as usize;
        let begin = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.features[begin..self.ends[index] as usize]
    }

    fn is_sound(&self) -> bool {
        self.ends.len() == self.labels.len()
            && self.ends.is_sorted()
            && self.ends.last().copied().unwrap_or_default() as usize == self.features.len()
    }
}

impl Knn {
    /// Remembers all examples.
    #[must_use]
    pub fn train(examples: &[Example]) -> Self {
        let mut kept = Kept::default();
        for Example { features, label } in examples {
            let mut features = features.clone();
            features.sort_unstable();
            features.dedup();
            kept.features.append(&mut features);
            kept.ends.push(u32::try_from(kept.features.len()).expect("examples fit into memory"));
            kept.labels.push(*label);
        }
        Self::index(kept)
    }

    fn index(kept: Kept) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(kept.features.len());
        for example in 0..u32::try_from(kept.ends.len()).unwrap_or(u32::MAX) {
            pairs.extend(kept.features_of(example).iter().map(|feature| (*feature, example)));
        }
        pairs.sort_unstable();
        let mut features: Vec<(u32, u32)> = Vec::new();
        for (place, (feature, _)) in (0_u32..).zip(&pairs) {
            if features.last().is_none_or(|(last, _)| last != feature) {
                features.push((*feature, place));
            }
        }
        Self { kept, features, entries: pairs.into_iter().map(|(_, example)| example).collect() }
    }

    /// Who has a feature.
    fn entries(&self, feature: u32) -> &[u32] {
        let Ok(place) = self.features.binary_search_by_key(&feature, |(feature, _)| *feature) else { return &[] };
        let end = self.features.get(place + 1).map_or(self.entries.len(), |(_, begin)| *begin as usize);
        &self.entries[self.features[place].1 as usize..end]
    }

    /// Those who share the most, where what is rare counts more: as many as are
    /// compared.
    fn candidates(&self, features: &[u32]) -> Vec<u32> {
        let mut lists: Vec<&[u32]> = features.iter().map(|feature| self.entries(*feature)).collect();
        lists.sort_by_key(|list| list.len());
        let mut shared = vec![0.0_f32; self.kept.ends.len()];
        let mut touched = Vec::new();
        let mut left = ENTRIES_MAX;
        for list in lists {
            let looked_at = &list[..list.len().min(left)];
            left -= looked_at.len();
            #[expect(clippy::cast_precision_loss, reason = "a rough measure of how rare it is")]
            let rarity = (1.0 + shared.len() as f32 / list.len().max(1) as f32).ln();
            for &example in looked_at {
                let sum = &mut shared[example as usize];
                if *sum == 0.0 {
                    touched.push(example);
                }
                *sum += rarity;
            }
        }
        if touched.len() > COMPARED_MAX {
            touched.select_nth_unstable_by(COMPARED_MAX, |one, other| {
                let of = |example: &u32| shared[*example as usize];
                of(other).total_cmp(&of(one)).then(one.cmp(other))
            });
            touched.truncate(COMPARED_MAX);
        }
        touched
    }

    /// The nearest, and how similar they are; the most similar first, and of
    /// equals the one that was taught first.
    fn neighbours(&self, features: &[u32]) -> Vec<(f32, u32)> {
        let mut asked = features.to_vec();
        asked.sort_unstable();
        asked.dedup();
        let compare = |example: u32| (cosine(&asked, self.kept.features_of(example)), example);
        let mut near: Vec<(f32, u32)> = self.candidates(&asked).into_iter().map(compare).collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        near.truncate(K);
        near
    }

    /// The examples as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.kept).expect("numbers can be written")
    }

    /// What [`Knn::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        let kept: Kept = postcard::from_bytes(bytes)?;
        if kept.is_sound() { Ok(Self::index(kept)) } else { Err(postcard::Error::DeserializeBadEncoding) }
    }
}

impl Classifier for Knn {
    /// The share of RDF among the nearest, weighed by how similar they are; one
    /// half where nobody is near.
    fn score(&self, features: &[u32]) -> f32 {
        let near = self.neighbours(features);
        let all: f32 = near.iter().map(|(similarity, _)| similarity).sum();
        let is_rdf = |neighbour: &&(f32, u32)| self.kept.labels[neighbour.1 as usize];
        let rdf: f32 = near.iter().filter(is_rdf).map(|(similarity, _)| similarity).sum();
        if all > 0.0 { rdf / all } else { 0.5 }
    }
}

/// The cosine of two sets in ascending order.
#[expect(clippy::cast_precision_loss, reason = "a few dozen features")]
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
    use crate::select::offline::examples;

    #[test]
    fn the_nearest_vote_by_how_near_they_are() {
        let taught =
            examples(&[(&[1, 2, 3], true), (&[1, 2, 4], false), (&[1, 9], false), (&[7, 8], true), (&[], true)]);
        let knn = Knn::train(&taught);

        // Similarities to {1, 2, 3}: 1, 2/3 and 1/√6; the others share nothing.
        let near = knn.neighbours(&[3, 1, 2, 2]);
        assert_eq!(near.iter().map(|(_, example)| *example).collect::<Vec<_>>(), [0, 1, 2]);
        let expected = 1.0 / (1.0 + 2.0 / 3.0 + 1.0 / 6.0_f32.sqrt());
        assert!((knn.score(&[1, 2, 3]) - expected).abs() < 1e-6);
        assert!((knn.score(&[100]) - 0.5).abs() < 1e-6, "nobody is near");
        assert!((Knn::train(&[]).score(&[1]) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_feature_that_everybody_has_does_not_make_it_a_scan() {
        let many: Vec<Example> =
            (0..20_000).map(|number| Example { features: vec![0, number + 1], label: number == 15_000 }).collect();
        let knn = Knn::train(&many);

        assert!(knn.candidates(&[0, 15_001]).len() <= COMPARED_MAX);
        assert_eq!(knn.neighbours(&[0, 15_001])[0], (1.0, 15_000), "the rare feature finds it");
    }

    #[test]
    fn bytes_bring_back_the_examples() {
        let knn = Knn::train(&examples(&[(&[1, 2], true), (&[2, 3], false)]));

        assert_eq!(Knn::from_bytes(&knn.to_bytes()).unwrap(), knn);
        let unsound = Kept { features: vec![1], ends: vec![9], labels: vec![true] };
        assert!(Knn::from_bytes(&postcard::to_stdvec(&unsound).unwrap()).is_err());
    }

    proptest! {
        #[test]
        fn the_index_finds_whom_a_scan_finds(
            taught in proptest::collection::vec((proptest::collection::btree_set(0_u32..12, 0..5), any::<bool>()), 0..40),
            asked in proptest::collection::btree_set(0_u32..14, 0..5),
        ) {
            let asked: Vec<u32> = asked.into_iter().collect();
            let taught: Vec<Example> = taught
                .into_iter()
                .map(|(features, label)| Example { features: features.into_iter().collect(), label })
                .collect();
            let mut scan: Vec<(f32, u32)> = (0..).zip(&taught)
                .map(|(number, example)| (cosine(&asked, &example.features), number))
                .filter(|(similarity, _)| *similarity > 0.0)
                .collect();
            scan.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            scan.truncate(K);

            prop_assert_eq!(Knn::train(&taught).neighbours(&asked), scan);
        }
    }
}
