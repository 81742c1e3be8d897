//! `lodeward search` with the real binary.

use serde_json::Value;

use crate::sandbox::Sandbox;

const TURTLE: &str = r#"
@prefix : <http://a.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:tower a :Skyscraper ; rdfs:label "Empire State Building"@en ; :architect :lamb ;
    rdfs:comment "A tower of 102 floors in Manhattan."@en .
:lamb a :Person ; rdfs:label "William F. Lamb" .
:louvre a :Museum ; rdfs:label "Louvre"@fr ; rdfs:comment "Un musée"@fr .
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("data.ttl", TURTLE);
    sandbox.succeed(&["import", "data.ttl", "--data", "data", "--graph", "http://b.example/doc"]);
    sandbox
}

fn search(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let output = sandbox.succeed(&[&["search", "--json", "--data", "data"], arguments].concat());
    serde_json::from_str(&output).unwrap()
}

fn iris(found: &Value) -> Vec<&str> {
    found.as_array().unwrap().iter().map(|result| result["iri"].as_str().unwrap()).collect()
}

#[test]
fn imported_entities_are_found_by_words() {
    let sandbox = sandbox();

    let found = search(&sandbox, &["architect of the empire state building", "--why"]);
    let tower = &search(&sandbox, &["manhattan"])[0];

    assert!(iris(&found).contains(&"http://a.example/lamb"), "{found}");
    assert_eq!(tower["label"], "Empire State Building");
    assert_eq!(tower["snippet"]["field"], "description");
    assert_eq!(tower["snippet"]["document"], "http://b.example/doc");
    assert!(tower["score"].as_f64().unwrap() > 0.0);
    let text = sandbox.succeed(&["search", "skyscrapr", "--data", "data"]);
    assert!(text.starts_with("`skyscrapr` not found, searched `skyscraper`\n  1. Empire State Building"), "{text}");
}

#[test]
fn results_are_filtered() {
    let sandbox = sandbox();
    let check = |arguments: &[&str], expected: &[&str]| {
        assert_eq!(iris(&search(&sandbox, arguments)), expected, "{arguments:?}");
    };
    let lamb = ["http://a.example/lamb"];

    check(&["lamb", "--type", "person"], &lamb);
    check(&["lamb", "--type", "http://a.example/Person"], &lamb);
    check(&["lamb", "--type", "museum"], &[]);
    check(&["musee", "--language", "fr"], &["http://a.example/louvre"]);
    check(&["musee", "--language", "en"], &[]);
    check(&["lou", "--prefix"], &["http://a.example/louvre"]);
    check(&["lamb", "--type", "person", "--domain", "b.example"], &lamb);
    check(&["lamb", "--domain", "c.example"], &[]);
    check(&["lamb", "--type", "person", "--graph", "http://b.example/doc"], &lamb);
    let unknown = sandbox.run(&["search", "lamb", "--crawl", "none", "--data", "data"]);
    assert_eq!(unknown.code, 2, "{}", unknown.errors);
}

#[test]
fn updates_are_found_and_the_index_can_be_disabled() {
    let sandbox = sandbox();
    search(&sandbox, &["lamb"]);
    let insert = "INSERT DATA { <http://a.example/own> <http://schema.org/name> 'Zeppelin' }";
    sandbox.succeed(&["query", "--update", insert, "--data", "data"]);

    assert_eq!(iris(&search(&sandbox, &["zeppelin"])), ["http://a.example/own"]);
    let disabled = sandbox.run(&["search", "lamb", "--data", "data", "--set", "search.index=false"]);
    assert_eq!(disabled.code, 2);
    assert!(disabled.errors.contains("hint: set `search.index = true`"), "{}", disabled.errors);
    assert_eq!(iris(&search(&sandbox, &["zeppelin"])), ["http://a.example/own"], "it is built again");
}

const LINKED: &str = r#"
@prefix a: <http://a.example/> . @prefix b: <http://b.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
a:empire a a:Tower ; rdfs:label "Empire State Building" ; a:in a:nyc ; a:architect a:lamb ; rdfs:comment "tower in Manhattan" .
a:chrysler a a:Tower ; rdfs:label "Chrysler Building" ; a:in a:nyc ; a:architect a:alen ; rdfs:comment "tower in Manhattan" .
a:nyc a a:City ; rdfs:label "New York City" .
a:lamb a a:Person ; rdfs:label "William F. Lamb" .
a:alen a a:Person ; rdfs:label "William Van Alen" .
b:esb a b:Building ; rdfs:label "Empire State Building" ; b:place b:ny ; b:by b:wfl ; rdfs:comment "a tower in Manhattan" .
b:ny a b:Place ; rdfs:label "New York City" .
b:wfl a b:Human ; rdfs:label "William F. Lamb" .
"#;

