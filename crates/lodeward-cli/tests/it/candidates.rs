//! Candidates of a crawl: ranked, listed, marked and exported by the real binary.

use serde_json::Value;

use crate::desk::{Said, sorted};
use crate::entity_web::Entities;

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

/// A crawl of a small web of entities.
struct Town {
    web: Entities,
}

impl Town {
    fn new() -> Self {
        let town = Self { web: Entities::new(ENTITIES, LINKS) };
        town.crawl(&[SEED, "http://e.example/Nowhere"]);
        town
    }

    fn crawl(&self, arguments: &[&str]) {
        let crawl = ["crawl", "--proxy", &self.web.proxy, "--data", "data", "--delay", "0", "--strategy", "bfs"];
        // Nobody answers for the classes, and who does not answer is asked again.
        let crawl = [&crawl[..], &["--no-vocabularies"]].concat();
        self.web.desk.succeed(&[&crawl[..], arguments].concat());
    }

    /// A town whose candidates are ranked by their texts.
    fn ranked() -> Self {
        let town = Self::new();
        town.web.desk.succeed(&["rank", "--data", "data", "--ranker", "ejsim", "--depth", "2"]);
        town
    }

    fn candidates(&self, arguments: &[&str]) -> Said {
        self.web.desk.run(&[&["candidates"], arguments, &["--data", "data"]].concat())
    }

    fn shown(&self, arguments: &[&str]) -> String {
        self.web.desk.shown(&[&["candidates"], arguments, &["--data", "data"]].concat())
    }

    /// The ends of the names of candidates, sorted.
    fn names(&self, arguments: &[&str]) -> Vec<String> {
        let Said { output, errors, code } = self.candidates(&[arguments, &["--format", "csv"]].concat());
        assert_eq!(code, 0, "{errors}");
        let names = output.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().rsplit('/').next().unwrap());
        sorted(names)
    }
}

#[test]
fn any_crawl_is_ranked_and_says_what_was_chosen_and_why() {
    let town = Town::new();

    insta::assert_snapshot!("candidates_of_no_ranking", town.shown(&[]));
    insta::assert_snapshot!(
        "rank",
        town.web.desk.shown(&["rank", "--data", "data", "--ranker", "ejsim", "--depth", "2"])
    );
    let json: Value =
        serde_json::from_str(&town.web.desk.succeed(&["rank", "--data", "data", "--list", "2", "--json"])).unwrap();
    assert_eq!((&json["candidates"], &json["listed"]), (&5.into(), &2.into()), "{json}");
    assert_eq!(town.names(&[]).len(), 2);
}

#[test]
fn candidates_are_shown_in_every_format() {
    let town = Town::ranked();

    insta::assert_snapshot!("candidates_table", town.shown(&["--why"]));
    insta::assert_snapshot!("candidates_csv", town.shown(&["--format", "csv", "--limit", "2", "--offset", "1"]));
    let Said { output, .. } = town.candidates(&["--format", "json", "--limit", "1"]);
    let json: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&json["wanted"], &json["ranking"]["ranker"]), (&5.into(), &"ejsim".into()), "{output}");
    assert_eq!(json["candidates"].as_array().unwrap().len(), 1);
    let nothing = town.candidates(&["--format", "json", "--hop", "9"]).output;
    assert_eq!(serde_json::from_str::<Value>(&nothing).unwrap()["candidates"], Value::Array(Vec::new()));
}

#[test]
fn candidates_are_filtered_by_flags_and_expressions() {
    let town = Town::ranked();
    let check = |arguments: &[&str], names: &[&str]| assert_eq!(town.names(arguments), names, "{arguments:?}");

    check(&[], &["Beer", "Cologne", "Gothic", "Rhine", "Ulm_Minster"]);
    check(&["--type", "dbo:Place"], &["Cologne", "Rhine"]);
    check(&["--type", "Church", "--type", "<http://dbpedia.org/ontology/Style>"], &["Gothic", "Ulm_Minster"]);
    check(&["--pld", "f.example"], &["Rhine"]);
    check(&["--hop", "1"], &["Cologne", "Gothic"]);
    check(&["--pattern", "(?i)rhine|beer"], &["Beer", "Rhine"]);
    check(&["--has", "style"], &["Ulm_Minster"]);
    check(&["--has", "place = <http://e.example/Cologne>"], &["Beer"]);
    check(&["--has", "http://e.example/p/passes", "--type", "River"], &["Rhine"]);
    check(&["--filter", "hop = 2 and not (has style or type = Food)"], &["Rhine"]);
    check(
        &["--filter", "rank <= 2; described"],
        &town.names(&["--limit", "2"]).iter().map(String::as_str).collect::<Vec<_>>(),
    );
    check(&["--min-score", "1000"], &[]);
}

