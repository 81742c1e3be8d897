//! Crawls in the archive as named graphs.

use serde_json::{Value, json};

use crate::cathedral;
use crate::house::{House, Plan};
use crate::wait::{begun, crawl_in_state};

/// The rows of a query with one variable `?x`.
async fn rows(house: &House, query: &str) -> Vec<String> {
    let request = house.client.post(house.url("/sparql")).header("content-type", "application/sparql-query");
    let answer = request.header("accept", "text/csv").body(query.to_owned()).send().await.unwrap();
    let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap());
    assert_eq!(status, 200, "{text}");
    text.lines().skip(1).map(str::to_owned).collect()
}

async fn graph_size(house: &House, graph: &str) -> u64 {
    let rows = rows(house, &format!("SELECT (COUNT(*) AS ?x) {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}")).await;
    rows[0].parse().unwrap()
}

async fn export(house: &House, id: u64, query: &str) -> (u16, Value) {
    house.post(&format!("/api/v1/crawls/{id}/export{query}"), &Value::Null).await
}

/// A graph as its statements, sorted.
async fn content(house: &House, graph: &str) -> Vec<String> {
    let request = house.client.get(house.url(&format!("/store?graph={graph}")));
    let answer = request.header("accept", "application/n-triples").send().await.unwrap();
    let mut lines: Vec<String> = answer.text().await.unwrap().lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn a_harvest_is_exported_whole_again_and_again_and_removed() {
    let house = House::open().await;
    let id = begun(&house, json!({"limits": {"max_documents": 200}})).await;
    crawl_in_state(&house, id, "finished").await;
    let (status, problem) = house.get(&format!("/api/v1/crawls/{id}/export")).await;
    assert_eq!((status, &problem["code"]), (404, &json!("not-found")));

    let (status, first) = export(&house, id, "").await;
    assert_eq!(status, 200, "{first}");
    let graph = format!("urn:lodeward:crawl/{id}");
    assert_eq!(first["graph"], json!(graph));
    assert!(first["candidates"].is_null() && first["documents"].as_u64() > Some(0), "{first}");
    assert_eq!(first["statements"].as_u64(), Some(graph_size(&house, &graph).await));
    let before = content(&house, &graph).await;
    let (_, second) = export(&house, id, "").await;
    assert_eq!((&second["statements"], &second["documents"]), (&first["statements"], &first["documents"]));
    assert_eq!(content(&house, &graph).await, before, "blank nodes and all");
    assert_eq!(house.get(&format!("/api/v1/crawls/{id}/export")).await, (200, second));
    // What is described beside it is not overwritten, nor does it overwrite.
    let described = format!("ASK {{ GRAPH <{graph}/description> {{ <{graph}> a ?type }} }}");
    let (_, answer) = house.get(&format!("/sparql?query={}", encoded(&described))).await;
    assert_eq!(answer["boolean"], true);

    let address = house.url(&format!("/api/v1/crawls/{id}/export"));
    assert_eq!(house.client.delete(&address).send().await.unwrap().status(), 204);
    assert_eq!(house.client.delete(&address).send().await.unwrap().status(), 404);
    assert_eq!(graph_size(&house, &graph).await, 0);
    assert_eq!(house.get(&format!("/api/v1/crawls/{id}/export")).await.0, 404);
    house.close().await;
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_are_exported_and_asked_for_as_was_published() {
    let settings = "[store]\nbase = \"http://data.duraark.eu/\"\n".to_owned();
    let web = Some(cathedral::web());
    let house = House::build(Plan { no_auth: true, web, settings, ..Plan::default() }).await;
    let order = json!({"seeds": [cathedral::SEED], "strategy": "focus", "limits": {"max_documents": 50}});
    let id = begun(&house, order).await;
    crawl_in_state(&house, id, "finished").await;

    let (status, exported) = export(&house, id, "").await;
    assert_eq!(status, 200, "{exported}");
    assert_eq!(exported["graph"], json!(format!("http://data.duraark.eu/crawl/{id}")));
    assert!(exported["candidates"].as_u64() > Some(1), "{exported}");
    // D3.6 §5, listings 2 and 3.
    let churches = format!(
        "SELECT ?x FROM <http://data.duraark.eu/crawl/{id}> WHERE {{ ?x ?type ?value . FILTER regex(?value,\"Minster\") }}"
    );
    assert_eq!(rows(&house, &churches).await, ["http://e.example/Ulm_Minster"]);
    let all = format!("SELECT DISTINCT ?x FROM <http://data.duraark.eu/crawl/{id}> {{ ?x ?type ?value }} LIMIT 100");
    assert!(rows(&house, &all).await.len() > 1);

    let filter = encoded("entity = \"http://e.example/Ulm_Minster\"");
    let (status, one) = export(&house, id, &format!("?only=all&filter={filter}")).await;
    assert_eq!((status, &one["candidates"]), (200, &json!(1)), "{one}");
    assert_eq!(rows(&house, &all).await, ["http://e.example/Ulm_Minster"]);
    let (status, none) = export(&house, id, "?only=kept").await;
    assert_eq!((status, &none["code"]), (409, &json!("conflict")), "{none}");
    assert_eq!(rows(&house, &all).await.len(), 1, "what was exported is not replaced by nothing");
    let (status, problem) = export(&house, id, "?filter=nonsense%20%3D%3D").await;
    assert_eq!((status, &problem["code"]), (422, &json!("invalid")), "{problem}");
    assert_eq!(export(&house, id, "?only=some").await.0, 400);
    assert_eq!(export(&house, 99, "").await.0, 404);

    export(&house, id, "").await;
    let deleted = house.client.delete(house.url(&format!("/api/v1/crawls/{id}"))).send().await.unwrap();
    assert_eq!(deleted.status(), 204);
    assert_eq!(rows(&house, "SELECT DISTINCT ?x { GRAPH ?x { ?s ?p ?o } }").await, Vec::<String>::new());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_ranked_yet_has_no_candidates_to_export() {
    let house = House::open().await;
    let id = begun(&house, json!({"strategy": "bfs", "limits": {"max_documents": 20}})).await;
    crawl_in_state(&house, id, "finished").await;

    let (status, problem) = export(&house, id, "?only=kept").await;

    assert_eq!((status, &problem["code"]), (409, &json!("conflict")), "{problem}");
    house.close().await;
}
