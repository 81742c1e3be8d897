//! Templates over HTTP.

use lodeward_service::Role;
use serde_json::Value;

use crate::test_server::TestServer;

fn text(name: &str, title: &str) -> String {
    format!("name = \"{name}\"\ntitle = \"{title}\"\n[[seeds]]\niri = \"http://a.example/\"\n")
}

async fn put(server: &TestServer, name: &str, text: String) -> (u16, Value) {
    let request = server.client.put(server.url(&format!("/api/v1/templates/{name}")));
    let response = request.header("content-type", "application/toml").body(text).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
}

async fn delete(server: &TestServer, name: &str) -> u16 {
    server.client.delete(server.url(&format!("/api/v1/templates/{name}"))).send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_created_replaced_and_deleted() {
    let server = TestServer::without_auth().await;

    assert_eq!(put(&server, "mine", text("mine", "One")).await.0, 201);
    assert_eq!(put(&server, "mine", text("mine", "Two")).await.0, 200);

    let (status, template) = server.get("/api/v1/templates/mine").await;
    assert_eq!((status, &template["title"], &template["shipped"]), (200, &"Two".into(), &false.into()));
    assert_eq!(template["text"], text("mine", "Two"));
    let (_, list) = server.get("/api/v1/templates").await;
    let names: Vec<&str> = list["templates"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["architect", "geography", "history", "infrastructure", "mine", "style"]);
    assert_eq!((delete(&server, "mine").await, delete(&server, "mine").await), (204, 404));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shipped_template_can_be_hidden_and_not_deleted() {
    let server = TestServer::without_auth().await;
    assert_eq!(delete(&server, "style").await, 409);

    assert_eq!(put(&server, "style", text("style", "Mine")).await.0, 201);

    assert_eq!(server.get("/api/v1/templates/style").await.1["title"], "Mine");
    assert_eq!(delete(&server, "style").await, 204);
    assert_eq!(server.get("/api/v1/templates/style").await.1["shipped"], true);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_template_is_not_stored() {
    let server = TestServer::without_auth().await;

    let (status, problem) = put(&server, "mine", "name = \"mine\"\ntitle = 3\n".to_owned()).await;
    assert_eq!(status, 422);
    assert!(problem["detail"].as_str().unwrap().starts_with("template:2: "), "{problem}");
    assert_eq!(put(&server, "mine", text("other", "")).await.0, 422);
    assert_eq!(put(&server, "mine.toml", text("mine", "")).await.0, 422);
    assert_eq!(put(&server, "..%2F..%2Fmine", text("mine", "")).await.0, 422);
    for name in ["..%2Fdata%2Fx.toml", "mine", "%00", "x.toml"] {
        assert_eq!(server.get(&format!("/api/v1/templates/{name}")).await.0, 404, "{name}");
    }
    assert!(!server.service.data_dir().join("templates").exists());
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_of_instance_data_are_listed() {
    let server = TestServer::without_auth().await;

    let (status, list) = server.get("/api/v1/instances/roles").await;

    assert_eq!((status, &list["roles"][0]["name"]), (200, &"places".into()));
    assert!(list["roles"][0]["properties"].as_array().unwrap().len() > 10);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_belongs_to_the_user_that_created_it() {
    let server = TestServer::with_auth().await;
    let put = async |role: Role, name: &str| {
        let request = server.request(role, "PUT", &format!("/api/v1/templates/{name}"));
        let request = request.header("content-type", "application/toml").body(text(name, role.name()));
        request.send().await.unwrap().status().as_u16()
    };
    let delete = async |role: Role, name: &str| {
        server.request(role, "DELETE", &format!("/api/v1/templates/{name}")).send().await.unwrap().status().as_u16()
    };
    let get = async |name: &str| -> Value {
        let request = server.request(Role::Reader, "GET", &format!("/api/v1/templates/{name}"));
        serde_json::from_slice(&request.send().await.unwrap().bytes().await.unwrap()).unwrap()
    };

    assert_eq!((put(Role::Operator, "mine").await, put(Role::Admin, "theirs").await), (201, 201));
    assert_eq!((put(Role::Operator, "theirs").await, delete(Role::Operator, "theirs").await), (403, 403));
    assert_eq!(get("theirs").await["title"], "admin");

    // Only admins may change shipped templates and templates created by hand.
    let by_hand = server.service.data_dir().join("templates/by-hand.toml");
    std::fs::write(by_hand, text("by-hand", "")).unwrap();
    assert_eq!((put(Role::Operator, "style").await, put(Role::Admin, "style").await), (403, 201));
    assert_eq!((put(Role::Operator, "by-hand").await, put(Role::Admin, "by-hand").await), (403, 200));

    // A change by an admin does not change the owner.
    assert_eq!((put(Role::Admin, "mine").await, &get("mine").await["owner"]), (200, &"operator".into()));
    assert_eq!((put(Role::Operator, "mine").await, delete(Role::Operator, "mine").await), (200, 204));
    assert_eq!((put(Role::Admin, "mine").await, put(Role::Operator, "mine").await), (201, 403));
    server.close().await;
}
