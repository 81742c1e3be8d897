//! Exports of crawls to the archive.

use serde_json::{Value, json};

use crate::cathedral;
use crate::crawl_helpers::{start_crawl, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

/// The rows of a query with one variable `?x`.
async fn rows(server: &TestServer, query: &str) -> Vec<String> {
    let request = server.client.post(server.url("/sparql")).header("content-type", "application/sparql-query");
    let response = request.header("accept", "text/csv").body(query.to_owned()).send().await.unwrap();
    let (status, text) = (response.status().as_u16(), response.text().await.unwrap());
    assert_eq!(status, 200, "{text}");
    text.lines().skip(1).map(str::to_owned).collect()
}

async fn graph_size(server: &TestServer, graph: &str) -> u64 {
    let rows = rows(server, &format!("SELECT (COUNT(*) AS ?x) {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}")).await;
    rows[0].parse().unwrap()
}

async fn export(server: &TestServer, id: u64, query: &str) -> (u16, Value) {
    server.post(&format!("/api/v1/crawls/{id}/export{query}"), &Value::Null).await
}

/// A graph as its statements, sorted.
async fn content(server: &TestServer, graph: &str) -> Vec<String> {
    let request = server.client.get(server.url(&format!("/store?graph={graph}")));
    let response = request.header("accept", "application/n-triples").send().await.unwrap();
    let mut lines: Vec<String> = response.text().await.unwrap().lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_repeatable_and_can_be_deleted() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"limits": {"max_documents": 200}})).await;
    wait_for_state(&server, id, "finished").await;
    let (status, problem) = server.get(&format!("/api/v1/crawls/{id}/export")).await;
    assert_eq!((status, &problem["code"]), (404, &json!("not-found")));

    let (status, first) = export(&server, id, "").await;
    assert_eq!(status, 200, "{first}");
    let graph = format!("urn:lodeward:crawl/{id}");
    assert_eq!(first["graph"], json!(graph));
    assert!(first["candidates"].is_null() && first["documents"].as_u64() > Some(0), "{first}");
    assert_eq!(first["statements"].as_u64(), Some(graph_size(&server, &graph).await));
    let before = content(&server, &graph).await;
    let (_, second) = export(&server, id, "").await;
    assert_eq!((&second["statements"], &second["documents"]), (&first["statements"], &first["documents"]));
    assert_eq!(content(&server, &graph).await, before, "blank nodes included");
    assert_eq!(server.get(&format!("/api/v1/crawls/{id}/export")).await, (200, second));
    // The description of the crawl is a separate graph.
    let described = format!("ASK {{ GRAPH <{graph}/description> {{ <{graph}> a ?type }} }}");
    let (_, response) = server.get(&format!("/sparql?query={}", encoded(&described))).await;
    assert_eq!(response["boolean"], true);

    let address = server.url(&format!("/api/v1/crawls/{id}/export"));
    assert_eq!(server.client.delete(&address).send().await.unwrap().status(), 204);
    assert_eq!(server.client.delete(&address).send().await.unwrap().status(), 404);
    assert_eq!(graph_size(&server, &graph).await, 0);
    assert_eq!(server.get(&format!("/api/v1/crawls/{id}/export")).await.0, 404);
    server.close().await;
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn exported_candidates_can_be_queried_as_published() {
    let settings = "[store]\ngraph_base_iri = \"http://data.duraark.eu/\"\n".to_owned();
    let web = Some(cathedral::web());
    let server = TestServer::start(TestOptions { no_auth: true, web, settings, ..TestOptions::default() }).await;
    let order = json!({"seeds": [cathedral::SEED], "strategy": "focus", "limits": {"max_documents": 50}});
    let id = start_crawl(&server, order).await;
    wait_for_state(&server, id, "finished").await;

    let (status, exported) = export(&server, id, "").await;
    assert_eq!(status, 200, "{exported}");
    assert_eq!(exported["graph"], json!(format!("http://data.duraark.eu/crawl/{id}")));
    assert!(exported["candidates"].as_u64() > Some(1), "{exported}");
    // D3.6 §5, listings 2 and 3.
    let churches = format!(
        "SELECT ?x FROM <http://data.duraark.eu/crawl/{id}> WHERE {{ ?x ?type ?value . FILTER regex(?value,\"Minster\") }}"
    );
    assert_eq!(rows(&server, &churches).await, ["http://e.example/Ulm_Minster"]);
    let all = format!("SELECT DISTINCT ?x FROM <http://data.duraark.eu/crawl/{id}> {{ ?x ?type ?value }} LIMIT 100");
    assert!(rows(&server, &all).await.len() > 1);

    let filter = encoded("entity = \"http://e.example/Ulm_Minster\"");
    let (status, one) = export(&server, id, &format!("?only=all&filter={filter}")).await;
    assert_eq!((status, &one["candidates"]), (200, &json!(1)), "{one}");
    let mut exported = rows(&server, &all).await;
    exported.sort_unstable();
    assert_eq!(exported, ["http://e.example/Cologne_Cathedral", "http://e.example/Ulm_Minster"], "with the seed");
    let (status, none) = export(&server, id, "?only=kept").await;
    assert_eq!((status, &none["code"]), (409, &json!("conflict")), "{none}");
    assert_eq!(rows(&server, &all).await.len(), 2, "the existing export is not replaced by an empty one");
    let (status, problem) = export(&server, id, "?filter=nonsense%20%3D%3D").await;
    assert_eq!((status, &problem["code"]), (422, &json!("unprocessable")), "{problem}");
    assert_eq!(export(&server, id, "?only=some").await.0, 400);
    assert_eq!(export(&server, 99, "").await.0, 404);

    export(&server, id, "").await;
    let deleted = server.client.delete(server.url(&format!("/api/v1/crawls/{id}"))).send().await.unwrap();
    assert_eq!(deleted.status(), 204);
    assert_eq!(rows(&server, "SELECT DISTINCT ?x { GRAPH ?x { ?s ?p ?o } }").await, Vec::<String>::new());
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_candidates_needs_a_ranking() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"strategy": "bfs", "limits": {"max_documents": 20}})).await;
    wait_for_state(&server, id, "finished").await;

    let (status, problem) = export(&server, id, "?only=kept").await;

    assert_eq!((status, &problem["code"]), (409, &json!("conflict")), "{problem}");
    server.close().await;
}
