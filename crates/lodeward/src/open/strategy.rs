//! From a configuration to a strategy.

use std::path::Path;

use super::FileNotebook;
use crate::config::{self, Config};
use crate::select::ftrl::Rates;
use crate::select::{BreadthFirst, Ldcoc, Order, Strategy, StrategyError, ldcoc};

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
    Ok(match config.crawl.strategy {
        config::Strategy::Ldcoc => Box::new(Ldcoc::new(ldcoc_options(&config.select)?, model)?),
        _ => Box::new(BreadthFirst),
    })
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
pub(super) fn siblings_max(config: &Config) -> usize {
    let looks_at = |features: &ldcoc::FeatureSet| config.crawl.strategy == config::Strategy::Ldcoc && features.siblings;
    let features = config.select.features.parse().ok();
    features.filter(looks_at).map_or(0, |_| ldcoc::SIBLINGS_MAX)
}

/// The order across domains of a strategy.
pub(super) fn order(strategy: config::Strategy) -> Order {
    match strategy {
        config::Strategy::Learned => Order::BestFirst,
        config::Strategy::NbOnline => Order::Drawn,
        _ => Order::RoundRobin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(change: impl FnOnce(&mut Config)) -> Config {
        let mut config = Config::default();
        config.crawl.strategy = config::Strategy::Ldcoc;
        config.select.bits = 12;
        change(&mut config);
        config
    }

    #[test]
    fn what_a_crawl_kept_hides_the_model_that_it_began_with() {
        let folder = tempfile::tempdir().unwrap();
        let given = folder.path().join("given");
        let model = strategy(&config(|config| config.select.bits = 13), None).unwrap().save().unwrap();
        std::fs::write(&given, model).unwrap();
        let config = config(|config| config.select.model = Some(given.display().to_string()));
        let kept = strategy(&self::config(|_| {}), None).unwrap().save().unwrap();
        let saved = |kept: Option<&[u8]>| strategy(&config, kept).unwrap().save().unwrap();

        assert_eq!(saved(Some(&kept)), kept);
        assert_eq!(saved(None), std::fs::read(&given).unwrap());
        assert_eq!(saved(Some(&kept[..20])), std::fs::read(&given).unwrap(), "what is damaged counts for nothing");
    }

    #[test]
    fn a_model_that_was_named_must_be_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html").display().to_string();
        let named = config(|config| config.select.model = Some(path.clone()));

        assert!(matches!(strategy(&named, None), Err(StrategyError::File { .. })));
        std::fs::write(&path, "<html>").unwrap();
        let told = strategy(&named, None).err().unwrap().to_string();

        assert_eq!(told, format!("{path}: this is no model"));
    }

    #[test]
    fn siblings_are_read_only_for_who_looks_at_them() {
        let siblings = |features: &str| siblings_max(&config(|config| config.select.features = features.to_owned()));

        assert_eq!(siblings("+t+r+p"), 0);
        assert_eq!(siblings("+t+x"), ldcoc::SIBLINGS_MAX);
        assert_eq!(siblings_max(&Config::default()), 0);
    }
}
