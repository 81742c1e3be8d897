//! Online against offline: LDCOC's Table 2.
//!
//! The percentage of RDF among the hard URIs that a crawl retrieves: breadth
//! first, with classifiers trained before on some examples, and with strategies
//! that learn on the way (LDCOC §6.2, after 300,000 URIs).
//!
//! Examples come from a breadth-first crawl. On a web that is large enough they
//! are its first ones, as in the paper, whose crawls meet them again. On a small
//! web that would be to know the answer; there, hosts are parted: each part is
//! crawled with what is learned from the others, and the counts are added up.

mod report;
#[cfg(test)]
mod tests;

use std::num::NonZero;
use std::sync::Arc;

use lodeward::select::ldcoc::FeatureSet;
use lodeward::select::offline::{Example, Model, Offline, Sort};
use lodeward::select::{Strategy, StrategyError};

use crate::contender::Contender;
use crate::fold::Fold;
use crate::ledger::Ledger;
use crate::offline::BITS;
use crate::offline::examples::collect;
use crate::trial::{Trial, TrialError, run};
use crate::web::Web;

pub use report::{csv, page};

/// Where percentages are taken, as shares of what may be spent.
pub const CUTS: [f64; 4] = [0.1, 0.25, 0.5, 1.0];

/// Requests that are made for each example, at most: not all of them are for
/// hard URIs.
const REQUESTS_PER_EXAMPLE: f64 = 3.0;

/// What the table is made of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Everything but the strategy: where crawls begin, what may be spent.
    pub trial: Trial,
    /// How many examples the classifiers see; each size is a row.
    pub sizes: Vec<usize>,
    /// Into how many parts hosts are parted; not at all if `None`.
    pub parts: Option<NonZero<u32>>,
    /// Who else takes part.
    pub contenders: Vec<Contender>,
    /// How many crawls at a time.
    pub jobs: NonZero<usize>,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Who.
    pub name: String,
    /// How many examples it had seen before; the mean over parts.
    pub examples: Option<usize>,
    /// What was retrieved until each of [`CUTS`].
    pub at: [Retrieved; CUTS.len()],
}

/// What was retrieved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retrieved {
    /// Documents.
    pub documents: usize,
    /// Those that hold RDF.
    pub rdf: usize,
    /// Hard ones.
    pub hard: usize,
    /// Hard ones that hold RDF.
    pub hard_rdf: usize,
}

impl Retrieved {
    /// The measure of the paper: RDF among the hard URIs.
    #[must_use]
    pub fn percentage(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far fewer documents than a double can count")]
        let share = self.hard_rdf as f64 / self.hard.max(1) as f64;
        share
    }

    fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.rdf += other.rdf;
        self.hard += other.hard;
        self.hard_rdf += other.hard_rdf;
    }
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A crawl failed.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// A strategy cannot begin.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
}

/// Who crawls.
#[derive(Clone, Debug)]
enum Who {
    Contender(Contender),
    Trained(Sort, usize),
}

impl Who {
    fn name(&self) -> &str {
        match self {
            Self::Contender(contender) => &contender.name,
            Self::Trained(sort, _) => sort.name(),
        }
    }
}

/// One part of the hosts, or all: where to crawl, and what was learned elsewhere.
struct Universe {
    trial: Trial,
    /// What may be spent: what was asked for, or what there is.
    spent_max: f64,
    examples: Vec<Example>,
}

