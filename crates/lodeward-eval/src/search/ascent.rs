//! Coordinate ascent: changes one number at a time while the objective improves.

use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;

/// Improvements below this end the search.
const MIN_GAIN: f64 = 1e-6;

/// Maximum number of rounds over all numbers.
const MAX_ROUNDS: usize = 12;

/// Returns numbers with a high objective. `moves` lists the values to try for a number, given its
/// place and its current value.
pub(super) fn ascend(
    mut numbers: Vec<f64>,
    seed: u64,
    moves: impl Fn(usize, f64) -> Vec<f64>,
    mut objective: impl FnMut(&[f64]) -> f64,
) -> Vec<f64> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut best = objective(&numbers);
    for _ in 0..MAX_ROUNDS {
        let before = best;
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.shuffle(&mut rng);
        for at in order {
            let mut chosen = numbers[at];
            for value in moves(at, chosen) {
                numbers[at] = value;
                let reached = objective(&numbers);
                if reached > best + MIN_GAIN {
                    (best, chosen) = (reached, value);
                }
            }
            numbers[at] = chosen;
        }
        if best - before <= MIN_GAIN {
            break;
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_of_a_smooth_function_is_found() {
        let objective = |numbers: &[f64]| -(numbers[0] - 0.3).powi(2) - (numbers[1] - 0.7).powi(2);
        let moves = |_, value: f64| [-0.1, -0.02, 0.02, 0.1].map(|step| value + step).to_vec();

        let found = ascend(vec![0.0, 0.0], 1, moves, objective);

        assert!((found[0] - 0.3).abs() < 0.02 && (found[1] - 0.7).abs() < 0.02, "{found:?}");
    }
}
