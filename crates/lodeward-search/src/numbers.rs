//! Conversions of counts and scores.

/// A count as a real number.
#[expect(clippy::cast_precision_loss, reason = "counts of entities and words are far below 2^53")]
pub(crate) fn real(count: impl TryInto<u64>) -> f64 {
    count.try_into().unwrap_or(u64::MAX) as f64
}

/// A score in half the memory: there is one per entity and query.
#[expect(clippy::cast_possible_truncation, reason = "scores need no more than seven digits")]
pub(crate) fn single(score: f64) -> f32 {
    score as f32
}
