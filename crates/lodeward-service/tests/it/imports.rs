//! Imports of instance data, and rules that start crawls.

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::cathedral;
use crate::test_server::{TestOptions, TestServer};

const RECORDS: &str = r#"
    @prefix buildm: <http://data.duraark.eu/vocab/buildm/> .
    @prefix dbo: <http://dbpedia.org/ontology/> .
    <http://r.example/30> a buildm:PhysicalAsset ; buildm:name "Haus 30" ;
        dbo:location <http://e.example/Cologne> ; <http://r.example/like> <http://e.example/Ulm_Minster> .
"#;

/// The same statements in another form.
const RECORDS_AGAIN: &str = r#"
    <http://r.example/30> <http://r.example/like> <http://e.example/Ulm_Minster> .
    <http://r.example/30> <http://dbpedia.org/ontology/location> <http://e.example/Cologne> .
    <http://r.example/30> <http://data.duraark.eu/vocab/buildm/name> "Haus 30" .
    <http://r.example/30> a <http://data.duraark.eu/vocab/buildm/PhysicalAsset> .
"#;

async fn put(server: &TestServer, path: &str, media_type: &str, body: String) -> (u16, Value) {
    let request = server.client.put(server.url(path)).header("content-type", media_type).body(body);
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
}

async fn import(server: &TestServer, name: &str, turtle: &str) -> (u16, Value) {
    put(server, &format!("/api/v1/imports/{name}"), "text/turtle", turtle.to_owned()).await
}

async fn rule(server: &TestServer, name: &str, rule: Value) -> (u16, Value) {
    put(server, &format!("/api/v1/rules/{name}"), "application/json", rule.to_string()).await
}

async fn delete(server: &TestServer, path: &str) -> u16 {
    server.client.delete(server.url(path)).send().await.unwrap().status().as_u16()
}

/// The number of statements in the graph of the import.
async fn statements(server: &TestServer) -> usize {
    statements_in(server, "urn:lodeward:import/records").await
}

async fn statements_in(server: &TestServer, graph: &str) -> usize {
    let query = format!("SELECT * WHERE {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}");
    let query = serde_urlencoded::to_string([("query", query.as_str()), ("format", "json")]).unwrap();
    let request =
        server.anonymous("GET", &format!("/sparql?{query}")).header("accept", "application/sparql-results+json");
    let response = request.send().await.unwrap().text().await.unwrap();
    let response: Value = serde_json::from_str(&response).unwrap_or_else(|_| panic!("{response}"));
    response["results"]["bindings"].as_array().unwrap().len()
}

