//! Weights of seeds (DURAARK D3.6, eq. 2).
//!
//! As printed, `λ(e_i) = log(C(e_i) / ΣC)` is never positive, and eq. 4 divides by it, so that the
//! best candidate comes last. The text states the intention: “entities with lower centrality score
//! will … [reflect] more strongly the crawl intent”. So the weight of a seed is
//!
//! - `intent`: `log(ΣC / C(e_i))`, which grows as centrality falls;
//! - `published`: `1 / log(ΣC / C(e_i))`, the absolute value of the printed formula, as in the
//!   authors' program; it grows with centrality.
//!
//! `C` is the Katz centrality plus one, so that it is never 0. Weights are 1 on average. A single
//! seed has weight 1.

use super::super::options::Attrition;

/// Weights of seeds with these centralities, in the same order.
#[must_use]
pub(crate) fn weights(katz: &[f64], attrition: Attrition) -> Vec<f64> {
    if katz.len() < 2 || attrition == Attrition::Off {
        return vec![1.0; katz.len()];
    }
    let sum: f64 = katz.iter().map(|centrality| centrality + 1.0).sum();
    let intent = katz.iter().map(|centrality| {
        let smoothed = centrality + 1.0;
        // log(ΣC / C), where ΣC / C may be close to 1.
        ((sum - smoothed) / smoothed).ln_1p()
    });
    let weights: Vec<f64> = match attrition {
        Attrition::Published => intent.map(|weight| weight.max(MIN_LOG).recip()).collect(),
        Attrition::Intent | Attrition::Off => intent.collect(),
    };
    let mean = weights.iter().sum::<f64>() / super::super::to_f64(weights.len() as u64);
    weights.iter().map(|weight| weight / mean).collect()
}

/// Lower bound of the logarithm: keeps the weight finite if one seed has nearly all of the
/// centrality.
const MIN_LOG: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hand for centralities 9, 3 and 1: with the smoothing they are 10, 4 and 2, and
    /// ΣC = 16. log(16/10) = .4700, log(16/4) = 1.3863, log(16/2) = 2.0794, on average 1.3119; the
    /// reciprocals 2.1276, .7213 and .4809, on average 1.1099.
    #[test]
    fn weights_match_values_computed_by_hand() {
        let check = |attrition, expected: [f64; 3]| {
            let found = weights(&[9.0, 3.0, 1.0], attrition);
            assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-3), "{found:?}");
        };

        check(Attrition::Intent, [0.3583, 1.0567, 1.5850]);
        check(Attrition::Published, [1.9169, 0.6499, 0.4333]);
        check(Attrition::Off, [1.0, 1.0, 1.0]);
    }

    #[test]
    fn weights_are_finite_and_one_on_average_whatever_the_centralities() {
        let check = |katz: &[f64]| {
            for attrition in [Attrition::Intent, Attrition::Published, Attrition::Off] {
                let found = weights(katz, attrition);
                let mean = found.iter().sum::<f64>() / super::super::super::to_f64(found.len() as u64);
                assert!((mean - 1.0).abs() < 1e-9, "{attrition:?} of {katz:?}: {found:?}");
                assert!(found.iter().all(|weight| weight.is_finite() && *weight >= 0.0), "{found:?}");
            }
        };

        check(&[0.0]);
        check(&[7.0]);
        check(&[0.0, 0.0]);
        check(&[0.0, 1e300]);
        check(&[1e30, 1e30, 0.0]);
    }

    #[test]
    fn an_empty_list_has_no_weights() {
        assert!(weights(&[], Attrition::Intent).is_empty());
    }
}
