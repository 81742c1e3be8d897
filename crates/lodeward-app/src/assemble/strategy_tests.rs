//! Tests of strategies from settings.

use super::*;
use crate::settings::max_siblings;
use lodeward::select::baselines::offline::TrainingExample;

fn config(strategy: settings::StrategyKind) -> Config {
    let mut config = Config::default();
    config.crawl.strategy = strategy;
    config
}

fn online(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    config.crawl.strategy = settings::StrategyKind::Ldcoc;
    config.strategy.tuning.bits = 12;
    change(&mut config);
    config
}

#[test]
fn a_classifier_without_a_model_is_rejected_with_a_hint() {
    for strategy in [settings::StrategyKind::Nb, settings::StrategyKind::Svm, settings::StrategyKind::Knn] {
        let message = super::strategy(&config(strategy), None).err().unwrap().to_string();

        assert!(message.contains("with `lodeward-eval train`, and set `strategy.initial_model`"), "{message}");
    }
}

#[test]
fn a_classifier_uses_the_initial_model_if_the_features_match() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("svm.model");
    let examples = [TrainingExample { features: vec![1], label: true }];
    let model = lodeward::select::baselines::offline::TrainedModel::train(
        ClassifierKind::Svm,
        "+t+x".parse().unwrap(),
        10,
        &examples,
    );
    std::fs::write(&path, model.pack()).unwrap();
    let mut config = config(settings::StrategyKind::Svm);
    config.strategy.initial_model = Some(path.display().to_string());

    let message = super::strategy(&config, None).err().unwrap().to_string();
    assert!(
        message.ends_with("feature sets +t+x, but strategy.ldcoc.features is +t+r+p; hint: set it to +t+x"),
        "{message}"
    );
    config.strategy.ldcoc.features = "+t+x".to_owned();

    assert!(super::strategy(&config, None).is_ok());
    assert!(max_siblings(&config) > 0);
    config.crawl.strategy = settings::StrategyKind::Knn;
    let message = super::strategy(&config, None).err().unwrap().to_string();
    assert!(message.contains("this is a model of strategy `svm`"), "{message}");
}

#[test]
fn a_directory_without_lists_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config(settings::StrategyKind::LinkAnalysis);
    assert!(super::strategy(&config, None).is_ok());

    config.strategy.link_analysis.term_lists_dir = Some(directory.path().display().to_string());

    let message = super::strategy(&config, None).err().unwrap().to_string();
    assert!(message.contains("has none of terms.txt"), "{message}");
}

#[test]
fn the_saved_model_overrides_the_initial_model() {
    let directory = tempfile::tempdir().unwrap();
    let initial = directory.path().join("initial");
    let model = strategy(&online(|config| config.strategy.tuning.bits = 13), None).unwrap().save().unwrap();
    std::fs::write(&initial, model).unwrap();
    let config = online(|config| config.strategy.initial_model = Some(initial.display().to_string()));
    let stored = strategy(&online(|_| {}), None).unwrap().save().unwrap();
    let saved = |stored: Option<&[u8]>| strategy(&config, stored).unwrap().save().unwrap();

    assert_eq!(saved(Some(&stored)), stored);
    assert_eq!(saved(None), std::fs::read(&initial).unwrap());
    assert_eq!(saved(Some(&stored[..20])), std::fs::read(&initial).unwrap(), "a damaged model is ignored");
}

#[test]
fn an_initial_model_must_be_valid() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("page.html").display().to_string();
    let settings = online(|config| config.strategy.initial_model = Some(path.clone()));

    assert!(matches!(strategy(&settings, None), Err(StrategyError::File { .. })));
    std::fs::write(&path, "<html>").unwrap();
    let message = strategy(&settings, None).err().unwrap().to_string();

    assert_eq!(message, format!("{path}: not a model file"));
}

#[test]
fn siblings_are_read_only_for_strategies_that_use_them() {
    let siblings =
        |features: &str| max_siblings(&online(|config| config.strategy.ldcoc.features = features.to_owned()));

    assert_eq!(siblings("+t+r+p"), 0);
    assert_eq!(siblings("+t+x"), lodeward::select::ldcoc::MAX_SIBLINGS);
    assert_eq!(max_siblings(&Config::default()), 0);
}