/// The seeds of a crawl, by the DURAARK API.
async fn seeds(server: &TestServer, crawl: &Value) -> Vec<String> {
    let (_, crawls) = server.get("/CrawlAPI/loadAllRegisteredCrawls").await;
    let crawl = crawls.as_array().unwrap().iter().find(|other| other["crawl_id"] == *crawl).unwrap();
    crawl["seeds"].as_array().unwrap().iter().map(|seed| seed.as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_is_a_graph_that_is_replaced_atomically() {
    let server = cathedral::start_service().await;

    let (status, first) = import(&server, "records", RECORDS).await;
    assert_eq!((status, &first["import"]["statements"]), (201, &4.into()), "{first}");
    let (status, again) = import(&server, "records", RECORDS_AGAIN).await;
    assert_eq!((status, &again["import"]["digest"]), (200, &first["import"]["digest"]), "{again}");
    let (status, less) = import(&server, "records", "<http://a.example/> a <http://a.example/A> .").await;
    assert_eq!((status, &less["import"]["statements"]), (200, &1.into()));
    assert_ne!(less["import"]["digest"], first["import"]["digest"]);

    let (_, list) = server.get("/api/v1/imports").await;
    assert_eq!((&list["total"], &list["imports"][0]), (&1.into(), &less["import"]));
    assert_eq!(server.get("/api/v1/imports/records").await, (200, less["import"].clone()));
    assert_eq!(less["import"]["graph"], "urn:lodeward:import/records");
    assert_eq!(statements(&server).await, 1);
    assert_eq!(delete(&server, "/api/v1/imports/records").await, 204);
    assert_eq!(server.get("/api/v1/imports/records").await.0, 404);
    assert_eq!(statements(&server).await, 0);
    assert_eq!(delete(&server, "/api/v1/imports/records").await, 404);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_matching_rule_starts_a_crawl_only_once() {
    let server = cathedral::start_service().await;
    let assets = "http://data.duraark.eu/vocab/buildm/PhysicalAsset";
    let matching = json!({"types": [assets], "roles": ["places"]});
    assert_eq!(rule(&server, "surroundings", matching.clone()).await.0, 201);
    assert_eq!(rule(&server, "others", json!({"types": ["http://a.example/A"]})).await.0, 201);
    assert_eq!(rule(&server, "idle", json!({"enabled": false})).await.0, 201);
    assert_eq!(rule(&server, "elsewhere", json!({"import_prefix": "x"})).await.0, 201);

    let (_, first) = import(&server, "records", RECORDS).await;

    let runs = &first["enrichments"];
    assert_eq!((&runs[0]["rule"], &runs[0]["outcome"]), (&"surroundings".into(), &"started".into()), "{first}");
    assert_eq!(runs.as_array().unwrap().len(), 1, "{first}");
    let crawl = &runs[0]["crawl"];
    assert_eq!(seeds(&server, crawl).await, ["http://e.example/Cologne"]);
    assert_eq!(first["import"]["crawls"], json!({"surroundings": crawl}));
    // The same statements start no crawl; changed ones do.
    let (_, again) = import(&server, "records", RECORDS_AGAIN).await;
    assert_eq!((&again["enrichments"][0]["outcome"], &again["enrichments"][0]["crawl"]), (&"unchanged".into(), crawl));
    let changed = RECORDS.replace("Cologne", "Ulm");
    let (_, changed) = import(&server, "records", &changed).await;
    assert_eq!(changed["enrichments"][0]["outcome"], "started", "{changed}");
    assert_eq!(seeds(&server, &changed["enrichments"][0]["crawl"]).await, ["http://e.example/Ulm"]);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_was_not_recorded_is_found_by_its_name() {
    let server = cathedral::start_service().await;
    rule(&server, "places", json!({"roles": ["places"]})).await;
    let (_, first) = import(&server, "records", RECORDS).await;
    // As after a kill between the two writes.
    let path = server.service.data_dir().join("service/imports/records.json");
    let mut record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    record["crawls"] = json!({});
    std::fs::write(&path, record.to_string()).unwrap();

    let (_, again) = import(&server, "records", RECORDS).await;

    assert_eq!(again["enrichments"][0]["crawl"], first["enrichments"][0]["crawl"], "{again}");
    assert_eq!(again["enrichments"][0]["outcome"], "unchanged");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_use_properties_and_templates() {
    let server = cathedral::start_service().await;
    let templates = server.service.data_dir().join("templates");
    std::fs::create_dir_all(&templates).unwrap();
    let template = "name = \"town\"\ntitle = \"A town\"\ndescription = \"Of a building\"\n\
        [[placeholders]]\nname = \"town\"\ndescription = \"the town\"\nrequired = true\n\
        [[seeds]]\niri = \"{town}\"\n[[seeds]]\niri = \"http://e.example/Germany\"\n";
    std::fs::write(templates.join("town.toml"), template).unwrap();
    rule(&server, "a", json!({"properties": ["http://r.example/like"]})).await;
    let values = json!({"town": ["http://dbpedia.org/ontology/location"]});
    let (status, created) = rule(&server, "b", json!({"template": "town", "values": values})).await;
    assert_eq!(status, 201, "{created}");

    let (_, imported) = import(&server, "records", RECORDS).await;

    let runs = &imported["enrichments"];
    assert_eq!(seeds(&server, &runs[0]["crawl"]).await, ["http://e.example/Ulm_Minster"], "{imported}");
    let expected = ["http://e.example/Cologne", "http://e.example/Germany"];
    assert_eq!(seeds(&server, &runs[1]["crawl"]).await, expected, "{imported}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_rule_does_not_affect_the_import() {
    let server = cathedral::start_service().await;
    rule(&server, "materials", json!({"properties": ["http://r.example/material"]})).await;
    rule(&server, "places", json!({"roles": ["places"]})).await;

    let (status, imported) = import(&server, "records", RECORDS).await;

    assert_eq!(status, 201);
    let runs = &imported["enrichments"];
    assert_eq!((&runs[0]["outcome"], &runs[0]["code"]), (&"failed".into(), &"unprocessable".into()), "{imported}");
    assert!(runs[0]["problem"].as_str().unwrap().contains("no seeds found"), "{imported}");
    assert_eq!(runs[1]["outcome"], "started");
    assert_eq!(server.get("/api/v1/imports/records").await.1["statements"], 4);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_with_a_syntax_error_is_not_imported() {
    let server = cathedral::start_service().await;
    import(&server, "records", RECORDS).await;

    for (turtle, detail) in [
        ("<http://a.example/> a <http://a.example/A> . <http://a.example/> what", "cannot parse the data"),
        ("# nothing", "the data has no statements"),
        ("", "the data has no statements"),
    ] {
        let (status, problem) = import(&server, "records", turtle).await;
        assert_eq!((status, &problem["code"]), (422, &"unprocessable".into()), "{problem}");
        assert!(problem["detail"].as_str().unwrap().starts_with(detail), "{problem}");
    }

    assert_eq!(server.get("/api/v1/imports/records").await.1["statements"], 4);
    assert_eq!(import(&server, "a.b", RECORDS).await.0, 404);
    assert_eq!(import(&server, "..%2Fa", RECORDS).await.0, 404);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_stored_replaced_and_rejected() {
    let server = cathedral::start_service().await;
    assert_eq!(rule(&server, "a", json!({"roles": ["places"]})).await.0, 201);
    assert_eq!(rule(&server, "a", json!({"roles": ["styles"]})).await.0, 200);
    let (_, stored) = server.get("/api/v1/rules/a").await;
    assert_eq!((&stored["rule"]["roles"], &stored["owner"]), (&json!(["styles"]), &"local".into()));
    assert_eq!(server.get("/api/v1/rules").await.1, json!({"rules": [stored]}));

    for invalid in [
        json!({"roles": ["unknown"]}),
        json!({"types": ["no iri"]}),
        json!({"template": "../x"}),
        json!({"template": "unknown"}),
        json!({"values": {"a": ["http://a.example/"]}}),
        json!({"settings": {"fetch": {"proxy": "http://a.example/"}}}),
        json!({"roles": ["places"], "settings": {"crawl": {"max_documents": "x"}}}),
        json!({"settings": {"crawl": {"strategy": "svm"}}}),
        json!({"colour": "red"}),
    ] {
        let (status, problem) = rule(&server, "b", invalid.clone()).await;
        assert_eq!(status, 422, "{invalid}: {problem}");
    }
    assert_eq!(delete(&server, "/api/v1/rules/a").await, 204);
    assert_eq!(delete(&server, "/api/v1/rules/a").await, 404);
    assert_eq!(server.get("/api/v1/rules/b").await.0, 404);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_and_rules_of_other_users_are_protected() {
    let server = TestServer::with_web(Some(cathedral::web()), TestOptions::default()).await;
    let put = async |role: Role, path: &str, body: &str| {
        let media_type = if path.contains("rules") { "application/json" } else { "text/turtle" };
        let request = server.request(role, "PUT", path).header("content-type", media_type).body(body.to_owned());
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_str::<Value>(&response.text().await.unwrap()).unwrap())
    };
    let places = r#"{"roles": ["places"]}"#;
    assert_eq!(put(Role::Operator, "/api/v1/rules/own", places).await.0, 201);
    assert_eq!(put(Role::Admin, "/api/v1/rules/shared", places).await.0, 201);

    let (_, of_admin) = put(Role::Admin, "/api/v1/imports/a", RECORDS).await;
    let (_, of_operator) = put(Role::Operator, "/api/v1/imports/b", RECORDS).await;

    let rules = |imported: &Value| -> Vec<String> {
        imported["enrichments"].as_array().unwrap().iter().map(|run| run["rule"].to_string()).collect()
    };
    assert_eq!(rules(&of_admin), ["\"shared\""]);
    assert_eq!(rules(&of_operator), ["\"own\"", "\"shared\""]);
    assert_eq!(put(Role::Operator, "/api/v1/imports/a", RECORDS).await.0, 403);
    assert_eq!(put(Role::Operator, "/api/v1/rules/shared", places).await.0, 403);
    assert_eq!(put(Role::Admin, "/api/v1/imports/b", RECORDS).await.0, 200);
    for (path, status) in [("imports/a", 403), ("rules/shared", 403), ("imports/b", 204), ("rules/own", 204)] {
        let response = server.request(Role::Operator, "DELETE", &format!("/api/v1/{path}")).send().await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{path}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_moves_to_a_changed_base_iri() {
    let server = TestServer::without_auth().await;
    assert_eq!(import(&server, "records", RECORDS).await.0, 201);
    assert_eq!(import(&server, "others", RECORDS).await.0, 201);
    let dir = server.stop().await;

    let settings = "[store]\ngraph_base_iri = \"http://base.example/\"\n".to_owned();
    let server = TestServer::start_in(dir, TestOptions { no_auth: true, settings, ..TestOptions::default() }).await;
    let (status, again) = import(&server, "records", RECORDS).await;

    assert_eq!((status, &again["import"]["graph"]), (200, &"http://base.example/import/records".into()), "{again}");
    assert_eq!(statements_in(&server, "http://base.example/import/records").await, 4);
    assert_eq!(statements(&server).await, 0, "the old graph is removed");
    assert_eq!(delete(&server, "/api/v1/imports/others").await, 204);
    assert_eq!(statements_in(&server, "urn:lodeward:import/others").await, 0);
    server.close().await;
}
