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

const INDEX: &str = "search.index=true";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("data.ttl", TURTLE);
    sandbox.succeed(&["import", "data.ttl", "--data", "data", "--graph", "http://b.example/doc"]);
    sandbox
}

fn search(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let output = sandbox.succeed(&[&["search", "--json", "--data", "data", "--set", INDEX], arguments].concat());
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
    let text = sandbox.succeed(&["search", "skyscrapr", "--data", "data", "--set", INDEX]);
    assert!(
        text.starts_with("`skyscrapr` not found, searched the stem `skyscrap`\n  1. Empire State Building"),
        "{text}"
    );
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
    let unknown = sandbox.run(&["search", "lamb", "--crawl", "none", "--data", "data", "--set", INDEX]);
    assert_eq!(unknown.code, 2, "{}", unknown.errors);
}

#[test]
fn updates_are_found_and_the_index_can_be_disabled() {
    let sandbox = sandbox();
    search(&sandbox, &["lamb"]);
    let insert = "INSERT DATA { <http://a.example/own> <http://schema.org/name> 'Zeppelin' }";
    sandbox.succeed(&["query", "--update", insert, "--data", "data", "--set", INDEX]);

    assert_eq!(iris(&search(&sandbox, &["zeppelin"])), ["http://a.example/own"]);
    let disabled = sandbox.run(&["search", "lamb", "--data", "data", "--set", "search.index=false"]);
    assert_eq!(disabled.code, 2);
    assert!(disabled.errors.contains("hint: set `search.index = true`"), "{}", disabled.errors);
    assert_eq!(iris(&search(&sandbox, &["zeppelin"])), ["http://a.example/own"], "it is built again");
}
