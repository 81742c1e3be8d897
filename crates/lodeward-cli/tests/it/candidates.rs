//! Candidates of a crawl: ranked, listed, marked and exported, with the real binary.

use serde_json::Value;

use crate::entity_web::EntityServer;
use crate::sandbox::{CommandOutput, sorted};

const ENTITIES: &str = "\
uri\tlabel\ttypes
http://e.example/Cologne_Cathedral\tCologne Cathedral\thttp://dbpedia.org/ontology/Church
http://e.example/Ulm_Minster\tUlm Minster, a cathedral church\thttp://dbpedia.org/ontology/Church
http://e.example/Gothic\tGothic style of cathedral building\thttp://dbpedia.org/ontology/Style
http://e.example/Cologne\tCologne\thttp://dbpedia.org/ontology/Place
http://e.example/Beer\tBeer\thttp://dbpedia.org/ontology/Food
http://f.example/Rhine\tRhine at Cologne\thttp://dbpedia.org/ontology/River http://dbpedia.org/ontology/Place
";

const LINKS: &str = "\
subject\tpredicate\tobject
http://e.example/Cologne_Cathedral\thttp://e.example/p/style\thttp://e.example/Gothic
http://e.example/Cologne_Cathedral\thttp://e.example/p/place\thttp://e.example/Cologne
http://e.example/Ulm_Minster\thttp://e.example/p/style\thttp://e.example/Gothic
http://e.example/Beer\thttp://e.example/p/place\thttp://e.example/Cologne
http://f.example/Rhine\thttp://e.example/p/passes\thttp://e.example/Cologne
";

const SEED: &str = "http://e.example/Cologne_Cathedral";

/// A crawl of a small generated web of entities.
struct EntityCrawl {
    web: EntityServer,
}

impl EntityCrawl {
    fn new() -> Self {
        let crawl = Self { web: EntityServer::new(ENTITIES, LINKS) };
        crawl.crawl(&[SEED, "http://e.example/Nowhere"]);
        crawl
    }

    fn crawl(&self, arguments: &[&str]) {
        let crawled = self.run_crawl(arguments);
        assert_eq!(crawled.code, 0, "{}", crawled.errors);
    }

    fn run_crawl(&self, arguments: &[&str]) -> CommandOutput {
        let common = ["crawl", "--proxy", &self.web.proxy, "--data", "data", "--delay", "0", "--strategy", "bfs"];
        // The classes have no documents, and failed requests would be retried.
        let common = [&common[..], &["--set", "crawl.follow_vocabularies=false"]].concat();
        self.web.sandbox.run(&[&common[..], arguments].concat())
    }

    /// A crawl with candidates that are ranked by their texts.
    fn ranked() -> Self {
        let crawl = Self::new();
        crawl.web.sandbox.succeed(&["rank", "--data", "data", "--ranker", "ejsim", "--max-hops", "2"]);
        crawl
    }

    fn candidates(&self, arguments: &[&str]) -> CommandOutput {
        self.web.sandbox.run(&[&["candidates"], arguments, &["--data", "data"]].concat())
    }

    fn shown(&self, arguments: &[&str]) -> String {
        self.web.sandbox.shown(&[&["candidates"], arguments, &["--data", "data"]].concat())
    }

    /// The last path segments of the candidates, sorted.
    fn names(&self, arguments: &[&str]) -> Vec<String> {
        let CommandOutput { output, errors, code } = self.candidates(&[arguments, &["--format", "csv"]].concat());
        assert_eq!(code, 0, "{errors}");
        let names = output.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().rsplit('/').next().unwrap());
        sorted(names)
    }
}

#[test]
fn a_ranking_of_any_crawl_states_its_ranker_and_the_reason() {
    let crawl = EntityCrawl::new();

    insta::assert_snapshot!("candidates_without_ranking", crawl.shown(&[]));
    insta::assert_snapshot!(
        "rank",
        crawl.web.sandbox.shown(&["rank", "--data", "data", "--ranker", "ejsim", "--max-hops", "2"])
    );
    let json: Value =
        serde_json::from_str(&crawl.web.sandbox.succeed(&["rank", "--data", "data", "--max-listed", "2", "--json"]))
            .unwrap();
    assert_eq!((&json["candidates"], &json["listed"]), (&5.into(), &2.into()), "{json}");
    assert_eq!(crawl.names(&[]).len(), 2);
}

