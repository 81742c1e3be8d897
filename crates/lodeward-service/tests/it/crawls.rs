//! Crawls over HTTP: create, control, list, delete.

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::crawl_helpers::{seeds, start_crawl, wait_for_crawl, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_started_paused_resumed_and_finished() {
    let server = TestServer::without_auth().await;
    let order = json!({"name": "tiny", "seeds": seeds(&server), "strategy": "bfs", "limits": {"max_documents": 3_000}});

    let response = server.client.post(server.url("/api/v1/crawls")).header("content-type", "application/json");
    let response = response.body(order.to_string()).send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), response.headers()["location"].to_str().unwrap()),
        (201, "/api/v1/crawls/1")
    );
    let started: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    assert_eq!(started["crawl"]["name"], "tiny");
    assert_eq!(started["crawl"]["seeds"], seeds(&server).len());
    assert_eq!(started["crawl"]["settings"]["crawl"]["max_documents"], 3_000);

    wait_for_crawl(&server, 1, |crawl| crawl["counters"]["documents"].as_u64() > Some(0)).await;
    let (status, _) = server.post("/api/v1/crawls/1/pause", &Value::Null).await;
    assert_eq!(status, 200);
    let paused = wait_for_state(&server, 1, "paused").await;
    assert_eq!(paused["stop_reason"], "stopped");
    let (status, again) = server.post("/api/v1/crawls/1/pause", &Value::Null).await;
    assert_eq!((status, &again["state"]), (200, &"paused".into()), "{again}");

    let (status, _) = server.post("/api/v1/crawls/1/resume", &Value::Null).await;
    assert_eq!(status, 200);
    let finished = wait_for_state(&server, 1, "finished").await;
    let counters = &finished["counters"];
    assert_eq!(finished["stop_reason"], "max-documents");
    assert!(counters["documents"].as_u64() >= Some(3_000), "{counters}");
    assert!(counters["documents"].as_u64() > paused["counters"]["documents"].as_u64());
    assert!(counters["requests"].as_u64() > counters["documents"].as_u64());
    assert!(counters["quads"].as_u64() > Some(0) && counters["uris_known"].as_u64() > Some(3_000));

    for change in ["pause", "resume", "stop"] {
        let (status, problem) = server.post(&format!("/api/v1/crawls/1/{change}"), &Value::Null).await;
        assert_eq!((status, &problem["code"]), (409, &"conflict".into()));
        assert!(problem["hint"].is_string(), "{problem}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_crawl_can_be_deleted() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({})).await;

    let (status, _) = server.post(&format!("/api/v1/crawls/{id}/stop"), &Value::Null).await;
    assert_eq!(status, 200);
    wait_for_state(&server, id, "stopped").await;
    let address = server.url(&format!("/api/v1/crawls/{id}"));
    let deleted = server.client.delete(&address).send().await.unwrap();

    assert_eq!(deleted.status(), 204);
    assert_eq!(server.client.delete(&address).send().await.unwrap().status(), 404);
    for path in ["", "/seeds", "/events"] {
        let (status, problem) = server.get(&format!("/api/v1/crawls/{id}{path}")).await;
        assert_eq!((status, &problem["code"]), (404, &"not-found".into()), "{path}");
    }
    assert_eq!(crawl_names(&server).await, Vec::<String>::new());
    assert_eq!(start_crawl(&server, json!({})).await, id + 1);
    server.close().await;
}

async fn crawl_names(server: &TestServer) -> Vec<String> {
    let (_, page) = server.get("/api/v1/crawls").await;
    page["crawls"].as_array().unwrap().iter().map(|crawl| crawl["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_orders_are_rejected_with_all_errors() {
    let settings = "[service]\ndenied_domains = [\"denied.example\"]\n".to_owned();
    let server = TestServer::start(TestOptions { no_auth: true, settings, ..TestOptions::default() }).await;
    start_crawl(&server, json!({"name": "taken"})).await;
    let seed = &seeds(&server)[0];
    let check = async |order: Value, status: u16, code: &str, parts: &[&str]| {
        let (found, problem) = server.post("/api/v1/crawls", &order).await;
        assert_eq!((found, problem["code"].as_str()), (status, Some(code)), "{order}: {problem}");
        for part in parts {
            assert!(problem["detail"].as_str().unwrap().contains(part), "{part}: {problem}");
        }
    };

    check(json!({"seeds": ["ftp://a.example/", "not a uri", seed]}), 422, "unprocessable", &["ftp", "not a uri"]).await;
    check(json!({}), 422, "unprocessable", &["at least one seed"]).await;
    check(json!({"seeds": [seed], "name": "taken"}), 409, "conflict", &["`taken`"]).await;
    check(json!({"seeds": [seed], "name": ""}), 422, "unprocessable", &["name"]).await;
    check(json!({"seeds": [seed], "nmae": "x"}), 422, "unprocessable", &["nmae"]).await;
    check(json!({"seeds": [seed], "strategy": "best"}), 422, "unprocessable", &["best"]).await;
    check(json!({"seeds": [seed], "settings": {"fetch": {"proxy": "x"}}}), 422, "unprocessable", &["fetch"]).await;
    check(json!({"seeds": [seed], "limits": {"max_depth": -1}}), 422, "unprocessable", &["max_depth"]).await;
    check(json!({"seeds": ["http://127.0.0.1/"]}), 403, "policy-violation", &["127.0.0.1"]).await;
    check(json!({"seeds": ["http://www.denied.example/"]}), 403, "policy-violation", &["denied.example"]).await;
    check(json!({"template": "../etc"}), 422, "unprocessable", &["invalid template name"]).await;
    check(json!({"template": "geology"}), 422, "unprocessable", &["geology"]).await;
    check(json!({"labels": ["An Unknown Label"]}), 422, "unprocessable", &["An Unknown Label"]).await;
    check(json!([]), 422, "unprocessable", &[]).await;
    assert_eq!(crawl_names(&server).await, ["taken"]);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_come_from_templates_and_from_instance_data() {
    let server = TestServer::without_auth().await;
    let all = seeds(&server);
    let text = "name = \"world\"\ntitle = \"A world\"\n[[placeholders]]\nname = \"seed\"\nkind = \"iri\"\n\
                [[seeds]]\niri = \"{seed}\"\n[settings.crawl]\nmax_documents = 5\n";
    let put = server.client.put(server.url("/api/v1/templates/world")).body(text).send().await.unwrap();
    assert_eq!(put.status(), 201);
    let turtle = format!("<http://b.example/1> <http://dbpedia.org/ontology/location> <{}> .", all[0]);

    let first = start_crawl(&server, json!({"seeds": [], "template": "world", "values": {"seed": [all[0]]}})).await;
    let instance = json!([{"name": "buildings.ttl", "content": turtle}]);
    let second =
        start_crawl(&server, json!({"seeds": [], "instances": instance, "limits": {"max_documents": 5}})).await;

    let (_, crawl) = server.get(&format!("/api/v1/crawls/{first}")).await;
    assert_eq!((&crawl["template"], &crawl["settings"]["crawl"]["max_documents"]), (&"world".into(), &5.into()));
    for (id, origin) in [(first, "from the template world"), (second, "from places in buildings.ttl")] {
        let (_, page) = server.get(&format!("/api/v1/crawls/{id}/seeds")).await;
        assert_eq!((&page["total"], &page["seeds"][0]["uri"]), (&1.into(), &all[0].as_str().into()));
        let found = page["seeds"][0]["entities"][0]["origin"].as_str().unwrap();
        assert!(found.starts_with(origin), "{found}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crawls_are_listed_by_properties_and_in_pages() {
    let settings = "[service]\nmax_running_crawls = 1\n".to_owned();
    let server = TestServer::start(TestOptions { no_auth: true, settings, ..TestOptions::default() }).await;
    let all = seeds(&server);
    for (name, seed) in [("a", 0), ("b", 0), ("c", all.len() - 1)] {
        start_crawl(&server, json!({"name": name, "seeds": [all[seed]]})).await;
    }
    let (status, _) = server.post("/api/v1/crawls/3/pause", &Value::Null).await;
    assert_eq!(status, 200);
    let check = async |query: &str, total: u64, names: &[&str]| {
        let (status, page) = server.get(&format!("/api/v1/crawls?{query}")).await;
        assert_eq!(status, 200, "{query}: {page}");
        let found: Vec<&str> = page["crawls"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
        assert_eq!((page["total"].as_u64(), found.as_slice()), (Some(total), names), "{query}");
    };

    check("", 3, &["a", "b", "c"]).await;
    check("order=newest", 3, &["c", "b", "a"]).await;
    check("state=paused", 1, &["c"]).await;
    check("state=queued,paused,pausing", 2, &["b", "c"]).await;
    check("user=unknown", 0, &[]).await;
    check("name=b", 1, &["b"]).await;
    check(&format!("seed={}", all[0]), 2, &["a", "b"]).await;
    check("seed=http://elsewhere.example/", 0, &[]).await;
    check("offset=1&limit=1", 3, &["b"]).await;
    check("offset=7", 3, &[]).await;
    let response = server.client.get(server.url("/api/v1/crawls?limit=1&offset=1&order=newest")).send().await.unwrap();
    assert_eq!(
        response.headers()["link"],
        "</api/v1/crawls?order=newest&offset=2&limit=1>; rel=\"next\", \
         </api/v1/crawls?order=newest&offset=0&limit=1>; rel=\"prev\""
    );
    for invalid in ["limit=0", "limit=501", "state=happy", "seed=x", "colour=red", "offset=-1"] {
        let (status, problem) = server.get(&format!("/api/v1/crawls?{invalid}")).await;
        assert_eq!((status, &problem["code"]), (400, &"bad-request".into()), "{invalid}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_may_change_own_crawls_and_admins_all() {
    let server = TestServer::with_auth().await;
    let order = json!({"seeds": [seeds(&server)[0]], "limits": {"max_documents": 5}}).to_string();
    let create = async |role: Role| {
        let request = server.request(role, "POST", "/api/v1/crawls").header("content-type", "application/json");
        request.body(order.clone()).send().await.unwrap().status().as_u16()
    };
    let change = async |role: Role, method: &str, path: &str| {
        server.request(role, method, path).send().await.unwrap().status().as_u16()
    };

    assert_eq!(create(Role::Reader).await, 403);
    assert_eq!((create(Role::Admin).await, create(Role::Operator).await), (201, 201));

    let of_the_admin = [
        ("POST", "/api/v1/crawls/1/pause"),
        ("POST", "/api/v1/crawls/1/resume"),
        ("POST", "/api/v1/crawls/1/stop"),
        ("POST", "/api/v1/crawls/1/ranking"),
        ("DELETE", "/api/v1/crawls/1/candidates/marks"),
        ("DELETE", "/api/v1/crawls/1"),
    ];
    for (method, path) in of_the_admin {
        assert_eq!(change(Role::Operator, method, path).await, 403, "{method} {path}");
    }
    assert_eq!(change(Role::Reader, "GET", "/api/v1/crawls/1").await, 200);
    assert_eq!(change(Role::Operator, "DELETE", "/api/v1/crawls/2").await, 204);
    assert_eq!(change(Role::Admin, "DELETE", "/api/v1/crawls/1").await, 204);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_quota_limits_unfinished_crawls_of_an_operator() {
    let settings = "[service]\nmax_crawls_per_user = 1\n".to_owned();
    let server = TestServer::start(TestOptions { settings, ..TestOptions::default() }).await;
    let order = json!({"seeds": seeds(&server)}).to_string();
    let create = async |role: Role| {
        let request = server.request(role, "POST", "/api/v1/crawls").header("content-type", "application/json");
        let response = request.body(order.clone()).send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice::<Value>(&response.bytes().await.unwrap()).unwrap())
    };

    assert_eq!(create(Role::Operator).await.0, 201);
    let (status, problem) = create(Role::Operator).await;

    assert_eq!((status, &problem["code"]), (429, &"quota-exceeded".into()));
    let pausing = server.request(Role::Operator, "POST", "/api/v1/crawls/1/pause").send().await.unwrap();
    assert_eq!(pausing.status(), 200);
    assert_eq!(create(Role::Operator).await.0, 429, "a paused crawl is unfinished");
    assert_eq!((create(Role::Admin).await.0, create(Role::Admin).await.0), (201, 201));
    server.close().await;
}
