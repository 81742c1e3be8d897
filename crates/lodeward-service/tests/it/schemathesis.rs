//! Requests that nobody thought of, made up from the OpenAPI document.

use lodeward_service::Role;
use serde_json::json;

use crate::house::{House, Plan};
use crate::{cathedral, python};

/// So that crawls that are made up are harmless, and nobody is asked to slow down.
const SETTINGS: &str = "[service]\nallow_domains = [\"e.example\"]\ndocuments_max = 20\ncrawls_running = 2\nrequests_per_minute = 1000000\n";

/// Something of everything, so that there is something to be found.
async fn furnish(house: &House) {
    let crawl = json!({"seeds": [cathedral::SEED], "strategy": "focus"});
    let rule = json!({"roles": ["places"]});
    let records = "<http://r.example/1> <http://dbpedia.org/ontology/location> <http://e.example/Cologne> .";
    for (method, path, media_type, body) in [
        ("POST", "/api/v1/crawls", "application/json", crawl.to_string()),
        ("PUT", "/api/v1/rules/surroundings", "application/json", rule.to_string()),
        ("PUT", "/api/v1/imports/buildings", "text/turtle", records.to_owned()),
    ] {
        let request = house.request(Role::Admin, method, path).header("content-type", media_type).body(body);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 201, "{path}: {}", answer.text().await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_asked_is_answered_as_the_document_says() {
    let settings = SETTINGS.to_owned();
    let house = House::beside(Some(cathedral::web()), Plan { settings, ..Plan::default() }).await;
    furnish(&house).await;
    let is_torture = std::env::var_os("LODEWARD_TORTURE").is_some();
    // About a minute of the same requests, or ten of others each time.
    let bound = if is_torture { "seconds=600" } else { "examples=40" };
    let document = house.url("/api/v1/openapi.json");
    let authorization = format!("Bearer {}", house.token(Role::Admin));

    let client = tokio::task::spawn_blocking(move || {
        python::run_with("schemathesis_run.py", &[&document, bound], &[("AUTHORIZATION", &authorization)])
    });

    if let Some(output) = client.await.unwrap() {
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    // Whoever asked was let in until the end.
    let me = house.request(Role::Admin, "GET", "/api/v1/me").send().await.unwrap();
    assert_eq!(me.status().as_u16(), 200);
    house.close().await;
}
