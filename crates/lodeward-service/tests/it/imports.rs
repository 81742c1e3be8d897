//! Instance data that are imported, and the crawls that they begin.

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::cathedral;
use crate::house::{House, Plan};

const RECORDS: &str = r#"
    @prefix buildm: <http://data.duraark.eu/vocab/buildm/> .
    @prefix dbo: <http://dbpedia.org/ontology/> .
    <http://r.example/30> a buildm:PhysicalAsset ; buildm:name "Haus 30" ;
        dbo:location <http://e.example/Cologne> ; <http://r.example/like> <http://e.example/Ulm_Minster> .
"#;

/// The same statements, written otherwise.
const RECORDS_AGAIN: &str = r#"
    <http://r.example/30> <http://r.example/like> <http://e.example/Ulm_Minster> .
    <http://r.example/30> <http://dbpedia.org/ontology/location> <http://e.example/Cologne> .
    <http://r.example/30> <http://data.duraark.eu/vocab/buildm/name> "Haus 30" .
    <http://r.example/30> a <http://data.duraark.eu/vocab/buildm/PhysicalAsset> .
"#;

async fn put(house: &House, path: &str, media_type: &str, body: String) -> (u16, Value) {
    let request = house.client.put(house.url(path)).header("content-type", media_type).body(body);
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default())
}

async fn import(house: &House, name: &str, turtle: &str) -> (u16, Value) {
    put(house, &format!("/api/v1/imports/{name}"), "text/turtle", turtle.to_owned()).await
}

async fn rule(house: &House, name: &str, rule: Value) -> (u16, Value) {
    put(house, &format!("/api/v1/rules/{name}"), "application/json", rule.to_string()).await
}

async fn delete(house: &House, path: &str) -> u16 {
    house.client.delete(house.url(path)).send().await.unwrap().status().as_u16()
}

/// How many statements the archive has in the graph of the import.
async fn statements(house: &House) -> usize {
    statements_in(house, "urn:lodeward:import/records").await
}

async fn statements_in(house: &House, graph: &str) -> usize {
    let query = format!("SELECT * WHERE {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}");
    let query = serde_urlencoded::to_string([("query", query.as_str()), ("format", "json")]).unwrap();
    let request = house.ask("GET", &format!("/sparql?{query}")).header("accept", "application/sparql-results+json");
    let answer = request.send().await.unwrap().text().await.unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{answer}"));
    answer["results"]["bindings"].as_array().unwrap().len()
}

