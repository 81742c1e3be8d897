//! Secrets are neither stored nor logged.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::crawl_helpers::poll_delay;
use crate::test_server::{TestServer, password_of};

/// The log of this process.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn capture_log() -> Log {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter("lodeward_service=trace")
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    log
}

/// The contents of all files of a directory.
fn contents(dir: &Path) -> String {
    let mut all = String::new();
    for file in std::fs::read_dir(dir).unwrap() {
        all += &String::from_utf8_lossy(&std::fs::read(file.unwrap().path()).unwrap());
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_stored_logged_or_audited() {
    let log = capture_log();
    let server = TestServer::with_auth().await;
    let json = |method: &str, path: &str, body: &Value| {
        let request = server.request(Role::Admin, method, path).header("content-type", "application/json");
        request.body(body.to_string()).send()
    };
    let (wrong, new) = ("a wrong password 4711", "a new password 4712");

    let login = |password: &str| json!({ "name": "operator", "password": password });
    json("POST", "/api/v1/session", &login(wrong)).await.unwrap();
    let logged_in = json("POST", "/api/v1/session", &login(&password_of(Role::Operator))).await.unwrap();
    let cookie = logged_in.headers()["set-cookie"].to_str().unwrap().to_owned();
    let session = cookie.split(['=', ';']).nth(1).unwrap().to_owned();
    json("POST", "/api/v1/session", &json!({ "name": new, "password": "" })).await.unwrap();
    let user = json!({ "name": "alice", "role": "reader", "password": new });
    json("POST", "/api/v1/users", &user).await.unwrap();
    json("PATCH", "/api/v1/users/alice?password=a+query+4713", &json!({ "password": new })).await.unwrap();
    json("PATCH", "/api/v1/users/alice", &json!({ "password": new, "x": 1 })).await.unwrap();
    server.anonymous("GET", "/api/v1/me").basic_auth("admin", Some(wrong)).send().await.unwrap();
    server.anonymous("GET", "/api/v1/me").basic_auth("admin", Some(password_of(Role::Admin))).send().await.unwrap();
    server
        .anonymous("GET", "/api/v1/users")
        .header("cookie", format!("lodeward_session={session}"))
        .send()
        .await
        .unwrap();

    let stored = contents(&server.service.data_dir().join("service"));
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let tokens = [Role::Reader, Role::Operator, Role::Admin].map(|role| server.token(role).to_owned());
    let passwords = [wrong.to_owned(), new.to_owned(), "4713".to_owned(), password_of(Role::Operator), session];
    assert!(logged.contains("request rejected"), "{logged}");
    for secret in tokens.iter().chain(&passwords) {
        assert!(!stored.contains(secret) && !logged.contains(secret), "{secret}");
    }
    check_audit(&server);
    server.close().await;
}

/// All files below a directory.
fn all_files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { all_files(&path) } else { vec![path] }).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_has_no_secret_in_plain_text() {
    let server = TestServer::with_auth().await;
    let service_dir = server.service.data_dir().join("service");
    // The first admin of this service has not changed the password.
    std::fs::write(service_dir.join("admin-password.txt"), "the first password\n").unwrap();
    let login = json!({ "name": "operator", "password": password_of(Role::Operator) }).to_string();
    let login = server.anonymous("POST", "/api/v1/session").header("content-type", "application/json").body(login);
    let cookie = login.send().await.unwrap().headers()["set-cookie"].to_str().unwrap().to_owned();
    let session = cookie.split(['=', ';']).nth(1).unwrap().to_owned();

    let order = server.request(Role::Admin, "POST", "/api/v1/backups").header("content-type", "application/json");
    assert_eq!(order.body(json!({ "name": "copy" }).to_string()).send().await.unwrap().status(), 202);
    loop {
        let state = server.request(Role::Admin, "GET", "/api/v1/backups/copy").send().await.unwrap();
        let state: Value = serde_json::from_slice(&state.bytes().await.unwrap()).unwrap();
        match state["state"].as_str().unwrap() {
            "running" => poll_delay().await,
            other => break assert_eq!(other, "complete", "{state}"),
        }
    }

    let files = all_files(&server.service.data_dir().join("backups/copy"));
    assert!(files.iter().any(|path| path.ends_with("service/users.json")), "{files:?}");
    let tokens = [Role::Reader, Role::Operator, Role::Admin].map(|role| server.token(role).to_owned());
    let passwords = ["the first password".to_owned(), password_of(Role::Operator), session];
    for path in files {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        for secret in tokens.iter().chain(&passwords) {
            assert!(!text.contains(secret), "{}: {secret}", path.display());
        }
    }
    server.close().await;
}

/// The audit log has the requests and their users.
fn check_audit(server: &TestServer) {
    let text = std::fs::read_to_string(server.service.data_dir().join("service/audit.jsonl")).unwrap();
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let entry: Value = serde_json::from_str(line).unwrap();
            assert_eq!(entry["address"], "127.0.0.1");
            let text = |name: &str| entry[name].as_str().unwrap_or("-").to_owned();
            format!("{} {} {} {} {}", text("user"), text("via"), text("method"), text("path"), entry["status"])
        })
        .collect();
    assert_eq!(
        lines,
        [
            "operator - POST /api/v1/session 401",
            "operator - POST /api/v1/session 200",
            "- - POST /api/v1/session 401",
            "admin token POST /api/v1/users 201",
            "admin token PATCH /api/v1/users/alice 400",
            "admin token PATCH /api/v1/users/alice 422",
            "admin - GET /api/v1/me 401",
            "operator session GET /api/v1/users 403",
        ]
    );
}
