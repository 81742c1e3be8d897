//! Counts results of predictions, to explain verdicts.

use serde::{Deserialize, Serialize};

use super::class::{FiredHeuristics, Heuristic, LinkClass};

/// Number of documents by class and by heuristic, and how many of them had RDF.
///
/// The paper's priorities do not depend on these counts. They are used in explanations, to convert
/// a class to a probability.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PredictionTally {
    classes: [RdfCount; LinkClass::ALL.len()],
    heuristics: [RdfCount; Heuristic::ALL.len()],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RdfCount {
    rdf: u32,
    all: u32,
}

impl RdfCount {
    fn record(&mut self, is_rdf: bool) {
        self.all = self.all.saturating_add(1);
        self.rdf = self.rdf.saturating_add(u32::from(is_rdf));
    }

    /// The share of RDF with Laplace smoothing: one half without data.
    #[expect(clippy::cast_possible_truncation, reason = "the precision of f32 suffices for a share")]
    fn rdf_share(self) -> f32 {
        ((f64::from(self.rdf) + 1.0) / (f64::from(self.all) + 2.0)) as f32
    }
}

impl PredictionTally {
    pub(super) fn record(&mut self, class: LinkClass, evidence: FiredHeuristics, is_rdf: bool) {
        self.classes[class as usize].record(is_rdf);
        for heuristic in evidence.iter() {
            self.heuristics[heuristic as usize].record(is_rdf);
        }
    }

    /// The share of RDF among documents predicted to be of a class.
    pub(super) fn rdf_share(&self, class: LinkClass) -> f32 {
        self.classes[class as usize].rdf_share()
    }

    /// The log odds of RDF among documents for which a heuristic fired.
    pub(super) fn log_odds(&self, heuristic: Heuristic) -> f32 {
        let share = self.heuristics[heuristic as usize].rdf_share();
        (share / (1.0 - share)).ln()
    }
}
