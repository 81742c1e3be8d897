//! Fetches the URIs that a trained classifier accepts.

use rand::rngs::SmallRng;

use super::{Classifier, ClassifierKind, THRESHOLD, TrainedModel};
use crate::frontier::{Lease, Offer, QueueEntry};
use crate::model::{Link, Verdict, VerdictAction};
use crate::select::ldcoc::{FeatureSet, LdcocFeatures, LdcocInput};
use crate::select::{Decision, Judgement, LinkContext, RequestResult, Strategy, StrategyError};

/// Maximum number of feature names stored.
const MAX_NAMES: usize = 65_536;

/// The strategies `nb`, `svm` and `knn`: LDCOC (Alg. 2) with a classifier that was trained before
/// the crawl, does not learn, and does not explore.
pub(crate) struct OfflineStrategy {
    model: TrainedModel,
    extractor: LdcocFeatures,
}

impl OfflineStrategy {
    /// Creates a strategy with a stored model of this kind, which must be trained with these feature sets.
    pub(crate) fn with_model(
        kind: ClassifierKind,
        features: FeatureSet,
        model: Option<&[u8]>,
    ) -> Result<Self, StrategyError> {
        let name = kind.name();
        let Some(model) = model else {
            let problem = format!("strategy {name} needs a trained model");
            let advice =
                format!("train one of kind {name} with `lodeward-eval train`, and set `strategy.initial_model`");
            return Err(StrategyError::Setting(format!("{problem}; hint: {advice}")));
        };
        let model = TrainedModel::unpack(kind, model)?;
        if model.features == features {
            return Ok(Self::new(model));
        }
        let trained = model.features;
        let message = format!(
            "the model was trained with the feature sets {trained}, but strategy.ldcoc.features is {features}; hint: \
             set it to {trained}"
        );
        Err(StrategyError::Model(message))
    }

    /// Creates a strategy with a model.
    pub(super) fn new(model: TrainedModel) -> Self {
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
