//! Online and offline learning: Table 2 of LDCOC.
//!
//! The percentage of RDF among the hard URIs that a crawl fetches: breadth first, with classifiers trained
//! before the crawl, and with strategies that learn online (LDCOC §6.2, after 300,000 URIs).
//!
//! Training examples come from a breadth-first crawl. On a large web they are the first URIs of that
//! crawl, as in the paper, and the evaluated crawls fetch these URIs again. On a small web this would leak
//! the labels, so the hosts are split into parts: each part is crawled with classifiers trained on the
//! other parts, and the counts of all parts are added.

mod report;
#[cfg(test)]
mod tests;

use std::num::NonZero;
use std::sync::Arc;

use lodeward::select::baselines::offline::{ClassifierKind, TrainedModel, TrainingExample};
use lodeward::select::ldcoc::FeatureSet;
use lodeward::select::{Strategy, StrategyError, StrategyOptions};

use crate::contender::Contender;
use crate::fold::Fold;
use crate::ledger::Ledger;
use crate::numbers::{ratio, to_f64};
use crate::offline::FEATURE_BITS;
use crate::offline::examples::collect;
use crate::trial::{Trial, TrialError, run};
use crate::web::RecordedWeb;

pub use report::{csv, page};

/// Shares of the budget at which percentages are taken.
pub const BUDGET_SHARES: [f64; 4] = [0.1, 0.25, 0.5, 1.0];

/// Maximum number of requests per example: not all requests are for hard URIs.
const REQUESTS_PER_EXAMPLE: f64 = 3.0;

/// The parameters of the table.
#[derive(Clone, Debug)]
pub struct Table2Plan {
    /// The settings of the crawls, without the strategy.
    pub trial: Trial,
    /// Numbers of training examples; one row for each size and classifier.
    pub sizes: Vec<usize>,
    /// Number of parts of the hosts; no split if `None`.
    pub parts: Option<NonZero<u32>>,
    /// The strategies besides the classifiers.
    pub contenders: Vec<Contender>,
    /// Number of parallel crawls.
    pub jobs: NonZero<usize>,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table2Row {
    /// The strategy.
    pub name: String,
    /// Number of training examples; the mean over parts.
    pub examples: Option<usize>,
    /// Counts at each of [`BUDGET_SHARES`].
    pub at: [RetrievedCounts; BUDGET_SHARES.len()],
}

/// Counts of fetched documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetrievedCounts {
    /// Number of documents.
    pub documents: usize,
    /// Number of documents with RDF.
    pub rdf: usize,
    /// Number of hard documents.
    pub hard: usize,
    /// Number of hard documents with RDF.
    pub hard_rdf: usize,
}

impl RetrievedCounts {
    /// The measure of the paper: the share of RDF among the hard URIs.
    #[must_use]
    pub fn percentage(&self) -> f64 {
        ratio(self.hard_rdf, self.hard)
    }

    fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.rdf += other.rdf;
        self.hard += other.hard;
        self.hard_rdf += other.hard_rdf;
    }
}

/// The table could not be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Table2Error {
    /// A crawl failed.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// A strategy cannot start.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
}

/// A row of the table before it is computed.
#[derive(Clone, Debug)]
enum Table2Crawler {
    Contender(Contender),
    Trained(ClassifierKind, usize),
}

impl Table2Crawler {
    fn name(&self) -> &str {
        match self {
            Self::Contender(contender) => &contender.name,
            Self::Trained(kind, _) => kind.name(),
        }
    }
}

/// One part of the hosts, or all: where to crawl, and examples from the other parts.
struct HostUniverse {
    trial: Trial,
    /// The cost of 100 %: the budget, or the cost of a complete crawl.
    max_cost: f64,
    examples: Vec<TrainingExample>,
}

