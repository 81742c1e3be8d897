//! What became of predictions so far, to explain with.

use serde::{Deserialize, Serialize};

use super::class::{Class, Evidence, Heuristic};

/// How many documents had a class or a heuristic, and how many of them held RDF.
///
/// The paper's priorities do not depend on it: it is what makes a class into a
/// probability, where one is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tally {
    classes: [Count; Class::ALL.len()],
    heuristics: [Count; Heuristic::ALL.len()],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    rdf: u32,
    all: u32,
}

impl Count {
    fn note(&mut self, is_rdf: bool) {
        self.all = self.all.saturating_add(1);
        self.rdf = self.rdf.saturating_add(u32::from(is_rdf));
    }

    /// The share of RDF, after Laplace: one half before anything is known.
    #[expect(clippy::cast_possible_truncation, reason = "a share needs no more")]
    fn share(self) -> f32 {
        ((f64::from(self.rdf) + 1.0) / (f64::from(self.all) + 2.0)) as f32
    }
}

impl Tally {
    pub(super) fn note(&mut self, class: Class, evidence: Evidence, is_rdf: bool) {
        self.classes[class as usize].note(is_rdf);
        for heuristic in evidence.iter() {
            self.heuristics[heuristic as usize].note(is_rdf);
        }
    }

    /// The share of RDF among documents that were predicted to be of a class.
    pub(super) fn share(&self, class: Class) -> f32 {
        self.classes[class as usize].share()
    }

    /// The odds of RDF among documents that a heuristic spoke for.
    pub(super) fn log_odds(&self, heuristic: Heuristic) -> f32 {
        let share = self.heuristics[heuristic as usize].share();
        (share / (1.0 - share)).ln()
    }
}
