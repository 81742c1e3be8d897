//! Flags of `lodeward crawl` that have no effect with the other settings.

use std::fmt::Write as _;

use lodeward::discover::EndpointPolicy;
use lodeward_app::settings::{Config, FlagHeading, FlagOverride, StrategyKind};

/// A line for each flag without effect.
pub(super) fn notes(overrides: &[FlagOverride], config: &Config) -> String {
    let mut text = String::new();
    for flag in overrides.iter().filter_map(|flag| flag.row.flag) {
        if let Some(reason) = reason(flag.name, flag.heading, config) {
            let _ = writeln!(text, "note: {} has no effect: {reason}", flag.name);
        }
    }
    text
}

/// Why a flag has no effect; `None` if it has one.
fn reason(name: &str, heading: FlagHeading, config: &Config) -> Option<String> {
    let strategy = config.crawl.strategy;
    match name {
        "--endpoint-graph" | "--endpoint-class" | "--follow-harvested"
            if config.discover.sparql_endpoints != EndpointPolicy::Harvest =>
        {
            Some("only --endpoints harvest uses it".to_owned())
        }
        "--model" if matches!(strategy, StrategyKind::Bfs | StrategyKind::BfsRdf) => {
            Some(format!("--strategy {} has no model", strategy.name()))
        }
        _ if heading == FlagHeading::Focus && !strategy.traits().is_focused => {
            Some(format!("--strategy is {}, not focus; `lodeward rank` has this flag, too", strategy.name()))
        }
        _ => None,
    }
}
