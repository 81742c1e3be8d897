//! A client written from the DURAARK deliverable.

use lodeward_service::Role;

use crate::test_server::{TestOptions, TestServer, password_of};
use crate::{cathedral, python};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_written_from_the_paper_can_use_all_methods() {
    let server = TestServer::with_web(Some(cathedral::web()), TestOptions::default()).await;
    let (service, password) = (server.url(""), password_of(Role::Operator));
    let other = "http://e.example/Ulm_Minster";
    let arguments = [&service, "operator", &password, cathedral::SEED, other].map(str::to_owned);

    let client = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        python::run("duraark_client.py", &arguments)
    });

    if let Some(output) = client.await.unwrap() {
        assert!(output.status.success(), "{output:#?}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.ends_with("all ten methods work as published\n"), "{text}");
    }
    server.close().await;
}
