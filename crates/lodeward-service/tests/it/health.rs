//! Whether the service says how it is.

use crate::house::House;

#[tokio::test(flavor = "multi_thread")]
async fn a_service_lives_without_being_asked_who_asks() {
    let house = House::open().await;

    let (status, health) = house.get("/health").await;

    assert_eq!((status, &health["status"]), (200, &"ok".into()));
    house.close().await;
}
