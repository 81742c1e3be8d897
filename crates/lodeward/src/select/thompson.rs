//! Thompson sampling: explores by sampling from the posterior distribution.

use rand::Rng;

/// Samples from Beta(good + 1, bad + 1): the posterior of a success rate, after `good` successes
/// and `bad` failures.
pub(crate) fn sample_beta(good: u32, bad: u32, rng: &mut impl Rng) -> f32 {
    let (one, other) = (sample_gamma(f64::from(good) + 1.0, rng), sample_gamma(f64::from(bad) + 1.0, rng));
    #[expect(clippy::cast_possible_truncation, reason = "the precision of f32 suffices for a share")]
    let share = (one / (one + other)) as f32;
    share
}

/// Samples from Gamma(shape, 1), for shapes of at least 1: Marsaglia and Tsang, "A simple method
/// for generating gamma variables" (2000).
#[expect(clippy::many_single_char_names, reason = "the variables have the names of the paper")]
fn sample_gamma(shape: f64, rng: &mut impl Rng) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = sample_normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v <= 0.0 {
            continue;
        }
        let u: f64 = 1.0 - rng.random::<f64>();
        if u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// Samples from the standard normal distribution: Marsaglia's polar method.
pub(crate) fn sample_normal(rng: &mut impl Rng) -> f64 {
    loop {
        let (x, y) = (rng.random_range(-1.0..1.0_f64), rng.random_range(-1.0..1.0_f64));
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// Samples approximately from the standard normal distribution: the sum of four uniform samples.
/// Fast enough for every candidate.
pub(crate) fn sample_approx_normal(rng: &mut impl Rng) -> f32 {
    let sum: f32 = (0..4).map(|_| rng.random_range(-1.0..1.0_f32)).sum();
    // Each sample has a variance of a third.
    sum * 0.75_f32.sqrt()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    use super::*;

    const DRAWS: u32 = 20_000;

    #[test]
    fn samples_have_the_mean_and_variance_of_the_beta_distribution() {
        let mut rng = SmallRng::seed_from_u64(1);
        for (good, bad) in [(0, 0), (3, 0), (0, 9), (40, 10), (1_000, 3_000)] {
            let draws: Vec<f64> = (0..DRAWS).map(|_| f64::from(sample_beta(good, bad, &mut rng))).collect();

            let (a, b) = (f64::from(good) + 1.0, f64::from(bad) + 1.0);
            let mean = a / (a + b);
            let variance = mean * (1.0 - mean) / (a + b + 1.0);
            let found_mean = draws.iter().sum::<f64>() / f64::from(DRAWS);
            let found_variance = draws.iter().map(|draw| (draw - found_mean).powi(2)).sum::<f64>() / f64::from(DRAWS);
            // Five standard errors of the mean, and a tenth of the variance.
            assert!(
                (found_mean - mean).abs() < 5.0 * (variance / f64::from(DRAWS)).sqrt(),
                "{good} {bad}: {found_mean}"
            );
            assert!((found_variance / variance - 1.0).abs() < 0.1, "{good} {bad}: {found_variance}");
            assert!(draws.iter().all(|draw| (0.0..=1.0).contains(draw)));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_samples() {
        let draw = || sample_beta(3, 4, &mut SmallRng::seed_from_u64(7)).to_bits();

        assert_eq!(draw(), draw());
    }
}
