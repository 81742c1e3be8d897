//! The logistic function that scores pairs, and its training.

use nalgebra::{DMatrix, DVector};

use super::evidence::EVIDENCE_COUNT;

/// Penalty of large weights, relative to figures of variance 1.
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

    /// Trains weights from judged pairs: logistic regression by Newton's method, on figures of mean
    /// 0 and variance 1.
    #[must_use]
    pub fn train(pairs: &[([f64; EVIDENCE_COUNT], bool)]) -> Self {
        let (means, spreads) = moments(pairs);
        let scaled = |values: &[f64; EVIDENCE_COUNT]| {
            let mut row = [1.0; EVIDENCE_COUNT + 1];
            for at in 0..EVIDENCE_COUNT {
                row[at] = (values[at] - means[at]) / spreads[at];
            }
            DVector::from_row_slice(&row)
        };
        let rows: Vec<(DVector<f64>, f64)> =
            pairs.iter().map(|(values, same)| (scaled(values), if *same { 1.0 } else { 0.0 })).collect();
        let mut weights = DVector::zeros(EVIDENCE_COUNT + 1);
        for _ in 0..MAX_ITERATIONS {
            let step = newton_step(&rows, &weights);
            weights += &step;
            if step.amax() < 1e-8 {
                break;
            }
        }
        let unscaled: [f64; EVIDENCE_COUNT] = std::array::from_fn(|at| weights[at] / spreads[at]);
        let shift: f64 = unscaled.iter().zip(means).map(|(weight, mean)| weight * mean).sum();
        Self { weights: unscaled, bias: weights[EVIDENCE_COUNT] - shift }
    }
}

fn moments(pairs: &[([f64; EVIDENCE_COUNT], bool)]) -> ([f64; EVIDENCE_COUNT], [f64; EVIDENCE_COUNT]) {
    let count = crate::numbers::real(pairs.len().max(1));
    let means: [f64; EVIDENCE_COUNT] =
        std::array::from_fn(|at| pairs.iter().map(|(values, _)| values[at]).sum::<f64>() / count);
    let spread = |at: usize| {
        let squares: f64 = pairs.iter().map(|(values, _)| (values[at] - means[at]).powi(2)).sum();
        (squares / count).sqrt()
    };
    // A figure that is the same in all pairs has no weight.
    let spreads = std::array::from_fn(|at| if spread(at) > 1e-9 { spread(at) } else { 1.0 });
    (means, spreads)
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
