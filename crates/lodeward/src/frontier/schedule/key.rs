//! The order of a queue, as numbers.

/// The place of a candidate in the queue of all: domain, then urgency, then
/// age. Smaller comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u128);

impl Key {
    /// The place of a candidate that arrived as number `sequence`.
    #[must_use]
    pub fn new(domain: u32, priority: f32, sequence: u64) -> Self {
        Self(u128::from(domain) << 96 | u128::from(!ascending(priority)) << 64 | u128::from(sequence))
    }

    /// Before everybody of a domain.
    #[must_use]
    pub fn first_of(domain: u32) -> Self {
        Self(u128::from(domain) << 96)
    }

    /// Just behind this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Which domain.
    #[must_use]
    pub fn domain(self) -> u32 {
        (self.0 >> 96) as u32
    }

    /// The priority, as a number that is smaller for the more urgent.
    #[expect(clippy::cast_possible_truncation, reason = "the 32 bits below the domain")]
    pub(super) fn urgency(self) -> u32 {
        (self.0 >> 64) as u32
    }

    pub(super) fn with_priority(self, priority: f32) -> Self {
        Self(self.0 & !(u128::from(u32::MAX) << 64) | u128::from(!ascending(priority)) << 64)
    }
}

/// Maps floats to integers that compare alike.
pub(super) fn ascending(float: f32) -> u32 {
    let bits = float.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The float that [`ascending`], turned round, made this of.
pub(super) fn descending(urgency: u32) -> f32 {
    let bits = !urgency;
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}
