//! Fetches the URIs that a trained classifier accepts.

use rand::rngs::SmallRng;

use super::{Classifier, THRESHOLD, TrainedModel};
use crate::frontier::{Lease, Offer, QueueEntry};
use crate::model::{Link, Verdict, VerdictAction};
use crate::select::ldcoc::{LdcocFeatures, LdcocInput};
use crate::select::{Decision, Judgement, LinkContext, RequestResult, Strategy};

/// Maximum number of feature names stored.
const MAX_NAMES: usize = 65_536;

/// The strategies `nb`, `svm` and `knn`: LDCOC (Alg. 2) with a classifier that was trained before
/// the crawl, does not learn, and does not explore.
pub struct OfflineStrategy {
    model: TrainedModel,
    extractor: LdcocFeatures,
}

impl OfflineStrategy {
    /// Creates a strategy with a model.
    #[must_use]
    pub fn new(model: TrainedModel) -> Self {
        let extractor = LdcocFeatures::new(model.features, model.bits, MAX_NAMES);
        Self { model, extractor }
    }

    fn verdict(&self, action: VerdictAction, features: &[u32]) -> Verdict {
        let weighed = features.iter().map(|&feature| (feature, self.model.weight(feature)));
        Verdict::new(action, self.model.score(features), weighed)
    }
}

impl Strategy for OfflineStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.extractor.offer_links(found, links, rng)
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let (action, decision, features) = match self.extractor.classify(lease) {
            LdcocInput::Settled(judgement) => return judgement,
            LdcocInput::Requested(features) => (VerdictAction::Requested, Decision::Fetch, features),
            LdcocInput::Hard(features) if self.model.score(&features) > THRESHOLD => {
                (VerdictAction::Predicted, Decision::Fetch, features)
            }
            LdcocInput::Hard(features) => (VerdictAction::Skipped, Decision::Skip, features),
        };
        Judgement { decision, verdict: Some(self.verdict(action, &features)) }
    }

    /// Remembers whether the URI had RDF, for the features of its siblings. The classifier does not learn.
    fn learn(&mut self, result: &RequestResult<'_>) {
        self.extractor.training_example(result);
    }

    fn explain(&self, candidate: &QueueEntry) -> Option<Verdict> {
        Some(self.verdict(VerdictAction::None, &candidate.features.0))
    }

    fn feature_name(&self, feature: u32) -> Option<&str> {
        self.extractor.feature_name(feature)
    }
}
