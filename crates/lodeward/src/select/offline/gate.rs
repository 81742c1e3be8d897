//! A crawl that visits what a classifier says.

use rand::rngs::SmallRng;

use super::{Classifier, Model, THRESHOLD};
use crate::frontier::Offer;
use crate::model::{Candidate, Link, Visit};
use crate::select::ldcoc::{Look, Sight};
use crate::select::{Action, Decision, Found, Judgement, Lesson, Strategy, Verdict};

/// Names of features that are remembered, to explain with.
const NAMES_MAX: usize = 65_536;

/// The strategies `nb`, `svm` and `knn`: LDCOC (Alg. 2) with a classifier that
/// was trained before, never learns, and takes no chances with what it predicts to
/// be barren.
pub struct Offline {
    model: Model,
    sight: Sight,
}

impl Offline {
    /// Crawls with a model.
    #[must_use]
    pub fn new(model: Model) -> Self {
        let sight = Sight::new(model.features, model.bits, NAMES_MAX);
        Self { model, sight }
    }

    fn verdict(&self, action: Action, features: &[u32]) -> Verdict {
        let weighed = features.iter().map(|&feature| (feature, self.model.weight(feature)));
        Verdict::new(action, self.model.score(features), weighed)
    }
}

impl Strategy for Offline {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.sight.place(found, links, rng)
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let (action, decision, features) = match self.sight.look(visit) {
            Look::Settled(judgement) => return judgement,
            Look::Given(features) => (Action::Given, Decision::Fetch, features),
            Look::Hard(features) if self.model.score(&features) > THRESHOLD => {
                (Action::Predicted, Decision::Fetch, features)
            }
            Look::Hard(features) => (Action::Skipped, Decision::Skip, features),
        };
        Judgement { decision, verdict: Some(self.verdict(action, &features)) }
    }

    /// Nothing is learned but what URIs turned out to be, which features of their
    /// siblings tell.
    fn learn(&mut self, lesson: &Lesson<'_>) {
        self.sight.lesson(lesson);
    }

    fn explain(&self, candidate: &Candidate) -> Option<Verdict> {
        Some(self.verdict(Action::None, &candidate.features.0))
    }

    fn name_of(&self, feature: u32) -> Option<&str> {
        self.sight.name_of(feature)
    }
}
