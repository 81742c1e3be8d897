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

    fn log_odds(self) -> f32 {
        let share = self.rdf_share();
        (share / (1.0 - share)).ln()
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
        self.heuristics[heuristic as usize].log_odds()
    }

    /// The log odds of RDF among documents predicted to be of a class.
    pub(super) fn class_log_odds(&self, class: LinkClass) -> f32 {
        self.classes[class as usize].log_odds()
    }

    /// Number of documents predicted to be of a class: with RDF, and all.
    pub(super) fn class_counts(&self, class: LinkClass) -> (u32, u32) {
        let RdfCount { rdf, all } = self.classes[class as usize];
        (rdf, all)
    }

    /// Heuristics that have fired, with their log odds, the largest first.
    pub(super) fn fired_heuristics(&self) -> Vec<(Heuristic, f32)> {
        let fired = Heuristic::ALL.iter().filter(|heuristic| self.heuristics[**heuristic as usize].all > 0);
        let mut fired: Vec<_> = fired.map(|heuristic| (*heuristic, self.log_odds(*heuristic))).collect();
        fired.sort_by(|one, other| other.1.total_cmp(&one.1));
        fired
    }
}
