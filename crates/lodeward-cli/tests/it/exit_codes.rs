//! The exit codes that `lodeward --help` documents, one by one.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::sandbox::Sandbox;
use crate::web::{TestWeb, succeed};

fn small_web() -> TestWeb {
    TestWeb::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (2, 6);
        parameters.robots.crawl_delay_share = 0.0;
    })
}

fn code(mut command: Command) -> Option<i32> {
    command.output().unwrap().status.code()
}

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// A crawl of a server that accepts requests and never answers, with a request in flight.
fn hanging_crawl(sandbox: &Sandbox) -> (Child, mpsc::Receiver<std::net::TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let seed = format!("http://{}/", listener.local_addr().unwrap());
    let (sender, accepted) = mpsc::channel();
    std::thread::spawn(move || listener.incoming().flatten().try_for_each(|stream| sender.send(stream)));
    let mut command = sandbox.command(&["crawl", &seed, "--allow-private", "--data", "data"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    (child, accepted)
}

#[test]
fn success_is_0() {
    let web = small_web();

    assert_eq!(code(web.crawl("data", &[])), Some(0));
    assert_eq!(web.lodeward(&["query", "ASK {}", "--data", "data"]).status.code(), Some(0));
}

#[test]
fn a_crawl_stopped_by_one_interrupt_is_0() {
    let web = small_web();
    let mut child = web.crawl("data", &["--delay", "200ms"]).stderr(Stdio::null()).spawn().unwrap();
    while web.requests_served() < 3 {
        std::thread::sleep(Duration::from_millis(5));
    }

    interrupt(&child);

    assert_eq!(child.wait().unwrap().code(), Some(0));
    let status = web.lodeward(&["status", "--data", "data"]);
    assert!(String::from_utf8(status.stdout).unwrap().contains("stopped  interrupted"));
}

#[test]
fn an_error_is_1() {
    let sandbox = Sandbox::new();
    sandbox.write("broken.nt", "no statement\n");

    assert_eq!(sandbox.run(&["import", "broken.nt", "--data", "data"]).code, 1);
    assert_eq!(sandbox.run(&["extract", "nowhere.ttl", "--base", "http://a.example/"]).code, 1);
}

#[test]
fn wrong_usage_and_missing_data_are_2() {
    let sandbox = Sandbox::new();
    let check = |arguments: &[&str]| assert_eq!(sandbox.run(arguments).code, 2, "{arguments:?}");

    check(&["crawl", "--no-such-flag"]);
    check(&["crawl"]);
    check(&["crawl", "not-a-uri"]);
    check(&["config", "--set", "crawl.max_depth=x"]);
    check(&["query", "SELECT", "--data", "data"]);
    check(&["status", "--data", "nowhere"]);
}

#[test]
fn a_second_interrupt_and_a_query_limit_are_3() {
    let sandbox = Sandbox::new();
    let (mut child, accepted) = hanging_crawl(&sandbox);
    let _in_flight = accepted.recv_timeout(Duration::from_mins(1)).unwrap();

    interrupt(&child);
    // The first signal is handled before the second is sent: the status file says so.
    let is_stopping = || sandbox.run(&["status", "--data", "data"]).output.contains("ending: ");
    while !is_stopping() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);

    assert_eq!(child.wait().unwrap().code(), Some(3));
    sandbox.write("a.nt", "<urn:s> <urn:p> <urn:a>, <urn:b> .".replace(", <urn:b>", " .\n<urn:s> <urn:p> <urn:b>"));
    sandbox.succeed(&["import", "a.nt", "--data", "other"]);
    let limited = sandbox.run(&["query", "SELECT * { ?s ?p ?o }", "--max-rows", "1", "--data", "other"]);
    assert_eq!(limited.code, 3, "{}", limited.errors);
}

#[test]
fn a_crawl_without_a_document_is_4() {
    let web = small_web();
    let missing = format!("{}/nothing-here", web.world.seeds()[0].trim_end_matches('/'));

    assert_eq!(code(web.crawl_from(&[&missing], "data", &["--max-documents", "1"])), Some(4));
    let sandbox = Sandbox::new();
    let unreachable = ["crawl", "http://a.example/", "--contact", "me@a.example", "--proxy", "http://127.0.0.1:1"];
    assert_eq!(sandbox.run(&unreachable).code, 4);
}

#[test]
fn a_damaged_harvest_is_5() {
    let web = small_web();
    succeed(web.crawl("data", &[]));
    std::fs::remove_dir_all(web.path("data/archive")).unwrap();
    let segment = web.path("data/crawls/1/segments/000001.nq.zst");
    let mut bytes = std::fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&segment, bytes).unwrap();

    assert_eq!(web.lodeward(&["query", "ASK {}", "--data", "data"]).status.code(), Some(5));
}
