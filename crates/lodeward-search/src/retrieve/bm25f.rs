//! BM25F (S. Robertson, H. Zaragoza, M. Taylor, *Simple BM25 extension to multiple weighted
//! fields*, CIKM 2004), with the parameters of `SEARCH-STUDY.md`, section 4.
//!
//! ```text
//! x = Σ_f w_f·tf / (1 − b_f + b_f·len/avglen)
//! score = Σ_t qtf·idf·x·(k1+1)/(k1+x)
//! ```

use crate::index::{FIELD_COUNT, FieldName};
use crate::numbers::real;

/// Weight and length normalisation of each field.
#[derive(Clone, Debug)]
pub struct Bm25fParameters {
    /// Saturation of term frequencies.
    pub k1: f64,
    /// Weights, in the order of [`FieldName::ALL`].
    pub weights: [f64; FIELD_COUNT],
    /// Length normalisation from 0 (none) to 1, in the same order.
    pub length_normalisation: [f64; FIELD_COUNT],
}

impl Default for Bm25fParameters {
    fn default() -> Self {
        // label, alias, description, out, in, predicate_out, predicate_in, type, literal.
        // Other literals were not part of the study; they are weighted as descriptions.
        Self {
            k1: 0.4,
            weights: [1.0, 0.75, 0.2, 0.2, 0.1, 0.05, 0.35, 0.35, 0.2],
            length_normalisation: [0.95, 0.4, 0.4, 0.2, 0.2, 0.0, 0.0, 0.0, 0.4],
        }
    }
}

impl Bm25fParameters {
    /// Returns the weighted frequency of a term in one field.
    pub(crate) fn field_frequency(&self, field: FieldName, frequency: u32, length: u64, mean_length: f64) -> f64 {
        let b = self.length_normalisation[field as usize];
        let relative = if mean_length > 0.0 { real(length) / mean_length } else { 1.0 };
        self.weights[field as usize] * f64::from(frequency) / (1.0 - b + b * relative)
    }

    /// Returns the score of a term from its weighted frequency over all fields.
    pub(crate) fn saturate(&self, x: f64) -> f64 {
        x * (self.k1 + 1.0) / (self.k1 + x)
    }
}
