//! A client that knows nothing but what DURAARK has published.

use lodeward_service::Role;

use crate::house::{House, Plan, password_of};
use crate::{cathedral, python};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_written_from_the_paper_can_do_all_that_it_promises() {
    let house = House::beside(Some(cathedral::web()), Plan::default()).await;
    let (service, password) = (house.url(""), password_of(Role::Operator));
    let other = "http://e.example/Ulm_Minster";
    let arguments = [&service, "operator", &password, cathedral::SEED, other].map(str::to_owned);

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
