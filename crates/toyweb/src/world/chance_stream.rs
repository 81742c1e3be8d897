//! Reproducible random numbers.
//!
//! Every decision about a host, document or link is drawn from a stream that starts at (seed, topic, position). So it
//! can be repeated at any time and in any order without state. The generator is `SplitMix64`. It is implemented here
//! because a library may change its stream between versions, and with it every recorded result.

/// The topic of a random stream; separates the streams of one position.
#[derive(Clone, Copy)]
pub(crate) enum ChanceTopic {
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
    /// The nodes of an ORCA world and the links between them.
    Cloud,
    /// The statements of one node.
    Graph,
    /// The other properties of one node.
    NodeStyle,
    /// The requests that fail.
    Failure,
}

/// A stream of random numbers.
#[derive(Clone)]
pub(crate) struct ChanceStream(u64);

impl ChanceStream {
    /// The stream for this topic and this document.
    pub(crate) fn new(seed: u64, topic: ChanceTopic, site: u32, number: u32) -> Self {
        let mut chance = Self(seed ^ (topic as u64) << 56);
        let position = u64::from(site) << 32 | u64::from(number);
        chance.0 = chance.next_u64() ^ position;
        chance.0 = chance.next_u64();
        chance
    }

    /// Sixty-four uniform bits.
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A uniform number below `bound`, or 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A uniform number from `min` to `max`, both included.
    pub(crate) fn between(&mut self, min: u32, max: u32) -> u32 {
        min + self.below(max.saturating_sub(min).saturating_add(1))
    }

    /// A uniform number in [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub(crate) fn bernoulli(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A share drawn around a mean. `spread` is the correlation of two items with the same share: with 0 every share is
    /// the mean, with 1 every share is 0 or 1. (A beta distribution, by Jöhnk's method.)
    pub(crate) fn draw_share(&mut self, mean: f64, spread: f64) -> f64 {
        if spread <= 0.0 || mean <= 0.0 || mean >= 1.0 {
            return mean;
        }
        let sum = (1.0 - spread) / spread;
        // For a narrow distribution, most draws are rejected. After 64 of them the mean is returned, which is close
        // enough.
        for _ in 0..64 {
            let (one, other) = (self.unit().powf(1.0 / (mean * sum)), self.unit().powf(1.0 / ((1.0 - mean) * sum)));
            if one + other > 0.0 && one + other <= 1.0 {
                return one / (one + other);
            }
            if one + other <= 0.0 {
                // Both powers underflow to 0, so the share is close to 0 or 1.
                return f64::from(u8::from(self.bernoulli(mean)));
            }
        }
        mean
    }

    /// One of the choices, uniformly.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        let bound = u32::try_from(choices.len()).expect("there are fewer than 2^32 choices");
        choices[self.below(bound) as usize]
    }

    /// A size with this minimum, mean and maximum: exponential above the minimum, because most documents are small.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the size is at most `max`, a u32")]
    pub(crate) fn draw_size(&mut self, min: u32, mean: u32, max: u32) -> u32 {
        let above = -(1.0 - self.unit()).ln() * f64::from(mean.saturating_sub(min));
        (f64::from(min) + above).min(f64::from(max)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_topic_and_position_alone() {
        let draw = |seed, topic, site, number| ChanceStream::new(seed, topic, site, number).next_u64();

        assert_eq!(draw(1, ChanceTopic::Plan, 2, 3), draw(1, ChanceTopic::Plan, 2, 3));
        let others =
            [draw(2, ChanceTopic::Plan, 2, 3), draw(1, ChanceTopic::Links, 2, 3), draw(1, ChanceTopic::Plan, 3, 2)];
        assert!(!others.contains(&draw(1, ChanceTopic::Plan, 2, 3)));
    }

    #[test]
    fn shares_have_the_requested_mean_and_spread() {
        let mut chance = ChanceStream::new(7, ChanceTopic::Share, 0, 0);
        for (mean, spread) in [(0.3, 0.0), (0.3, 0.3), (0.4, 0.7), (0.5, 0.99), (0.2, 1.0)] {
            let shares: Vec<f64> = (0..20_000).map(|_| chance.draw_share(mean, spread)).collect();

            let found = shares.iter().sum::<f64>() / 20_000.0;
            let variance = shares.iter().map(|share| (share - found).powi(2)).sum::<f64>() / 20_000.0;
            assert!((found - mean).abs() < 0.02, "{mean} {spread}: {found}");
            assert!((variance / (mean * (1.0 - mean)) - spread).abs() < 0.03, "{mean} {spread}: {variance}");
        }
    }

    #[test]
    fn sizes_stay_within_bounds_and_near_their_mean() {
        let mut chance = ChanceStream::new(7, ChanceTopic::Plan, 0, 0);
        let sizes: Vec<u32> = (0..10_000).map(|_| chance.draw_size(5_000, 12_000, 50_000)).collect();

        assert!(sizes.iter().all(|size| (5_000..=50_000).contains(size)));
        let mean = sizes.iter().map(|size| u64::from(*size)).sum::<u64>() / 10_000;
        assert!((11_500..12_500).contains(&mean), "{mean}");
    }
}