/// The seeds of a crawl, as the façade tells them.
async fn seeds(house: &House, crawl: &Value) -> Vec<String> {
    let (_, crawls) = house.get("/CrawlAPI/loadAllRegisteredCrawls").await;
    let crawl = crawls.as_array().unwrap().iter().find(|other| other["crawl_id"] == *crawl).unwrap();
    crawl["seeds"].as_array().unwrap().iter().map(|seed| seed.as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_imported_is_a_graph_that_is_replaced_as_a_whole() {
    let house = cathedral::house().await;

    let (status, first) = import(&house, "records", RECORDS).await;
    assert_eq!((status, &first["import"]["statements"]), (201, &4.into()), "{first}");
    let (status, again) = import(&house, "records", RECORDS_AGAIN).await;
    assert_eq!((status, &again["import"]["digest"]), (200, &first["import"]["digest"]), "{again}");
    let (status, less) = import(&house, "records", "<http://a.example/> a <http://a.example/A> .").await;
    assert_eq!((status, &less["import"]["statements"]), (200, &1.into()));
    assert_ne!(less["import"]["digest"], first["import"]["digest"]);

    let (_, list) = house.get("/api/v1/imports").await;
    assert_eq!((&list["total"], &list["imports"][0]), (&1.into(), &less["import"]));
    assert_eq!(house.get("/api/v1/imports/records").await, (200, less["import"].clone()));
    assert_eq!(less["import"]["graph"], "urn:lodeward:import/records");
    assert_eq!(statements(&house).await, 1);
    assert_eq!(delete(&house, "/api/v1/imports/records").await, 204);
    assert_eq!(house.get("/api/v1/imports/records").await.0, 404);
    assert_eq!(statements(&house).await, 0);
    assert_eq!(delete(&house, "/api/v1/imports/records").await, 404);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_a_rule_is_for_begins_a_crawl_and_only_once() {
    let house = cathedral::house().await;
    let assets = "http://data.duraark.eu/vocab/buildm/PhysicalAsset";
    let wanted = json!({"types": [assets], "roles": ["places"]});
    assert_eq!(rule(&house, "surroundings", wanted.clone()).await.0, 201);
    assert_eq!(rule(&house, "others", json!({"types": ["http://a.example/A"]})).await.0, 201);
    assert_eq!(rule(&house, "idle", json!({"enabled": false})).await.0, 201);
    assert_eq!(rule(&house, "elsewhere", json!({"import_prefix": "x"})).await.0, 201);

    let (_, first) = import(&house, "records", RECORDS).await;

    let did = &first["enrichments"];
    assert_eq!((&did[0]["rule"], &did[0]["outcome"]), (&"surroundings".into(), &"begun".into()), "{first}");
    assert_eq!(did.as_array().unwrap().len(), 1, "{first}");
    let crawl = &did[0]["crawl"];
    assert_eq!(seeds(&house, crawl).await, ["http://e.example/Cologne"]);
    assert_eq!(first["import"]["crawls"], json!({"surroundings": crawl}));
    // The same statements begin nothing, and so do others begin another one.
    let (_, again) = import(&house, "records", RECORDS_AGAIN).await;
    assert_eq!((&again["enrichments"][0]["outcome"], &again["enrichments"][0]["crawl"]), (&"unchanged".into(), crawl));
    let changed = RECORDS.replace("Cologne", "Ulm");
    let (_, changed) = import(&house, "records", &changed).await;
    assert_eq!(changed["enrichments"][0]["outcome"], "begun", "{changed}");
    assert_eq!(seeds(&house, &changed["enrichments"][0]["crawl"]).await, ["http://e.example/Ulm"]);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_could_not_be_noted_is_found_again() {
    let house = cathedral::house().await;
    rule(&house, "places", json!({"roles": ["places"]})).await;
    let (_, first) = import(&house, "records", RECORDS).await;
    // As if somebody had killed the service in between.
    let kept = house.service.data().join("service/imports/records.json");
    let mut import_kept: Value = serde_json::from_slice(&std::fs::read(&kept).unwrap()).unwrap();
    import_kept["begun"] = json!({});
    std::fs::write(&kept, import_kept.to_string()).unwrap();

    let (_, again) = import(&house, "records", RECORDS).await;

    assert_eq!(again["enrichments"][0]["crawl"], first["enrichments"][0]["crawl"], "{again}");
    assert_eq!(again["enrichments"][0]["outcome"], "unchanged");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_take_properties_and_put_values_into_templates() {
    let house = cathedral::house().await;
    let templates = house.service.data().join("templates");
    std::fs::create_dir_all(&templates).unwrap();
    let template = "name = \"town\"\ntitle = \"A town\"\ndescription = \"Of a building\"\n\
        [[placeholders]]\nname = \"town\"\ndescription = \"the town\"\nrequired = true\n\
        [[seeds]]\niri = \"{town}\"\n[[seeds]]\niri = \"http://e.example/Germany\"\n";
    std::fs::write(templates.join("town.toml"), template).unwrap();
    rule(&house, "a", json!({"properties": ["http://r.example/like"]})).await;
    let values = json!({"town": ["http://dbpedia.org/ontology/location"]});
    let (status, made) = rule(&house, "b", json!({"template": "town", "values": values})).await;
    assert_eq!(status, 201, "{made}");

    let (_, imported) = import(&house, "records", RECORDS).await;

    let did = &imported["enrichments"];
    assert_eq!(seeds(&house, &did[0]["crawl"]).await, ["http://e.example/Ulm_Minster"], "{imported}");
    let expected = ["http://e.example/Cologne", "http://e.example/Germany"];
    assert_eq!(seeds(&house, &did[1]["crawl"]).await, expected, "{imported}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_cannot_be_followed_is_told_and_undoes_nothing() {
    let house = cathedral::house().await;
    rule(&house, "materials", json!({"properties": ["http://r.example/material"]})).await;
    rule(&house, "places", json!({"roles": ["places"]})).await;

    let (status, imported) = import(&house, "records", RECORDS).await;

    assert_eq!(status, 201);
    let did = &imported["enrichments"];
    assert_eq!((&did[0]["outcome"], &did[0]["code"]), (&"failed".into(), &"invalid".into()), "{imported}");
    assert!(did[0]["problem"].as_str().unwrap().contains("no seed in it"), "{imported}");
    assert_eq!(did[1]["outcome"], "begun");
    assert_eq!(house.get("/api/v1/imports/records").await.1["statements"], 4);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_as_a_whole_is_not_imported() {
    let house = cathedral::house().await;
    import(&house, "records", RECORDS).await;

    for (turtle, told) in [
        ("<http://a.example/> a <http://a.example/A> . <http://a.example/> what", "it cannot be read"),
        ("# nothing", "there is no RDF in it"),
        ("", "there is no RDF in it"),
    ] {
        let (status, problem) = import(&house, "records", turtle).await;
        assert_eq!((status, &problem["code"]), (422, &"invalid".into()), "{problem}");
        assert!(problem["detail"].as_str().unwrap().starts_with(told), "{problem}");
    }

    assert_eq!(house.get("/api/v1/imports/records").await.1["statements"], 4);
    assert_eq!(import(&house, "a.b", RECORDS).await.0, 404);
    assert_eq!(import(&house, "..%2Fa", RECORDS).await.0, 404);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_kept_replaced_and_refused() {
    let house = cathedral::house().await;
    assert_eq!(rule(&house, "a", json!({"roles": ["places"]})).await.0, 201);
    assert_eq!(rule(&house, "a", json!({"roles": ["styles"]})).await.0, 200);
    let (_, kept) = house.get("/api/v1/rules/a").await;
    assert_eq!((&kept["rule"]["roles"], &kept["owner"]), (&json!(["styles"]), &"local".into()));
    assert_eq!(house.get("/api/v1/rules").await.1, json!({"rules": [kept]}));

    for wrong in [
        json!({"roles": ["nobody"]}),
        json!({"types": ["no iri"]}),
        json!({"template": "../x"}),
        json!({"template": "unheard-of"}),
        json!({"values": {"a": ["http://a.example/"]}}),
        json!({"settings": {"fetch": {"proxy": "http://a.example/"}}}),
        json!({"roles": ["places"], "settings": {"crawl": {"max_documents": "x"}}}),
        json!({"settings": {"crawl": {"strategy": "svm"}}}),
        json!({"colour": "red"}),
    ] {
        let (status, problem) = rule(&house, "b", wrong.clone()).await;
        assert_eq!(status, 422, "{wrong}: {problem}");
    }
    assert_eq!(delete(&house, "/api/v1/rules/a").await, 204);
    assert_eq!(delete(&house, "/api/v1/rules/a").await, 404);
    assert_eq!(house.get("/api/v1/rules/b").await.0, 404);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_replaces_what_is_not_theirs_and_an_operators_rule_is_for_their_own() {
    let house = House::beside(Some(cathedral::web()), Plan::default()).await;
    let put = async |role: Role, path: &str, body: &str| {
        let media_type = if path.contains("rules") { "application/json" } else { "text/turtle" };
        let request = house.request(role, "PUT", path).header("content-type", media_type).body(body.to_owned());
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str::<Value>(&answer.text().await.unwrap()).unwrap())
    };
    let places = r#"{"roles": ["places"]}"#;
    assert_eq!(put(Role::Operator, "/api/v1/rules/own", places).await.0, 201);
    assert_eq!(put(Role::Admin, "/api/v1/rules/shared", places).await.0, 201);

    let (_, of_admin) = put(Role::Admin, "/api/v1/imports/a", RECORDS).await;
    let (_, of_operator) = put(Role::Operator, "/api/v1/imports/b", RECORDS).await;

    let rules = |imported: &Value| -> Vec<String> {
        imported["enrichments"].as_array().unwrap().iter().map(|did| did["rule"].to_string()).collect()
    };
    assert_eq!(rules(&of_admin), ["\"shared\""]);
    assert_eq!(rules(&of_operator), ["\"own\"", "\"shared\""]);
    assert_eq!(put(Role::Operator, "/api/v1/imports/a", RECORDS).await.0, 403);
    assert_eq!(put(Role::Operator, "/api/v1/rules/shared", places).await.0, 403);
    assert_eq!(put(Role::Admin, "/api/v1/imports/b", RECORDS).await.0, 200);
    for (path, status) in [("imports/a", 403), ("rules/shared", 403), ("imports/b", 204), ("rules/own", 204)] {
        let answer = house.request(Role::Operator, "DELETE", &format!("/api/v1/{path}")).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{path}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_moves_when_graphs_are_named_otherwise() {
    let house = House::open().await;
    assert_eq!(import(&house, "records", RECORDS).await.0, 201);
    assert_eq!(import(&house, "others", RECORDS).await.0, 201);
    let folder = house.leave().await;

    let settings = "[store]\nbase = \"http://base.example/\"\n".to_owned();
    let house = House::move_in(folder, Plan { no_auth: true, settings, ..Plan::default() }).await;
    let (status, again) = import(&house, "records", RECORDS).await;

    assert_eq!((status, &again["import"]["graph"]), (200, &"http://base.example/import/records".into()), "{again}");
    assert_eq!(statements_in(&house, "http://base.example/import/records").await, 4);
    assert_eq!(statements(&house).await, 0, "what it had before is not left behind");
    assert_eq!(delete(&house, "/api/v1/imports/others").await, 204);
    assert_eq!(statements_in(&house, "urn:lodeward:import/others").await, 0);
    house.close().await;
}
