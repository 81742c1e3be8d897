//! Users, tokens and sessions over HTTP.

use std::sync::atomic::{AtomicU64, Ordering};

use lodeward_service::Role;
use lodeward_service::users::UserStore;
use reqwest::header::SET_COOKIE;
use serde_json::{Value, json};

use crate::test_server::{TestOptions, TestServer, password_of};

/// Sends JSON by the user with this role.
async fn send(server: &TestServer, role: Role, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = server.request(role, method, path).header("content-type", "application/json");
    send_request(request.body(body.to_string())).await
}

async fn send_request(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
}

/// Logs in. Returns the status and the cookie.
async fn login(server: &TestServer, name: &str, password: &str) -> (u16, Option<String>) {
    let body = json!({ "name": name, "password": password }).to_string();
    let request = server.anonymous("POST", "/api/v1/session").header("content-type", "application/json");
    let response = request.body(body).send().await.unwrap();
    let cookie = response.headers().get(SET_COOKIE).map(|cookie| cookie.to_str().unwrap().to_owned());
    (response.status().as_u16(), cookie)
}

fn cookie_pair(cookie: &str) -> &str {
    cookie.split(';').next().unwrap()
}

async fn me_with(server: &TestServer, cookie: &str) -> (u16, Value) {
    send_request(server.anonymous("GET", "/api/v1/me").header("cookie", cookie_pair(cookie))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_logs_in_and_out() {
    let server = TestServer::with_auth().await;

    let (status, cookie) = login(&server, "operator", &password_of(Role::Operator)).await;
    let cookie = cookie.unwrap();

    assert_eq!(status, 200);
    assert!(cookie.contains("; HttpOnly; SameSite=Strict") && cookie.contains("; Path=/;"), "{cookie}");
    let expected = json!({ "name": "operator", "role": "operator", "via": "session" });
    assert_eq!(me_with(&server, &cookie).await, (200, expected));
    let logout = || server.anonymous("DELETE", "/api/v1/session").header("cookie", cookie_pair(&cookie));
    let (status, rejected) = send_request(logout()).await;
    assert_eq!((status, &rejected["code"]), (403, &json!("cross-site")));
    assert_eq!(send_request(logout().header("origin", server.url(""))).await.0, 204);
    assert_eq!(me_with(&server, &cookie).await.0, 401);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_tls_the_cookie_is_secure() {
    let settings = "[service]\npublic_url = \"https://crawls.example\"\n".to_owned();
    let server = TestServer::start(TestOptions { settings, ..TestOptions::default() }).await;

    let (_, cookie) = login(&server, "reader", &password_of(Role::Reader)).await;

    assert!(cookie.unwrap().ends_with("; Secure"));
    server.close().await;
}

static CLOCK: AtomicU64 = AtomicU64::new(1_800_000_000_000);

#[tokio::test(flavor = "multi_thread")]
async fn sessions_and_tokens_expire() {
    let now = || CLOCK.load(Ordering::SeqCst);
    let settings = "[service]\nsession_lifetime = \"48h\"\n".to_owned();
    let server = TestServer::start(TestOptions { now: Some(now), settings, ..TestOptions::default() }).await;
    let cookie = login(&server, "reader", &password_of(Role::Reader)).await.1.unwrap();
    let (_, issued) = send(&server, Role::Reader, "POST", "/api/v1/tokens", &json!({ "name": "t", "days": 1 })).await;
    let by_token =
        || send_request(server.anonymous("GET", "/api/v1/me").bearer_auth(issued["secret"].as_str().unwrap()));
    assert_eq!((me_with(&server, &cookie).await.0, by_token().await.0), (200, 200));

    CLOCK.fetch_add(24 * 3_600_000, Ordering::SeqCst);
    assert_eq!((me_with(&server, &cookie).await.0, by_token().await.0), (200, 401));
    CLOCK.fetch_add(24 * 3_600_000, Ordering::SeqCst);
    assert_eq!((me_with(&server, &cookie).await.0, by_token().await.0), (401, 401));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn basic_authentication_works_for_every_request() {
    let server = TestServer::with_auth().await;
    let me =
        |password: String| send_request(server.anonymous("GET", "/api/v1/me").basic_auth("reader", Some(password)));

    let expected = json!({ "name": "reader", "role": "reader", "via": "password" });
    for _ in 0..3 {
        assert_eq!(me(password_of(Role::Reader)).await, (200, expected.clone()));
    }
    assert_eq!(me("wrong password".to_owned()).await.0, 401);
    // A changed password is rejected, even if it is cached.
    let body = json!({ "current": password_of(Role::Reader), "new": "another password" });
    assert_eq!(send(&server, Role::Reader, "PUT", "/api/v1/me/password", &body).await.0, 204);
    assert_eq!(me(password_of(Role::Reader)).await.0, 401);
    assert_eq!(me("another password".to_owned()).await.0, 200);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_change_needs_the_old_one_and_ends_sessions() {
    let server = TestServer::with_auth().await;
    let cookie = login(&server, "reader", &password_of(Role::Reader)).await.1.unwrap();
    let change = |current: &str, new: &str| {
        let body = json!({ "current": current, "new": new });
        let server = &server;
        async move { send(server, Role::Reader, "PUT", "/api/v1/me/password", &body).await.0 }
    };

    assert_eq!(change("wrong password", "another password").await, 403);
    assert_eq!(change(&password_of(Role::Reader), "short").await, 422);
    assert_eq!(me_with(&server, &cookie).await.0, 200);
    assert_eq!(change(&password_of(Role::Reader), "another password").await, 204);

    assert_eq!(me_with(&server, &cookie).await.0, 401);
    assert_eq!(login(&server, "reader", "another password").await.0, 200);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_created_listed_and_revoked() {
    let server = TestServer::with_auth().await;

    let body = json!({ "name": "nightly\r\nX-Evil: 1", "role": "reader", "days": 30 });
    let (status, issued) = send(&server, Role::Operator, "POST", "/api/v1/tokens", &body).await;
    let (secret, id) = (issued["secret"].as_str().unwrap(), &issued["token"]["id"]);
    assert_eq!(status, 201);
    assert!(secret.starts_with("lw_"));
    let me = || send_request(server.anonymous("GET", "/api/v1/me").bearer_auth(secret));
    assert_eq!(me().await, (200, json!({ "name": "operator", "role": "reader", "via": "token" })));

    for invalid in [json!({ "name": "" }), json!({ "name": "x", "days": 0 }), json!({ "name": "x", "user": "admin" })] {
        assert_eq!(send(&server, Role::Operator, "POST", "/api/v1/tokens", &invalid).await.0, 422, "{invalid}");
    }
    let (_, listed) = send(&server, Role::Operator, "GET", "/api/v1/tokens", &Value::Null).await;
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 2);
    assert!(!listed.to_string().contains(secret));
    let path = format!("/api/v1/tokens/{id}");
    assert_eq!(send(&server, Role::Reader, "DELETE", &path, &Value::Null).await.0, 404);
    assert_eq!(send(&server, Role::Reader, "GET", "/api/v1/tokens?user=operator", &Value::Null).await.0, 403);
    assert_eq!(send(&server, Role::Admin, "GET", "/api/v1/tokens?user=operator", &Value::Null).await.0, 200);
    assert_eq!(send(&server, Role::Admin, "DELETE", &path, &Value::Null).await.0, 204);
    assert_eq!(me().await.0, 401);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_cannot_create_one_with_a_higher_role() {
    let server = TestServer::with_auth().await;
    let body = json!({ "name": "small", "role": "reader" });
    let (_, issued) = send(&server, Role::Admin, "POST", "/api/v1/tokens", &body).await;
    let small = issued["secret"].as_str().unwrap();

    let request =
        server.anonymous("POST", "/api/v1/tokens").bearer_auth(small).header("content-type", "application/json");
    let (status, _) = send_request(request.body(json!({ "name": "large", "role": "admin" }).to_string())).await;

    assert_eq!(status, 403);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_revokes_tokens_of_its_own_role_or_below_only() {
    let server = TestServer::with_auth().await;
    let mut tokens = Vec::new();
    for role in ["reader", "operator", "admin"] {
        let body = json!({ "name": role, "role": role });
        tokens.push(send(&server, Role::Admin, "POST", "/api/v1/tokens", &body).await.1);
    }
    let revoke = |by: usize, token: usize| {
        let path = format!("/api/v1/tokens/{}", tokens[token]["token"]["id"]);
        send_request(server.anonymous("DELETE", &path).bearer_auth(tokens[by]["secret"].as_str().unwrap()))
    };

    for (by, token) in [(0, 1), (0, 2), (1, 2)] {
        let (status, problem) = revoke(by, token).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{by} {token}: {problem}");
    }
    assert_eq!(revoke(1, 0).await.0, 204, "a lower role");
    assert_eq!(revoke(1, 1).await.0, 204, "the token itself");
    assert_eq!(revoke(2, 2).await.0, 204);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_role_of_the_owner_limits_the_role_that_protects_a_token() {
    let server = TestServer::with_auth().await;
    let (_, issued) = send(&server, Role::Operator, "POST", "/api/v1/tokens", &json!({ "name": "t" })).await;
    let body = json!({ "role": "reader" });
    assert_eq!(send(&server, Role::Admin, "PATCH", "/api/v1/users/operator", &body).await.0, 200);

    let path = format!("/api/v1/tokens/{}", issued["token"]["id"]);
    let by_password = server.anonymous("DELETE", &path).basic_auth("operator", Some(password_of(Role::Operator)));

    assert_eq!(send_request(by_password).await.0, 204);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_created_with_a_token_expires_and_is_revoked_with_it() {
    let server = TestServer::with_auth().await;
    let body = json!({ "name": "leaked", "role": "reader", "days": 1 });
    let (_, leaked) = send(&server, Role::Operator, "POST", "/api/v1/tokens", &body).await;
    let by = |secret: &str, method, path| {
        server.anonymous(method, path).bearer_auth(secret).header("content-type", "application/json")
    };

    let request = by(leaked["secret"].as_str().unwrap(), "POST", "/api/v1/tokens");
    let (status, created) = send_request(request.body(json!({ "name": "stays" }).to_string())).await;
    let me = || send_request(by(created["secret"].as_str().unwrap(), "GET", "/api/v1/me"));

    assert_eq!((status, &created["token"]["expires_at"]), (201, &leaked["token"]["expires_at"]));
    assert_eq!(me().await.0, 200);
    let path = format!("/api/v1/tokens/{}", leaked["token"]["id"]);
    assert_eq!(send(&server, Role::Operator, "DELETE", &path, &Value::Null).await.0, 204);
    assert_eq!(me().await.0, 401);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn admins_manage_users() {
    let server = TestServer::with_auth().await;
    let body = json!({ "name": "alice", "role": "reader", "password": "battery staple" });

    let (status, alice) = send(&server, Role::Admin, "POST", "/api/v1/users", &body).await;
    assert_eq!((status, &alice["role"], &alice["disabled"]), (201, &json!("reader"), &json!(false)));
    assert_eq!(send(&server, Role::Admin, "POST", "/api/v1/users", &body).await.0, 409);
    let cookie = login(&server, "alice", "battery staple").await.1.unwrap();
    let path = "/api/v1/users/alice";
    let (_, promoted) = send(&server, Role::Admin, "PATCH", path, &json!({ "role": "operator" })).await;
    assert_eq!(promoted["role"], "operator");
    assert_eq!(me_with(&server, &cookie).await.1["role"], "operator");
    assert_eq!(send(&server, Role::Admin, "PATCH", path, &json!({ "disabled": true })).await.0, 200);
    assert_eq!(me_with(&server, &cookie).await.0, 401);
    assert_eq!(login(&server, "alice", "battery staple").await.0, 401);
    assert_eq!(send(&server, Role::Admin, "DELETE", path, &Value::Null).await.0, 204);
    assert_eq!(send(&server, Role::Admin, "GET", path, &Value::Null).await.0, 404);
    let (_, all) = send(&server, Role::Admin, "GET", "/api/v1/users", &Value::Null).await;
    let names: Vec<_> = all["users"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["admin", "operator", "reader"]);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_admin_cannot_be_removed() {
    let server = TestServer::with_auth().await;
    let path = "/api/v1/users/admin";

    let (status, problem) = send(&server, Role::Admin, "DELETE", path, &Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &json!("conflict")));
    for change in [json!({ "disabled": true }), json!({ "role": "reader" })] {
        assert_eq!(send(&server, Role::Admin, "PATCH", path, &change).await.0, 409);
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_user_names_are_rejected() {
    let server = TestServer::with_auth().await;

    for name in ["a\r\nX-Evil: 1", "", "..", "a/b", "-x", "a\u{0}", &"x".repeat(65)] {
        let body = json!({ "name": name, "role": "reader", "password": "battery staple" });
        assert_eq!(send(&server, Role::Admin, "POST", "/api/v1/users", &body).await.0, 422, "{name:?}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_by_the_command_line_take_effect_immediately() {
    let server = TestServer::with_auth().await;
    assert_eq!(send(&server, Role::Reader, "GET", "/api/v1/me", &Value::Null).await.0, 200);

    let data = server.service.data_dir().to_owned();
    let disable = move || {
        let others = UserStore::open(&data, || 0).unwrap();
        others.update(&"reader".parse().unwrap(), None, Some(true), None).unwrap();
    };
    tokio::task::spawn_blocking(disable).await.unwrap();

    assert_eq!(send(&server, Role::Reader, "GET", "/api/v1/me", &Value::Null).await.0, 401);
    server.close().await;
}
