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
    let server = TestServer::start(TestOptions::default()).await;
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
    assert_eq!(get(&server, "/api/v1/search?q=cathedral").await.1["pending"], 0);
    assert_eq!(get(&server, "/api/v1/search?q=cathedral&type=museum").await.1["results"], serde_json::json!([]));
    for (query, status) in [("q=%20", 422), ("q=x&type=nope:X", 422), ("q=x&crawl=99", 404), ("q=x&limit=0", 400)] {
        assert_eq!(get(&server, &format!("/api/v1/search?{query}")).await.0, status, "{query}");
    }
    let anonymous = server.anonymous("GET", "/api/v1/search?q=reims").send().await.unwrap();
    assert_eq!(anonymous.status().as_u16(), 401);
    server.close().await;
}

const LINKED: &str = "PREFIX a: <http://a.example/> PREFIX b: <http://b.example/> \
    PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> INSERT DATA { GRAPH <http://c.example/doc> { \
    a:empire a a:Tower ; rdfs:label 'Empire State Building' ; a:in a:nyc ; a:architect a:lamb . \
    a:chrysler a a:Tower ; rdfs:label 'Chrysler Building' ; a:in a:nyc . \
    a:nyc a a:City ; rdfs:label 'New York City' . a:lamb a a:Person ; rdfs:label 'William F. Lamb' . \
    b:esb a b:Building ; rdfs:label 'Empire State Building' ; b:place b:ny ; b:by b:wfl . \
    b:ny a b:Place ; rdfs:label 'New York City' . b:wfl a b:Human ; rdfs:label 'William F. Lamb' } }";

async fn send(server: &TestServer, role: Role, method: &str, path: &str, body: Value) -> (u16, Value) {
    let request = server.request(role, method, path).header("content-type", "application/json");
    let response = request.body(body.to_string()).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
}

/// Waits until the job of a list has ended.
#[expect(clippy::disallowed_methods, reason = "the test polls a running service")]
async fn finished(server: &TestServer, path: &str) -> Value {
    for _ in 0..1_200 {
        let page = get(server, path).await.1;
        if page["job"]["running"] == false {
            assert_eq!(page["job"]["error"], Value::Null, "{page}");
            return page;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the job does not end")
}

/// A service with a few entities in its index.
#[expect(clippy::disallowed_methods, reason = "the test polls a running service")]
async fn linked_server() -> TestServer {
    let server = TestServer::start(TestOptions::default()).await;
    let request = server.request(Role::Admin, "POST", "/sparql").header("content-type", "application/sparql-update");
    assert_eq!(request.body(LINKED).send().await.unwrap().status().as_u16(), 204);
    for _ in 0..600 {
        if get(&server, "/api/v1/search?q=empire").await.1["results"].as_array().is_some_and(|found| !found.is_empty())
        {
            return server;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the index is not updated")
}

#[tokio::test(flavor = "multi_thread")]
async fn similar_entities_and_clusters_are_served() {
    let server = linked_server().await;

    let similar = get(&server, "/api/v1/similar?iri=http://a.example/empire&limit=3").await.1;

    assert_eq!(similar["results"][0]["iri"], "http://a.example/chrysler", "{similar}");
    assert_eq!(similar["results"][0]["why"].as_array().unwrap().len(), 4);
    assert_eq!(get(&server, "/api/v1/similar?iri=http://a.example/none").await.0, 404);
    assert_eq!(get(&server, "/api/v1/similar?iri=nope:x").await.0, 422);

    assert_eq!(get(&server, "/api/v1/clusters").await.1["run"], Value::Null);
    assert_eq!(get(&server, "/api/v1/clusters/1").await.0, 404);
    let job = serde_json::json!({ "algorithm": "leiden" });
    assert_eq!(send(&server, Role::Reader, "POST", "/api/v1/clusters", job.clone()).await.0, 403);
    assert_eq!(send(&server, Role::Operator, "POST", "/api/v1/clusters", job).await.0, 202);
    let listed = finished(&server, "/api/v1/clusters").await;
    assert_eq!(listed["run"]["entities"], 7, "{listed}");
    let id = &listed["clusters"][0]["id"];
    let cluster = get(&server, &format!("/api/v1/clusters/{id}")).await.1;
    assert_eq!(cluster["members"].as_array().unwrap().len() as u64, cluster["size"].as_u64().unwrap());
    let wrong = serde_json::json!({ "k_min": 5, "k_max": 2 });
    assert_eq!(send(&server, Role::Operator, "POST", "/api/v1/clusters", wrong).await.0, 422);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_found_marked_and_exported_over_http() {
    let server = linked_server().await;
    assert_eq!(get(&server, "/api/v1/links").await.1["found_at"], Value::Null);
    assert_eq!(send(&server, Role::Operator, "POST", "/api/v1/links", serde_json::json!({})).await.0, 202);

    let listed = finished(&server, "/api/v1/links?state=open").await;

    let total = listed["total"].as_u64().unwrap();
    assert!(total >= 2, "{listed}");
    let name = |number: usize| {
        let link = &listed["links"][number];
        serde_json::json!({ "source": link["source"], "predicate": link["predicate"], "target": link["target"] })
    };
    let marks = "/api/v1/links/marks";
    let keep = serde_json::json!({ "links": [name(0)], "mark": "keep" });
    assert_eq!(send(&server, Role::Reader, "POST", marks, keep.clone()).await.0, 403);
    let (status, kept) = send(&server, Role::Operator, "POST", marks, keep).await;
    assert_eq!((status, kept["changed"].as_u64(), kept["kept"].as_u64()), (200, Some(1), Some(1)));
    let drop = serde_json::json!({ "links": [name(1)], "mark": "drop" });
    assert_eq!(send(&server, Role::Operator, "POST", marks, drop).await.1["dropped"], 1);
    assert_eq!(get(&server, "/api/v1/links?state=kept").await.1["total"], 1);
    assert_eq!(get(&server, "/api/v1/links").await.1["total"].as_u64(), Some(total - 1));
    assert_eq!(send(&server, Role::Operator, "DELETE", marks, Value::Null).await.1["dropped"], 0);
    assert_eq!(get(&server, marks).await.1["total"], 3);
    let unknown = serde_json::json!({ "links": [{ "source": "urn:a", "target": "urn:b" }], "mark": "keep" });
    assert_eq!(send(&server, Role::Operator, "POST", marks, unknown).await.0, 422);

    let exported = send(&server, Role::Operator, "POST", "/api/v1/links/export", Value::Null).await.1;
    assert_eq!((exported["graph"].as_str(), exported["links"].as_u64()), (Some("urn:lodeward:links"), Some(1)));
    let file = server.request(Role::Reader, "GET", "/api/v1/links/export").send().await.unwrap();
    assert!(file.text().await.unwrap().contains("<http://www.w3.org/2002/07/owl#sameAs>"));
    let query = "/sparql?query=SELECT%20*%20%7B%20%3Fe%20lodeward:search%20%22empire%22%20%7D";
    let found = server.request(Role::Reader, "GET", query).send().await.unwrap().text().await.unwrap();
    assert!(found.contains("http://a.example/empire"), "{found}");
    server.close().await;
}
