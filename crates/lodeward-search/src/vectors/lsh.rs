//! Candidates for nearest neighbours by `MinHash` and locality-sensitive hashing.
//!
//! A band of an entity is one of its features, drawn by a hash function (A. Broder, *On the
//! resemblance and containment of documents*, 1997): two entities share a band with the probability
//! that their features overlap. A feature is drawn in proportion to the square of its weight, which
//! is its part of the cosine (weighted sampling as in R. Moulton, Y. Jiang, *Maximally consistent
//! sampling and the Jaccard index of probability distributions*, 2018): otherwise the predicates
//! that all entities of a type have fill the buckets. One row per band, because more rows lose most
//! neighbours (`SEARCH-STUDY.md`, section 5).
//!
//! A bucket has the entities of one type with an equal band. A large bucket is split by further hash
//! functions, so that its parts still have entities with common features. An entity is compared
//! with those that share most buckets with it. Cost per entity is constant.

use super::EntityVectors;
use crate::parallel::parallel_map;

/// Options of the candidates.
#[derive(Clone, Debug)]
pub struct LshOptions {
    /// Number of bands.
    pub bands: u32,
    /// Maximum number of entities of a bucket.
    pub max_bucket: usize,
    /// Maximum number of candidates of an entity.
    pub max_candidates: usize,
}

impl Default for LshOptions {
    fn default() -> Self {
        Self { bands: 48, max_bucket: 200, max_candidates: 128 }
    }
}

/// Buckets of the entities of one type.
pub struct LshIndex {
    /// Number of members.
    members: usize,
    options: LshOptions,
    /// For each band: places of members, bucket by bucket.
    orders: Vec<Vec<u32>>,
    /// For each band and member: first place of its bucket in the order.
    bucket_starts: Vec<Vec<u32>>,
}

impl LshIndex {
    /// Sorts entities into buckets.
    #[must_use]
    pub fn new(vectors: &EntityVectors, members: &[u32], options: &LshOptions) -> Self {
        let bands: Vec<u64> = (0..u64::from(options.bands)).collect();
        let sorted = parallel_map(&bands, |band| sort_into_buckets(vectors, members, *band, options.max_bucket));
        let (orders, bucket_starts) = sorted.into_iter().unzip();
        Self { members: members.len(), options: options.clone(), orders, bucket_starts }
    }

    /// Returns the members that share most buckets with one, as places among the members.
    #[must_use]
    pub fn candidates(&self, place: u32) -> Vec<u32> {
        self.candidates_with(place, &mut self.counter())
    }

    /// A counter for many calls of [`Self::candidates_with`].
    pub(super) fn counter(&self) -> BucketCounter {
        BucketCounter { shared: vec![0; self.members], touched: Vec::new() }
    }

    /// The same with a counter that is used again.
    pub(super) fn candidates_with(&self, place: u32, counter: &mut BucketCounter) -> Vec<u32> {
        for (order, starts) in self.orders.iter().zip(&self.bucket_starts) {
            let start = starts[place as usize];
            let bucket = order[start as usize..].iter().take(self.options.max_bucket);
            for other in bucket.take_while(|other| starts[**other as usize] == start) {
                counter.add(*other);
            }
        }
        let mut found = counter.take();
        found.retain(|(_, other)| *other != place);
        if found.len() > self.options.max_candidates {
            found.select_nth_unstable(self.options.max_candidates);
            found.truncate(self.options.max_candidates);
        }
        found.sort_unstable();
        found.into_iter().map(|(_, other)| other).collect()
    }
}

/// Counts the buckets that members share with one.
pub(super) struct BucketCounter {
    shared: Vec<u16>,
    touched: Vec<u32>,
}

impl BucketCounter {
    fn add(&mut self, place: u32) {
        let count = &mut self.shared[place as usize];
        if *count == 0 {
            self.touched.push(place);
        }
        *count += 1;
    }

    /// Returns the places, those with the highest counts least, and starts again.
    fn take(&mut self) -> Vec<(u16, u32)> {
        let mut found = Vec::with_capacity(self.touched.len());
        for place in self.touched.drain(..) {
            found.push((u16::MAX - std::mem::take(&mut self.shared[place as usize]), place));
        }
        found
    }
}

/// Sorts members by bucket. Returns their order, and for each member the first place of its bucket in
/// the order.
fn sort_into_buckets(vectors: &EntityVectors, members: &[u32], band: u64, max_bucket: usize) -> (Vec<u32>, Vec<u32>) {
    let draw = |place: u32, row: u64| draw(vectors, members[place as usize], band * 3 + row);
    let end = u32::try_from(members.len()).expect("entities are numbered by 32 bits");
    let first: Vec<u32> = (0..end).map(|place| draw(place, 0)).collect();
    let mut order: Vec<u32> = (0..end).collect();
    order.sort_unstable_by_key(|place| (first[*place as usize], *place));
    let mut starts = vec![0; order.len()];
    let mut at = 0_u32;
    for bucket in order.chunk_by_mut(|a, b| first[*a as usize] == first[*b as usize]) {
        if bucket.len() > max_bucket {
            bucket.sort_by_cached_key(|place| (draw(*place, 1), draw(*place, 2), *place));
        }
        for part in bucket.chunks(max_bucket) {
            for place in part {
                starts[*place as usize] = at;
            }
            at += u32::try_from(part.len()).expect("entities are numbered by 32 bits");
        }
    }
    (order, starts)
}

/// Draws a feature of an entity.
fn draw(vectors: &EntityVectors, member: u32, row: u64) -> u32 {
    let mut drawn = (f32::INFINITY, u32::MAX);
    for (feature, weight) in vectors.row(member as usize) {
        let value = exponential(mix(feature, row)) / (weight * weight);
        if value < drawn.0 {
            drawn = (value, feature);
        }
    }
    drawn.1
}

/// A number from the exponential distribution, made of a uniform one.
fn exponential(uniform: u32) -> f32 {
    // The upper 24 bits are a float between 0 and 1 without rounding.
    let share = crate::numbers::single((f64::from(uniform >> 8) + 0.5) / f64::from(1 << 24));
    -share.ln()
}

/// Hash function number `row` of a feature (the finaliser of `MurmurHash3`, 64 bits).
fn mix(feature: u32, row: u64) -> u32 {
    let mut value =
        (u64::from(feature) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ row.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    value = (value ^ (value >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    value = (value ^ (value >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    (value >> 32) as u32
}