/// Computes the table. `report` gets progress messages.
pub fn compute_table(
    web: &Arc<RecordedWeb>,
    plan: &Table2Plan,
    report: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Table2Row>, Table2Error> {
    let universes = build_universes(web, plan)?;
    report(&format!("{} examples\n", universes.iter().map(|universe| universe.examples.len()).sum::<usize>()));
    let trained =
        plan.sizes.iter().flat_map(|size| ClassifierKind::ALL.map(|kind| Table2Crawler::Trained(kind, *size)));
    let crawlers: Vec<Table2Crawler> =
        plan.contenders.iter().cloned().map(Table2Crawler::Contender).chain(trained).collect();
    let mut rows = Vec::with_capacity(crawlers.len());
    for chunk in crawlers.chunks(plan.jobs.get()) {
        let finished: Vec<Result<Table2Row, Table2Error>> = std::thread::scope(|scope| {
            let universes = &universes;
            let crawl = |crawler| {
                scope.spawn(move || {
                    let row = compute_row(web, universes, crawler);
                    report(&format!("{} done\n", crawler.name()));
                    row
                })
            };
            let running: Vec<_> = chunk.iter().map(crawl).collect();
            running.into_iter().map(|crawl| crawl.join().expect("a trial does not panic")).collect()
        });
        for row in finished {
            rows.push(row?);
        }
    }
    Ok(rows)
}

fn build_universes(web: &Arc<RecordedWeb>, plan: &Table2Plan) -> Result<Vec<HostUniverse>, Table2Error> {
    let folds: Vec<Option<Fold>> = match plan.parts {
        None => vec![None],
        Some(parts) => (1..=parts.get()).map(|part| Some(Fold { part, parts: parts.get() })).collect(),
    };
    let mut universes = Vec::new();
    for fold in folds {
        let of = |is_in: bool| Trial { hosts: fold.map(|fold| fold.hosts(web, is_in)), ..plan.trial.clone() };
        let trial = of(true);
        if trial.start_uris(web).is_empty() {
            continue;
        }
        let size = plan.sizes.iter().copied().max().unwrap_or_default();
        let examples = training_examples(web, &of(false), FeatureSet::default(), size)?;
        let max_cost = match trial.budget {
            Some(budget) => budget,
            None => run(web, &trial, Box::new(lodeward::select::BreadthFirstStrategy))?.cost(),
        };
        universes.push(HostUniverse { trial, max_cost, examples });
    }
    Ok(universes)
}

/// The first examples of a breadth-first crawl.
pub fn training_examples(
    web: &Arc<RecordedWeb>,
    trial: &Trial,
    set: FeatureSet,
    size: usize,
) -> Result<Vec<TrainingExample>, TrialError> {
    if size == 0 {
        return Ok(Vec::new());
    }
    let budget = Some(REQUESTS_PER_EXAMPLE * to_f64(size));
    let examples = collect(web, &Trial { budget, ..trial.clone() }, set, FEATURE_BITS)?;
    Ok(examples.into_iter().take(size).map(|labelled| labelled.example).collect())
}

fn compute_row(
    web: &Arc<RecordedWeb>,
    universes: &[HostUniverse],
    crawler: &Table2Crawler,
) -> Result<Table2Row, Table2Error> {
    let mut at = [RetrievedCounts::default(); BUDGET_SHARES.len()];
    let mut examples = 0;
    for universe in universes {
        let mut trial = universe.trial.clone();
        let strategy: Box<dyn Strategy> = match crawler {
            Table2Crawler::Trained(kind, size) => {
                let learned = &universe.examples[..universe.examples.len().min(*size)];
                examples += learned.len();
                let features = FeatureSet::default();
                let model = TrainedModel::train(*kind, features, FEATURE_BITS, learned).pack();
                StrategyOptions::Offline { kind: *kind, features }.build(Some(&model))?
            }
            Table2Crawler::Contender(contender) => {
                trial.links = contender.links();
                let strategy = contender.strategy(trial.seed)?;
                strategy.ok_or_else(|| StrategyError::Setting(format!("{} does not crawl", contender.name)))?
            }
        };
        let ledger = run(web, &trial, strategy)?;
        for (counts, share) in at.iter_mut().zip(BUDGET_SHARES) {
            counts.add(count_retrieved(web, &ledger, share * universe.max_cost));
        }
    }
    let examples = matches!(crawler, Table2Crawler::Trained(..)).then(|| examples / universes.len().max(1));
    Ok(Table2Row { name: crawler.name().to_owned(), examples, at })
}

fn count_retrieved(web: &RecordedWeb, ledger: &Ledger, max_cost: f64) -> RetrievedCounts {
    let mut retrieved = RetrievedCounts::default();
    for (page, _) in ledger.documents().take_while(|(_, step)| step.cost <= max_cost) {
        let page = web.page(page);
        retrieved.documents += 1;
        retrieved.rdf += usize::from(page.is_rdf());
        retrieved.hard += usize::from(page.is_hard);
        retrieved.hard_rdf += usize::from(page.is_hard && page.is_rdf());
    }
    retrieved
}
