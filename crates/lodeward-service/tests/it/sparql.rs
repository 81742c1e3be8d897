//! The archive over HTTP: permissions and limits.

use std::time::Duration;

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::python;
use crate::test_server::{TestOptions, TestServer, password_of};

/// Sends a body by the user with this role.
async fn send(server: &TestServer, role: Role, path: &str, media_type: &str, body: &str) -> (u16, Value) {
    let request = server.request(role, "POST", path).header("content-type", media_type);
    send_request(request.body(body.to_owned())).await
}

async fn send_request(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
}

async fn update(server: &TestServer, role: Role, text: &str) -> (u16, Value) {
    send(server, role, "/sparql", "application/sparql-update", text).await
}

async fn query(server: &TestServer, role: Role, text: &str) -> (u16, Value) {
    send(server, role, "/sparql", "application/sparql-query", text).await
}

/// A query that would take days.
fn endless_query() -> String {
    let column = |number: u32| format!("VALUES ?x{number} {{ 0 1 2 3 4 5 6 7 8 9 }} ");
    format!("SELECT (COUNT(*) AS ?n) {{ {} }}", (0..14).map(column).collect::<String>())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_without_permission_is_rejected_on_every_path() {
    let server = TestServer::with_auth().await;
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
            let (status, problem) = send(&server, role, path, media_type, body).await;
            assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{path} {media_type}: {problem}");
            assert!(problem["detail"].as_str().unwrap().contains("need the role `admin`"), "{problem}");
        }
        for method in ["PUT", "DELETE"] {
            let request = server.request(role, method, "/store?graph=urn:g").header("content-type", turtle.0);
            assert_eq!(send_request(request.body(turtle.1)).await.0, 403, "{method}");
        }
    }
    assert_eq!(query(&server, Role::Reader, "ASK { ?s ?p ?o }").await, (200, json!({"head": {}, "boolean": false})));
    assert_eq!(update(&server, Role::Admin, insert).await.0, 204);
    assert_eq!(query(&server, Role::Reader, "ASK { ?s ?p ?o }").await.1["boolean"], true);
    assert_eq!(send_request(server.anonymous("GET", "/sparql?query=ASK%7B%7D")).await.0, 401);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_role_for_updates_is_a_setting() {
    let settings = "[service]\nupdate_role = \"operator\"\nfederation_role = \"reader\"\n".to_owned();
    let server = TestServer::start(TestOptions { settings, ..TestOptions::default() }).await;

    assert_eq!(update(&server, Role::Operator, "INSERT DATA { <urn:s> <urn:p> 1 }").await.0, 204);
    assert_eq!(update(&server, Role::Reader, "CLEAR ALL").await.0, 403);
    let (status, problem) = query(&server, Role::Reader, "SELECT * { SERVICE <http://localhost/> { ?s ?p ?o } }").await;
    assert_eq!(status, 403);
    assert!(problem["detail"].as_str().unwrap().contains("private network"), "{problem}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn federation_does_not_reach_private_addresses() {
    // Without a proxy, so that the service resolves names itself.
    let server = TestServer::start(TestOptions { is_direct: true, ..TestOptions::default() }).await;
    let port = server.address.port();
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
        let (status, problem) = query(&server, Role::Admin, &federated).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{endpoint}: {problem}");
        let (status, problem) = update(&server, Role::Admin, &format!("LOAD <{endpoint}>")).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{endpoint}: {problem}");

        let (status, problem) = query(&server, Role::Operator, &federated).await;
        assert_eq!(status, 403);
        assert!(problem["detail"].as_str().unwrap().ends_with("SERVICE needs the role `admin`"), "{problem}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_aborted_at_its_time_limit_and_other_requests_are_served() {
    let settings = "[service]\nmax_concurrent_queries = 2\nquery_timeout = \"2s\"\n".to_owned();
    let server = TestServer::start(TestOptions { settings, no_auth: true, ..TestOptions::default() }).await;
    let run = |path: &str| {
        let request = server.client.post(server.url(path)).header("content-type", "application/sparql-query");
        tokio::spawn(send_request(request.body(endless_query())))
    };
    let (default, shorter) = (run("/sparql"), run("/sparql?timeout=1"));

    while !shorter.is_finished() {
        assert_eq!(server.get("/health").await.0, 200);
    }
    for query in [default, shorter] {
        let (status, problem) = query.await.unwrap();
        assert_eq!((status, &problem["code"]), (503, &json!("query-limit")), "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("time limit of"), "{problem}");
    }
    let metrics = server.client.get(server.url("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("lodeward_queries_aborted_total 2\n"), "{metrics}");
    assert!(metrics.contains("lodeward_queries_in_flight 0\n"), "{metrics}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_cancelled_when_its_client_disconnects() {
    let settings = "[service]\nmax_concurrent_queries = 1\nquery_timeout = \"600s\"\n".to_owned();
    let server = TestServer::start(TestOptions { settings, no_auth: true, ..TestOptions::default() }).await;
    let impatient = server.client.post(server.url("/sparql")).header("content-type", "application/sparql-query");
    let timed_out = impatient.timeout(Duration::from_millis(300)).body(endless_query()).send().await;
    assert!(timed_out.is_err());

    // There is only one slot, so it must be free again.
    let (status, _) = server.get("/sparql?query=ASK%7B%7D").await;

    assert_eq!(status, 200);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_are_problems() {
    let server = TestServer::with_auth().await;
    let long = format!("ASK {{}} # {}", "x".repeat(2 << 20));

    let (status, problem) = query(&server, Role::Admin, &long).await;
    assert_eq!((status, &problem["code"]), (413, &json!("content-too-large")), "{problem}");
    let (status, problem) = update(&server, Role::Reader, &long).await;
    assert_eq!((status, &problem["code"]), (413, &json!("content-too-large")), "{problem}");
    let image = server.request(Role::Reader, "GET", "/sparql?query=ASK%7B%7D").header("accept", "image/png");
    let (status, problem) = send_request(image).await;
    assert_eq!((status, &problem["code"]), (406, &json!("not-acceptable")), "{problem}");
    let (status, problem) = query(&server, Role::Reader, "SELECT").await;
    assert_eq!((status, &problem["code"]), (400, &json!("bad-request")), "{problem}");
    let (status, problem) = send(&server, Role::Reader, "/sparql", "text/plain", "ASK {}").await;
    assert_eq!((status, &problem["code"]), (415, &json!("unsupported-media-type")), "{problem}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sparqlwrapper_and_rdflib_work_unchanged() {
    let server = TestServer::with_auth().await;
    let (address, token) = (server.url(""), server.token(Role::Admin).to_owned());
    let client = tokio::task::spawn_blocking(move || {
        let (admin, reader) = (password_of(Role::Admin), password_of(Role::Reader));
        python::run("sparql_clients.py", &[&address, &token, "admin", &admin, "reader", &reader])
    });

    if let Some(output) = client.await.unwrap() {
        assert!(output.status.success(), "{output:#?}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.ends_with("all checks passed\n"), "{text}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_problem_code_has_one_title_on_all_paths() {
    let server = TestServer::without_auth().await;
    let problem_at = async |path: &str| {
        let (status, problem) = server.get(path).await;
        (status, problem["type"].clone(), problem["title"].clone())
    };

    assert_eq!(problem_at("/sparql?query=nonsense").await, problem_at("/api/v1/crawls?nonsense=1").await);
    assert_eq!(problem_at("/store?graph=urn:nothing").await, problem_at("/api/v1/crawls/999").await);
    server.close().await;
}
