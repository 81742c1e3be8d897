//! The tables of the papers on a small recorded world, with the real binary.

use tidy::sandbox::BinarySandbox;
use toyweb::entities::{EntityWeb, EntityWebSources};
use toyweb::world::{World, WorldParameters};

use crate::new_sandbox;

/// A sandbox with a recorded world.
fn sandbox() -> BinarySandbox {
    let sandbox = new_sandbox();
    let mut parameters = WorldParameters::from_toml(include_str!("../../../../eval/worlds/small.toml")).unwrap();
    (parameters.hosts, parameters.documents_per_host) = (12, 80);
    toyweb::record::record(&World::new(parameters).unwrap(), &sandbox.path("web")).unwrap();
    sandbox
}

#[test]
fn every_table_is_printed_and_written() {
    let sandbox = sandbox();
    let check = |arguments: &[&str], heading: &str, files: &[&str]| {
        let out = sandbox.succeed(&[arguments, &["-o", "results/table"]].concat());
        assert!(out.contains(heading), "{out}");
        assert!(out.contains("Made by `lodeward-eval "), "{out}");
        for file in files {
            let path = sandbox.path("results").join(file);
            assert!(std::fs::read_to_string(&path).is_ok_and(|text| !text.is_empty()), "{}", path.display());
        }
    };

    check(
        &["links", "web", "--min-documents", "20", "--min-rdf", "3"],
        "## Table II: precision and recall of each heuristic",
        &["table.md", "table.csv", "table.svg"],
    );
    check(
        &["offline", "web", "--features", "+t+r+p", "--strategy", "ldcoc"],
        "## Here, split by hosts",
        &["table.md", "table.csv"],
    );
    check(
        &["table2", "web", "--examples", "100", "--parts", "2", "--strategy", "bfs"],
        "| crawler | examples | at 10 % |",
        &["table.md", "table.csv"],
    );
}

#[test]
fn a_trained_model_is_used_by_a_strategy() {
    let sandbox = sandbox();

    sandbox.succeed(&["train", "web", "--strategy", "svm", "--examples", "200", "-o", "svm.model"]);

    let out = sandbox.succeed(&["select", "web", "--runs", "1", "--strategy", "svm:initial_model=svm.model"]);
    assert!(out.lines().any(|line| line.starts_with('|') && line.contains("svm:initial_model=svm.model")), "{out}");
    let wrong = sandbox.run(&["select", "web", "--runs", "1", "--strategy", "knn:initial_model=svm.model"]);
    assert_ne!(wrong.code, 0, "a model of another strategy is rejected");
}

#[test]
fn a_directory_without_a_web_and_a_small_web_are_rejected() {
    let sandbox = sandbox();
    let errors_of = |arguments: &[&str]| {
        let result = sandbox.run(arguments);
        assert_ne!(result.code, 0, "{}", result.output);
        result.errors
    };

    assert!(errors_of(&["links", "results"]).contains("is not a recorded web"));
    assert!(errors_of(&["links", "web", "--min-documents", "9999"]).contains("hint: try --min-documents 20"));
    assert!(errors_of(&["offline", "web", "--features", "+q"]).contains("not a combination of the feature sets"));
    let none = errors_of(&["train", "web", "--strategy", "nb", "--examples", "1", "-o", "x"]);
    assert!(none.contains("cannot train with 1 examples"), "{none}");
}

/// Tables of a small graph, a task for it, and the graph as a recorded web.
fn sandbox_with_entities() -> BinarySandbox {
    let sandbox = new_sandbox();
    let iri = |name: &str| format!("http://a.example/{name}");
    let entities: String = ["s", "t", "u", "mint"].map(|name| format!("{}\tcoin {name}\n", iri(name))).concat();
    let links: String = ["s", "t", "u"].map(|name| format!("{}\t{}\t{}\n", iri(name), iri("by"), iri("mint"))).concat();
    let tasks = format!(r#"[{{"id": "coins", "seeds": ["{}"], "relevant": ["{}"]}}]"#, iri("s"), iri("t"));
    for (name, text) in [
        ("entities.tsv", format!("uri\tlabel\n{entities}")),
        ("links.tsv", format!("subject\tpredicate\tobject\n{links}")),
        ("tasks.json", tasks),
        ("unrelated.json", r#"[{"id": "x", "seeds": ["urn:x"], "relevant": ["urn:y"]}]"#.to_owned()),
    ] {
        std::fs::write(sandbox.path(name), text).unwrap();
    }
    let (entities, links) = (vec![sandbox.path("entities.tsv")], vec![sandbox.path("links.tsv")]);
    let web = EntityWeb::load(&EntityWebSources { entities, links, ..EntityWebSources::default() }).unwrap();
    toyweb::record::record_entities(&web, &sandbox.path("web")).unwrap();
    sandbox
}

const TABLES: [&str; 5] = ["focus", "--entities", "entities.tsv", "--links", "links.tsv"];

#[test]
fn focus_evaluation_ranks_crawls_and_writes_its_report() {
    let sandbox = sandbox_with_entities();
    let rest = ["--tasks", "tasks.json", "--depth", "2", "--web", "web", "--requests", "2,4", "-o", "results/focus"];

    let out = sandbox.succeed(&[&TABLES[..], &rest].concat());

    for expected in [
        "1 tasks, 1 targets, 1 of them within 2 links; 3 candidates on average.",
        "| Coherence | ejsim+ (2) | ejsim+:published (2) | ejsim (2) |",
        "| strategy | recall@2 | recall@4 |",
        "| bfs | .000 | 1.000 |",
    ] {
        assert!(out.contains(expected), "{expected} in {out}");
    }
    for file in ["focus.md", "focus.csv", "focus.svg"] {
        let path = sandbox.path("results").join(file);
        assert!(std::fs::read_to_string(&path).is_ok_and(|text| !text.is_empty()), "{}", path.display());
    }
}

#[test]
fn focus_evaluation_with_unusable_input_is_a_usage_error() {
    let sandbox = sandbox_with_entities();
    let check = |arguments: &[&str], expected: &str, hint: &str| {
        let result = sandbox.run(arguments);
        assert_eq!(result.code, 2, "{}", result.output);
        assert!(result.errors.contains(expected) && result.errors.contains(hint), "{}", result.errors);
    };

    check(&["focus", "--data", "nowhere"], "dbp15k-en.entities.tsv.gz does not exist", "hint: set a directory");
    check(&["focus", "--ranker", "best"], "`best` is not one of hybrid, ", "");
    let unrelated = [&TABLES[..], &["--tasks", "unrelated.json"]].concat();
    check(&unrelated, "no seed of unrelated.json is an entity of the tables", "hint: check that the tasks belong");
    let nowhere = [&TABLES[..], &["--tasks", "tasks.json", "--web", "results"]].concat();
    check(&nowhere, "is not a recorded web", "hint: ");
    check(&["focus", "--entities", "entities.tsv"], "--tasks", "");
}
