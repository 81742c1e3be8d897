//! Spectral clustering: k-means in the space of the first eigenvectors of the Laplacian.
//!
//! L = D − A with the degree matrix D (DURAARK D3.6 prints diag(A), which is 0 or constant). A is a
//! similarity, `1 / (1 + d)` of the Euclidean distance `d` (eq. 10): the text says distance, with which
//! the first eigenvectors separate what is near. The greatest gap between successive eigenvalues
//! gives the number of clusters and of dimensions.

use super::eigen::symmetric_eigen;
use super::kmeans::k_means;
use super::points::{Points, squared_distance};

/// Which Laplacian is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaplacianKind {
    /// D − A, as published.
    #[default]
    Unnormalised,
    /// I − D^−½·A·D^−½: does not isolate outliers.
    Normalised,
}

/// Returns the cluster of each point.
pub(super) fn spectral(points: &Points, k_min: usize, k_max: usize, kind: LaplacianKind, seed: u64) -> Vec<u32> {
    let count = points.len();
    if count <= k_min {
        return vec![0; count];
    }
    let (values, vectors) = symmetric_eigen(&laplacian(points, kind), count);
    let k = eigengap(&values, k_min, k_max);
    let mut embedded = Points::zero(count, k);
    for (dimension, vector) in vectors.iter().take(k).enumerate() {
        vector.iter().enumerate().for_each(|(at, value)| embedded.point_mut(at)[dimension] = *value);
    }
    k_means(&embedded, k, 4, seed).assigned
}

/// Returns the k from `k_min` to `k_max` with the greatest gap between the k-th eigenvalue and the next.
fn eigengap(values: &[f64], k_min: usize, k_max: usize) -> usize {
    let gap = |k: usize| values[k] - values[k - 1];
    let candidates = k_min..=k_max.min(values.len() - 1);
    candidates.max_by(|a, b| gap(*a).total_cmp(&gap(*b)).then(b.cmp(a))).unwrap_or(k_min)
}

fn laplacian(points: &Points, kind: LaplacianKind) -> Vec<f64> {
    let count = points.len();
    let mut matrix = vec![0.0; count * count];
    for row in 0..count {
        for column in 0..row {
            let similarity = 1.0 / (1.0 + squared_distance(points.point(row), points.point(column)).sqrt());
            matrix[row * count + column] = -similarity;
            matrix[column * count + row] = -similarity;
        }
    }
    let degrees: Vec<f64> = matrix.chunks_exact(count).map(|row| -row.iter().sum::<f64>()).collect();
    for (row, degree) in degrees.iter().enumerate() {
        matrix[row * count + row] = *degree;
    }
    if kind == LaplacianKind::Normalised {
        for (at, value) in matrix.iter_mut().enumerate() {
            *value /= (degrees[at / count] * degrees[at % count]).sqrt().max(f64::MIN_POSITIVE);
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separated_groups_have_their_own_clusters() {
        let values: Vec<f64> = (0_u32..30).map(|i| f64::from(i / 10) * 200.0 + f64::from(i % 10) / 100.0).collect();
        let points = Points { dimensions: 1, values };

        for kind in [LaplacianKind::Unnormalised, LaplacianKind::Normalised] {
            let clusters = spectral(&points, 2, 10, kind, 1);

            let firsts: Vec<u32> = clusters.chunks(10).map(|group| group[0]).collect();
            assert!(clusters.chunks(10).all(|group| group.iter().all(|cluster| *cluster == group[0])), "{clusters:?}");
            assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2], "{clusters:?}");
        }
    }

    #[test]
    fn the_greatest_gap_gives_the_number_of_clusters() {
        assert_eq!(eigengap(&[0.0, 0.1, 0.2, 0.9, 1.0], 2, 4), 3);
        assert_eq!(eigengap(&[0.0, 0.9, 1.0, 1.2], 2, 50), 3, "one cluster is not allowed");
    }
}
