//! The logistic function that scores pairs, and its training.

use nalgebra::{DMatrix, DVector};

use super::evidence::EVIDENCE_COUNT;

/// Penalty of large weights.
const RIDGE: f64 = 1.0;

const MAX_ITERATIONS: usize = 50;

/// Weights of the figures, and a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkWeights {
    /// Weights in the order of [`EVIDENCE_NAMES`](super::EVIDENCE_NAMES).
    pub weights: [f64; EVIDENCE_COUNT],
    /// The constant.
    pub bias: f64,
}

impl Default for LinkWeights {
    /// Weights trained on links between Freebase and `DBpedia` (`SEARCH-STUDY.md`, section 6).
    fn default() -> Self {
        let weights = [3.1, -1.3, 3.1, 4.0, 1.9, -1.3, 0.75, 3.9, -0.2, 0.1, 1.3, 7.0, 0.4];
        Self { weights, bias: -8.9 }
    }
}

impl LinkWeights {
    /// Logarithm of the odds that a pair is the same entity.
    #[must_use]
    pub fn score(&self, evidence: &[f64; EVIDENCE_COUNT]) -> f64 {
        self.bias + self.weights.iter().zip(evidence).map(|(weight, value)| weight * value).sum::<f64>()
    }

    /// Trains weights from judged pairs: logistic regression by Newton's method. The penalty is on the
    /// weights themselves, not on those of figures of variance 1: a figure that is rarely above 0 in
    /// the training pairs must not get a large weight, because other entities may often have it.
    #[must_use]
    pub fn train(pairs: &[([f64; EVIDENCE_COUNT], bool)]) -> Self {
        let row = |values: &[f64; EVIDENCE_COUNT]| {
            let mut row = DVector::from_element(EVIDENCE_COUNT + 1, 1.0);
            row.rows_mut(0, EVIDENCE_COUNT).copy_from_slice(values);
            row
        };
        let rows: Vec<(DVector<f64>, f64)> =
            pairs.iter().map(|(values, same)| (row(values), if *same { 1.0 } else { 0.0 })).collect();
        let mut weights = DVector::zeros(EVIDENCE_COUNT + 1);
        for _ in 0..MAX_ITERATIONS {
            let step = newton_step(&rows, &weights);
            weights += &step;
            if step.amax() < 1e-8 {
                break;
            }
        }
        Self { weights: std::array::from_fn(|at| weights[at]), bias: weights[EVIDENCE_COUNT] }
    }
}

fn newton_step(rows: &[(DVector<f64>, f64)], weights: &DVector<f64>) -> DVector<f64> {
    let size = EVIDENCE_COUNT + 1;
    let mut gradient = DVector::zeros(size);
    let mut hessian = DMatrix::identity(size, size) * RIDGE;
    // The constant is not penalised, but must be solvable.
    hessian[(size - 1, size - 1)] = 1e-9;
    for at in 0..size - 1 {
        gradient[at] = -RIDGE * weights[at];
    }
    for (row, same) in rows {
        let probability = 1.0 / (1.0 + (-row.dot(weights)).exp());
        gradient.axpy(same - probability, row, 1.0);
        hessian.ger(probability * (1.0 - probability), row, row, 1.0);
    }
    hessian.cholesky().map_or_else(|| DVector::zeros(size), |decomposed| decomposed.solve(&gradient))
}
