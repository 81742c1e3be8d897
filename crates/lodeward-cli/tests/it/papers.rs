//! The tables of the papers, by the real binary, on a small recorded world.

use toyweb::entities::{EntityWeb, Sources};
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

/// Tables of a small graph, a task on it, and the graph as a recorded web.
fn desk_with_entities() -> Desk {
    let desk = Desk::new();
    let iri = |name: &str| format!("http://a.example/{name}");
    let entities: String = ["s", "t", "u", "mint"].map(|name| format!("{}\tcoin {name}\n", iri(name))).concat();
    let links: String = ["s", "t", "u"].map(|name| format!("{}\t{}\t{}\n", iri(name), iri("by"), iri("mint"))).concat();
    let tasks = format!(r#"[{{"id": "coins", "seeds": ["{}"], "relevant": ["{}"]}}]"#, iri("s"), iri("t"));
    for (name, text) in [
        ("entities.tsv", format!("uri\tlabel\n{entities}")),
        ("links.tsv", format!("subject\tpredicate\tobject\n{links}")),
        ("tasks.json", tasks),
        ("foreign.json", r#"[{"id": "x", "seeds": ["urn:x"], "relevant": ["urn:y"]}]"#.to_owned()),
    ] {
        std::fs::write(desk.path(name), text).unwrap();
    }
    let (entities, links) = (vec![desk.path("entities.tsv")], vec![desk.path("links.tsv")]);
    let web = EntityWeb::load(&Sources { entities, links, ..Sources::default() }).unwrap();
    toyweb::record::record_entities(&web, &desk.path("web")).unwrap();
    desk
}

const TABLES: [&str; 6] = ["eval", "focus", "--entities", "entities.tsv", "--links", "links.tsv"];

#[test]
fn focused_crawls_are_ranked_crawled_and_written() {
    let desk = desk_with_entities();
    let rest = ["--tasks", "tasks.json", "--depth", "2", "--web", "web", "--requests", "2,4", "-o", "results/focus"];

    let out = desk.succeed(&[&TABLES[..], &rest].concat());

    for expected in [
        "1 tasks, 1 targets, 1 of them within 2 links; 3 candidates on average.",
        "| Coherence | ejsim+ (2) | ejsim+:published (2) | ejsim (2) |",
        "| strategy | recall@2 | recall@4 |",
        "| bfs | .000 | 1.000 |",
    ] {
        assert!(out.contains(expected), "{expected} in {out}");
    }
    for file in ["focus.md", "focus.csv", "focus.svg"] {
        let path = desk.path("results").join(file);
        assert!(std::fs::read_to_string(&path).is_ok_and(|text| !text.is_empty()), "{}", path.display());
    }
}

#[test]
fn focused_crawls_that_cannot_be_are_told_what_they_need() {
    let desk = desk_with_entities();
    let check = |arguments: &[&str], expected: &str, hint: &str| {
        let said = desk.run(arguments);
        assert_eq!(said.code, 2, "{}", said.output);
        assert!(said.errors.contains(expected) && said.errors.contains(hint), "{}", said.errors);
    };

    check(&["eval", "focus", "--data", "nowhere"], "dbp15k-en.entities.tsv.gz is not there", "hint: name a folder");
    check(&["eval", "focus", "--ranker", "best"], "`best` is none of hybrid, ", "");
    let foreign = [&TABLES[..], &["--tasks", "foreign.json"]].concat();
    check(&foreign, "no seed of foreign.json is an entity of the tables", "hint: do the tasks belong");
    let nowhere = [&TABLES[..], &["--tasks", "tasks.json", "--web", "results"]].concat();
    check(&nowhere, "is not a recorded web", "hint: ");
    check(&["eval", "focus", "--entities", "entities.tsv"], "--tasks", "");
}
