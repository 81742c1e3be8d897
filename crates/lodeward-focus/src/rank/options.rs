//! Options of rankers.

use super::hops::HopCount;
use super::ranker_kind::RankerKind;
use super::walk::WalkTransition;

/// Options of rankers.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingOptions {
    /// The ranker; `None` (`auto`) if it is selected from the properties of the seeds.
    pub ranker: Option<RankerKind>,
    /// Maximum number of links between a candidate and a seed; `None` if it is selected from the
    /// properties of the seeds.
    pub max_hops: Option<HopCount>,
    /// IRIs of entities that are candidates as if a seed linked to them: results of a search.
    pub found: Vec<String>,
    /// Whether the crawl has a budget. If so, more distant candidates are allowed, because they are
    /// fetched only if they rank high.
    pub is_budgeted: bool,
    /// How the weight of a seed is computed from its centrality.
    pub attrition: Attrition,
    /// How `ejsim` and `ejsim+` compare texts.
    pub jaccard: JaccardMode,
    /// Which texts are compared, for rankers that compare texts.
    pub texts: TextScope,
    /// Options of Katz centrality.
    pub katz: KatzOptions,
    /// Distance assumed for two seeds that are connected by no path, or only by a longer one.
    pub path_max: HopCount,
    /// Options of the neighbourhoods of `njsim`.
    pub rings: RingOptions,
    /// Probability that a walk of `pagerank` or `ppr` continues (d).
    pub damping: f64,
    /// Which links the walks of `pagerank` and `ppr` follow.
    pub steps: WalkTransition,
}

impl Default for RankingOptions {
    fn default() -> Self {
        Self {
            ranker: None,
            max_hops: None,
            found: Vec::new(),
            is_budgeted: false,
            attrition: Attrition::Intent,
            jaccard: JaccardMode::Set,
            texts: TextScope::WithNeighbours,
            katz: KatzOptions::default(),
            path_max: 8,
            rings: RingOptions::default(),
            damping: 0.85,
            steps: WalkTransition::Both,
        }
    }
}

/// How the weight of a seed is computed from its centrality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attrition {
    /// Less central seeds have more weight, as the paper describes in its text.
    Intent,
    /// More central seeds have more weight, as in the authors' program.
    Published,
    /// All seeds have the same weight.
    Off,
}

/// How two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JaccardMode {
    /// As sets of terms, as in the formulas of the paper.
    Set,
    /// As multisets of terms (Σ min / Σ max), as in the authors' program.
    Multiset,
}

/// Which texts are treated as the text of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextScope {
    /// The texts of the entity itself.
    Own,
    /// The texts of the entity and of its neighbours, in either direction. Labels alone are too short
    /// to compare; for entities with longer texts, the texts of neighbours do not impair the ranking.
    WithNeighbours,
}

/// Options of Katz centrality (eq. 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KatzOptions {
    /// Weight of a walk, as a multiple of the weight of a walk with one step less (α).
    pub alpha: f64,
    /// Length of the longest walks that are counted.
    pub length: u8,
}

impl Default for KatzOptions {
    fn default() -> Self {
        Self { alpha: 0.05, length: 5 }
    }
}

/// Options of neighbourhoods, which are rings of entities at the same distance (eq. 6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingOptions {
    /// Weight of a ring, as a multiple of the weight of the next inner ring (α).
    pub alpha: f64,
    /// Number of the outermost ring (τ).
    pub length: u8,
}

impl Default for RingOptions {
    fn default() -> Self {
        Self { alpha: 0.7, length: 2 }
    }
}