#[test]
fn candidates_are_printed_in_every_format() {
    let crawl = EntityCrawl::ranked();

    insta::assert_snapshot!("candidates_table", crawl.shown(&["--reasons"]));
    insta::assert_snapshot!("candidates_csv", crawl.shown(&["--format", "csv", "--limit", "2", "--offset", "1"]));
    let CommandOutput { output, .. } = crawl.candidates(&["--format", "json", "--limit", "1"]);
    let json: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&json["total"], &json["ranking"]["ranker"]), (&5.into(), &"ejsim".into()), "{output}");
    assert_eq!(json["candidates"].as_array().unwrap().len(), 1);
    let nothing = crawl.candidates(&["--format", "json", "--hop", "9"]).output;
    assert_eq!(serde_json::from_str::<Value>(&nothing).unwrap()["candidates"], Value::Array(Vec::new()));
}

#[test]
fn candidates_are_filtered_by_flags_and_expressions() {
    let crawl = EntityCrawl::ranked();
    let check = |arguments: &[&str], names: &[&str]| assert_eq!(crawl.names(arguments), names, "{arguments:?}");

    check(&[], &["Beer", "Cologne", "Gothic", "Rhine", "Ulm_Minster"]);
    check(&["--type", "dbo:Place"], &["Cologne", "Rhine"]);
    check(&["--type", "Church", "--type", "<http://dbpedia.org/ontology/Style>"], &["Gothic", "Ulm_Minster"]);
    check(&["--domain", "f.example"], &["Rhine"]);
    check(&["--hop", "1"], &["Cologne", "Gothic"]);
    check(&["--pattern", "(?i)rhine|beer"], &["Beer", "Rhine"]);
    check(&["--has", "style"], &["Ulm_Minster"]);
    check(&["--has", "place = <http://e.example/Cologne>"], &["Beer"]);
    check(&["--has", "http://e.example/p/passes", "--type", "River"], &["Rhine"]);
    check(&["--filter", "hop = 2 and not (has style or type = Food)"], &["Rhine"]);
    check(
        &["--filter", "rank <= 2; described"],
        &crawl.names(&["--limit", "2"]).iter().map(String::as_str).collect::<Vec<_>>(),
    );
    check(&["--min-score", "1000"], &[]);
}

#[test]
fn marks_survive_another_ranking_and_a_refresh() {
    let crawl = EntityCrawl::ranked();
    let done = |arguments: &[&str]| {
        let CommandOutput { errors, code, .. } = crawl.candidates(arguments);
        assert_eq!(code, 0, "{errors}");
        errors
    };

    assert_eq!(done(&["drop", "--type", "Food"]), "1 candidate dropped; total: 0 kept, 1 dropped\n");
    done(&["keep", "http://e.example/Ulm_Minster", "<http://e.example/Gothic>", "--by", "eva"]);
    crawl.web.sandbox.succeed(&["rank", "--data", "data"]);
    crawl.crawl(&["--refresh", "all"]);
    assert!(done(&[]).ends_with("the crawl has run since it was ranked; `lodeward rank` ranks it again\n"));
    crawl.web.sandbox.succeed(&["rank", "--data", "data", "--ranker", "ppr"]);
    assert!(!done(&[]).contains("has run since"));

    assert_eq!(crawl.names(&[]), ["Cologne", "Gothic", "Rhine", "Ulm_Minster"]);
    assert_eq!(crawl.names(&["--mark", "keep"]), ["Gothic", "Ulm_Minster"]);
    assert_eq!(crawl.names(&["--mark", "drop"]), ["Beer"]);
    assert_eq!(crawl.names(&["--mark", "none"]), ["Cologne", "Rhine"]);
    assert_eq!(crawl.names(&["--filter", "marked"]), ["Beer", "Gothic", "Ulm_Minster"]);
    assert_eq!(crawl.names(&["--mark", "all"]).len(), 5);
    let learned = crawl.web.sandbox.succeed(&["rank", "--data", "data", "--ranker", "nb"]);
    assert!(learned.contains("ranker  nb") && learned.contains("marked  3 entities"), "{learned}");

    assert!(done(&["undo", "--by", "max"]).starts_with("no change of `max` to undo"));
    assert_eq!(done(&["undo", "--by", "eva"]), "2 changes undone; total: 0 kept, 1 dropped\n");
    assert_eq!(done(&["unmark", "--all"]), "1 candidate unmarked; total: 0 kept, 0 dropped\n");
    assert_eq!(done(&["keep", "1"]), "1 candidate kept; total: 1 kept, 0 dropped\n");
}

