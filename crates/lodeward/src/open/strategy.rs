//! From a configuration to a strategy.

use std::path::Path;

use crate::config::{self, Config};
use crate::select::links::{LinkAnalysis, Lists};
use crate::select::{BreadthFirst, Heuristic, NbOnline, Order, Strategy, StrategyError};

/// The strategy that a configuration names. `kept` is what a crawl that is now
/// resumed had learned; it hides the model that the configuration begins with.
pub fn strategy(config: &Config, kept: Option<&[u8]>) -> Result<Box<dyn Strategy>, StrategyError> {
    Ok(match config.crawl.strategy {
        config::Strategy::Links => Box::new(links(&config.select, kept)?),
        config::Strategy::Heuristic => Box::new(Heuristic),
        config::Strategy::NbOnline => Box::new(match kept {
            Some(kept) => NbOnline::default().resume(kept)?,
            None => NbOnline::default(),
        }),
        // Stand-in until each strategy has its own arm.
        _ => Box::new(BreadthFirst),
    })
}

fn links(select: &config::Select, kept: Option<&[u8]>) -> Result<LinkAnalysis, StrategyError> {
    let lists =
        select.lists.as_ref().map_or_else(|| Ok(Lists::built_in()), |path| Lists::with_folder(Path::new(path)))?;
    let strategy = LinkAnalysis::new(lists).embedded(select.embedded);
    match kept {
        Some(kept) => strategy.resume(kept),
        None => Ok(strategy),
    }
}

/// The order across domains of a strategy.
pub(super) fn order(strategy: config::Strategy) -> Order {
    match strategy {
        config::Strategy::Learned => Order::BestFirst,
        config::Strategy::NbOnline => Order::Drawn,
        _ => Order::RoundRobin,
    }
}
