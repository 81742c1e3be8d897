//! `lodeward serve` from the operator's side: messages, locks, damaged files and logs.

use std::process::Output;

use crate::running_service::RunningService;
use crate::web::{TestWeb, succeed};

/// A small generated web, and settings for a service that crawls it.
fn small_web() -> TestWeb {
    let web = TestWeb::new("tiny", |_| {});
    let settings = format!(
        "[politeness]\ndelay = 0\n[fetch]\nproxy = {:?}\nca_certificates = [\"ca.pem\"]\n[service]\nrate_limit_per_minute = \
         100_000\n",
        web.proxy()
    );
    std::fs::write(web.path("service.toml"), settings).unwrap();
    web
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_data_directory_of_a_running_service_is_changed_by_the_service_only() {
    let web = small_web();
    succeed(web.crawl("data", &["--strategy", "focus"]));
    std::fs::write(web.path("one.nt"), "<http://a.example/> <http://a.example/p> <http://a.example/> .\n").unwrap();
    let mut service = RunningService::start(&web, "data", &["--no-auth"]);
    let requests = web.requests_served();

    for writing in [
        &["crawl", "http://a.example/", "--contact", "a@a.example", "--data", "data", "--name", "other"][..],
        &["crawl", "--refresh", "--data", "data"],
        &["import", "one.nt", "--data", "data"],
        &["query", "--update", "CLEAR ALL", "--data", "data"],
        &["archive", "rebuild", "--all", "--data", "data"],
        &["archive", "drop", "default", "--yes", "--data", "data"],
        &["rank", "--data", "data"],
        &["candidates", "keep", "http://a.example/", "--data", "data"],
        &["candidates", "undo", "--data", "data"],
        &["backup", "--to", "copy", "--data", "data"],
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    ] {
        let rejected = web.lodeward(writing);
        let message = errors(&rejected);
        assert_eq!(rejected.status.code(), Some(2), "{writing:?}: {message}");
        assert!(message.contains(&format!("http://{}", service.authority())), "{writing:?}: {message}");
        assert!(message.contains(&format!("process {}", service.pid())), "{writing:?}: {message}");
        assert!(!message.contains("--sparql-only"), "{writing:?}: {message}");
    }

    assert_eq!(web.requests_served(), requests, "no request was sent");
    for reading in [&["status", "--data", "data"][..], &["candidates", "--data", "data"], &["health", "--data", "data"]]
    {
        let output = web.lodeward(reading);
        assert!(output.status.success(), "{reading:?}: {}", errors(&output));
    }
    service.signal("TERM");
    assert_eq!(service.wait(), Some(0));
    succeed(web.crawl("data", &["--strategy", "focus"]));
}

#[test]
fn a_damaged_crawl_is_reported_with_a_hint_and_does_not_affect_others() {
    let web = small_web();
    succeed(web.crawl("data", &["--name", "whole", "--max-documents", "3"]));
    succeed(web.crawl("data", &["--name", "hurt", "--max-documents", "3"]));
    std::fs::write(web.path("data/crawls/2/crawl.json"), "").unwrap();

    let other = web.lodeward(&["status", "--data", "data", "--name", "whole"]);
    let query = web.lodeward(&["query", "ASK {}", "--data", "data"]);
    let hurt = web.lodeward(&["status", "--data", "data", "--name", "hurt"]);
    let crawl = web.crawl("data", &["--name", "hurt"]).output().unwrap();

    assert!(other.status.success(), "{}", errors(&other));
    assert!(query.status.success(), "{}", errors(&query));
    let note = "note: skipped the crawl in crawls/2: cannot read data/crawls/2/crawl.json: EOF";
    assert!(errors(&query).contains(note), "{}", errors(&query));
    for rejected in [&hurt, &crawl] {
        let message = errors(rejected);
        assert_eq!(rejected.status.code(), Some(1), "{message}");
        let is_explained = message.contains("cannot read data/crawls/2/crawl.json");
        assert!(is_explained && message.contains("\nhint: restore"), "{message}");
    }
}

#[test]
fn a_service_with_a_damaged_user_file_does_not_start() {
    let web = small_web();
    drop(RunningService::start(&web, "data", &[]));
    std::fs::write(web.path("data/service/users.json"), "").unwrap();

    let started = web.lodeward(&["serve", "--data", "data", "--listen", "127.0.0.1:0"]);
    let listed = web.lodeward(&["user", "list", "--data", "data"]);

    for rejected in [&started, &listed] {
        let message = errors(rejected);
        assert_eq!(rejected.status.code(), Some(1), "{message}");
        assert!(message.contains("error: cannot read data/service/users.json: EOF"), "{message}");
        assert!(message.contains("\nhint: restore the file from a backup"), "{message}");
    }
    assert_eq!(std::fs::read(web.path("data/service/users.json")).unwrap(), b"", "the file is unchanged");
}

#[test]
fn a_service_that_cannot_start_names_the_cause_and_creates_nothing() {
    let web = small_web();
    std::fs::write(web.path("afile"), "").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().to_string();
    let check = |data: &str, listen: &str, message: &str, hint: &str| {
        let rejected = web.lodeward(&["serve", "--data", data, "--listen", listen]);
        let text = errors(&rejected);
        assert_eq!(rejected.status.code(), Some(2), "{text}");
        assert!(text.contains(&format!("error: {message}")) && text.contains(&format!("hint: {hint}")), "{text}");
    };

    check("afile", "127.0.0.1:0", "cannot use data directory afile: ", "the path is not a directory");
    check("new", &port, &format!("cannot listen on {port}: "), "another program listens on this port");
    check("new", "203.0.113.5:7474", "cannot listen on 203.0.113.5:7474: ", "this machine has no such IP address");

    assert!(!web.path("new").exists());
    let mut service = RunningService::start(&web, "data", &["--no-auth"]);
    check("data", service.authority(), "data is used by the service at", "use the API of the service");
    service.signal("TERM");
    assert_eq!(service.wait(), Some(0));
}

#[test]
fn a_service_logs_its_start_and_how_to_change_the_first_password() {
    let web = small_web();
    succeed(web.crawl("data", &["--max-documents", "3", "--no-archive"]));

    let mut service = RunningService::start(&web, "data", &[]);
    service.signal("TERM");
    assert_eq!(service.wait(), Some(0));

    let log = std::fs::read_to_string(web.path("service.log")).unwrap();
    let position = |part: &str| log.find(part).unwrap_or_else(|| panic!("{part}: {log}"));
    assert!(position("service starting") < position("updating the archive from a crawl crawl=1 documents=3"));
    assert!(position("updating the archive") < position("archive updated"));
    assert!(position("archive updated") < position("service started"));
    assert!(log.contains("lodeward user password admin --data data\n"), "{log}");
}

#[test]
fn a_killed_service_is_not_reported_as_running() {
    let web = small_web();
    let mut service = RunningService::start(&web, "data", &["--no-auth"]);
    assert!(web.lodeward(&["health", "--data", "data"]).status.success());

    service.signal("KILL");
    service.wait();

    assert!(web.path("data/service/service.json").exists());
    let health = web.lodeward(&["health", "--data", "data"]);
    assert_eq!(health.status.code(), Some(1));
    let expected = "error: no service is running for data\nhint: start it with `lodeward serve --data data`\n";
    assert_eq!(errors(&health), expected);
    let lock = std::fs::File::open(web.path("data/service/lock")).unwrap();
    std::fs::remove_file(web.path("data/service/service.json")).unwrap();
    lock.lock().unwrap();
    let starting = errors(&web.lodeward(&["health", "--data", "data"]));
    assert!(starting.starts_with("error: the service of data is starting"), "{starting}");
}
