//! The shipped model of `learned` (the prior): training on a recorded web, and tests on unseen hosts.

mod report;

pub use report::{csv, page};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodeward::frontier::{DomainOrder, Lease, Offer, QueueEntry};
use lodeward::model::{Link, Pld, Verdict};
use lodeward::select::learned::{LearnedOptions, prior};
use lodeward::select::{Judgement, LinkContext, RequestResult, Strategy, StrategyError, StrategyOptions};
use rand::rngs::SmallRng;

use crate::fold::Fold;
use crate::metrics::{EvalBaseline, TrialFigures};
use crate::trial::{Trial, TrialError, run};
use crate::web::RecordedWeb;

/// Maximum number of feature names that are collected for the shipped model.
const MAX_FEATURE_NAMES: usize = 1 << 20;
/// Number of requests at the start of a crawl over which the benefit of a prior is measured.
pub const FIRST_REQUESTS: f64 = 200.0;

/// A prior could not be trained or tested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PriorError {
    /// A crawl failed.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// A model is invalid.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
}

/// The crawls of one part of the hosts, with a prior trained on the other parts and without one.
#[derive(Clone, Debug, Default)]
pub struct PriorTest {
    /// The number of the part, from 1.
    pub part: u32,
    /// Number of RDF documents fetched in the first requests, without and with the prior; one pair per random seed.
    pub first: Vec<(f64, f64)>,
    /// Area under the harvest curve, without and with the prior; one pair per random seed.
    pub auc: Vec<(f64, f64)>,
}

/// Trains a prior with a crawl that fetches everything.
pub fn train(web: &Arc<RecordedWeb>, trial: &Trial) -> Result<Vec<u8>, PriorError> {
    let options = LearnedOptions { max_names: MAX_FEATURE_NAMES, ..LearnedOptions::default() };
    let learned = BorrowedStrategy(Arc::new(Mutex::new(StrategyOptions::Learned(options).build(None)?)));
    let ledger = run(web, &Trial { budget: None, ..trial.clone() }, Box::new(learned.clone()))?;
    let fetched: Vec<(&lodeward::frontier::FeatureVector, Pld, bool)> = ledger
        .documents()
        .map(|(page, step)| (&step.features, web.page(page).uri.pld(), web.page(page).is_rdf()))
        .collect();
    let examples: Vec<prior::PriorExample<'_>> =
        fetched.iter().map(|(features, pld, is_rdf)| prior::PriorExample { features, pld, is_rdf: *is_rdf }).collect();
    let model = learned.lock_strategy().save().unwrap_or_default();
    Ok(prior::train(&examples, &model)?)
}

/// Tests priors: crawls every part of the hosts with a prior trained on the other parts, and without one.
pub fn test(web: &Arc<RecordedWeb>, trial: &Trial, parts: u32, seeds: u64) -> Result<Vec<PriorTest>, PriorError> {
    let test_part = |part: u32| {
        let fold = Fold { part, parts };
        let prior = train(web, &Trial { hosts: Some(fold.hosts(web, false)), ..trial.clone() })?;
        let unseen = Trial { hosts: Some(fold.hosts(web, true)), ..trial.clone() };
        let baseline = EvalBaseline::new(web, &unseen);
        let mut tested = PriorTest { part, ..PriorTest::default() };
        for seed in 0..seeds {
            let crawl = |model: Option<&[u8]>| {
                let strategy = StrategyOptions::Learned(LearnedOptions::default()).build(model)?;
                let ledger = run(web, &Trial { seed, ..unseen.clone() }, strategy)?;
                Ok::<_, PriorError>(TrialFigures::from_ledger(&baseline, &ledger, &[FIRST_REQUESTS]))
            };
            let (without, with) = (crawl(None)?, crawl(Some(&prior))?);
            let first = |figures: &TrialFigures| f64::from(u32::try_from(figures.budgets[0].counts.rdf).unwrap_or(0));
            tested.first.push((first(&without), first(&with)));
            tested.auc.push((without.auc, with.auc));
        }
        Ok(tested)
    };
    (1..=parts).map(test_part).collect()
}

/// A shared strategy: its model can still be read after the crawl that used it.
#[derive(Clone)]
struct BorrowedStrategy(Arc<Mutex<Box<dyn Strategy>>>);

impl BorrowedStrategy {
    fn lock_strategy(&self) -> MutexGuard<'_, Box<dyn Strategy>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Strategy for BorrowedStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.lock_strategy().offer_links(found, links, rng)
    }

    fn judge(&mut self, lease: &Lease, rng: &mut SmallRng) -> Judgement {
        self.lock_strategy().judge(lease, rng)
    }

    fn learn(&mut self, result: &RequestResult<'_>) {
        self.lock_strategy().learn(result);
    }

    fn score(&mut self, candidate: &QueueEntry, rng: &mut SmallRng) -> f32 {
        self.lock_strategy().score(candidate, rng)
    }

    fn order(&self) -> DomainOrder {
        self.lock_strategy().order()
    }

    fn explain(&self, candidate: &QueueEntry) -> Option<Verdict> {
        self.lock_strategy().explain(candidate)
    }
}
