//! Options of the strategies; creates a strategy from them.

use std::path::PathBuf;

use super::baselines::heuristic::HeuristicStrategy;
use super::baselines::nb_online::NbOnlineStrategy;
use super::baselines::offline::{ClassifierKind, OfflineStrategy};
use super::breadth_first::BreadthFirstStrategy;
use super::ldcoc::{FeatureSet, LdcocOptions, LdcocStrategy};
use super::learned::{LearnedOptions, LearnedStrategy};
use super::link_analysis::LinkAnalysisStrategy;
use super::{Strategy, StrategyError};

/// A strategy and its options. `FocusStrategy` is created by itself: it starts from the seeds.
#[derive(Clone, Debug)]
pub enum StrategyOptions {
    /// Breadth first.
    BreadthFirst,
    /// One online model of all evidence.
    Learned(LearnedOptions),
    /// LDCOC.
    Ldcoc(LdcocOptions),
    /// Link analysis.
    LinkAnalysis(LinkAnalysisOptions),
    /// Rules on names and media types.
    Heuristic,
    /// An online naive Bayes model, with a bandit over domains.
    NbOnline,
    /// A classifier that was trained before the crawl.
    Offline {
        /// Its kind.
        kind: ClassifierKind,
        /// The feature sets with which it must have been trained.
        features: FeatureSet,
    },
}

/// Options of the strategy `link-analysis`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkAnalysisOptions {
    /// Directory of term lists that extend the bundled ones: `terms.txt`, `media-types.txt` and
    /// `extensions.txt`, some of which may be missing.
    pub term_lists_dir: Option<PathBuf>,
    /// Whether pages with embedded RDF join `S_HR`, too. The paper's rule considers only RDF files linked
    /// from pages, and so rarely applies where RDF is embedded (docs/algorithms.md §2c).
    pub learn_from_embedded: bool,
}

impl StrategyOptions {
    /// Creates the strategy with a stored model, or untrained if `model` is `None`.
    pub fn build(self, model: Option<&[u8]>) -> Result<Box<dyn Strategy>, StrategyError> {
        Ok(match self {
            Self::BreadthFirst => Box::new(BreadthFirstStrategy),
            Self::Learned(options) => Box::new(LearnedStrategy::new(options, model)?),
            Self::Ldcoc(options) => Box::new(LdcocStrategy::new(options, model)?),
            Self::LinkAnalysis(options) => Box::new(LinkAnalysisStrategy::new(&options, model)?),
            Self::Heuristic => Box::new(HeuristicStrategy),
            Self::NbOnline => Box::new(NbOnlineStrategy::with_model(model)?),
            Self::Offline { kind, features } => Box::new(OfflineStrategy::with_model(kind, features, model)?),
        })
    }
}
