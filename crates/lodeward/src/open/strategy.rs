//! From a configuration to a strategy.

use crate::config::{self, Config};
use crate::select::{BreadthFirst, Order, Strategy, StrategyError};

/// The strategy that a configuration names. `kept` is what a crawl that is now
/// resumed had learned; it hides the model that the configuration begins with.
pub fn strategy(config: &Config, _kept: Option<&[u8]>) -> Result<Box<dyn Strategy>, StrategyError> {
    Ok(match config.crawl.strategy {
        // Stand-in until each strategy has its own arm.
        _ => Box::new(BreadthFirst),
    })
}

/// The order across domains of a strategy.
pub(super) fn order(strategy: config::Strategy) -> Order {
    match strategy {
        config::Strategy::Learned => Order::BestFirst,
        config::Strategy::NbOnline => Order::Drawn,
        _ => Order::RoundRobin,
    }
}
