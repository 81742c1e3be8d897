//! The order of the queue, as one sortable number.

/// The key of an entry: domain, then urgency, then age. Smaller keys come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueKey(pub u128);

impl QueueKey {
    /// The key of an entry that arrived as number `sequence`.
    #[must_use]
    pub(crate) fn new(domain: u32, priority: f32, sequence: u64) -> Self {
        Self(u128::from(domain) << 96 | u128::from(!sortable_bits(priority)) << 64 | u128::from(sequence))
    }

    /// A key before all entries of a domain.
    #[must_use]
    pub(crate) fn domain_start(domain: u32) -> Self {
        Self(u128::from(domain) << 96)
    }

    /// The smallest key after this one.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The number of the domain.
    #[must_use]
    pub(crate) fn domain(self) -> u32 {
        (self.0 >> 96) as u32
    }

    /// The priority as a number that is smaller for more urgent entries.
    #[expect(clippy::cast_possible_truncation, reason = "the urgency is the low 32 bits after the shift")]
    pub(super) fn urgency(self) -> u32 {
        (self.0 >> 64) as u32
    }

    pub(super) fn with_priority(self, priority: f32) -> Self {
        Self(self.0 & !(u128::from(u32::MAX) << 64) | u128::from(!sortable_bits(priority)) << 64)
    }
}

/// Maps a float to an integer so that the order is preserved.
pub(super) fn sortable_bits(float: f32) -> u32 {
    let bits = float.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The priority of an urgency: the inverse of `!sortable_bits(priority)`.
pub(super) fn priority_from_urgency(urgency: u32) -> f32 {
    let bits = !urgency;
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}
