//! Cross-validation by hosts of strategies that learn online.
//!
//! A strategy is trained by a breadth-first crawl of some hosts: it learns from every document, once and
//! in order. Then it predicts every hard URI of a breadth-first crawl of the other hosts, without
//! learning.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodeward::frontier::{DomainOrder, FeatureVector, Lease, Offer};
use lodeward::model::{Link, Pld, Uri};
use lodeward::select::learned::LearnedOptions;
use lodeward::select::learned::prior::{PriorExample, PriorRegression};
use lodeward::select::{Decision, Judgement, LinkContext, RequestResult, Strategy, StrategyError, StrategyOptions};
use rand::rngs::SmallRng;

use super::PARTS;
use super::scores::{PredictionScores, ScoredPrediction};
use crate::fold::Fold;
use crate::trial::{Trial, TrialError, run};
use crate::web::RecordedWeb;

/// Whether the strategy learns from fetched documents (training) or only predicts (testing).
#[derive(Clone, Copy, PartialEq, Eq)]
enum CrossValidationMode {
    Training,
    Testing,
}

/// A wrapper that calls a strategy but ignores its order: the crawl is breadth first.
struct PassiveStrategy {
    strategy: Arc<Mutex<Box<dyn Strategy>>>,
    mode: CrossValidationMode,
}

impl PassiveStrategy {
    fn lock_strategy(&self) -> MutexGuard<'_, Box<dyn Strategy>> {
        self.strategy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Strategy for PassiveStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        let offers = self.lock_strategy().offer_links(found, links, rng);
        let breadth_first = |offer: Offer| match offer {
            Offer::Queue(mut candidate) | Offer::Readmit(mut candidate) | Offer::Drop(mut candidate, _) => {
                candidate.priority = -f32::from(candidate.depth);
                Offer::Queue(candidate)
            }
        };
        offers.into_iter().map(breadth_first).collect()
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let verdict =
            if self.mode == CrossValidationMode::Testing { self.lock_strategy().explain(&lease.entry) } else { None };
        Judgement { decision: Decision::Fetch, verdict }
    }

    fn learn(&mut self, result: &RequestResult<'_>) {
        if self.mode == CrossValidationMode::Training {
            self.lock_strategy().learn(result);
        }
    }

    fn order(&self) -> DomainOrder {
        DomainOrder::RoundRobin
    }
}

/// Cross-validates a strategy by hosts; every host is tested once. `make` creates an untrained strategy.
pub fn cross_validate<E: From<TrialError>>(
    web: &Arc<RecordedWeb>,
    trial: &Trial,
    mut make: impl FnMut() -> Result<Box<dyn Strategy>, E>,
) -> Result<PredictionScores, E> {
    let mut predictions = Vec::new();
    for part in 1..=PARTS {
        let fold = Fold { part, parts: PARTS };
        let strategy = Arc::new(Mutex::new(make()?));
        let crawl = |mode: CrossValidationMode| {
            let trial = Trial { hosts: Some(fold.hosts(web, mode == CrossValidationMode::Testing)), ..trial.clone() };
            run(web, &trial, Box::new(PassiveStrategy { strategy: Arc::clone(&strategy), mode }))
        };
        crawl(CrossValidationMode::Training)?;
        let ledger = crawl(CrossValidationMode::Testing)?;
        let predicted = ledger.documents().filter_map(|(page, step)| Some((web.page(page), step.score?)));
        predictions.extend(predicted.filter(|(page, _)| page.is_hard).map(|(page, score)| ScoredPrediction {
            host: page.uri.host().to_owned(),
            score,
            label: page.is_rdf(),
        }));
    }
    Ok(PredictionScores::from_predictions(&predictions))
}

/// Cross-validates, by hosts, a logistic regression on the features of `learned`, without features of the
/// host.
pub fn cross_validate_logistic<E: From<TrialError> + From<StrategyError>>(
    web: &Arc<RecordedWeb>,
    trial: &Trial,
) -> Result<PredictionScores, E> {
    /// Number of passes over the training examples.
    const PASSES: usize = 10;
    let learned = StrategyOptions::Learned(LearnedOptions::default()).build(None)?;
    let passive = PassiveStrategy { strategy: Arc::new(Mutex::new(learned)), mode: CrossValidationMode::Testing };
    let ledger = run(web, trial, Box::new(passive))?;
    let hard = ledger.documents().filter(|(page, _)| web.page(*page).is_hard);
    let fetched: Vec<(&FeatureVector, &Uri, Pld, bool)> = hard
        .map(|(id, step)| (web.page(id), step))
        .map(|(page, step)| (&step.features, &page.uri, page.uri.pld(), page.is_rdf()))
        .collect();
    let mut predictions = Vec::new();
    for part in 0..PARTS {
        let is_tested = |uri: &Uri| Fold::part_index(uri.host(), PARTS) == part;
        let training = fetched.iter().filter(|(_, uri, ..)| !is_tested(uri));
        let examples: Vec<PriorExample<'_>> =
            training.map(|(features, _, pld, is_rdf)| PriorExample { features, pld, is_rdf: *is_rdf }).collect();
        let regression = PriorRegression::train_common_features(&examples, PASSES);
        let test = fetched.iter().filter(|(_, uri, ..)| is_tested(uri));
        predictions.extend(test.map(|(features, uri, _, label)| ScoredPrediction {
            host: uri.host().to_owned(),
            score: regression.score(features),
            label: *label,
        }));
    }
    Ok(PredictionScores::from_predictions(&predictions))
}