/// Makes the table. Tells who has come home.
pub fn table(web: &Arc<Web>, plan: &Plan, told: &(dyn Fn(&str) + Sync)) -> Result<Vec<Row>, TableError> {
    let universes = universes(web, plan)?;
    told(&format!("{} examples\n", universes.iter().map(|universe| universe.examples.len()).sum::<usize>()));
    let trained = plan.sizes.iter().flat_map(|size| Sort::ALL.map(|sort| Who::Trained(sort, *size)));
    let everybody: Vec<Who> = plan.contenders.iter().cloned().map(Who::Contender).chain(trained).collect();
    let mut rows = Vec::with_capacity(everybody.len());
    for together in everybody.chunks(plan.jobs.get()) {
        let finished: Vec<Result<Row, TableError>> = std::thread::scope(|scope| {
            let universes = &universes;
            let crawl = |who| {
                scope.spawn(move || {
                    let row = row(web, universes, who);
                    told(&format!("{} is done\n", who.name()));
                    row
                })
            };
            let running: Vec<_> = together.iter().map(crawl).collect();
            running.into_iter().map(|crawl| crawl.join().expect("a trial does not panic")).collect()
        });
        for row in finished {
            rows.push(row?);
        }
    }
    Ok(rows)
}

fn universes(web: &Arc<Web>, plan: &Plan) -> Result<Vec<Universe>, TableError> {
    let folds: Vec<Option<Fold>> = match plan.parts {
        None => vec![None],
        Some(parts) => (1..=parts.get()).map(|part| Some(Fold { part, parts: parts.get() })).collect(),
    };
    let mut universes = Vec::new();
    for fold in folds {
        let of = |is_in: bool| Trial { hosts: fold.map(|fold| fold.hosts(web, is_in)), ..plan.trial.clone() };
        let trial = of(true);
        if trial.start_of(web).is_empty() {
            continue;
        }
        let size = plan.sizes.iter().copied().max().unwrap_or_default();
        let examples = train_on(web, &of(false), FeatureSet::default(), size)?;
        let spent_max = match trial.budget {
            Some(budget) => budget,
            None => run(web, &trial, Box::new(lodeward::select::BreadthFirst))?.cost(),
        };
        universes.push(Universe { trial, spent_max, examples });
    }
    Ok(universes)
}

/// The first examples of a breadth-first crawl.
pub fn train_on(web: &Arc<Web>, trial: &Trial, set: FeatureSet, size: usize) -> Result<Vec<Example>, TrialError> {
    if size == 0 {
        return Ok(Vec::new());
    }
    #[expect(clippy::cast_precision_loss, reason = "far fewer examples than a double can count")]
    let budget = Some(REQUESTS_PER_EXAMPLE * size as f64);
    let seen = collect(web, &Trial { budget, ..trial.clone() }, set, BITS)?;
    Ok(seen.into_iter().take(size).map(|seen| seen.example).collect())
}

fn row(web: &Arc<Web>, universes: &[Universe], who: &Who) -> Result<Row, TableError> {
    let mut at = [Retrieved::default(); CUTS.len()];
    let mut examples = 0;
    for universe in universes {
        let mut trial = universe.trial.clone();
        let strategy: Box<dyn Strategy> = match who {
            Who::Trained(sort, size) => {
                let learned = &universe.examples[..universe.examples.len().min(*size)];
                examples += learned.len();
                Box::new(Offline::new(Model::train(*sort, FeatureSet::default(), BITS, learned)))
            }
            Who::Contender(contender) => {
                trial.links = contender.links();
                let strategy = contender.strategy(trial.seed)?;
                strategy.ok_or_else(|| StrategyError::Setting(format!("{} does not crawl", contender.name)))?
            }
        };
        let ledger = run(web, &trial, strategy)?;
        for (place, cut) in at.iter_mut().zip(CUTS) {
            place.add(retrieved(web, &ledger, cut * universe.spent_max));
        }
    }
    let examples = matches!(who, Who::Trained(..)).then(|| examples / universes.len().max(1));
    Ok(Row { name: who.name().to_owned(), examples, at })
}

fn retrieved(web: &Web, ledger: &Ledger, spent_max: f64) -> Retrieved {
    let mut retrieved = Retrieved::default();
    for (page, _) in ledger.documents().take_while(|(_, step)| step.cost <= spent_max) {
        let page = web.page(page);
        retrieved.documents += 1;
        retrieved.rdf += usize::from(page.is_rdf());
        retrieved.hard += usize::from(page.is_hard);
        retrieved.hard_rdf += usize::from(page.is_hard && page.is_rdf());
    }
    retrieved
}
