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

use foldhash::{HashMap, HashMapExt};

use super::EntityVectors;

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
pub struct LshIndex<'a> {
    members: &'a [u32],
    options: LshOptions,
    /// For each band: places of members, bucket by bucket.
    orders: Vec<Vec<u32>>,
    /// For each band and member: first place of its bucket in the order.
    bucket_starts: Vec<Vec<u32>>,
}

impl<'a> LshIndex<'a> {
    /// Sorts entities into buckets.
    #[must_use]
    pub fn new(vectors: &EntityVectors, members: &'a [u32], options: &LshOptions) -> Self {
        let mut index = Self { members, options: options.clone(), orders: Vec::new(), bucket_starts: Vec::new() };
        for band in 0..options.bands {
            index.add_band(vectors, u64::from(band));
        }
        index
    }

    fn add_band(&mut self, vectors: &EntityVectors, band: u64) {
        let signature = |member: &u32| {
            let mut drawn = [(f32::INFINITY, u32::MAX); 3];
            for (feature, weight) in vectors.row(*member as usize) {
                let part = weight * weight;
                for (row, drawn) in (0..).zip(&mut drawn) {
                    let value = exponential(mix(feature, band * 3 + row)) / part;
                    if value < drawn.0 {
                        *drawn = (value, feature);
                    }
                }
            }
            drawn.map(|(_, feature)| feature)
        };
        let signatures: Vec<[u32; 3]> = self.members.iter().map(signature).collect();
        let end = u32::try_from(self.members.len()).expect("entities are numbered by 32 bits");
        let mut order: Vec<u32> = (0..end).collect();
        order.sort_unstable_by_key(|place| (signatures[*place as usize], *place));
        let mut starts = vec![0; order.len()];
        let mut at = 0_usize;
        for bucket in order.chunk_by(|a, b| signatures[*a as usize][0] == signatures[*b as usize][0]) {
            for part in bucket.chunks(self.options.max_bucket) {
                let start = u32::try_from(at).expect("entities are numbered by 32 bits");
                for place in part {
                    starts[*place as usize] = start;
                }
                at += part.len();
            }
        }
        self.orders.push(order);
        self.bucket_starts.push(starts);
    }

    /// Returns the members that share most buckets with one, as places among the members.
    #[must_use]
    pub fn candidates(&self, place: u32) -> Vec<u32> {
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for (order, starts) in self.orders.iter().zip(&self.bucket_starts) {
            let start = starts[place as usize];
            let bucket = order[start as usize..].iter().take(self.options.max_bucket);
            for other in bucket.take_while(|other| starts[**other as usize] == start) {
                *shared.entry(*other).or_default() += 1;
            }
        }
        shared.remove(&place);
        let mut found: Vec<(u32, u32)> = shared.into_iter().map(|(other, count)| (u32::MAX - count, other)).collect();
        if found.len() > self.options.max_candidates {
            found.select_nth_unstable(self.options.max_candidates);
            found.truncate(self.options.max_candidates);
        }
        found.sort_unstable();
        found.into_iter().map(|(_, other)| other).collect()
    }
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
