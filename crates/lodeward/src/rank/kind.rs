//! The rankers by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Ranker;
use super::bayes::NaiveBayes;
use super::hybrid::Hybrid;
use super::jaccard::EntityJaccard;
use super::njsim::NeighbourhoodJaccard;
use super::options::Options;
use super::pagerank::PageRank;

/// Who ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RankerKind {
    /// Links, walks and texts together (ours).
    #[serde(rename = "hybrid")]
    Hybrid,
    /// Texts, seeds weighed by their attrition.
    #[serde(rename = "ejsim+")]
    EjsimPlus,
    /// Texts.
    #[serde(rename = "ejsim")]
    Ejsim,
    /// Neighbourhoods.
    #[serde(rename = "njsim")]
    Njsim,
    /// `PageRank`, whatever the seeds.
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
    /// All of them.
    pub const ALL: &[Self] =
        &[Self::Hybrid, Self::EjsimPlus, Self::Ejsim, Self::Njsim, Self::Pagerank, Self::Ppr, Self::Nb];

    /// Its name.
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
        known.copied().ok_or_else(|| format!("`{name}` is none of {}", names()))
    }
}

fn names() -> String {
    RankerKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// The ranker of a name.
#[must_use]
pub fn build(kind: RankerKind, options: &Options) -> Box<dyn Ranker> {
    match kind {
        RankerKind::Hybrid => Box::new(Hybrid),
        RankerKind::EjsimPlus => Box::new(EntityJaccard::new(options, true)),
        RankerKind::Ejsim => Box::new(EntityJaccard::new(options, false)),
        RankerKind::Njsim => Box::new(NeighbourhoodJaccard::new(options)),
        RankerKind::Pagerank => Box::new(PageRank::new(options)),
        RankerKind::Ppr => Box::new(PageRank::personalised(options)),
        RankerKind::Nb => Box::new(NaiveBayes::new(options)),
    }
}
