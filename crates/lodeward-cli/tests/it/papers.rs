//! The tables of the papers, by the real binary, on a small recorded world.

use toyweb::world::{Parameters, World};

use crate::desk::Desk;

/// A desk with a recorded world on it.
fn desk() -> Desk {
    let desk = Desk::new();
    let mut parameters = Parameters::from_toml(include_str!("../../../../eval/worlds/small.toml")).unwrap();
    (parameters.hosts, parameters.documents_per_host) = (12, 80);
    toyweb::record::record(&World::new(parameters).unwrap(), &desk.path("web")).unwrap();
    desk
}

#[test]
fn every_table_is_printed_and_written() {
    let desk = desk();
    let check = |arguments: &[&str], heading: &str, files: &[&str]| {
        let out = desk.succeed(&[arguments, &["-o", "results/table"]].concat());
        assert!(out.contains(heading), "{out}");
        assert!(out.contains("Made by `lodeward eval "), "{out}");
        for file in files {
            let path = desk.path("results").join(file);
            assert!(std::fs::read_to_string(&path).is_ok_and(|text| !text.is_empty()), "{}", path.display());
        }
    };

    check(
        &["eval", "links", "web", "--min-documents", "20", "--min-rdf", "3"],
        "## Table II: precision and recall of each heuristic",
        &["table.md", "table.csv", "table.svg"],
    );
    check(
        &["eval", "offline", "web", "--features", "+t+r+p", "--strategy", "ldcoc"],
        "## Here, parts by hosts",
        &["table.md", "table.csv"],
    );
    check(
        &["eval", "table2", "web", "--examples", "100", "--parts", "2", "--strategy", "bfs"],
        "| crawler | examples | at 10 % |",
        &["table.md", "table.csv"],
    );
}

#[test]
fn a_trained_model_is_one_that_crawls_begin_with() {
    let desk = desk();

    desk.succeed(&["eval", "train", "web", "--strategy", "svm", "--examples", "200", "-o", "svm.model"]);

    let out = desk.succeed(&["eval", "select", "web", "--seeds", "1", "--strategy", "svm:model=svm.model"]);
    assert!(out.lines().any(|line| line.starts_with('|') && line.contains("svm:model=svm.model")), "{out}");
    let wrong = desk.run(&["eval", "select", "web", "--seeds", "1", "--strategy", "knn:model=svm.model"]);
    assert_ne!(wrong.code, 0, "a model of one strategy is not taken for another's");
}

#[test]
fn what_is_no_web_and_what_is_too_small_is_told() {
    let desk = desk();
    let told = |arguments: &[&str]| {
        let said = desk.run(arguments);
        assert_ne!(said.code, 0, "{}", said.output);
        said.errors
    };

    assert!(told(&["eval", "links", "results"]).contains("is not a recorded web"));
    assert!(told(&["eval", "links", "web", "--min-documents", "9999"]).contains("hint: try --min-documents 20"));
    assert!(told(&["eval", "offline", "web", "--features", "+q"]).contains("no combination of the feature sets"));
    let none = told(&["eval", "train", "web", "--strategy", "nb", "--examples", "1", "-o", "x"]);
    assert!(none.contains("nothing can be learned from 1 examples"), "{none}");
}
