//! Entities, terms, checks of queries, saved queries, and comparisons of crawls.

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::cathedral::{self, SEED};
use crate::crawl_helpers::{start_crawl, wait_for_state};
use crate::test_server::TestServer;

/// A service with a finished and ranked crawl.
async fn with_crawl() -> TestServer {
    let server = cathedral::start_service().await;
    let id = start_crawl(&server, json!({"seeds": [SEED], "strategy": "focus"})).await;
    wait_for_state(&server, id, "finished").await;
    server
}

fn encoded(iri: &str) -> String {
    iri.replace(':', "%3A").replace('/', "%2F").replace('#', "%23")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entity_is_described_in_one_call() {
    let server = with_crawl().await;
    let (_, candidates) = server.get("/api/v1/crawls/1/candidates?limit=1").await;
    let entity = candidates["candidates"][0]["entity"].as_str().unwrap().to_owned();
    server.post("/api/v1/crawls/1/candidates/marks", &json!({"entities": [entity], "mark": "keep"})).await;

    let (status, found) = server.get(&format!("/api/v1/entity?iri={}", encoded(&entity))).await;

    assert_eq!((status, &found["iri"]), (200, &entity.as_str().into()), "{found}");
    assert!(found["label"].is_string() && found["statements"].as_u64() > Some(0), "{found}");
    let values = found["properties"][0]["values"].as_array().unwrap();
    assert!(values[0]["sources"][0].as_str().unwrap().starts_with("http://e.example/"), "{found}");
    let crawl = &found["crawls"][0];
    assert_eq!((&crawl["id"], &crawl["rank"], &crawl["mark"]), (&1.into(), &1.into(), &"keep".into()), "{found}");
    let (_, seed) = server.get(&format!("/api/v1/entity?iri={}", encoded(SEED))).await;
    let property =
        seed["properties"].as_array().unwrap().iter().find(|property| {
            property["values"].as_array().unwrap().iter().any(|value| value["value"]["kind"] == "iri")
        });
    let property = property.unwrap();
    let target = property["values"].as_array().unwrap().iter().find(|value| value["value"]["kind"] == "iri").unwrap();
    let (target, name) = (target["value"]["value"].as_str().unwrap(), property["property"]["value"].as_str().unwrap());
    let path = format!("/api/v1/entity/incoming?iri={}&property={}", encoded(target), encoded(name));
    let (_, incoming) = server.get(&path).await;
    let subjects = incoming["subjects"].as_array().unwrap();
    assert!(subjects.iter().any(|link| link["subject"]["value"] == SEED), "{incoming}");
    let (_, graph) = server.get(&format!("/api/v1/neighbours?iri={}", encoded(SEED))).await;
    assert_eq!(graph["nodes"][0]["iri"], SEED, "{graph}");
    assert!(graph["edges"].as_array().unwrap().len() > 1, "{graph}");
    assert_eq!(server.get("/api/v1/entity?iri=http%3A%2F%2Fe.example%2FNowhere").await.0, 404);
    let (status, problem) = server.get("/api/v1/entity?iri=no%20iri").await;
    assert_eq!((status, &problem["errors"][0]["at"]), (400, &"?iri".into()), "{problem}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn terms_are_found_by_their_beginning() {
    let server = with_crawl().await;

    let (status, all) = server.get("/api/v1/terms?kind=property").await;
    let (_, properties) = server.get("/api/v1/terms?kind=property&text=rdfs%3Alab").await;
    let (_, graphs) = server.get("/api/v1/terms?kind=graph&text=Cologne_Cathedral&limit=1").await;

    assert_eq!(status, 200, "{all}");
    let counts: Vec<u64> =
        all["terms"].as_array().unwrap().iter().map(|term| term["count"].as_u64().unwrap()).collect();
    assert!(!counts.is_empty() && counts.is_sorted_by(|one, other| one >= other), "{all}");
    assert_eq!(properties["terms"][0]["name"], "rdfs:label", "{properties}");
    assert_eq!(graphs["terms"][0]["iri"], SEED, "{graphs}");
    assert_eq!(server.get("/api/v1/terms?kind=thing").await.0, 400);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_checked_with_the_place_of_its_error() {
    let server = TestServer::without_auth().await;
    let check = async |sparql: &str| {
        let (status, result) = server.post("/api/v1/sparql/check", &json!({"sparql": sparql, "plan": true})).await;
        assert_eq!(status, 200, "{result}");
        result
    };

    let query = check("SELECT * { ?s ?p ?o }").await;
    assert_eq!((&query["valid"], &query["kind"]), (&true.into(), &"query".into()), "{query}");
    assert!(query["plan"].is_string());
    let update = check("DELETE WHERE { ?s ?p ?o }").await;
    assert_eq!((&update["valid"], &update["kind"]), (&true.into(), &"update".into()), "{update}");
    let invalid = check("SELECT *\n{ ?s unknown:p ?o }").await;
    assert_eq!((&invalid["valid"], &invalid["errors"][0]["line"]), (&false.into(), &2.into()), "{invalid}");
    let invalid = check("INSERT DATA {\n<http://a/> <http://b/> }").await;
    assert_eq!((&invalid["valid"], &invalid["errors"][0]["line"]), (&false.into(), &2.into()), "{invalid}");
    let (_, left) = server.get("/api/v1/terms?kind=property").await;
    assert_eq!(left["total"], 0, "nothing was run: {left}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_query_belongs_to_its_owner() {
    let server = TestServer::with_auth().await;
    let put = async |role: Role, name: &str, body: Value| {
        let request = server.request(role, "PUT", &format!("/api/v1/queries/{name}"));
        let request = request.header("content-type", "application/json").body(body.to_string());
        request.send().await.unwrap().status().as_u16()
    };
    let query = json!({"text": "ASK {}", "title": "Anything?"});

    assert_eq!(put(Role::Reader, "any", query.clone()).await, 201);
    assert_eq!(put(Role::Reader, "any", json!({"text": "ASK { ?s ?p ?o }"})).await, 200);
    assert_eq!(put(Role::Operator, "any", query.clone()).await, 403);
    assert_eq!(put(Role::Reader, "no.name", query).await, 404);

    let list = server.request(Role::Operator, "GET", "/api/v1/queries").send().await.unwrap();
    let list: Value = serde_json::from_slice(&list.bytes().await.unwrap()).unwrap();
    assert_eq!(
        (&list["queries"][0]["text"], &list["queries"][0]["owner"]),
        (&"ASK { ?s ?p ?o }".into(), &"reader".into())
    );
    let delete =
        async |role| server.request(role, "DELETE", "/api/v1/queries/any").send().await.unwrap().status().as_u16();
    assert_eq!((delete(Role::Operator).await, delete(Role::Admin).await, delete(Role::Reader).await), (403, 204, 404));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_crawls_are_compared() {
    let server = with_crawl().await;
    let order = json!({"seeds": ["http://e.example/Cologne"], "strategy": "focus", "limits": {"max_documents": 3}});
    let id = start_crawl(&server, order).await;
    wait_for_state(&server, id, "finished").await;
    let total =
        async |id: u64| server.get(&format!("/api/v1/crawls/{id}")).await.1["counters"]["documents"].as_u64().unwrap();

    let (status, compared) = server.get("/api/v1/compare?a=1&b=2&k=5").await;

    assert_eq!(status, 200, "{compared}");
    let count = |key: &str| compared["documents"][key].as_u64().unwrap();
    assert_eq!(count("both") + count("only_a"), total(1).await, "{compared}");
    assert_eq!(count("both") + count("only_b"), total(2).await, "{compared}");
    assert_eq!(compared["domains"]["both"], 1, "{compared}");
    assert_eq!(compared["rankings"]["overlaps"][0]["depth"], 10, "{compared}");
    assert!(compared["rankings"]["moved"].as_array().unwrap().len() <= 5);
    assert_eq!(compared["yield_b"].as_array().unwrap().last().unwrap()["documents"], 3, "{compared}");
    let (_, same) = server.get("/api/v1/compare?a=1&b=1").await;
    assert_eq!((&same["documents"]["only_a"], &same["rankings"]["moved"]), (&0.into(), &json!([])), "{same}");
    assert_eq!(server.get("/api/v1/compare?a=1&b=9").await.0, 404);
    server.close().await;
}
