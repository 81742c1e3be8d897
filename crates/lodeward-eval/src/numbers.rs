//! Arithmetic on counts.

/// A count as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "a count of documents is below 2^52")]
pub(crate) fn to_f64(count: usize) -> f64 {
    count as f64
}

/// Divides `part` by `whole`; 0 if `whole` is 0.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    quotient(to_f64(part), to_f64(whole))
}

/// Divides `part` by `whole`; 0 if `whole` is not positive.
pub(crate) fn quotient(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The mean of some figures; 0 if there are none.
pub(crate) fn mean(figures: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = figures.into_iter().fold((0.0, 0), |(sum, count), figure| (sum + figure, count + 1));
    quotient(sum, to_f64(count))
}
