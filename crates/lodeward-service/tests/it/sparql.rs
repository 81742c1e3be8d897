//! The archive over HTTP: who may ask what, and what bounds it.

use std::time::Duration;

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::house::{House, Plan, password_of};
use crate::python;

/// Sends a body by the user with this role.
async fn send(house: &House, role: Role, path: &str, media_type: &str, body: &str) -> (u16, Value) {
    let request = house.request(role, "POST", path).header("content-type", media_type);
    answered(request.body(body.to_owned())).await
}

async fn answered(request: reqwest::RequestBuilder) -> (u16, Value) {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default())
}

async fn update(house: &House, role: Role, text: &str) -> (u16, Value) {
    send(house, role, "/sparql", "application/sparql-update", text).await
}

async fn query(house: &House, role: Role, text: &str) -> (u16, Value) {
    send(house, role, "/sparql", "application/sparql-query", text).await
}

/// A query that would take days.
fn endless() -> String {
    let column = |number: u32| format!("VALUES ?x{number} {{ 0 1 2 3 4 5 6 7 8 9 }} ");
    format!("SELECT (COUNT(*) AS ?n) {{ {} }}", (0..14).map(column).collect::<String>())
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_not_update_is_refused_however_they_ask() {
    let house = House::guarded().await;
    let insert = "INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 'o' } }";
    let form = format!("update={}", insert.replace(' ', "+"));
    let turtle = ("text/turtle", "<urn:s> <urn:p> 'o' .");

    for role in [Role::Reader, Role::Operator] {
        for (path, media_type, body) in [
            ("/sparql", "application/sparql-update", insert),
            ("/sparql", "application/x-www-form-urlencoded", &form),
            ("/update", "application/sparql-update", insert),
            ("/update", "application/x-www-form-urlencoded", &form),
            ("/store?graph=urn:g", turtle.0, turtle.1),
            ("/store?default", turtle.0, turtle.1),
            ("/store", turtle.0, turtle.1),
            ("/store/g", turtle.0, turtle.1),
        ] {
            let (status, problem) = send(&house, role, path, media_type, body).await;
            assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{path} {media_type}: {problem}");
            assert!(problem["hint"].as_str().unwrap().contains("admin"), "{problem}");
        }
        for method in ["PUT", "DELETE"] {
            let request = house.request(role, method, "/store?graph=urn:g").header("content-type", turtle.0);
            assert_eq!(answered(request.body(turtle.1)).await.0, 403, "{method}");
        }
    }
    assert_eq!(query(&house, Role::Reader, "ASK { ?s ?p ?o }").await, (200, json!({"head": {}, "boolean": false})));
    assert_eq!(update(&house, Role::Admin, insert).await.0, 204);
    assert_eq!(query(&house, Role::Reader, "ASK { ?s ?p ?o }").await.1["boolean"], true);
    assert_eq!(answered(house.ask("GET", "/sparql?query=ASK%7B%7D")).await.0, 401);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_update_is_a_setting() {
    let settings = "[service]\nupdate_role = \"operator\"\nfederation_role = \"reader\"\n".to_owned();
    let house = House::build(Plan { settings, ..Plan::default() }).await;

    assert_eq!(update(&house, Role::Operator, "INSERT DATA { <urn:s> <urn:p> 1 }").await.0, 204);
    assert_eq!(update(&house, Role::Reader, "CLEAR ALL").await.0, 403);
    let (status, problem) = query(&house, Role::Reader, "SELECT * { SERVICE <http://localhost/> { ?s ?p ?o } }").await;
    assert_eq!(status, 403);
    assert!(problem["detail"].as_str().unwrap().contains("open internet"), "{problem}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_makes_us_ask_what_is_inside() {
    // Without a proxy: what names stand for is for us to find out.
    let house = House::build(Plan { is_direct: true, ..Plan::default() }).await;
    let port = house.address.port();
    let inside = [
        format!("http://127.0.0.1:{port}/sparql"),
        format!("http://localhost:{port}/sparql"),
        format!("http://[::1]:{port}/"),
        format!("http://2130706433:{port}/"),
        "http://10.0.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ];
    for endpoint in inside {
        let federated = format!("SELECT * {{ SERVICE <{endpoint}> {{ ?s ?p ?o }} }}");
        let (status, problem) = query(&house, Role::Admin, &federated).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{endpoint}: {problem}");
        let (status, problem) = update(&house, Role::Admin, &format!("LOAD <{endpoint}>")).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{endpoint}: {problem}");

        let (status, problem) = query(&house, Role::Operator, &federated).await;
        assert_eq!(status, 403);
        assert!(problem["detail"].as_str().unwrap().ends_with("to use SERVICE takes the role admin"), "{problem}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_runs_away_is_cut_and_others_are_answered_meanwhile() {
    let settings = "[service]\nqueries = 2\nquery_timeout_s = 2\n".to_owned();
    let house = House::build(Plan { settings, no_auth: true, ..Plan::default() }).await;
    let ask = |path: &str| {
        let request = house.client.post(house.url(path)).header("content-type", "application/sparql-query");
        tokio::spawn(answered(request.body(endless())))
    };
    let (cut, sooner) = (ask("/sparql"), ask("/sparql?timeout=1"));

    while !sooner.is_finished() {
        assert_eq!(house.get("/health").await.0, 200);
    }
    for query in [cut, sooner] {
        let (status, problem) = query.await.unwrap();
        assert_eq!((status, &problem["code"]), (503, &json!("query-stopped")), "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("it ran for longer"), "{problem}");
    }
    let numbers = house.client.get(house.url("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(numbers.contains("lodeward_queries_cut_short_total 2\n"), "{numbers}");
    assert!(numbers.contains("lodeward_queries_under_way 0\n"), "{numbers}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_ends_when_its_client_goes() {
    let settings = "[service]\nqueries = 1\nquery_timeout_s = 600\n".to_owned();
    let house = House::build(Plan { settings, no_auth: true, ..Plan::default() }).await;
    let impatient = house.client.post(house.url("/sparql")).header("content-type", "application/sparql-query");
    let gone = impatient.timeout(Duration::from_millis(300)).body(endless()).send().await;
    assert!(gone.is_err());

    // There is one seat only: it must be free again.
    let (status, _) = house.get("/sparql?query=ASK%7B%7D").await;

    assert_eq!(status, 200);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_or_cannot_be_had_is_a_problem() {
    let house = House::guarded().await;
    let long = format!("ASK {{}} # {}", "x".repeat(2 << 20));

    let (status, problem) = query(&house, Role::Admin, &long).await;
    assert_eq!((status, &problem["code"]), (413, &json!("too-large")), "{problem}");
    let (status, problem) = update(&house, Role::Reader, &long).await;
    assert_eq!((status, &problem["code"]), (413, &json!("too-large")), "{problem}");
    let picture = house.request(Role::Reader, "GET", "/sparql?query=ASK%7B%7D").header("accept", "image/png");
    let (status, problem) = answered(picture).await;
    assert_eq!((status, &problem["code"]), (406, &json!("not-acceptable")), "{problem}");
    let (status, problem) = query(&house, Role::Reader, "SELECT").await;
    assert_eq!((status, &problem["code"]), (400, &json!("bad-request")), "{problem}");
    let (status, problem) = send(&house, Role::Reader, "/sparql", "text/plain", "ASK {}").await;
    assert_eq!((status, &problem["code"]), (415, &json!("unsupported-media-type")), "{problem}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_others_wrote_are_served() {
    let house = House::guarded().await;
    let (address, token) = (house.url(""), house.token(Role::Admin).to_owned());
    let client = tokio::task::spawn_blocking(move || {
        let (admin, reader) = (password_of(Role::Admin), password_of(Role::Reader));
        python::run("sparql_clients.py", &[&address, &token, "admin", &admin, "reader", &reader])
    });

    if let Some(output) = client.await.unwrap() {
        assert!(output.status.success(), "{output:#?}");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.ends_with("everything was as it should be\n"), "{told}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_of_problem_has_one_title_wherever_it_is_met() {
    let house = House::open().await;
    let told = async |path: &str| {
        let (status, problem) = house.get(path).await;
        (status, problem["type"].clone(), problem["title"].clone())
    };

    assert_eq!(told("/sparql?query=nonsense").await, told("/api/v1/crawls?nonsense=1").await);
    assert_eq!(told("/store?graph=urn:nothing").await, told("/api/v1/crawls/999").await);
    house.close().await;
}
