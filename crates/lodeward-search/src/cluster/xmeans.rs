//! X-means (D. Pelleg, A. Moore, *X-means: extending k-means with efficient estimation of the number
//! of clusters*, 2000): clusters are split in two while the Bayesian information criterion improves.

use super::kmeans::{CentredClusters, assign, improve, k_means};
use super::points::Points;
use crate::numbers::real;

/// Runs of each k-means.
const RUNS: u64 = 4;

/// Clusters points into `k_min` to `k_max` clusters.
pub(super) fn x_means(points: &Points, k_min: usize, k_max: usize, seed: u64) -> CentredClusters {
    let mut clusters = k_means(points, k_min, RUNS, seed);
    loop {
        let k = clusters.centres.len();
        let centres = split_all(points, &clusters, k_max, seed);
        if centres.len() == k {
            return clusters;
        }
        clusters = improve(points, centres);
    }
}

/// Returns the centres after splitting each cluster that is better described by two.
fn split_all(points: &Points, clusters: &CentredClusters, k_max: usize, seed: u64) -> Points {
    let mut centres = Points { dimensions: points.dimensions, values: Vec::new() };
    let k = clusters.centres.len();
    for cluster in 0..k {
        let is_member = |at: &usize| clusters.assigned[*at] as usize == cluster;
        let members: Vec<usize> = (0..points.len()).filter(is_member).collect();
        let own = points.select(&members);
        let added = centres.len() + 1 + (k - cluster) <= k_max;
        let halves = (added && members.len() > 3).then(|| k_means(&own, 2, RUNS, seed)).filter(|halves| {
            let whole = clusters.centres.select(&[cluster]);
            bic(&own, halves) > bic(&own, &whole_cluster(&own, whole))
        });
        match halves {
            Some(halves) => centres.values.extend(halves.centres.values),
            None => centres.values.extend_from_slice(clusters.centres.point(cluster)),
        }
    }
    centres
}

fn whole_cluster(points: &Points, centres: Points) -> CentredClusters {
    let (assigned, distortion) = assign(points, &centres);
    CentredClusters { centres, assigned, distortion }
}

/// Bayesian information criterion of spherical normal distributions with a common variance
/// (Pelleg and Moore, section 3.2).
fn bic(points: &Points, clusters: &CentredClusters) -> f64 {
    let (count, k, dimensions) = (real(points.len()), real(clusters.centres.len()), real(points.dimensions));
    let variance = (clusters.distortion / (dimensions * (count - k).max(1.0))).max(1e-12);
    let mut sizes = vec![0_usize; clusters.centres.len()];
    clusters.assigned.iter().for_each(|cluster| sizes[*cluster as usize] += 1);
    let entropy: f64 =
        sizes.iter().filter(|size| **size > 0).map(|size| real(*size) * (real(*size) / count).ln()).sum();
    let likelihood = entropy
        - count * dimensions / 2.0 * (2.0 * std::f64::consts::PI * variance).ln()
        - dimensions * (count - k) / 2.0;
    let parameters = k - 1.0 + k * dimensions + 1.0;
    likelihood - parameters / 2.0 * count.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners of a square, each with points close to it.
    fn corners() -> Points {
        let corner =
            |x: f64, y: f64| (0_u32..20).flat_map(move |i| [x + f64::from(i % 5) / 50.0, y + f64::from(i / 5) / 50.0]);
        let values = corner(0.0, 0.0).chain(corner(0.0, 9.0)).chain(corner(9.0, 0.0)).chain(corner(9.0, 9.0));
        Points { dimensions: 2, values: values.collect() }
    }

    #[test]
    fn well_separated_groups_are_found() {
        let clusters = x_means(&corners(), 2, 4, 1);

        assert_eq!(clusters.centres.len(), 4);
        for group in clusters.assigned.chunks(20) {
            assert!(group.iter().all(|cluster| *cluster == group[0]), "{:?}", clusters.assigned);
        }
    }

    #[test]
    fn the_number_of_clusters_is_bounded() {
        for k_max in [2, 3, 7] {
            assert!(x_means(&corners(), 2, k_max, 1).centres.len() <= k_max);
        }
    }
}
