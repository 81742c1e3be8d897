//! Creates the strategy that the settings name.

use std::path::{Path, PathBuf};

use crate::model_store::FileModelStore;
use crate::settings::{self, Config, StrategyKind};
use lodeward::select::baselines::offline::ClassifierKind;
use lodeward::select::ftrl::FtrlOptions;
use lodeward::select::ldcoc::LdcocOptions;
use lodeward::select::learned::LearnedOptions;
use lodeward::select::{LinkAnalysisOptions, Strategy, StrategyError, StrategyOptions};

/// Creates the strategy of the settings. `saved` is the model of a resumed crawl, which overrides
/// the initial model of the settings. If `saved` cannot be used, the crawl continues with the
/// initial model.
pub fn strategy(config: &Config, saved: Option<&[u8]>) -> Result<Box<dyn Strategy>, StrategyError> {
    if let Some(saved) = saved {
        match build(config, Some(saved)) {
            Ok(strategy) => return Ok(strategy),
            Err(error) => tracing::warn!(%error, "model of the crawl discarded"),
        }
    }
    let Some(path) = config.strategy.initial_model.as_ref().map(Path::new) else { return build(config, None) };
    build(config, Some(&read(path)?)).map_err(|error| match error {
        StrategyError::Model(problem) => StrategyError::Model(format!("{}: {problem}", path.display())),
        error => error,
    })
}

/// Creates the strategy of a crawl with its last saved model, to explain decisions. `None` if the
/// crawl has no model.
pub fn saved_strategy(config: &Config, directory: &Path) -> Result<Option<Box<dyn Strategy>>, StrategyError> {
    let model = FileModelStore::for_crawl(directory).read();
    model.map(|model| build(config, Some(&model))).transpose()
}

/// Creates the strategy of the settings, with this model or untrained.
fn build(config: &Config, model: Option<&[u8]>) -> Result<Box<dyn Strategy>, StrategyError> {
    check_strict_hops(config)?;
    let offline = |kind| -> Result<StrategyOptions, StrategyError> {
        Ok(StrategyOptions::Offline { kind, features: config.strategy.ldcoc.features.parse()? })
    };
    let options = match config.crawl.strategy {
        StrategyKind::Ldcoc => StrategyOptions::Ldcoc(ldcoc_options(&config.strategy)?),
        StrategyKind::LinkAnalysis => StrategyOptions::LinkAnalysis(link_analysis_options(&config.strategy)),
        StrategyKind::Heuristic => StrategyOptions::Heuristic,
        StrategyKind::NbOnline => StrategyOptions::NbOnline,
        StrategyKind::Nb => offline(ClassifierKind::Nb)?,
        StrategyKind::Svm => offline(ClassifierKind::Svm)?,
        StrategyKind::Knn => offline(ClassifierKind::Knn)?,
        StrategyKind::Learned => StrategyOptions::Learned(learned_options(&config.strategy)),
        StrategyKind::Bfs | StrategyKind::BfsRdf => StrategyOptions::BreadthFirst,
        StrategyKind::Focus => return Ok(Box::new(super::focus::start(config)?)),
    };
    options.build(model)
}

/// Checks that the strategy orders URIs by hop, if hops are strict.
fn check_strict_hops(config: &Config) -> Result<(), StrategyError> {
    let strategy = config.crawl.strategy;
    if !config.crawl.has_strict_hops() || strategy.traits().orders_by_hop {
        return Ok(());
    }
    let able = StrategyKind::ALL.iter().filter(|kind| kind.traits().orders_by_hop).map(|kind| kind.name());
    let able = able.collect::<Vec<_>>().join(", ");
    let problem = format!("strategy {} cannot fetch hop by hop (crawl.hops)", strategy.name());
    Err(StrategyError::Setting(format!("{problem}; hint: set `crawl.strategy` to one of {able}")))
}

fn learned_options(settings: &settings::StrategySettings) -> LearnedOptions {
    let settings::StrategySettings { learned, tuning, .. } = settings;
    LearnedOptions {
        prior: learned.prior,
        // A larger model than the default is not used: the default is sufficient for both heads
        // (eval/results).
        bits: tuning.bits.min(LearnedOptions::default().bits),
        max_names: tuning.max_names,
        hub_weight: tuning.hub_weight,
        noise: tuning.noise,
        breadth: tuning.breadth,
        hold_share: tuning.hold_share,
        ..LearnedOptions::default()
    }
}

fn link_analysis_options(settings: &settings::StrategySettings) -> LinkAnalysisOptions {
    let settings = &settings.link_analysis;
    LinkAnalysisOptions {
        term_lists_dir: settings.term_lists_dir.as_ref().map(PathBuf::from),
        learn_from_embedded: settings.learn_from_embedded,
    }
}

fn read(path: &Path) -> Result<Vec<u8>, StrategyError> {
    std::fs::read(path).map_err(|source| StrategyError::File { path: path.to_owned(), source })
}

fn ldcoc_options(settings: &settings::StrategySettings) -> Result<LdcocOptions, StrategyError> {
    let settings::StrategySettings { ldcoc, tuning, .. } = settings;
    Ok(LdcocOptions {
        features: ldcoc.features.parse()?,
        bits: tuning.bits,
        max_names: tuning.max_names,
        tau: ldcoc.tau,
        epsilon: ldcoc.epsilon,
        epsilon_by_ratio: ldcoc.epsilon_by_ratio,
        max_remembered_uris: ldcoc.max_remembered_uris,
        rates: ftrl_options(ldcoc),
    })
}

fn ftrl_options(settings: &settings::LdcocSettings) -> FtrlOptions {
    let &settings::LdcocSettings { alpha, beta, l1, l2, .. } = settings;
    FtrlOptions { alpha, beta, l1, l2 }
}

#[cfg(test)]
#[path = "strategy_tests.rs"]
mod tests;
