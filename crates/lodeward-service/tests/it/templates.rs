//! Templates over HTTP.

use serde_json::Value;

use crate::house::House;

fn text(name: &str, title: &str) -> String {
    format!("name = \"{name}\"\ntitle = \"{title}\"\n[[seeds]]\niri = \"http://a.example/\"\n")
}

async fn put(house: &House, name: &str, text: String) -> (u16, Value) {
    let request = house.client.put(house.url(&format!("/api/v1/templates/{name}")));
    let answer = request.header("content-type", "application/toml").body(text).send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap())
}

async fn delete(house: &House, name: &str) -> u16 {
    house.client.delete(house.url(&format!("/api/v1/templates/{name}"))).send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_put_replaced_and_removed() {
    let house = House::open().await;

    assert_eq!(put(&house, "mine", text("mine", "One")).await.0, 201);
    assert_eq!(put(&house, "mine", text("mine", "Two")).await.0, 200);

    let (status, template) = house.get("/api/v1/templates/mine").await;
    assert_eq!((status, &template["title"], &template["shipped"]), (200, &"Two".into(), &false.into()));
    assert_eq!(template["text"], text("mine", "Two"));
    let (_, list) = house.get("/api/v1/templates").await;
    let names: Vec<&str> = list["templates"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["architect", "geography", "history", "infrastructure", "mine", "style"]);
    assert_eq!((delete(&house, "mine").await, delete(&house, "mine").await), (204, 404));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_shipped_can_be_hidden_and_not_removed() {
    let house = House::open().await;
    assert_eq!(delete(&house, "style").await, 409);

    assert_eq!(put(&house, "style", text("style", "Mine")).await.0, 201);

    assert_eq!(house.get("/api/v1/templates/style").await.1["title"], "Mine");
    assert_eq!(delete(&house, "style").await, 204);
    assert_eq!(house.get("/api/v1/templates/style").await.1["shipped"], true);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_template_is_not_put_anywhere() {
    let house = House::open().await;

    let (status, problem) = put(&house, "mine", "name = \"mine\"\ntitle = 3\n".to_owned()).await;
    assert_eq!(status, 422);
    assert!(problem["detail"].as_str().unwrap().starts_with("template:2: "), "{problem}");
    assert_eq!(put(&house, "mine", text("other", "")).await.0, 422);
    assert_eq!(put(&house, "mine.toml", text("mine", "")).await.0, 422);
    assert_eq!(put(&house, "..%2F..%2Fmine", text("mine", "")).await.0, 422);
    for name in ["..%2Fdata%2Fx.toml", "mine", "%00", "x.toml"] {
        assert_eq!(house.get(&format!("/api/v1/templates/{name}")).await.0, 404, "{name}");
    }
    assert!(!house.service.data().join("templates").exists());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_of_instance_data_are_told() {
    let house = House::open().await;

    let (status, list) = house.get("/api/v1/instances/roles").await;

    assert_eq!((status, &list["roles"][0]["name"]), (200, &"places".into()));
    assert!(list["roles"][0]["properties"].as_array().unwrap().len() > 10);
    house.close().await;
}
