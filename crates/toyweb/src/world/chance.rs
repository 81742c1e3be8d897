//! Chance that is a function of a place.
//!
//! Every decision about a host, document or link is drawn from a stream that
//! starts at (seed, what is decided, where), so that it can be made again at
//! any time, in any order, without remembering anything. The generator is
//! `SplitMix64`, written out here because a library's may change its stream
//! between versions, and with it every recorded result.

/// What a stream of chance decides; keeps streams about one place apart.
#[derive(Clone, Copy)]
pub(crate) enum Matter {
    Site = 1,
    Plan,
    Links,
    Anchors,
    Content,
    Text,
    Style,
    Share,
    Section,
    Revision,
    Validators,
    /// The nodes of an ORCA world, and how they link.
    Cloud,
    /// The statements of one node.
    Graph,
    /// What one node is like besides.
    Manner,
    /// Which requests fail.
    Failure,
}

/// A stream of chance.
#[derive(Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    /// The stream that decides this matter for this document.
    pub(crate) fn of(seed: u64, matter: Matter, site: u32, number: u32) -> Self {
        let mut chance = Self(seed ^ (matter as u64) << 56);
        let place = u64::from(site) << 32 | u64::from(number);
        chance.0 = chance.bits() ^ place;
        chance.0 = chance.bits();
        chance
    }

    /// Sixty-four even bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// An even number below `bound`, or 0 when there is none.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// An even number from `min` to `max`, both included.
    pub(crate) fn between(&mut self, min: u32, max: u32) -> u32 {
        min + self.below(max.saturating_sub(min).saturating_add(1))
    }

    /// An even number in [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something happens that happens in this share of cases.
    pub(crate) fn happens(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A share drawn around a mean. `spread` is the correlation of two things
    /// that have the share in common: with 0 every share is the mean, with 1
    /// every share is all or nothing. (A beta distribution, by Jöhnk's method.)
    pub(crate) fn share(&mut self, mean: f64, spread: f64) -> f64 {
        if spread <= 0.0 || mean <= 0.0 || mean >= 1.0 {
            return mean;
        }
        let sum = (1.0 - spread) / spread;
        // Narrow distributions reject most draws, and are nearly their mean.
        for _ in 0..64 {
            let (one, other) = (self.unit().powf(1.0 / (mean * sum)), self.unit().powf(1.0 / ((1.0 - mean) * sum)));
            if one + other > 0.0 && one + other <= 1.0 {
                return one / (one + other);
            }
            if one + other <= 0.0 {
                // Both are too small to be told apart: all or nothing.
                return f64::from(u8::from(self.happens(mean)));
            }
        }
        mean
    }

    /// One of several.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        let bound = u32::try_from(choices.len()).expect("a short table");
        choices[self.below(bound) as usize]
    }

    /// A size with this least, mean and largest value: exponential above the
    /// least, since most documents are small and a few are not.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two 32-bit numbers")]
    pub(crate) fn size(&mut self, min: u32, mean: u32, max: u32) -> u32 {
        let above = -(1.0 - self.unit()).ln() * f64::from(mean.saturating_sub(min));
        (f64::from(min) + above).min(f64::from(max)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_matter_and_place_alone() {
        let draw = |seed, matter, site, number| Chance::of(seed, matter, site, number).bits();

        assert_eq!(draw(1, Matter::Plan, 2, 3), draw(1, Matter::Plan, 2, 3));
        let others = [draw(2, Matter::Plan, 2, 3), draw(1, Matter::Links, 2, 3), draw(1, Matter::Plan, 3, 2)];
        assert!(!others.contains(&draw(1, Matter::Plan, 2, 3)));
    }

    #[test]
    fn shares_keep_their_mean_and_spread_as_they_are_asked() {
        let mut chance = Chance::of(7, Matter::Share, 0, 0);
        for (mean, spread) in [(0.3, 0.0), (0.3, 0.3), (0.4, 0.7), (0.5, 0.99), (0.2, 1.0)] {
            let shares: Vec<f64> = (0..20_000).map(|_| chance.share(mean, spread)).collect();

            let found = shares.iter().sum::<f64>() / 20_000.0;
            let variance = shares.iter().map(|share| (share - found).powi(2)).sum::<f64>() / 20_000.0;
            assert!((found - mean).abs() < 0.02, "{mean} {spread}: {found}");
            assert!((variance / (mean * (1.0 - mean)) - spread).abs() < 0.03, "{mean} {spread}: {variance}");
        }
    }

    #[test]
    fn sizes_keep_their_bounds_and_nearly_their_mean() {
        let mut chance = Chance::of(7, Matter::Plan, 0, 0);
        let sizes: Vec<u32> = (0..10_000).map(|_| chance.size(5_000, 12_000, 50_000)).collect();

        assert!(sizes.iter().all(|size| (5_000..=50_000).contains(size)));
        let mean = sizes.iter().map(|size| u64::from(*size)).sum::<u64>() / 10_000;
        assert!((11_500..12_500).contains(&mean), "{mean}");
    }
}