#[test]
fn marks_survive_ranking_and_crawling_again() {
    let town = Town::ranked();
    let done = |arguments: &[&str]| {
        let Said { errors, code, .. } = town.candidates(arguments);
        assert_eq!(code, 0, "{errors}");
        errors
    };

    assert_eq!(done(&["drop", "--type", "Food"]), "1 candidate is now dropped; 0 kept and 1 dropped in all\n");
    done(&["keep", "http://e.example/Ulm_Minster", "<http://e.example/Gothic>", "--who", "eva"]);
    town.web.desk.succeed(&["rank", "--data", "data"]);
    town.crawl(&["--refresh", "all"]);
    assert!(done(&[]).ends_with("the crawl has run since it was ranked; `lodeward rank` ranks it again\n"));
    town.web.desk.succeed(&["rank", "--data", "data", "--ranker", "ppr"]);
    assert!(!done(&[]).contains("has run since"));

    assert_eq!(town.names(&[]), ["Cologne", "Gothic", "Rhine", "Ulm_Minster"]);
    assert_eq!(town.names(&["--marked", "keep"]), ["Gothic", "Ulm_Minster"]);
    assert_eq!(town.names(&["--marked", "drop"]), ["Beer"]);
    assert_eq!(town.names(&["--marked", "none"]), ["Cologne", "Rhine"]);
    assert_eq!(town.names(&["--filter", "marked"]), ["Beer", "Gothic", "Ulm_Minster"]);
    assert_eq!(town.names(&["--marked", "all"]).len(), 5);
    let learned = town.web.desk.succeed(&["rank", "--data", "data", "--ranker", "nb"]);
    assert!(learned.contains("by  nb") && learned.contains("marked  3 of the known"), "{learned}");

    assert_eq!(done(&["undo"]), "2 marks are as before; 0 kept and 1 dropped in all\n");
    assert_eq!(done(&["unmark", "--all"]), "1 candidate is now unmarked; 0 kept and 0 dropped in all\n");
    assert_eq!(done(&["keep", "1"]), "1 candidate is now kept; 1 kept and 0 dropped in all\n");
}

#[test]
fn statements_about_candidates_are_exported() {
    let town = Town::ranked();
    let export =
        |arguments: &[&str]| town.web.desk.run(&[&["export", "--data", "data", "--quiet"], arguments].concat());

    insta::assert_snapshot!("export_of_no_candidate", {
        let Said { output, errors, code } = export(&["--candidates"]);
        format!("{output}{errors}exit code {code}")
    });
    assert_eq!(town.candidates(&["keep", "--type", "Church"]).code, 0);
    let kept = export(&["--candidates"]);
    let places = export(&["--candidates", "type = Place"]);

    assert_eq!(kept.code, 0, "{}", kept.errors);
    assert!(kept.output.lines().count() >= 3, "{}", kept.output);
    assert!(kept.output.lines().all(|line| line.starts_with("<http://e.example/Ulm_Minster> ")), "{}", kept.output);
    assert!(places.output.contains("<http://f.example/Rhine> <http://e.example/p/passes>"), "{}", places.output);
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let town = Town::ranked();

    insta::assert_snapshot!("candidates_of_a_wrong_filter", town.shown(&["--filter", "type = Church and scor > 3"]));
    insta::assert_snapshot!("candidates_of_a_wrong_prefix", town.shown(&["--type", "foo:Bar"]));
    insta::assert_snapshot!("candidates_of_no_crawl", town.shown(&["--name", "other"]));
    insta::assert_snapshot!("candidates_of_nothing", town.shown(&["--hop", "9"]));
    insta::assert_snapshot!("candidates_beyond_the_last", town.shown(&["--offset", "9"]));
    insta::assert_snapshot!("keep_of_nobody", town.shown(&["keep"]));
    insta::assert_snapshot!("keep_of_no_iri", town.shown(&["keep", "Cologne"]));
    insta::assert_snapshot!("keep_of_no_place", town.shown(&["keep", "99"]));
    assert_eq!(town.candidates(&["drop", "--all"]).code, 0);
    insta::assert_snapshot!("candidates_all_dropped", town.shown(&[]));
    town.web.desk.write("data/crawls/1/ranking.jsonl", "{}\n");
    insta::assert_snapshot!("candidates_of_a_damaged_ranking", town.shown(&[]));
}

#[test]
fn a_crawl_whose_seeds_say_nothing_has_no_candidates() {
    let town = Town::new();
    town.crawl(&["http://e.example/Nowhere", "--name", "lost"]);

    insta::assert_snapshot!("rank_of_nothing", town.web.desk.shown(&["rank", "--data", "data", "--name", "lost"]));
    insta::assert_snapshot!("candidates_of_lost_seeds", town.shown(&["--name", "lost"]));
}

#[test]
fn a_crawl_is_put_into_the_archive_as_one_graph() {
    let town = Town::ranked();
    let desk = &town.web.desk;
    let subjects = "SELECT DISTINCT ?s { GRAPH <urn:lodeward:crawl/1> { ?s ?p ?o } }";
    let export = |arguments: &[&str]| desk.run(&[&["export", "--to-archive", "--data", "data"], arguments].concat());

    let whole = export(&[]);
    assert_eq!(whole.code, 0, "{}", whole.errors);
    assert!(whole.errors.contains("into the graph <urn:lodeward:crawl/1>"), "{}", whole.errors);
    assert!(desk.rows(&[subjects]).contains(&format!("<{SEED}>")));
    let churches = export(&["--candidates", "type = Church"]);
    assert_eq!(churches.code, 0, "{}", churches.errors);
    assert_eq!(desk.rows(&[subjects]), ["<http://e.example/Ulm_Minster>"]);

    desk.succeed(&["rebuild", "--all", "--data", "data"]);
    assert_eq!(desk.rows(&[subjects]), ["<http://e.example/Ulm_Minster>"], "what was exported stays");
    desk.succeed(&["drop", "--crawl", "default", "--yes", "--data", "data"]);
    assert_eq!(desk.rows(&[subjects]), [""; 0]);
    assert_eq!(export(&["-o", "a.nq"]).code, 2);
}
