//! Requests that nobody thought of, made up from the OpenAPI document.

use crate::house::{House, Plan};
use crate::python;

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_asked_is_answered_as_the_document_says() {
    let settings = "[service]\nallow_domains = [\"e.example\"]\ndocuments_max = 20\nrequests_per_minute = 1000000\n";
    let house = House::build(Plan { no_auth: true, settings: settings.to_owned(), ..Plan::default() }).await;
    let is_torture = std::env::var_os("LODEWARD_TORTURE").is_some();
    let seconds = std::env::var("S").unwrap_or(if is_torture { "600" } else { "60" }.to_owned());
    let document = house.url("/api/v1/openapi.json");

    let client = tokio::task::spawn_blocking(move || python::run("schemathesis_run.py", &[&document, &seconds]));

    if let Some(output) = client.await.unwrap() {
        let told = String::from_utf8_lossy(&output.stdout);
        println!("{told}");
        assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    house.close().await;
}
