//! From a configuration to a strategy.

use std::path::Path;

use super::FileNotebook;
use crate::config::{self, Config};
use crate::select::ftrl::Rates;
use crate::select::links::Lists;
use crate::select::offline::{Model, Sort};
use crate::select::{
    BreadthFirst, Heuristic, Ldcoc, Learned, LinkAnalysis, NbOnline, Offline, Order, Strategy, StrategyError, ldcoc,
    learned,
};

/// The strategy that a configuration names. `kept` is what a crawl that is now
/// resumed had learned; it hides the model that the configuration begins with.
/// What was kept and cannot be used is no reason to stop: the crawl learns anew.
pub fn strategy(config: &Config, kept: Option<&[u8]>) -> Result<Box<dyn Strategy>, StrategyError> {
    if let Some(kept) = kept {
        match build(config, Some(kept)) {
            Ok(strategy) => return Ok(strategy),
            Err(error) => tracing::warn!(%error, "what this crawl had learned cannot be used, and is learned anew"),
        }
    }
    let Some(path) = config.select.model.as_ref().map(Path::new) else { return build(config, None) };
    build(config, Some(&read(path)?)).map_err(|error| match error {
        StrategyError::Model(problem) => StrategyError::Model(format!("{}: {problem}", path.display())),
        error => error,
    })
}

/// The strategy of a crawl as it was when it last wrote down what it had
/// learned, to be asked about it. `None` if it keeps nothing.
pub fn kept(config: &Config, directory: &Path) -> Result<Option<Box<dyn Strategy>>, StrategyError> {
    let learned = FileNotebook::of_crawl(directory).read();
    learned.map(|learned| build(config, Some(&learned))).transpose()
}

/// The strategy that a configuration names, with this model or with none.
fn build(config: &Config, model: Option<&[u8]>) -> Result<Box<dyn Strategy>, StrategyError> {
    require_hops(config)?;
    Ok(match config.crawl.strategy {
        config::Strategy::Ldcoc => Box::new(Ldcoc::new(ldcoc_options(&config.select)?, model)?),
        config::Strategy::Links => Box::new(links(&config.select, model)?),
        config::Strategy::Heuristic => Box::new(Heuristic),
        config::Strategy::NbOnline => Box::new(match model {
            Some(model) => NbOnline::default().resume(model)?,
            None => NbOnline::default(),
        }),
        config::Strategy::Nb => Box::new(offline(Sort::Nb, &config.select, model)?),
        config::Strategy::Svm => Box::new(offline(Sort::Svm, &config.select, model)?),
        config::Strategy::Knn => Box::new(offline(Sort::Knn, &config.select, model)?),
        config::Strategy::Learned => Box::new(learned(&config.select, model)?),
        config::Strategy::Bfs | config::Strategy::BfsRdf => Box::new(BreadthFirst),
        config::Strategy::Focus => Box::new(super::focus::begun(config)?),
    })
}

/// Strict hops need a strategy whose order is that of hops.
fn require_hops(config: &Config) -> Result<(), StrategyError> {
    use config::Strategy::{Bfs, BfsRdf, Focus, Heuristic};
    let strategy = config.crawl.strategy;
    if !config.crawl.hops_are_strict() || matches!(strategy, Bfs | BfsRdf | Heuristic | Focus) {
        return Ok(());
    }
    let problem = format!("hops are strict, and strategy {} has an order of its own", strategy.name());
    Err(StrategyError::Setting(format!("{problem}: the strategies bfs, bfs-rdf, heuristic and focus go hop by hop")))
}

fn learned(select: &config::Select, model: Option<&[u8]>) -> Result<Learned, StrategyError> {
    let options = learned::Options {
        // Both heads together need no more, see eval/results.
        bits: select.bits.min(learned::Options::default().bits),
        names_max: select.names,
        hub_weight: single(select.hub_weight),
        noise: single(select.noise),
        breadth: single(select.breadth),
        hold_share: single(select.hold_share),
        ..learned::Options::default()
    };
    if model.is_none() && select.prior { Learned::with_prior(options) } else { Learned::new(options, model) }
}

fn links(select: &config::Select, model: Option<&[u8]>) -> Result<LinkAnalysis, StrategyError> {
    let lists =
        select.lists.as_ref().map_or_else(|| Ok(Lists::built_in()), |path| Lists::with_folder(Path::new(path)))?;
    let strategy = LinkAnalysis::new(lists).embedded(select.embedded);
    match model {
        Some(model) => strategy.resume(model),
        None => Ok(strategy),
    }
}

/// A classifier that somebody has trained.
fn offline(sort: Sort, select: &config::Select, model: Option<&[u8]>) -> Result<Offline, StrategyError> {
    let name = sort.name();
    let Some(model) = model else {
        let problem = format!("strategy {name} learns nothing by itself, and needs a model that was trained before");
        let advice = format!("`lodeward eval train` makes one, and `select.model` names it; its kind must be {name}");
        return Err(StrategyError::Setting(format!("{problem}: {advice}")));
    };
    let model = Model::unpack(sort, model)?;
    let features = select.features.parse()?;
    if model.features == features {
        return Ok(Offline::new(model));
    }
    let theirs = model.features;
    let message =
        format!("the model looks at the features {theirs}, and select.features says {features}: say {theirs}");
    Err(StrategyError::Model(message))
}

/// A model that somebody named.
fn read(path: &Path) -> Result<Vec<u8>, StrategyError> {
    std::fs::read(path).map_err(|source| StrategyError::File { path: path.to_owned(), source })
}

fn ldcoc_options(select: &config::Select) -> Result<ldcoc::Options, StrategyError> {
    Ok(ldcoc::Options {
        features: select.features.parse()?,
        bits: select.bits,
        names_max: select.names,
        tau: single(select.tau),
        epsilon: select.epsilon,
        epsilon_by_ratio: select.epsilon_by_ratio,
        rates: rates(select),
    })
}

/// How FTRL-proximal is to learn.
pub(super) fn rates(select: &config::Select) -> Rates {
    let config::Select { alpha, beta, l1, l2, .. } = select;
    Rates { alpha: single(*alpha), beta: single(*beta), l1: single(*l1), l2: single(*l2) }
}

#[expect(clippy::cast_possible_truncation, reason = "settings are written with few digits")]
fn single(value: f64) -> f32 {
    value as f32
}

/// How many siblings of a link the strategy looks at.
#[must_use]
pub fn siblings_max(config: &Config) -> usize {
    use config::Strategy::{Knn, Ldcoc, Nb, Svm};
    let has_sets = matches!(config.crawl.strategy, Ldcoc | Nb | Svm | Knn);
    let looks_at = |features: &ldcoc::FeatureSet| has_sets && features.siblings;
    let features = config.select.features.parse().ok();
    features.filter(looks_at).map_or(0, |_| ldcoc::SIBLINGS_MAX)
}

/// The order across domains of a strategy.
pub(super) fn order(config: &Config) -> Order {
    match config.crawl.strategy {
        _ if config.crawl.hops_are_strict() => Order::Hops,
        config::Strategy::Learned | config::Strategy::Focus => Order::BestFirst,
        config::Strategy::NbOnline => Order::Drawn,
        _ => Order::RoundRobin,
    }
}

#[cfg(test)]
#[path = "strategy_tests.rs"]
mod tests;
