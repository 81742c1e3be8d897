//! Counts of features in a table of fixed size.

use super::features::RawFeature;

/// Number of counters, one byte each. With ten million distinct features, one in seven shares a
/// counter; such a feature of one entity is recognised in the second pass.
const COUNTERS: usize = 1 << 26;

/// How many entities have a feature, at most 255 and possibly too high.
pub(super) struct FeatureCounts {
    counters: Vec<u8>,
}

impl FeatureCounts {
    pub(super) fn new() -> Self {
        Self { counters: vec![0; COUNTERS] }
    }

    /// Counts the distinct features of one entity.
    pub(super) fn add(&mut self, features: &[RawFeature]) {
        for feature in features {
            let counter = &mut self.counters[slot(feature)];
            *counter = counter.saturating_add(1);
        }
    }

    pub(super) fn is_at_least(&self, feature: &RawFeature, count: u32) -> bool {
        u32::from(self.counters[slot(feature)]) >= count.min(u32::from(u8::MAX))
    }
}

fn slot(feature: &RawFeature) -> usize {
    // The upper bits of a product spread the block over all counters.
    let block = u32::from(feature.block).wrapping_mul(0x9E37_79B9);
    (feature.hash ^ block) as usize % COUNTERS
}