#[test]
fn statements_about_candidates_are_exported() {
    let crawl = EntityCrawl::ranked();
    let export =
        |arguments: &[&str]| crawl.web.sandbox.run(&[&["export", "--data", "data", "--quiet"], arguments].concat());

    insta::assert_snapshot!("export_of_no_candidate", {
        let CommandOutput { output, errors, code } = export(&["--candidates"]);
        format!("{output}{errors}exit code {code}")
    });
    assert_eq!(crawl.candidates(&["keep", "--type", "Church"]).code, 0);
    let kept = export(&["--candidates"]);
    let places = export(&["--candidates", "type = Place"]);

    assert_eq!(kept.code, 0, "{}", kept.errors);
    assert!(kept.output.lines().count() >= 3, "{}", kept.output);
    assert!(kept.output.lines().all(|line| line.starts_with("<http://e.example/Ulm_Minster> ")), "{}", kept.output);
    assert!(places.output.contains("<http://f.example/Rhine> <http://e.example/p/passes>"), "{}", places.output);
}

#[test]
fn errors_of_candidates_have_hints() {
    let crawl = EntityCrawl::ranked();

    insta::assert_snapshot!("candidates_with_invalid_filter", crawl.shown(&["--filter", "type = Church and scor > 3"]));
    insta::assert_snapshot!("candidates_with_unknown_prefix", crawl.shown(&["--type", "foo:Bar"]));
    insta::assert_snapshot!("candidates_of_unknown_crawl", crawl.shown(&["--name", "other"]));
    insta::assert_snapshot!("candidates_none_matching", crawl.shown(&["--hop", "9"]));
    insta::assert_snapshot!("candidates_beyond_the_last", crawl.shown(&["--offset", "9"]));
    insta::assert_snapshot!("keep_without_candidates", crawl.shown(&["keep"]));
    insta::assert_snapshot!("keep_of_invalid_iri", crawl.shown(&["keep", "Cologne"]));
    insta::assert_snapshot!("keep_of_unknown_rank", crawl.shown(&["keep", "99"]));
    assert_eq!(crawl.candidates(&["drop", "--all"]).code, 0);
    insta::assert_snapshot!("candidates_all_dropped", crawl.shown(&[]));
    crawl.web.sandbox.write("data/crawls/1/ranking.jsonl", "{}\n");
    insta::assert_snapshot!("candidates_of_a_damaged_ranking", crawl.shown(&[]));
}

#[test]
fn a_crawl_with_unreachable_seeds_has_no_candidates() {
    let crawl = EntityCrawl::new();
    let lost = crawl.run_crawl(&["http://e.example/Nowhere", "--name", "lost"]);
    assert_eq!(lost.code, 4, "{}", lost.errors);

    insta::assert_snapshot!(
        "rank_without_candidates",
        crawl.web.sandbox.shown(&["rank", "--data", "data", "--name", "lost"])
    );
    insta::assert_snapshot!("candidates_of_unreachable_seeds", crawl.shown(&["--name", "lost"]));
}

#[test]
fn a_crawl_is_copied_into_one_graph_of_the_archive() {
    let crawl = EntityCrawl::ranked();
    let sandbox = &crawl.web.sandbox;
    let subjects = "SELECT DISTINCT ?s { GRAPH <urn:lodeward:crawl/1> { ?s ?p ?o } }";
    let export = |arguments: &[&str]| sandbox.run(&[&["export", "--to-archive", "--data", "data"], arguments].concat());

    let whole = export(&[]);
    assert_eq!(whole.code, 0, "{}", whole.errors);
    assert!(whole.errors.contains("to graph <urn:lodeward:crawl/1>"), "{}", whole.errors);
    assert!(sandbox.rows(&[subjects]).contains(&format!("<{SEED}>")));
    let churches = export(&["--candidates", "type = Church"]);
    assert_eq!(churches.code, 0, "{}", churches.errors);
    let seed = format!("<{SEED}>");
    let exported = || {
        let mut rows = sandbox.rows(&[subjects]);
        rows.sort_unstable();
        rows
    };
    let mut expected = ["<http://e.example/Ulm_Minster>", &seed];
    expected.sort_unstable();
    assert_eq!(exported(), expected, "the seed is exported with the candidates");

    sandbox.succeed(&["archive", "rebuild", "--all", "--data", "data"]);
    assert_eq!(exported(), expected, "an export survives a rebuild");
    sandbox.succeed(&["archive", "drop", "default", "--yes", "--data", "data"]);
    assert_eq!(sandbox.rows(&[subjects]), [""; 0]);
    assert_eq!(export(&["-o", "a.nq"]).code, 2);
}
