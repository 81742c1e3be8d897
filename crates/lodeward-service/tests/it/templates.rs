//! Templates over HTTP.

use lodeward_service::Role;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_template_belongs_to_whoever_has_put_it_there() {
    let house = House::guarded().await;
    let put = async |role: Role, name: &str| {
        let request = house.request(role, "PUT", &format!("/api/v1/templates/{name}"));
        let request = request.header("content-type", "application/toml").body(text(name, role.name()));
        request.send().await.unwrap().status().as_u16()
    };
    let delete = async |role: Role, name: &str| {
        house.request(role, "DELETE", &format!("/api/v1/templates/{name}")).send().await.unwrap().status().as_u16()
    };
    let get = async |name: &str| -> Value {
        let request = house.request(Role::Reader, "GET", &format!("/api/v1/templates/{name}"));
        serde_json::from_slice(&request.send().await.unwrap().bytes().await.unwrap()).unwrap()
    };

    assert_eq!((put(Role::Operator, "mine").await, put(Role::Admin, "theirs").await), (201, 201));
    assert_eq!((put(Role::Operator, "theirs").await, delete(Role::Operator, "theirs").await), (403, 403));
    assert_eq!(get("theirs").await["title"], "admin");

    // One that comes with the program, or was put there by hand, is for admins.
    let by_hand = house.service.data().join("templates/by-hand.toml");
    std::fs::write(by_hand, text("by-hand", "")).unwrap();
    assert_eq!((put(Role::Operator, "style").await, put(Role::Admin, "style").await), (403, 201));
    assert_eq!((put(Role::Operator, "by-hand").await, put(Role::Admin, "by-hand").await), (403, 200));

    // Whoever may change all, takes nothing away by it.
    assert_eq!((put(Role::Admin, "mine").await, &get("mine").await["owner"]), (200, &"operator".into()));
    assert_eq!((put(Role::Operator, "mine").await, delete(Role::Operator, "mine").await), (200, 204));
    assert_eq!((put(Role::Admin, "mine").await, put(Role::Operator, "mine").await), (201, 403));
    house.close().await;
}
