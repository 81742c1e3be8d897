//! The settings of the service.

use serde_json::{Value, json};

use crate::test_server::{TestOptions, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_listed_with_documentation_and_source() {
    let settings = "[remote_store]\nusername = \"sesame\"\n".to_owned();
    let server = TestServer::start(TestOptions { settings, no_auth: true, ..TestOptions::default() }).await;

    let (status, listed) = server.get("/api/v1/settings").await;

    assert_eq!(status, 200);
    assert!(!listed.to_string().contains("sesame"), "{listed}");
    let settings = listed["settings"].as_array().unwrap();
    let find = |key: &str| settings.iter().find(|setting| setting["key"] == key).unwrap();
    let delay = find("politeness.delay");
    assert_eq!(
        (&delay["type"], &delay["default"], &delay["flag"]),
        (&json!("duration"), &json!("1s"), &json!("--delay"))
    );
    assert_eq!(delay["variable"], "LODEWARD_POLITENESS_DELAY");
    assert_eq!((&delay["remembered"], &delay["settable_by_users"]), (&json!(true), &json!(false)));
    let username = find("remote_store.username");
    assert_eq!((&username["value"], &username["hidden"]), (&Value::Null, &json!(true)));
    assert_eq!(username["source"], "file");
    assert_eq!(find("crawl.stay")["values"], json!(["off", "domain", "host"]));
    assert_eq!(find("strategy.ldcoc.tau")["range"]["exclusive_maximum"], 1.0);
    assert!(find("crawl.max_requests")["description"].as_str().unwrap().starts_with("Stop after"));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_of_a_request_lists_what_it_may_set() {
    let server = TestServer::without_auth().await;
    let (_, document) = server.get("/api/v1/openapi.json").await;
    let schema = &document["components"]["schemas"]["CrawlSettings"]["properties"];

    let depth = &schema["crawl"]["properties"]["max_depth"];
    assert_eq!((&depth["type"], &depth["maximum"]), (&json!("integer"), &json!(65_535)), "{schema}");
    assert_eq!(schema["crawl"]["properties"]["hops"]["properties"]["strict"]["type"], "boolean");
    assert_eq!(schema["ranking"]["properties"]["published"]["properties"]["text"]["enum"][0], "own");
    assert_eq!((&schema["fetch"], &schema["service"]), (&Value::Null, &Value::Null));
    server.close().await;
}
