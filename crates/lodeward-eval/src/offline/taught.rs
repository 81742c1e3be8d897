//! Strategies that learn as they crawl, asked about hosts they have never seen.
//!
//! The strategy is taught by a breadth-first crawl of some hosts, whose every
//! document it learns from, once and in order. Then it is asked what it thinks of
//! every hard URI that a breadth-first crawl of the other hosts comes to, and
//! learns nothing more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodeward::frontier::Offer;
use lodeward::model::{Features, Link, Pld, Uri, Visit};
use lodeward::select::learned::Options;
use lodeward::select::learned::prior::{Example, Regression};
use lodeward::select::{Decision, Found, Judgement, Learned, Lesson, Order, Strategy, StrategyError};
use rand::rngs::SmallRng;

use super::PARTS;
use super::scores::{Prediction, Scores};
use crate::fold::Fold;
use crate::trial::{Trial, TrialError, run};
use crate::web::Web;

/// Whether something is learned from what is visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Taught,
    Asked,
}

/// A strategy that has no say in where a crawl goes.
struct Passenger {
    strategy: Arc<Mutex<Box<dyn Strategy>>>,
    mode: Mode,
}

impl Passenger {
    fn strategy(&self) -> MutexGuard<'_, Box<dyn Strategy>> {
        self.strategy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Strategy for Passenger {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        let offers = self.strategy().place(found, links, rng);
        let breadth_first = |offer: Offer| match offer {
            Offer::Queue(mut candidate) | Offer::Drop(mut candidate, _) => {
                candidate.priority = -f32::from(candidate.depth);
                Offer::Queue(candidate)
            }
        };
        offers.into_iter().map(breadth_first).collect()
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let verdict = if self.mode == Mode::Asked { self.strategy().explain(&visit.candidate) } else { None };
        Judgement { decision: Decision::Fetch, verdict }
    }

    fn learn(&mut self, lesson: &Lesson<'_>) {
        if self.mode == Mode::Taught {
            self.strategy().learn(lesson);
        }
    }

    fn order(&self) -> Order {
        Order::RoundRobin
    }
}

/// How good the predictions of a strategy are on hosts it has never seen, all
/// hosts being tested once. `make` makes a strategy that knows nothing.
pub fn ask<E: From<TrialError>>(
    web: &Arc<Web>,
    trial: &Trial,
    mut make: impl FnMut() -> Result<Box<dyn Strategy>, E>,
) -> Result<Scores, E> {
    let mut predictions = Vec::new();
    for part in 1..=PARTS {
        let fold = Fold { part, parts: PARTS };
        let strategy = Arc::new(Mutex::new(make()?));
        let ride = |mode: Mode| {
            let trial = Trial { hosts: Some(fold.hosts(web, mode == Mode::Asked)), ..trial.clone() };
            run(web, &trial, Box::new(Passenger { strategy: Arc::clone(&strategy), mode }))
        };
        ride(Mode::Taught)?;
        let ledger = ride(Mode::Asked)?;
        let asked = ledger.documents().filter_map(|(page, step)| Some((web.page(page), step.score?)));
        predictions.extend(asked.filter(|(page, _)| page.is_hard).map(|(page, score)| Prediction {
            host: page.uri.host().to_owned(),
            score,
            label: page.is_rdf(),
        }));
    }
    Ok(Scores::of(&predictions))
}

/// How good a logistic regression on the features of `learned` is on hosts it has
/// never seen: all evidence about a link, and none about its host. Every part of
/// the hosts is tested with what the others teach.
pub fn union<E: From<TrialError> + From<StrategyError>>(web: &Arc<Web>, trial: &Trial) -> Result<Scores, E> {
    /// How often the examples are gone through.
    const PASSES: usize = 10;
    let learned: Box<dyn Strategy> = Box::new(Learned::new(Options::default(), None)?);
    let passenger = Passenger { strategy: Arc::new(Mutex::new(learned)), mode: Mode::Asked };
    let ledger = run(web, trial, Box::new(passenger))?;
    let hard = ledger.documents().filter(|(page, _)| web.page(*page).is_hard);
    let visited: Vec<(&Features, &Uri, Pld, bool)> = hard
        .map(|(id, step)| (web.page(id), step))
        .map(|(page, step)| (&step.features, &page.uri, page.uri.pld(), page.is_rdf()))
        .collect();
    let mut predictions = Vec::new();
    for part in 0..PARTS {
        let is_tested = |uri: &Uri| Fold::of(uri.host(), PARTS) == part;
        let taught = visited.iter().filter(|(_, uri, ..)| !is_tested(uri));
        let examples: Vec<Example<'_>> =
            taught.map(|(features, _, pld, is_rdf)| Example { features, pld, is_rdf: *is_rdf }).collect();
        let regression = Regression::of_several_domains(&examples, PASSES);
        let asked = visited.iter().filter(|(_, uri, ..)| is_tested(uri));
        predictions.extend(asked.map(|(features, uri, _, label)| Prediction {
            host: uri.host().to_owned(),
            score: regression.score(features),
            label: *label,
        }));
    }
    Ok(Scores::of(&predictions))
}