fn linked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("linked.ttl", LINKED);
    sandbox.succeed(&["import", "linked.ttl", "--data", "data", "--graph", "http://c.example/doc"]);
    sandbox
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let output = sandbox.succeed(&[arguments, &["--json", "--data", "data"]].concat());
    serde_json::from_str(&output).unwrap()
}

#[test]
fn similar_entities_are_listed_with_reasons() {
    let sandbox = linked();

    let found = json(&sandbox, &["similar", "http://a.example/empire"]);
    let text = sandbox.succeed(&["similar", "http://a.example/empire", "--why", "--data", "data"]);
    let unknown = sandbox.run(&["similar", "http://a.example/none", "--data", "data"]);

    assert_eq!(iris(&found)[0], "http://a.example/chrysler");
    assert_eq!(found[0]["why"][0]["feature"], "statements");
    assert!(text.starts_with("  1. Chrysler Building  ") && text.contains("     neighbours "), "{text}");
    assert_eq!(unknown.code, 2);
    assert!(unknown.errors.contains("is not an entity of the archive\nhint: "), "{}", unknown.errors);
}

#[test]
fn clusters_are_stored_listed_and_extended() {
    let sandbox = linked();
    let without = sandbox.run(&["cluster", "--list", "--data", "data"]);
    assert!(without.errors.contains("hint: run `lodeward cluster` first"), "{}", without.errors);

    let first = json(&sandbox, &["cluster"]);
    let id = first["clusters"][0]["id"].to_string();
    let members = json(&sandbox, &["cluster", "--show", &id]);
    let more = r#"<http://a.example/seagram> a <http://a.example/Tower> ; <http://a.example/in> <http://a.example/nyc> ;
        <http://a.example/architect> <http://a.example/mies> ;
        <http://www.w3.org/2000/01/rdf-schema#label> "Seagram Building" ;
        <http://www.w3.org/2000/01/rdf-schema#comment> "tower in Manhattan" ."#;
    sandbox.write("more.ttl", more);
    sandbox.succeed(&["import", "more.ttl", "--data", "data", "--graph", "http://c.example/more"]);
    let extended = json(&sandbox, &["cluster", "--extend"]);

    assert_eq!(first["run"]["entities"], 8);
    assert_eq!(members["size"], members["members"].as_array().unwrap().len());
    assert_eq!(extended["run"]["entities"], 9);
    assert_eq!(extended["run"]["added"], 1);
    let all = extended["clusters"].as_array().unwrap();
    assert_eq!(all.iter().map(|cluster| cluster["size"].as_u64().unwrap()).sum::<u64>(), 9);
    let cluster_of = |label: &str| {
        let ids = all.iter().map(|cluster| cluster["id"].to_string());
        let shown = ids.map(|id| json(&sandbox, &["cluster", "--show", &id]));
        shown.into_iter().find(|cluster| cluster.to_string().contains(label)).unwrap()["id"].clone()
    };
    assert_eq!(cluster_of("Seagram Building"), cluster_of("Chrysler Building"));
    for algorithm in ["x-means", "spectral"] {
        let found = json(&sandbox, &["cluster", "--algorithm", algorithm, "--type", "tower", "--k-max", "3"]);
        assert_eq!((found["run"]["entities"].as_u64(), found["run"]["algorithm"].as_str()), (Some(3), Some(algorithm)));
    }
    assert_eq!(sandbox.run(&["cluster", "--k-min", "5", "--k-max", "3", "--data", "data"]).code, 2);
    assert_eq!(sandbox.run(&["cluster", "--show", "99", "--data", "data"]).code, 2);
}

