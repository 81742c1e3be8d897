//! A client that knows nothing but what DURAARK has published.

use crate::{cathedral, python};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_written_from_the_paper_can_do_all_that_it_promises() {
    let house = cathedral::house().await;
    let (service, other) = (house.url(""), "http://e.example/Ulm_Minster");
    let arguments = [service.as_str(), "duraark", "duraark_services", cathedral::SEED, other].map(str::to_owned);

    let client = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        python::run("duraark_client.py", &arguments)
    });

    if let Some(output) = client.await.unwrap() {
        assert!(output.status.success(), "{output:#?}");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.ends_with("all ten methods did as published\n"), "{told}");
    }
    house.close().await;
}
