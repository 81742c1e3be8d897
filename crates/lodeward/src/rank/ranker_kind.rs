//! Names the rankers, and creates a ranker of each kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Ranker;
use super::hybrid::HybridRanker;
use super::jaccard::EntityJaccard;
use super::naive_bayes::NaiveBayesRanker;
use super::njsim::NeighbourhoodJaccard;
use super::options::RankingOptions;
use super::pagerank::PageRank;

/// The kind of a ranker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RankerKind {
    /// Links, walks and texts combined (this project).
    #[serde(rename = "hybrid")]
    Hybrid,
    /// Similarity of texts, with seeds weighted by attrition.
    #[serde(rename = "ejsim+")]
    EjsimPlus,
    /// Similarity of texts.
    #[serde(rename = "ejsim")]
    Ejsim,
    /// Similarity of neighbourhoods.
    #[serde(rename = "njsim")]
    Njsim,
    /// `PageRank`, independent of the seeds.
    #[serde(rename = "pagerank")]
    Pagerank,
    /// Personalised `PageRank` from the seeds.
    #[serde(rename = "ppr")]
    Ppr,
    /// Naive Bayes, trained on marks.
    #[serde(rename = "nb")]
    Nb,
}

impl RankerKind {
    /// All rankers.
    pub const ALL: &[Self] =
        &[Self::Hybrid, Self::EjsimPlus, Self::Ejsim, Self::Njsim, Self::Pagerank, Self::Ppr, Self::Nb];

    /// Name of the ranker.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::EjsimPlus => "ejsim+",
            Self::Ejsim => "ejsim",
            Self::Njsim => "njsim",
            Self::Pagerank => "pagerank",
            Self::Ppr => "ppr",
            Self::Nb => "nb",
        }
    }
}

impl fmt::Display for RankerKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for RankerKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|kind| kind.name() == name);
        known.copied().ok_or_else(|| format!("`{name}` is not one of {}", names()))
    }
}

fn names() -> String {
    RankerKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// Creates a ranker.
#[must_use]
pub(crate) fn build_ranker(kind: RankerKind, options: &RankingOptions) -> Box<dyn Ranker> {
    match kind {
        RankerKind::Hybrid => Box::new(HybridRanker),
        RankerKind::EjsimPlus => Box::new(EntityJaccard::new(options, true)),
        RankerKind::Ejsim => Box::new(EntityJaccard::new(options, false)),
        RankerKind::Njsim => Box::new(NeighbourhoodJaccard::new(options)),
        RankerKind::Pagerank => Box::new(PageRank::new(options)),
        RankerKind::Ppr => Box::new(PageRank::personalised(options)),
        RankerKind::Nb => Box::new(NaiveBayesRanker::new(options)),
    }
}
