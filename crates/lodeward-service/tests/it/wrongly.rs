//! What is said wrongly is refused, and told so that it can be mended.

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::house::House;
use crate::wait::{begun, seeds};

/// What is wrong with something that was sent.
async fn detail(request: reqwest::RequestBuilder) -> (u16, String) {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    let problem: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default();
    (status, problem["detail"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_made_of_a_list_where_an_object_is_expected() {
    let house = House::guarded().await;
    let send = |method: &str, path: &str, body: Value| {
        let request = house.request(Role::Admin, method, path).header("content-type", "application/json");
        detail(request.body(body.to_string()))
    };
    let refused = (422, "expected an object, not a list".to_owned());

    assert_eq!(send("POST", "/api/v1/users", json!(["dave", "reader", "davepassword"])).await, refused);
    assert_eq!(send("POST", "/api/v1/crawls", json!(["listed", seeds(&house)])).await, refused);
    let nested = send("POST", "/api/v1/crawls", json!({"seeds": seeds(&house), "limits": [5]})).await;
    assert_eq!(nested, (422, "`limits`: expected an object, not a list".to_owned()));
    let instances = json!({"instances": [["a.ttl", null, "<http://a.example/> a <http://a.example/A> ."]]});
    let nested = send("POST", "/api/v1/crawls", instances).await;
    assert_eq!(nested, (422, "`instances.0`: expected an object, not a list".to_owned()));
    assert_eq!(house.request(Role::Admin, "GET", "/api/v1/users/dave").send().await.unwrap().status(), 404);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_number_is_told_with_its_name() {
    let house = House::open().await;
    let ask = |path: &str| detail(house.ask("GET", path));
    let number = |name: &str, max: u32, found: &str| {
        (400, format!("`{name}`: expected a whole number from 0 to {max}, not `{found}`"))
    };

    assert_eq!(ask("/api/v1/crawls?offset=-1").await, number("offset", u32::MAX, "-1"));
    assert_eq!(ask("/CrawlAPI/loadCrawl?crawl_id=abc").await, number("crawl_id", u32::MAX, "abc"));
    assert_eq!(ask("/CrawlAPI/crawl?seeds=http://a.example/&depth=abc").await, number("depth", 255, "abc"));
    assert_eq!(ask("/api/v1/crawls?limit=0").await, (400, "`limit`: a page has 1 to 500, not 0".to_owned()));
    let (status, told) = ask("/api/v1/crawls?state=runnin").await;
    assert_eq!(status, 400);
    assert!(told.starts_with("`state`: expected `queued`, ") && told.ends_with(", not `runnin`"), "{told}");
    let (_, problem) = house.post("/api/v1/crawls", &json!({"limits": {"max_documents": "x"}})).await;
    let expected = "`limits.max_documents`: expected a whole number from 0 to 4294967295, not a text";
    assert_eq!((&problem["code"], &problem["detail"]), (&"invalid".into(), &expected.into()));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_is_not_known_is_refused_everywhere_and_nothing_is_done() {
    let house = House::open().await;
    let id = begun(&house, json!({"limits": {"max_documents": 1}})).await;

    let (_, document) = house.get("/api/v1/openapi.json").await;
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys().filter(|_| path.starts_with("/api/v1/")) {
            let path = path.replace("{id}", &id.to_string()).replace("{name}", "1");
            let refused = detail(house.ask(&method.to_uppercase(), &format!("{path}?dry_run=true"))).await;
            assert_eq!(refused, (400, "there is no parameter `dry_run` here".to_owned()), "{method} {path}");
        }
    }

    assert_eq!(house.get(&format!("/api/v1/crawls/{id}")).await.0, 200);
    assert_eq!(house.get("/health?probe=1").await.0, 200);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_speak_of_what_was_sent_and_not_of_flags() {
    let house = House::open().await;
    let records = json!([{"name": "a.ttl", "content": "<http://a.example/> a <http://a.example/A> ."}]);
    let wrong = [
        (json!({"template": "geography"}), "{place} has no value; give it one: "),
        (json!({"template": "geography", "values": {"place": [" "]}}), "{place} =  : empty"),
        (json!({"instances": records, "roles": ["placs"]}), "the role placs: there is no such role"),
        (json!({"texts": ["Timbuktu"]}), "seeds.labels_at names a SPARQL endpoint"),
        (json!({"seeds": ["foo"]}), "is given as a text to look up, not as a URI"),
        (json!({"seeds": seeds(&house), "limits": {"max_per_hop": 1}}), "the strategies bfs, bfs-rdf, "),
        (json!({"seeds": seeds(&house), "strategy": "svm"}), "`select.model` names it"),
        (json!({"seeds": seeds(&house), "settings": {"crawl": {"stay": 7}}}), "settings: crawl.stay: "),
    ];

    for (order, expected) in wrong {
        let (status, problem) = house.post("/api/v1/crawls", &order).await;
        let told = problem["detail"].as_str().unwrap();
        assert_eq!(status, 422, "{order}: {problem}");
        assert!(told.contains(expected), "{order}: {told}");
        assert!(!problem.to_string().contains("--") && !told.contains("template of"), "{order}: {problem}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_wrong_with_seeds_is_told_at_once() {
    let house = House::open().await;
    let told = |order: Value| {
        let house = &house;
        async move {
            let (status, problem) = house.post("/api/v1/crawls", &order).await;
            assert!(problem["hint"].as_str().is_none_or(|hint| hint.contains("`fetch.allow_private`")), "{problem}");
            (status, problem["detail"].as_str().unwrap().to_owned())
        }
    };
    let private = "`http://169.254.169.254/x`: 169.254.169.254 is not part of the open internet\n\
        `http://10.0.0.1/`: 10.0.0.1 is not part of the open internet";
    let seeds = json!(["http://169.254.169.254/x", seeds(&house)[0], "http://10.0.0.1/"]);
    assert_eq!(told(json!({ "seeds": seeds })).await, (403, private.to_owned()));

    let mixed =
        json!(["http://me:secret@a.example/x", "http://169.254.169.254/x", "ftp://a.example/", "http://10.0.0.1/"]);
    let (status, all) = told(json!({ "seeds": mixed })).await;
    let malformed = "`http://a.example/x`: address contains credentials\n\
        `ftp://a.example/`: cannot dereference scheme `ftp`";
    assert_eq!((status, all), (422, format!("{malformed}\n{private}")));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_nobody_reads_is_refused_and_nothing_is_done() {
    let house = House::open().await;
    let id = begun(&house, json!({"limits": {"max_documents": 1}})).await;
    let send = |path: &str, body: &str| {
        let request = house.ask("POST", &format!("/api/v1/crawls/{id}/{path}"));
        detail(request.header("content-type", "application/json").body(body.to_owned()))
    };

    assert_eq!(send("export", r#"{"only":"kept"}"#).await, (400, "this takes no body".to_owned()));
    assert_eq!(send("ranking", r#"{"ranker":"ppr"}"#).await, (400, "this takes no body".to_owned()));
    assert_eq!(house.get(&format!("/api/v1/crawls/{id}/export")).await.0, 404, "nothing was exported");
    let (status, told) = send("stop", "{}").await;
    assert!(status == 200 || status == 409, "it says nothing: {status} {told}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_that_would_take_long_are_refused_at_once() {
    let house = House::open().await;
    let order = |patterns: Value| json!({"seeds": seeds(&house), "settings": {"crawl": {"include": patterns}}});

    for patterns in [json!([r"\pL{100}0"]), json!(vec!["a"; 10_000]), json!(["("])] {
        let (status, problem) = house.post("/api/v1/crawls", &order(patterns)).await;
        assert_eq!((status, &problem["code"]), (422, &"invalid".into()), "{problem}");
        assert!(problem["detail"].as_str().unwrap().starts_with("crawl.include"), "{problem}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_only_look_sends_little() {
    let house = House::guarded().await;
    let body = format!("limit=1&offset=0{}", "0".repeat(1_100_000));
    let form = "application/x-www-form-urlencoded";
    let send = |role: Role, path: &str| {
        let request = house.request(role, "POST", path).header("content-type", form);
        detail(request.body(body.clone()))
    };

    for (role, path) in
        [(Role::Reader, "/sparql"), (Role::Reader, "/CrawlAPI/loadAllCrawls"), (Role::Admin, "/CrawlAPI/crawl")]
    {
        let refused = (413, "a request to this may have 1000 kB".to_owned());
        assert_eq!(send(role, path).await, refused, "{path}");
    }
    let records = format!("<http://a.example/1> a <http://a.example/A> . #{}", "x".repeat(1_100_000));
    let put = house.request(Role::Operator, "PUT", "/api/v1/imports/a").header("content-type", "text/turtle");
    assert_eq!(detail(put.body(records)).await.0, 201, "who brings data may bring more");
    house.close().await;
}
