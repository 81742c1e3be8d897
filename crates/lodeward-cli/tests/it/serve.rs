//! What whoever runs a service sees of it, besides its answers.

use std::process::Output;

use crate::served::Served;
use crate::web::{Box as Web, succeed};

/// A small world, and settings for whoever serves it.
fn small_web() -> Web {
    let web = Web::new("tiny", |_| {});
    let settings = format!(
        "[politeness]\ndelay_ms = 0\n[fetch]\nproxy = {:?}\nca_certs = [\"ca.pem\"]\n[service]\nrequests_per_minute = \
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
fn what_is_served_is_changed_by_its_service_only() {
    let web = small_web();
    succeed(web.crawl("data", &["--strategy", "focus"]));
    std::fs::write(web.path("one.nt"), "<http://a.example/> <http://a.example/p> <http://a.example/> .\n").unwrap();
    let mut service = Served::start(&web, "data", &["--no-auth"]);
    let requests = web.answered();

    for writing in [
        &["crawl", "http://a.example/", "--contact", "a@a.example", "--data", "data", "--name", "beside"][..],
        &["crawl", "--refresh", "--data", "data"],
        &["import", "one.nt", "--data", "data"],
        &["query", "ASK {}", "--data", "data"],
        &["rebuild", "--all", "--data", "data"],
        &["drop", "--crawl", "default", "--yes", "--data", "data"],
        &["rank", "--data", "data"],
        &["candidates", "keep", "http://a.example/", "--data", "data"],
        &["candidates", "undo", "--data", "data"],
        &["backup", "--to", "copy", "--data", "data"],
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    ] {
        let refused = web.lodeward(writing);
        let said = errors(&refused);
        assert_eq!(refused.status.code(), Some(2), "{writing:?}: {said}");
        assert!(said.contains(&format!("http://{}", service.authority())), "{writing:?}: {said}");
        assert!(said.contains(&format!("process {}", service.pid())), "{writing:?}: {said}");
        assert!(!said.contains("lodeward endpoint"), "{writing:?}: {said}");
    }

    assert_eq!(web.answered(), requests, "nobody was asked");
    for reading in [&["status", "--data", "data"][..], &["candidates", "--data", "data"], &["health", "--data", "data"]]
    {
        let answered = web.lodeward(reading);
        assert!(answered.status.success(), "{reading:?}: {}", errors(&answered));
    }
    service.signal("TERM");
    assert_eq!(service.wait(), Some(0));
    succeed(web.crawl("data", &["--strategy", "focus"]));
}

#[test]
fn files_that_are_damaged_are_named_with_a_hint_and_hold_up_nobody_else() {
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
    let note = "note: the crawl in crawls/2 is passed over: cannot read data/crawls/2/crawl.json: EOF";
    assert!(errors(&query).contains(note), "{}", errors(&query));
    for refused in [&hurt, &crawl] {
        let said = errors(refused);
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains("cannot read data/crawls/2/crawl.json") && said.contains("\nhint: restore"), "{said}");
    }
}

#[test]
fn nobody_is_let_in_where_the_users_are_damaged() {
    let web = small_web();
    drop(Served::start(&web, "data", &[]));
    std::fs::write(web.path("data/service/people.json"), "").unwrap();

    let served = web.lodeward(&["serve", "--data", "data", "--listen", "127.0.0.1:0"]);
    let listed = web.lodeward(&["user", "list", "--data", "data"]);

    for refused in [&served, &listed] {
        let said = errors(refused);
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains("error: data/service/people.json is damaged: EOF"), "{said}");
        assert!(said.contains("\nhint: restore the file from a backup"), "{said}");
    }
    assert_eq!(std::fs::read(web.path("data/service/people.json")).unwrap(), b"", "it is left as it is");
}

#[test]
fn what_cannot_be_served_is_named_and_nothing_is_made() {
    let web = small_web();
    std::fs::write(web.path("afile"), "").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().to_string();
    let check = |data: &str, listen: &str, message: &str, hint: &str| {
        let refused = web.lodeward(&["serve", "--data", data, "--listen", listen]);
        let said = errors(&refused);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("error: {message}")) && said.contains(&format!("hint: {hint}")), "{said}");
    };

    check("afile", "127.0.0.1:0", "cannot use afile: ", "it is no folder");
    check("new", &port, &format!("cannot listen on {port}: "), "another program listens there");
    check("new", "203.0.113.5:7474", "cannot listen on 203.0.113.5:7474: ", "this machine has no such address");

    assert!(!web.path("new").exists());
    let mut service = Served::start(&web, "data", &["--no-auth"]);
    check("data", service.authority(), "data is served by process", "ask the service instead");
    service.signal("TERM");
    assert_eq!(service.wait(), Some(0));
}

#[test]
fn a_service_says_what_it_does_before_it_lets_anybody_in_and_how_the_password_is_changed() {
    let web = small_web();
    succeed(web.crawl("data", &["--max-documents", "3", "--no-archive"]));

    let mut service = Served::start(&web, "data", &[]);
    service.signal("TERM");
    assert_eq!(service.wait(), Some(0));

    let log = std::fs::read_to_string(web.path("service.log")).unwrap();
    let place = |part: &str| log.find(part).unwrap_or_else(|| panic!("{part}: {log}"));
    assert!(place("the service is starting") < place("the archive catches up with a crawl crawl=1 documents=3"));
    assert!(place("the archive catches up") < place("the archive has caught up"));
    assert!(place("the archive has caught up") < place("the service is there"));
    assert!(log.contains("lodeward user password admin --data data\n"), "{log}");
}

#[test]
fn a_service_that_was_killed_is_not_taken_for_one_that_runs() {
    let web = small_web();
    let mut service = Served::start(&web, "data", &["--no-auth"]);
    assert!(web.lodeward(&["health", "--data", "data"]).status.success());

    service.signal("KILL");
    service.wait();

    assert!(web.path("data/service/running.json").exists());
    let health = web.lodeward(&["health", "--data", "data"]);
    assert_eq!(health.status.code(), Some(1));
    assert_eq!(errors(&health), "error: nobody serves data\nhint: start it with `lodeward serve --data data`\n");
    let lock = std::fs::File::open(web.path("data/service/lock")).unwrap();
    std::fs::remove_file(web.path("data/service/running.json")).unwrap();
    lock.lock().unwrap();
    let starting = errors(&web.lodeward(&["health", "--data", "data"]));
    assert!(starting.starts_with("error: the service of data is starting"), "{starting}");
}
