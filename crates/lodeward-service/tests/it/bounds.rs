//! What a service allows a crawl, whatever was asked for.

use serde_json::{Value, json};

use crate::house::{House, Plan};
use crate::wait::{crawl_in_state, seeds};

fn allowing(documents: u32) -> Plan {
    let settings = format!("[service]\ndocuments_max = {documents}\n");
    Plan { no_auth: true, settings, ..Plan::default() }
}

async fn ordered(house: &House, documents: u32) -> Value {
    let order = json!({"seeds": seeds(house), "strategy": "bfs", "limits": {"max_documents": documents}});
    let (status, begun) = house.post("/api/v1/crawls", &order).await;
    assert_eq!(status, 201, "{begun}");
    begun
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_the_service_cuts_short_is_told_so_and_goes_on_when_it_may() {
    let house = House::build(allowing(20)).await;

    let begun = ordered(&house, 60).await;
    let remark = begun["remarks"][0].as_str().unwrap();
    assert!(remark.contains("allows 20 documents"), "{remark}");
    let stopped = crawl_in_state(&house, 1, "stopped").await;
    assert_eq!((&stopped["ending"], &stopped["counters"]["documents"]), (&"max-documents".into(), &20.into()));
    assert!(stopped["stopped_because"].as_str().unwrap().contains("documents_max"), "{stopped}");
    let (status, problem) = house.post("/api/v1/crawls/1/resume", &Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &"conflict".into()), "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("documents_max"), "{problem}");

    let house = House::move_in(house.leave().await, allowing(60)).await;
    let (_, still) = house.get("/api/v1/crawls/1").await;
    assert_eq!((&still["state"], &still["stopped_because"]), (&"stopped".into(), &stopped["stopped_because"]));
    let (status, _) = house.post("/api/v1/crawls/1/resume", &Value::Null).await;
    assert_eq!(status, 200);
    let finished = crawl_in_state(&house, 1, "finished").await;
    assert_eq!((&finished["ending"], &finished["counters"]["documents"]), (&"max-documents".into(), &60.into()));
    assert_eq!(finished["stopped_because"], Value::Null);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_has_more_than_is_allowed_by_now_is_stopped_and_not_finished() {
    let house = House::build(allowing(1_000_000)).await;
    assert_eq!(ordered(&house, 1_000_000).await["remarks"], json!([]));
    crate::wait::crawl_that(&house, 1, |crawl| crawl["counters"]["documents"].as_u64() > Some(10)).await;

    let house = House::move_in(house.leave().await, allowing(10)).await;

    let stopped = crawl_in_state(&house, 1, "stopped").await;
    assert!(stopped["counters"]["documents"].as_u64() > Some(10), "{stopped}");
    assert!(stopped["stopped_because"].as_str().unwrap().contains("allows 10 documents"), "{stopped}");
    house.close().await;
}