#[test]
fn links_are_proposed_marked_and_exported() {
    let sandbox = linked();

    let found = json(&sandbox, &["links", "--find"]);
    let pairs: Vec<String> = found["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| {
            let name = |field: &str| link[field].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            format!("{} {}", name("source"), name("target"))
        })
        .collect();
    assert!(pairs.iter().any(|pair| pair == "esb empire" || pair == "empire esb"), "{pairs:?}");
    assert_eq!(found["links"][0]["predicate"], "owl:sameAs");
    assert!(!found["links"][0]["why"].as_array().unwrap().is_empty());

    sandbox.succeed(&["links", "keep", "1", "--by", "anna", "--data", "data"]);
    sandbox.succeed(&["links", "drop", "2", "--by", "ben", "--data", "data"]);
    let undropped = json(&sandbox, &["links"]);
    assert_eq!(undropped["total"].as_u64().unwrap() + 1, found["total"].as_u64().unwrap());
    assert_eq!(undropped["links"][0]["mark"], "keep");
    let history = sandbox.succeed(&["links", "history", "--data", "data"]);
    assert!(history.contains("  anna  none → keep  <http://"), "{history}");
    sandbox.succeed(&["links", "undo", "--by", "ben", "--data", "data"]);
    assert_eq!(json(&sandbox, &["links"])["total"], found["total"]);
    let unknown = sandbox.run(&["links", "keep", "99", "--data", "data"]);
    assert!(unknown.code == 2 && unknown.errors.contains("there is no proposed link 99"), "{}", unknown.errors);

    let written = sandbox.succeed(&["links", "export", "--format", "ntriples", "--data", "data"]);
    assert_eq!(written.lines().count(), 1, "{written}");
    assert!(written.contains("<http://www.w3.org/2002/07/owl#sameAs>"), "{written}");
    sandbox.succeed(&["links", "export", "--to-archive", "--data", "data"]);
    let query = "SELECT (COUNT(*) AS ?n) { GRAPH lodeward:links { ?s owl:sameAs ?o } }";
    assert!(sandbox.succeed(&["query", query, "--data", "data", "--format", "csv"]).contains("\n1"));
    // The kept link is in the archive now, so it is no longer proposed; its mark stays.
    let again = json(&sandbox, &["links", "--find", "--mark", "keep"]);
    assert_eq!((again["total"].as_u64(), &again["links"][0]["number"]), (Some(1), &Value::Null));
    let related = json(&sandbox, &["links", "--find", "--related"]);
    assert_eq!(related["links"][0]["predicate"], "skos:related", "{related}");
}

#[test]
fn queries_can_search_by_words() {
    let sandbox = sandbox();
    let query = "SELECT ?e ?score { (?e ?score) lodeward:search (\"empire tower\" 5) ; a ?type } ORDER BY DESC(?score)";

    let found = sandbox.succeed(&["query", query, "--format", "csv", "--data", "data"]);
    let disabled = sandbox.run(&["query", query, "--data", "data", "--set", "search.index=false"]);

    assert!(found.lines().nth(1).is_some_and(|line| line.starts_with("http://a.example/tower,")), "{found}");
    assert!(disabled.code != 0 && disabled.errors.contains("search.index = true"), "{}", disabled.errors);
}

#[test]
fn chinese_and_japanese_labels_are_found() {
    let sandbox = Sandbox::new();
    let label = "<http://www.w3.org/2000/01/rdf-schema#label>";
    let data = format!(
        "<http://a.example/t> {label} \"東京都庁舎\"@ja . <http://a.example/p> {label} \"北京故宫博物院\"@zh ."
    );
    sandbox.write("cjk.ttl", &data);
    sandbox.succeed(&["import", "cjk.ttl", "--data", "data", "--graph", "http://a.example/doc"]);

    assert_eq!(iris(&search(&sandbox, &["東京"])), ["http://a.example/t"]);
    assert_eq!(iris(&search(&sandbox, &["故宫"])), ["http://a.example/p"]);
}

#[test]
fn a_restored_data_directory_is_searched() {
    let sandbox = linked();
    let links = json(&sandbox, &["links", "--find"]);
    sandbox.succeed(&["links", "keep", "1", "--data", "data"]);
    json(&sandbox, &["cluster"]);

    sandbox.succeed(&["backup", "--to", "copy", "--data", "data"]);
    sandbox.succeed(&["restore", "copy", "--data", "restored"]);
    let found = sandbox.succeed(&["search", "chrysler", "--json", "--data", "restored"]);
    let kept = sandbox.succeed(&["links", "--mark", "keep", "--json", "--data", "restored"]);
    let clusters = sandbox.run(&["cluster", "--list", "--data", "restored"]);

    assert!(links["total"].as_u64().unwrap() > 1);
    assert_eq!(iris(&serde_json::from_str(&found).unwrap())[0], "http://a.example/chrysler");
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap()["total"], 1, "{kept}");
    assert_eq!(clusters.code, 0, "{}", clusters.errors);
}
