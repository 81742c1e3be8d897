//! Invalid requests are rejected with helpful problems.

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::crawl_helpers::{seeds, start_crawl};
use crate::test_server::TestServer;

/// Status and detail of a problem.
async fn detail(request: reqwest::RequestBuilder) -> (u16, String) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let problem: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default();
    (status, problem["detail"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_array_is_rejected_where_an_object_is_expected() {
    let server = TestServer::with_auth().await;
    let send = |method: &str, path: &str, body: Value| {
        let request = server.request(Role::Admin, method, path).header("content-type", "application/json");
        detail(request.body(body.to_string()))
    };
    let records = json!([["a.ttl", null, "<http://a.example/> a <http://a.example/A> ."]]);

    for (path, body, expected) in [
        ("/api/v1/users", json!(["dave", "reader", "davepassword"]), "expected an object"),
        ("/api/v1/crawls", json!(["listed", seeds(&server)]), "expected an object"),
        ("/api/v1/crawls", json!({"seeds": seeds(&server), "limits": [5]}), "limits: invalid type: sequence"),
        ("/api/v1/crawls", json!({ "instances": records }), "instances[0]: invalid type: sequence"),
    ] {
        let (status, detail) = send("POST", path, body).await;
        assert_eq!(status, 422, "{path}: {detail}");
        assert!(detail.contains(expected), "{path}: {detail}");
    }
    assert_eq!(server.request(Role::Admin, "GET", "/api/v1/users/dave").send().await.unwrap().status(), 404);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_number_is_reported_with_its_name() {
    let server = TestServer::without_auth().await;
    let get = |path: &str| detail(server.anonymous("GET", path));

    for (path, expected) in [
        ("/api/v1/crawls?offset=-1", "offset: invalid digit found in string"),
        ("/CrawlAPI/loadCrawl?crawl_id=abc", "crawl_id: invalid digit found in string"),
        ("/CrawlAPI/crawl?seeds=http://a.example/&depth=abc", "depth: invalid digit found in string"),
        ("/api/v1/crawls?limit=0", "limit: must be 1 to 500, not 0"),
        ("/api/v1/crawls?state=runnin", "state: unknown variant `runnin`, expected one of `queued`, `running`"),
    ] {
        let (status, detail) = get(path).await;
        assert_eq!(status, 400, "{path}: {detail}");
        assert!(detail.starts_with(expected), "{path}: {detail}");
    }
    let (_, problem) = server.post("/api/v1/crawls", &json!({"limits": {"max_documents": "x"}})).await;
    assert_eq!(problem["code"], "unprocessable");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("limits: max_documents: \"x\" is not a whole number"), "{detail}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_parameters_are_rejected_everywhere_without_effect() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"limits": {"max_documents": 1}})).await;

    let (_, document) = server.get("/api/v1/openapi.json").await;
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys().filter(|_| path.starts_with("/api/v1/")) {
            let path = path.replace("{id}", &id.to_string()).replace("{name}", "1");
            let rejected = detail(server.anonymous(&method.to_uppercase(), &format!("{path}?surprise=true"))).await;
            assert_eq!(rejected, (400, "unknown query parameter `surprise`".to_owned()), "{method} {path}");
        }
    }

    assert_eq!(server.get(&format!("/api/v1/crawls/{id}")).await.0, 200);
    assert_eq!(server.get("/health?probe=1").await.0, 200);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_name_fields_of_the_request_not_flags() {
    let server = TestServer::without_auth().await;
    let records = json!([{"name": "a.ttl", "content": "<http://a.example/> a <http://a.example/A> ."}]);
    let invalid = [
        (json!({"template": "geography"}), "missing value of {place}; set {place}: "),
        (json!({"template": "geography", "values": {"place": [" "]}}), "{place} =  : empty"),
        (json!({"instances": records, "roles": ["placs"]}), "unknown role `placs`"),
        (json!({"labels": ["Timbuktu"]}), "seeds.labels_endpoint names a SPARQL endpoint"),
        (json!({"seeds": ["foo"]}), "pass the name as a label, not as a URI"),
        (
            json!({"seeds": seeds(&server), "limits": {"hops": {"max_documents": 1}}}),
            "set `crawl.strategy` to one of bfs, bfs-rdf, heuristic, focus",
        ),
        (json!({"seeds": seeds(&server), "strategy": "svm"}), "set `strategy.initial_model`"),
        (json!({"seeds": seeds(&server), "settings": {"crawl": {"stay": 7}}}), "settings: crawl.stay: "),
    ];

    for (order, expected) in invalid {
        let (status, problem) = server.post("/api/v1/crawls", &order).await;
        let detail = problem["detail"].as_str().unwrap();
        assert_eq!(status, 422, "{order}: {problem}");
        assert!(detail.contains(expected), "{order}: {detail}");
        assert!(!problem.to_string().contains("--") && !detail.contains("template of"), "{order}: {problem}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_errors_in_seeds_are_reported_at_once() {
    let server = TestServer::without_auth().await;
    let problem_of = |order: Value| {
        let server = &server;
        async move {
            let (status, problem) = server.post("/api/v1/crawls", &order).await;
            assert!(
                problem["hint"].as_str().is_none_or(|hint| hint.contains("`fetch.allow_private_addresses`")),
                "{problem}"
            );
            (status, problem["detail"].as_str().unwrap().to_owned())
        }
    };
    let private = "`http://169.254.169.254/x`: 169.254.169.254 is on a private network\n\
        `http://10.0.0.1/`: 10.0.0.1 is on a private network";
    let seeds = json!(["http://169.254.169.254/x", seeds(&server)[0], "http://10.0.0.1/"]);
    assert_eq!(problem_of(json!({ "seeds": seeds })).await, (403, private.to_owned()));

    let mixed =
        json!(["http://me:secret@a.example/x", "http://169.254.169.254/x", "ftp://a.example/", "http://10.0.0.1/"]);
    let (status, all) = problem_of(json!({ "seeds": mixed })).await;
    let malformed = "`http://a.example/x`: URL contains credentials\n\
        `ftp://a.example/`: cannot dereference scheme `ftp`";
    assert_eq!((status, all), (422, format!("{malformed}\n{private}")));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_is_rejected_where_none_is_read_without_effect() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"limits": {"max_documents": 1}})).await;
    let send = |path: &str, body: &str| {
        let request = server.anonymous("POST", &format!("/api/v1/crawls/{id}/{path}"));
        detail(request.header("content-type", "application/json").body(body.to_owned()))
    };

    assert_eq!(send("export", r#"{"only":"kept"}"#).await, (400, "this operation takes no body".to_owned()));
    assert_eq!(send("ranking", r#"{"ranker":"ppr"}"#).await, (400, "this operation takes no body".to_owned()));
    assert_eq!(server.get(&format!("/api/v1/crawls/{id}/export")).await.0, 404, "nothing was exported");
    let (status, detail) = send("stop", "{}").await;
    assert!(status == 200 || status == 409, "an empty body is accepted: {status} {detail}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_that_are_expensive_to_compile_are_rejected() {
    let server = TestServer::without_auth().await;
    let order = |patterns: Value| json!({"seeds": seeds(&server), "settings": {"crawl": {"include": patterns}}});

    for patterns in [json!([r"\pL{100}0"]), json!(vec!["a"; 10_000]), json!(["("])] {
        let (status, problem) = server.post("/api/v1/crawls", &order(patterns)).await;
        assert_eq!((status, &problem["code"]), (422, &"unprocessable".into()), "{problem}");
        assert!(problem["detail"].as_str().unwrap().starts_with("crawl.include"), "{problem}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_may_send_small_bodies_only() {
    let server = TestServer::with_auth().await;
    let body = format!("limit=1&offset=0{}", "0".repeat(1_100_000));
    let form = "application/x-www-form-urlencoded";
    let send = |role: Role, path: &str| {
        let request = server.request(role, "POST", path).header("content-type", form);
        detail(request.body(body.clone()))
    };

    for (role, path) in
        [(Role::Reader, "/sparql"), (Role::Reader, "/CrawlAPI/loadAllCrawls"), (Role::Admin, "/CrawlAPI/crawl")]
    {
        let rejected = (413, "the body of this request may have at most 1000 kB".to_owned());
        assert_eq!(send(role, path).await, rejected, "{path}");
    }
    let records = format!("<http://a.example/1> a <http://a.example/A> . #{}", "x".repeat(1_100_000));
    let put = server.request(Role::Operator, "PUT", "/api/v1/imports/a").header("content-type", "text/turtle");
    assert_eq!(detail(put.body(records)).await.0, 201, "imports may be larger");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_name_their_place_in_the_request() {
    let server = TestServer::without_auth().await;
    let valid = &seeds(&server)[0];
    let check = |order: Value, expected: Value| {
        let server = &server;
        async move {
            let (_, problem) = server.post("/api/v1/crawls", &order).await;
            let errors = problem["errors"].as_array().unwrap_or_else(|| panic!("{problem}"));
            let places: Vec<&str> = errors.iter().map(|error| error["at"].as_str().unwrap()).collect();
            assert_eq!(json!(places), expected, "{problem}");
            problem
        }
    };

    let mixed = json!({"seeds": [valid, "example.org", "http://10.0.0.1/"], "labels": ["No  Such Place"]});
    let problem = check(mixed, json!(["/seeds/1", "/labels/0", "/seeds/2"])).await;
    assert_eq!(problem["errors"][0]["hint"], "did you mean https://example.org/ ?");
    check(json!({"seeds": [valid], "limits": {"max_documents": "x"}}), json!(["/limits"])).await;
    check(json!({"seeds": [valid], "strategy": "fastest"}), json!(["/strategy"])).await;
    check(json!({"seeds": [valid], "settings": {"crawl": {"stay": 7}}}), json!(["/settings/crawl/stay"])).await;
    check(json!({"template": "geography"}), json!(["/values/building", "/values/place"])).await;
    check(json!({"template": "nowhere"}), json!(["/template"])).await;
    let (_, problem) = server.get("/api/v1/crawls?offset=-1").await;
    assert_eq!(problem["errors"][0]["at"], "?offset");
    let id = start_crawl(&server, json!({"limits": {"max_documents": 1}})).await;
    let (_, problem) =
        server.get(&format!("/api/v1/crawls/{id}/candidates?filter=%C3%A9+%3D+1+or+colour+%3D+red")).await;
    let error = &problem["errors"][0];
    assert_eq!((&error["at"], &error["from"], &error["to"]), (&json!("?filter"), &json!(0), &json!(1)), "{problem}");
    server.close().await;
}
