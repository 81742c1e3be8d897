//! From a configuration to a strategy.

use crate::config::{self, Config};
use crate::select::{BreadthFirst, Learned, Order, Strategy, StrategyError, ftrl, learned};

/// The strategy that a configuration names. `kept` is what a crawl that is now
/// resumed had learned; it hides the model that the configuration begins with.
pub fn strategy(config: &Config, _kept: Option<&[u8]>) -> Result<Box<dyn Strategy>, StrategyError> {
    Ok(match config.crawl.strategy {
        config::Strategy::Learned => Box::new(Learned::new(learned_options(&config.select))),
        // Stand-in until each strategy has its own arm.
        _ => Box::new(BreadthFirst),
    })
}

#[expect(clippy::cast_possible_truncation, reason = "settings need no more precision")]
fn learned_options(select: &config::Select) -> learned::Options {
    learned::Options {
        bits: select.bits,
        rates: ftrl_rates(select),
        hub_weight: select.hub_weight as f32,
        noise: select.noise as f32,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "settings need no more precision")]
fn ftrl_rates(select: &config::Select) -> ftrl::Rates {
    ftrl::Rates { alpha: select.alpha as f32, beta: select.beta as f32, l1: select.l1 as f32, l2: select.l2 as f32 }
}

/// The order across domains of a strategy.
pub(super) fn order(strategy: config::Strategy) -> Order {
    match strategy {
        config::Strategy::Learned => Order::BestFirst,
        config::Strategy::NbOnline => Order::Drawn,
        _ => Order::RoundRobin,
    }
}
