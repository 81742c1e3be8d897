//! The order in which a frontier visits domains.

/// Order of domains, among those that are not rate-limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DomainOrder {
    /// One URI per domain and round, as in LDCOC's Algorithm 2 and in LDSpider.
    #[default]
    RoundRobin,
    /// The domain with the best candidate, which gains 0.24–0.34 AUC (docs/algorithms.md §2c).
    BestFirst,
    /// The domain with the highest sampled score, as in Anthelion's bandit. All domains are sampled
    /// for each lease, so the cost grows with their number.
    Sampled,
    /// Strictly hop by hop, and within a hop one URI per domain and round: no URI of a hop is
    /// leased before the previous hop is finished. For strategies whose priorities are hops
    /// (`breadth_first::depth_priority`).
    Hops,
}

impl DomainOrder {
    /// Whether waiting entries are scored again as the strategy learns.
    #[must_use]
    pub(crate) fn is_scored(self) -> bool {
        matches!(self, Self::BestFirst | Self::Sampled)
    }
}
