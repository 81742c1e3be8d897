//! Strategies that configurations name.

use super::*;
use crate::select::offline::Example;

fn config(strategy: config::Strategy) -> Config {
    let mut config = Config::default();
    config.crawl.strategy = strategy;
    config
}

fn online(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    config.crawl.strategy = config::Strategy::Ldcoc;
    config.select.bits = 12;
    change(&mut config);
    config
}

#[test]
fn a_classifier_without_a_model_says_how_to_make_one() {
    for strategy in [config::Strategy::Nb, config::Strategy::Svm, config::Strategy::Knn] {
        let told = super::strategy(&config(strategy), None).err().unwrap().to_string();

        assert!(told.contains("`lodeward eval train` makes one, and `select.model` names it"), "{told}");
    }
}

#[test]
fn a_classifier_begins_with_the_model_that_is_named_if_its_features_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("svm.model");
    let taught = [Example { features: vec![1], label: true }];
    let model = Model::train(Sort::Svm, "+t+x".parse().unwrap(), 10, &taught);
    std::fs::write(&path, model.pack()).unwrap();
    let mut config = config(config::Strategy::Svm);
    config.select.model = Some(path.display().to_string());

    let told = super::strategy(&config, None).err().unwrap().to_string();
    assert!(
        told.ends_with("the model looks at the features +t+x, and select.features says +t+r+p: say +t+x"),
        "{told}"
    );
    config.select.features = "+t+x".to_owned();

    assert!(super::strategy(&config, None).is_ok());
    assert!(siblings_max(&config) > 0);
    config.crawl.strategy = config::Strategy::Knn;
    let told = super::strategy(&config, None).err().unwrap().to_string();
    assert!(told.contains("this is a model of strategy svm"), "{told}");
}

#[test]
fn lists_that_are_not_there_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(config::Strategy::Links);
    assert!(super::strategy(&config, None).is_ok());

    config.select.lists = Some(folder.path().display().to_string());

    let told = super::strategy(&config, None).err().unwrap().to_string();
    assert!(told.contains("has none of terms.txt"), "{told}");
}

#[test]
fn what_a_crawl_kept_hides_the_model_that_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let given = folder.path().join("given");
    let model = strategy(&online(|config| config.select.bits = 13), None).unwrap().save().unwrap();
    std::fs::write(&given, model).unwrap();
    let config = online(|config| config.select.model = Some(given.display().to_string()));
    let kept = strategy(&online(|_| {}), None).unwrap().save().unwrap();
    let saved = |kept: Option<&[u8]>| strategy(&config, kept).unwrap().save().unwrap();

    assert_eq!(saved(Some(&kept)), kept);
    assert_eq!(saved(None), std::fs::read(&given).unwrap());
    assert_eq!(saved(Some(&kept[..20])), std::fs::read(&given).unwrap(), "what is damaged counts for nothing");
}

#[test]
fn a_model_that_was_named_must_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html").display().to_string();
    let named = online(|config| config.select.model = Some(path.clone()));

    assert!(matches!(strategy(&named, None), Err(StrategyError::File { .. })));
    std::fs::write(&path, "<html>").unwrap();
    let told = strategy(&named, None).err().unwrap().to_string();

    assert_eq!(told, format!("{path}: this is no model"));
}

#[test]
fn siblings_are_read_only_for_who_looks_at_them() {
    let siblings = |features: &str| siblings_max(&online(|config| config.select.features = features.to_owned()));

    assert_eq!(siblings("+t+r+p"), 0);
    assert_eq!(siblings("+t+x"), ldcoc::SIBLINGS_MAX);
    assert_eq!(siblings_max(&Config::default()), 0);
}
