//! Names the rankers, and creates a ranker of each kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Ranker;
use super::feedback::FeedbackRanker;
use super::hybrid::HybridRanker;
use super::jaccard::EntityJaccard;
use super::naive_bayes::NaiveBayesRanker;
use super::njsim::NeighbourhoodJaccard;
use super::options::RankingOptions;
use super::pagerank::PageRank;

/// Declares the kinds of rankers, with the name of each and what it ranks by.
macro_rules! ranker_kinds {
    ($($Kind:ident = $name:literal: $description:literal,)+) => {
        /// The kind of a ranker.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum RankerKind {
            $(#[doc = $description] #[serde(rename = $name)] $Kind,)+
        }

        impl RankerKind {
            /// All rankers.
            pub const ALL: &[Self] = &[$(Self::$Kind,)+];

            /// Name of the ranker.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Kind => $name,)+ }
            }

            /// What the ranker ranks by.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$Kind => $description,)+ }
            }
        }
    };
}

ranker_kinds! {
    Hybrid = "hybrid": "Links, walks and texts together",
    EjsimPlus = "ejsim+": "Texts, with seeds weighted by attrition (DURAARK)",
    Ejsim = "ejsim": "Texts",
    Njsim = "njsim": "Neighbourhoods",
    Pagerank = "pagerank": "PageRank, independent of the seeds",
    Ppr = "ppr": "Personalised PageRank from the seeds",
    Feedback = "feedback": "`hybrid`, adjusted by the candidates that were kept and dropped",
    Nb = "nb": "Naive Bayes, trained on the candidates that were kept and dropped",
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
        RankerKind::Feedback => Box::new(FeedbackRanker),
        RankerKind::Nb => Box::new(NaiveBayesRanker::new(options)),
    }
}
