//! Eigenvalues and eigenvectors of symmetric matrices.

use nalgebra::{DMatrix, SymmetricEigen};

/// Returns the eigenvalues of a symmetric matrix in ascending order, and their eigenvectors.
pub(super) fn symmetric_eigen(matrix: &[f64], size: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let decomposed = SymmetricEigen::new(DMatrix::from_row_slice(size, size, matrix));
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|a, b| decomposed.eigenvalues[*a].total_cmp(&decomposed.eigenvalues[*b]));
    let values = order.iter().map(|at| decomposed.eigenvalues[*at]).collect();
    let vectors = order.iter().map(|at| decomposed.eigenvectors.column(*at).iter().copied().collect()).collect();
    (values, vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_satisfy_their_equation() {
        let matrix = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];

        let (values, vectors) = symmetric_eigen(&matrix, 3);

        for (value, expected) in values.iter().zip([2.0 - 2.0_f64.sqrt(), 2.0, 2.0 + 2.0_f64.sqrt()]) {
            assert!((value - expected).abs() < 1e-9, "{values:?}");
        }
        for (value, vector) in values.iter().zip(&vectors) {
            for (row, own) in matrix.chunks(3).zip(vector) {
                let product: f64 = row.iter().zip(vector).map(|(a, b)| a * b).sum();
                assert!((product - value * own).abs() < 1e-9);
            }
        }
    }
}
