//! The model that `learned` is shipped with: made from a recorded web, and
//! tested on hosts that it has never seen.

mod report;

pub use report::{csv, page};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodeward::frontier::Offer;
use lodeward::model::{Candidate, Link, Pld, Visit};
use lodeward::select::learned::{Options, prior};
use lodeward::select::{Found, Judgement, Learned, Lesson, Order, Strategy, StrategyError, Verdict};
use rand::rngs::SmallRng;

use crate::fold::Fold;
use crate::ground::Ground;
use crate::metrics::Figures;
use crate::trial::{Trial, TrialError, run};
use crate::web::Web;

/// Names of features that are collected, to be shipped with those that are kept.
const NAMES_MAX: usize = 1 << 20;
/// The requests in which a prior has to help.
pub const FIRST_REQUESTS: f64 = 200.0;

/// A prior could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PriorError {
    /// A crawl failed.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// A model is not what it should be.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
}

/// How crawls of one part of the hosts went, with a prior from the other parts
/// and without.
#[derive(Clone, Debug, Default)]
pub struct Tested {
    /// Which part, counted from 1.
    pub part: u32,
    /// RDF documents in the first requests, for each seed: without and with.
    pub first: Vec<(f64, f64)>,
    /// The area under the harvest curve, for each seed: without and with.
    pub auc: Vec<(f64, f64)>,
}

/// Learns a prior from a crawl that visits everything.
pub fn train(web: &Arc<Web>, trial: &Trial) -> Result<Vec<u8>, PriorError> {
    let options = Options { names_max: NAMES_MAX, ..Options::default() };
    let learned = Lent(Arc::new(Mutex::new(Learned::new(options, None)?)));
    let ledger = run(web, &Trial { budget: None, ..trial.clone() }, Box::new(learned.clone()))?;
    let visited: Vec<(&lodeward::model::Features, Pld, bool)> = ledger
        .documents()
        .map(|(page, step)| (&step.features, web.page(page).uri.pld(), web.page(page).is_rdf()))
        .collect();
    let examples: Vec<prior::Example<'_>> =
        visited.iter().map(|(features, pld, is_rdf)| prior::Example { features, pld, is_rdf: *is_rdf }).collect();
    let model = learned.learned().save().unwrap_or_default();
    Ok(prior::train(&examples, &model)?)
}

/// Tests priors: every part of the hosts is crawled with one that the other
/// parts have made, and with none.
pub fn test(web: &Arc<Web>, trial: &Trial, parts: u32, seeds: u64) -> Result<Vec<Tested>, PriorError> {
    let test_part = |part: u32| {
        let fold = Fold { part, parts };
        let prior = train(web, &Trial { hosts: Some(fold.hosts(web, false)), ..trial.clone() })?;
        let unseen = Trial { hosts: Some(fold.hosts(web, true)), ..trial.clone() };
        let ground = Ground::new(web, &unseen);
        let mut tested = Tested { part, ..Tested::default() };
        for seed in 0..seeds {
            let crawl = |model: Option<&[u8]>| {
                let strategy = Box::new(Learned::new(Options::default(), model)?);
                let ledger = run(web, &Trial { seed, ..unseen.clone() }, strategy)?;
                Ok::<_, PriorError>(Figures::of(&ground, &ledger, &[FIRST_REQUESTS]))
            };
            let (without, with) = (crawl(None)?, crawl(Some(&prior))?);
            let first = |figures: &Figures| f64::from(u32::try_from(figures.budgets[0].counts.rdf).unwrap_or(0));
            tested.first.push((first(&without), first(&with)));
            tested.auc.push((without.auc, with.auc));
        }
        Ok(tested)
    };
    (1..=parts).map(test_part).collect()
}

/// A strategy that is lent to a crawl.
#[derive(Clone)]
struct Lent(Arc<Mutex<Learned>>);

impl Lent {
    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Strategy for Lent {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.learned().place(found, links, rng)
    }

    fn judge(&mut self, visit: &Visit, rng: &mut SmallRng) -> Judgement {
        self.learned().judge(visit, rng)
    }

    fn learn(&mut self, lesson: &Lesson<'_>) {
        self.learned().learn(lesson);
    }

    fn score(&mut self, candidate: &Candidate, rng: &mut SmallRng) -> f32 {
        self.learned().score(candidate, rng)
    }

    fn order(&self) -> Order {
        self.learned().order()
    }

    fn explain(&self, candidate: &Candidate) -> Option<Verdict> {
        self.learned().explain(candidate)
    }
}
