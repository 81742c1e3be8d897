//! Users, tokens and sessions over HTTP.

use std::sync::atomic::{AtomicU64, Ordering};

use lodeward_service::Role;
use lodeward_service::people::People;
use reqwest::header::SET_COOKIE;
use serde_json::{Value, json};

use crate::house::{House, Plan, password_of};

/// Sends JSON by the user with this role.
async fn send(house: &House, role: Role, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = house.request(role, method, path).header("content-type", "application/json");
    answered(request.body(body.to_string())).await
}

async fn answered(request: reqwest::RequestBuilder) -> (u16, Value) {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default())
}

/// Signs somebody in. Returns the field that a browser would send back.
async fn sign_in(house: &House, name: &str, password: &str) -> (u16, Option<String>) {
    let body = json!({ "name": name, "password": password }).to_string();
    let request = house.ask("POST", "/api/v1/session").header("content-type", "application/json");
    let answer = request.body(body).send().await.unwrap();
    let cookie = answer.headers().get(SET_COOKIE).map(|cookie| cookie.to_str().unwrap().to_owned());
    (answer.status().as_u16(), cookie)
}

fn sent_back(cookie: &str) -> &str {
    cookie.split(';').next().unwrap()
}

async fn me_with(house: &House, cookie: &str) -> (u16, Value) {
    answered(house.ask("GET", "/api/v1/me").header("cookie", sent_back(cookie))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_signs_in_works_and_signs_out() {
    let house = House::guarded().await;

    let (status, cookie) = sign_in(&house, "operator", &password_of(Role::Operator)).await;
    let cookie = cookie.unwrap();

    assert_eq!(status, 200);
    assert!(cookie.contains("; HttpOnly; SameSite=Strict") && cookie.contains("; Path=/;"), "{cookie}");
    let expected = json!({ "name": "operator", "role": "operator", "via": "session" });
    assert_eq!(me_with(&house, &cookie).await, (200, expected));
    let sign_out = || house.ask("DELETE", "/api/v1/session").header("cookie", sent_back(&cookie));
    let (status, refused) = answered(sign_out()).await;
    assert_eq!((status, &refused["code"]), (403, &json!("cross-site")));
    assert_eq!(answered(sign_out().header("origin", house.url(""))).await.0, 204);
    assert_eq!(me_with(&house, &cookie).await.0, 401);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_tls_a_cookie_does_not_travel_in_the_open() {
    let settings = "[service]\npublic_url = \"https://crawls.example\"\n".to_owned();
    let house = House::build(Plan { settings, ..Plan::default() }).await;

    let (_, cookie) = sign_in(&house, "reader", &password_of(Role::Reader)).await;

    assert!(cookie.unwrap().ends_with("; Secure"));
    house.close().await;
}

static CLOCK: AtomicU64 = AtomicU64::new(1_800_000_000_000);

#[tokio::test(flavor = "multi_thread")]
async fn sessions_and_tokens_end_with_their_time() {
    let now = || CLOCK.load(Ordering::SeqCst);
    let settings = "[service]\nsession_hours = 48\n".to_owned();
    let house = House::build(Plan { now: Some(now), settings, ..Plan::default() }).await;
    let cookie = sign_in(&house, "reader", &password_of(Role::Reader)).await.1.unwrap();
    let (_, given) = send(&house, Role::Reader, "POST", "/api/v1/tokens", &json!({ "name": "t", "days": 1 })).await;
    let by_token = || answered(house.ask("GET", "/api/v1/me").bearer_auth(given["secret"].as_str().unwrap()));
    assert_eq!((me_with(&house, &cookie).await.0, by_token().await.0), (200, 200));

    CLOCK.fetch_add(24 * 3_600_000, Ordering::SeqCst);
    assert_eq!((me_with(&house, &cookie).await.0, by_token().await.0), (200, 401));
    CLOCK.fetch_add(24 * 3_600_000, Ordering::SeqCst);
    assert_eq!((me_with(&house, &cookie).await.0, by_token().await.0), (401, 401));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn old_clients_send_name_and_password_with_every_request() {
    let house = House::guarded().await;
    let me = |password: String| answered(house.ask("GET", "/api/v1/me").basic_auth("reader", Some(password)));

    let expected = json!({ "name": "reader", "role": "reader", "via": "password" });
    for _ in 0..3 {
        assert_eq!(me(password_of(Role::Reader)).await, (200, expected.clone()));
    }
    assert_eq!(me("wrong password".to_owned()).await.0, 401);
    // What was right a moment ago is not after a change, remembered or not.
    let body = json!({ "current": password_of(Role::Reader), "new": "another password" });
    assert_eq!(send(&house, Role::Reader, "PUT", "/api/v1/me/password", &body).await.0, 204);
    assert_eq!(me(password_of(Role::Reader)).await.0, 401);
    assert_eq!(me("another password".to_owned()).await.0, 200);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_takes_the_old_one_and_ends_sessions() {
    let house = House::guarded().await;
    let cookie = sign_in(&house, "reader", &password_of(Role::Reader)).await.1.unwrap();
    let change = |current: &str, new: &str| {
        let body = json!({ "current": current, "new": new });
        let house = &house;
        async move { send(house, Role::Reader, "PUT", "/api/v1/me/password", &body).await.0 }
    };

    assert_eq!(change("wrong password", "another password").await, 403);
    assert_eq!(change(&password_of(Role::Reader), "short").await, 422);
    assert_eq!(me_with(&house, &cookie).await.0, 200);
    assert_eq!(change(&password_of(Role::Reader), "another password").await, 204);

    assert_eq!(me_with(&house, &cookie).await.0, 401);
    assert_eq!(sign_in(&house, "reader", "another password").await.0, 200);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_given_listed_and_revoked() {
    let house = House::guarded().await;

    let body = json!({ "name": "nightly\r\nX-Evil: 1", "role": "reader", "days": 30 });
    let (status, given) = send(&house, Role::Operator, "POST", "/api/v1/tokens", &body).await;
    let (secret, id) = (given["secret"].as_str().unwrap(), &given["token"]["id"]);
    assert_eq!(status, 201);
    assert!(secret.starts_with("lw_"));
    let me = || answered(house.ask("GET", "/api/v1/me").bearer_auth(secret));
    assert_eq!(me().await, (200, json!({ "name": "operator", "role": "reader", "via": "token" })));

    for nonsense in [json!({ "name": "" }), json!({ "name": "x", "days": 0 }), json!({ "name": "x", "user": "admin" })]
    {
        assert_eq!(send(&house, Role::Operator, "POST", "/api/v1/tokens", &nonsense).await.0, 422, "{nonsense}");
    }
    let (_, listed) = send(&house, Role::Operator, "GET", "/api/v1/tokens", &Value::Null).await;
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 2);
    assert!(!listed.to_string().contains(secret));
    let path = format!("/api/v1/tokens/{id}");
    assert_eq!(send(&house, Role::Reader, "DELETE", &path, &Value::Null).await.0, 404);
    assert_eq!(send(&house, Role::Reader, "GET", "/api/v1/tokens?user=operator", &Value::Null).await.0, 403);
    assert_eq!(send(&house, Role::Admin, "GET", "/api/v1/tokens?user=operator", &Value::Null).await.0, 200);
    assert_eq!(send(&house, Role::Admin, "DELETE", &path, &Value::Null).await.0, 204);
    assert_eq!(me().await.0, 401);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_less_leads_to_none_for_more() {
    let house = House::guarded().await;
    let body = json!({ "name": "small", "role": "reader" });
    let (_, given) = send(&house, Role::Admin, "POST", "/api/v1/tokens", &body).await;
    let small = given["secret"].as_str().unwrap();

    let request = house.ask("POST", "/api/v1/tokens").bearer_auth(small).header("content-type", "application/json");
    let (status, _) = answered(request.body(json!({ "name": "large", "role": "admin" }).to_string())).await;

    assert_eq!(status, 403);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ends_makes_none_that_does_not_and_takes_them_along() {
    let house = House::guarded().await;
    let body = json!({ "name": "leaked", "role": "reader", "days": 1 });
    let (_, leaked) = send(&house, Role::Operator, "POST", "/api/v1/tokens", &body).await;
    let by = |secret: &str, method, path| {
        house.ask(method, path).bearer_auth(secret).header("content-type", "application/json")
    };

    let request = by(leaked["secret"].as_str().unwrap(), "POST", "/api/v1/tokens");
    let (status, made) = answered(request.body(json!({ "name": "kept" }).to_string())).await;
    let me = || answered(by(made["secret"].as_str().unwrap(), "GET", "/api/v1/me"));

    assert_eq!((status, &made["token"]["expires_at"]), (201, &leaked["token"]["expires_at"]));
    assert_eq!(me().await.0, 200);
    let path = format!("/api/v1/tokens/{}", leaked["token"]["id"]);
    assert_eq!(send(&house, Role::Operator, "DELETE", &path, &Value::Null).await.0, 204);
    assert_eq!(me().await.0, 401);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn admins_add_change_and_remove_users() {
    let house = House::guarded().await;
    let body = json!({ "name": "alice", "role": "reader", "password": "battery staple" });

    let (status, alice) = send(&house, Role::Admin, "POST", "/api/v1/users", &body).await;
    assert_eq!((status, &alice["role"], &alice["disabled"]), (201, &json!("reader"), &json!(false)));
    assert_eq!(send(&house, Role::Admin, "POST", "/api/v1/users", &body).await.0, 409);
    let cookie = sign_in(&house, "alice", "battery staple").await.1.unwrap();
    let path = "/api/v1/users/alice";
    let (_, promoted) = send(&house, Role::Admin, "PATCH", path, &json!({ "role": "operator" })).await;
    assert_eq!(promoted["role"], "operator");
    assert_eq!(me_with(&house, &cookie).await.1["role"], "operator");
    assert_eq!(send(&house, Role::Admin, "PATCH", path, &json!({ "disabled": true })).await.0, 200);
    assert_eq!(me_with(&house, &cookie).await.0, 401);
    assert_eq!(sign_in(&house, "alice", "battery staple").await.0, 401);
    assert_eq!(send(&house, Role::Admin, "DELETE", path, &Value::Null).await.0, 204);
    assert_eq!(send(&house, Role::Admin, "GET", path, &Value::Null).await.0, 404);
    let (_, all) = send(&house, Role::Admin, "GET", "/api/v1/users", &Value::Null).await;
    let names: Vec<_> = all["users"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["admin", "operator", "reader"]);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_admin_stays() {
    let house = House::guarded().await;
    let path = "/api/v1/users/admin";

    let (status, problem) = send(&house, Role::Admin, "DELETE", path, &Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &json!("conflict")));
    for change in [json!({ "disabled": true }), json!({ "role": "reader" })] {
        assert_eq!(send(&house, Role::Admin, "PATCH", path, &change).await.0, 409);
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_would_break_a_header_or_a_log_are_refused() {
    let house = House::guarded().await;

    for name in ["a\r\nX-Evil: 1", "", "..", "a/b", "-x", "a\u{0}", &"x".repeat(65)] {
        let body = json!({ "name": name, "role": "reader", "password": "battery staple" });
        assert_eq!(send(&house, Role::Admin, "POST", "/api/v1/users", &body).await.0, 422, "{name:?}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_command_line_changes_holds_at_once() {
    let house = House::guarded().await;
    assert_eq!(send(&house, Role::Reader, "GET", "/api/v1/me", &Value::Null).await.0, 200);

    let data = house.service.data().to_owned();
    let disable = move || {
        let others = People::open(&data, || 0).unwrap();
        others.amend(&"reader".parse().unwrap(), None, Some(true), None).unwrap();
    };
    tokio::task::spawn_blocking(disable).await.unwrap();

    assert_eq!(send(&house, Role::Reader, "GET", "/api/v1/me", &Value::Null).await.0, 401);
    house.close().await;
}
