//! How entities are ranked: everything that can be chosen.

use super::hops::Hop;
use super::kind::RankerKind;
use super::walk::Steps;

/// How entities are ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// By whom; `None` for whoever suits the seeds.
    pub ranker: Option<RankerKind>,
    /// Entities up to this many links from a seed are candidates; `None` for as
    /// many as suit the seeds.
    pub depth: Option<Hop>,
    /// Whether what a crawl may spend is bounded, so that it may look farther:
    /// whoever is far away has its turn only if it ranks high.
    pub is_budgeted: bool,
    /// How the weight of a seed follows from its centrality.
    pub attrition: Attrition,
    /// How `ejsim` and `ejsim+` compare texts.
    pub jaccard: Jaccard,
    /// What the text of an entity is, for rankers that compare texts.
    pub texts: TextScope,
    /// Katz centrality.
    pub katz: Katz,
    /// Two seeds that nothing connects, or only a longer path, count as this far
    /// from each other.
    pub path_max: Hop,
    /// Neighbourhoods, as `njsim` compares them.
    pub rings: Rings,
    /// With which probability `pagerank` and `ppr` go on walking (d).
    pub damping: f64,
    /// How they walk.
    pub steps: Steps,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ranker: None,
            depth: None,
            is_budgeted: false,
            attrition: Attrition::Intent,
            jaccard: Jaccard::Set,
            texts: TextScope::WithNeighbours,
            katz: Katz::default(),
            path_max: 8,
            rings: Rings::default(),
            damping: 0.85,
            steps: Steps::Both,
        }
    }
}

/// How the weight of a seed follows from its centrality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attrition {
    /// The less central, the heavier: as the text of the paper has it.
    Intent,
    /// As the authors' program has it, which is the other way round.
    Published,
    /// All seeds weigh the same.
    Off,
}

/// How two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jaccard {
    /// As sets of terms, as printed.
    Set,
    /// As multisets (Σ min / Σ max), as the authors' program does.
    Multiset,
}

/// What the text of an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextScope {
    /// What is said of itself.
    Own,
    /// That, and what is said of whoever is one link away, in either direction.
    /// Labels alone are too little to compare, and on entities that have more
    /// than labels it does no harm.
    WithNeighbours,
}

/// Katz centrality (eq. 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Katz {
    /// How much less a walk counts with each of its steps (α).
    pub alpha: f64,
    /// The steps of the longest walks that are counted.
    pub length: u8,
}

impl Default for Katz {
    fn default() -> Self {
        Self { alpha: 0.05, length: 5 }
    }
}

/// Neighbourhoods as rings (eq. 6): who is exactly so many links away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rings {
    /// How much less a ring counts than the one within it (α).
    pub alpha: f64,
    /// The farthest ring (τ).
    pub length: u8,
}

impl Default for Rings {
    fn default() -> Self {
        Self { alpha: 0.7, length: 2 }
    }
}
