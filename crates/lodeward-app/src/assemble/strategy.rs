//! Creates the strategy that the settings name.

use std::path::Path;

use crate::model_store::FileModelStore;
use crate::settings::{self, Config, StrategyKind};
use lodeward::select::baselines::offline::{ClassifierKind, TrainedModel};
use lodeward::select::ftrl::FtrlOptions;
use lodeward::select::link_analysis::RdfTermLists;
use lodeward::select::{
    BreadthFirstStrategy, HeuristicStrategy, LdcocStrategy, LearnedStrategy, LinkAnalysisStrategy, NbOnlineStrategy,
    OfflineStrategy, Strategy, StrategyError, ldcoc, learned,
};

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
    Ok(match config.crawl.strategy {
        StrategyKind::Ldcoc => Box::new(LdcocStrategy::new(ldcoc_options(&config.strategy)?, model)?),
        StrategyKind::LinkAnalysis => Box::new(link_analysis(&config.strategy.link_analysis, model)?),
        StrategyKind::Heuristic => Box::new(HeuristicStrategy),
        StrategyKind::NbOnline => Box::new(match model {
            Some(model) => NbOnlineStrategy::default().resume(model)?,
            None => NbOnlineStrategy::default(),
        }),
        StrategyKind::Nb => Box::new(offline(ClassifierKind::Nb, &config.strategy, model)?),
        StrategyKind::Svm => Box::new(offline(ClassifierKind::Svm, &config.strategy, model)?),
        StrategyKind::Knn => Box::new(offline(ClassifierKind::Knn, &config.strategy, model)?),
        StrategyKind::Learned => Box::new(learned(&config.strategy, model)?),
        StrategyKind::Bfs | StrategyKind::BfsRdf => Box::new(BreadthFirstStrategy),
        StrategyKind::Focus => Box::new(super::focus::start(config)?),
    })
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

fn learned(settings: &settings::StrategySettings, model: Option<&[u8]>) -> Result<LearnedStrategy, StrategyError> {
    let settings::StrategySettings { learned, tuning, .. } = settings;
    let options = learned::LearnedOptions {
        // A larger model than the default is not used: the default is sufficient for both heads
        // (eval/results).
        bits: tuning.bits.min(learned::LearnedOptions::default().bits),
        max_names: tuning.max_names,
        hub_weight: tuning.hub_weight,
        noise: tuning.noise,
        breadth: tuning.breadth,
        hold_share: tuning.hold_share,
        ..learned::LearnedOptions::default()
    };
    if model.is_none() && learned.prior {
        LearnedStrategy::with_prior(options)
    } else {
        LearnedStrategy::new(options, model)
    }
}

fn link_analysis(
    settings: &settings::LinkAnalysisSettings,
    model: Option<&[u8]>,
) -> Result<LinkAnalysisStrategy, StrategyError> {
    let lists = settings
        .term_lists_dir
        .as_ref()
        .map_or_else(|| Ok(RdfTermLists::built_in()), |path| RdfTermLists::with_dir(Path::new(path)))?;
    let strategy = LinkAnalysisStrategy::new(lists).with_embedded(settings.learn_from_embedded);
    match model {
        Some(model) => strategy.resume(model),
        None => Ok(strategy),
    }
}

/// Creates a strategy with a classifier that was trained before the crawl.
fn offline(
    kind: ClassifierKind,
    settings: &settings::StrategySettings,
    model: Option<&[u8]>,
) -> Result<OfflineStrategy, StrategyError> {
    let name = kind.name();
    let Some(model) = model else {
        let problem = format!("strategy {name} needs a trained model");
        let advice =
            format!("train one of kind {name} with `lodeward-eval train`, and set --model (`strategy.initial_model`)");
        return Err(StrategyError::Setting(format!("{problem}; hint: {advice}")));
    };
    let model = TrainedModel::unpack(kind, model)?;
    let features = settings.ldcoc.features.parse()?;
    if model.features == features {
        return Ok(OfflineStrategy::new(model));
    }
    let trained = model.features;
    let message = format!(
        "the model was trained with the feature sets {trained}, but strategy.ldcoc.features is {features}; hint: set it to \
         {trained}"
    );
    Err(StrategyError::Model(message))
}

fn read(path: &Path) -> Result<Vec<u8>, StrategyError> {
    std::fs::read(path).map_err(|source| StrategyError::File { path: path.to_owned(), source })
}

fn ldcoc_options(settings: &settings::StrategySettings) -> Result<ldcoc::LdcocOptions, StrategyError> {
    let settings::StrategySettings { ldcoc, tuning, .. } = settings;
    Ok(ldcoc::LdcocOptions {
        features: ldcoc.features.parse()?,
        bits: tuning.bits,
        max_names: tuning.max_names,
        tau: ldcoc.tau,
        epsilon: ldcoc.epsilon,
        epsilon_by_ratio: ldcoc.epsilon_by_ratio,
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
