//! Search for entities over HTTP.

use std::time::Duration;

use lodeward_service::Role;
use serde_json::Value;

use crate::test_server::{TestOptions, TestServer};

async fn get(server: &TestServer, path: &str) -> (u16, Value) {
    let response = server.request(Role::Reader, "GET", path).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::disallowed_methods, reason = "the test polls a running service")]
async fn updates_of_the_archive_are_found() {
    let settings = "[search]\nindex = true\n".to_owned();
    let server = TestServer::start(TestOptions { settings, ..TestOptions::default() }).await;
    let insert = "INSERT DATA { GRAPH <http://a.example/doc> { <http://a.example/reims> a <http://a.example/Church> ; \
                  <http://www.w3.org/2000/01/rdf-schema#label> 'Reims Cathedral'@en } }";
    let request = server.request(Role::Admin, "POST", "/sparql").header("content-type", "application/sparql-update");
    assert_eq!(request.body(insert).send().await.unwrap().status().as_u16(), 204);

    // The index is updated each second.
    let mut found = Value::Null;
    for _ in 0..600 {
        found = get(&server, "/api/v1/search?q=cathedrals&facets=true").await.1;
        if found["results"].as_array().is_some_and(|results| !results.is_empty()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    assert_eq!(found["results"][0]["iri"], "http://a.example/reims", "{found}");
    assert_eq!(found["results"][0]["snippet"]["document"], "http://a.example/doc");
    assert_eq!(found["facets"][0]["values"][0]["value"], "http://a.example/Church");
    assert_eq!(get(&server, "/api/v1/search?q=cathedral&type=museum").await.1["results"], serde_json::json!([]));
    for (query, status) in [("q=%20", 422), ("q=x&type=nope:X", 422), ("q=x&crawl=99", 404), ("q=x&limit=0", 400)] {
        assert_eq!(get(&server, &format!("/api/v1/search?{query}")).await.0, status, "{query}");
    }
    let anonymous = server.anonymous("GET", "/api/v1/search?q=reims").send().await.unwrap();
    assert_eq!(anonymous.status().as_u16(), 401);
    server.close().await;
}
