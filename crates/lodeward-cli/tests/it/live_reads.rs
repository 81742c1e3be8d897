//! Commands that only read work beside a crawl and a service, and give what they give without it.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::running_service::{RunningService, send};
use crate::web::{TestWeb, sorted_lines, start, succeed};

/// A data directory with a crawl that has more to do, and its ranking.
fn crawled() -> TestWeb {
    let web = TestWeb::new("tiny", |_| {});
    succeed(web.crawl("data", &["--strategy", "bfs", "--max-documents", "12"]));
    let ranked = web.lodeward(&["rank", "--data", "data"]);
    assert!(ranked.status.success(), "{}", errors(&ranked));
    web
}

/// A run of the crawl that waits for its first response, for ever. Killed when dropped.
struct WaitingCrawl {
    child: Child,
    _proxy: TcpListener,
}

impl WaitingCrawl {
    /// Starts the crawl with a proxy that accepts connections and never answers.
    fn start(web: &TestWeb, data: &str, arguments: &[&str]) -> Self {
        let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", proxy.local_addr().unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(web.directory.path()).env_clear().args(["crawl", "--data", data, "--proxy", &url]);
        let mut child = start({
            command.args(["--max-documents", "50", "-q"]).args(arguments);
            command
        });
        // Polls, for at most a minute, what another process does.
        for _ in 0..3_000 {
            if web.path(data).join("crawls.sock").exists() {
                return Self { child, _proxy: proxy };
            }
            assert_eq!(child.try_wait().unwrap(), None, "the crawl has ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the crawl does not listen")
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for WaitingCrawl {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const READS: &[&[&str]] = &[
    &["query", "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g"],
    &["query", "SELECT ?s ?o { ?s a ?o } ORDER BY ?s ?o LIMIT 20", "--format", "table"],
    &["query", "SELECT * { ?s ?p ?o } LIMIT 3", "--explain=plan"],
    &["query", "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "-o", "result.ttl"],
    &["query", "SELECT * { ?s ?p }"],
    &["query", "SELECT * { ?s ?p ?o }", "--max-rows", "2"],
    &["export"],
    &["export", "--crawl", "default", "-o", "result.nq"],
    &["export", "--crawl", "missing"],
    &["export", "--candidates", "has rdf:type", "-o", "result.nq"],
    &["changes", "--since", "7d"],
    &["changes", "--json"],
    &["log"],
    &["log", "--stored", "--json", "--limit", "0"],
    &["log", "--status", "99"],
    &["candidates", "--format", "json", "-q"],
    &["candidates", "--has", "rdf:type", "-q"],
    &["candidates", "--name", "missing"],
];

/// The exit code, the output, the messages and the file of each command.
fn read_all(web: &TestWeb, data: &str) -> Vec<(Vec<String>, Output, Option<Vec<String>>)> {
    let seed = &web.world.seeds()[0];
    let with_seed = ["explain", seed.as_str()];
    let commands = READS.iter().copied().chain([&with_seed[..]]);
    let run = |command: &[&str]| {
        let arguments = [command, &["--data", data]].concat();
        let output = web.lodeward(&arguments);
        let file = command.iter().find(|argument| argument.starts_with("result.")).map(|name| web.path(name));
        let content = file.map(|file| {
            // The order of quads is not part of the result.
            let lines = sorted_lines(&file);
            std::fs::remove_file(file).unwrap();
            lines
        });
        (arguments.iter().map(ToString::to_string).collect(), output, content)
    };
    commands.map(run).collect()
}

#[test]
fn commands_that_read_give_the_same_without_a_crawl_beside_it_and_after_its_kill() {
    let web = crawled();
    let alone = read_all(&web, "data");
    assert!(alone.iter().all(|(_, output, _)| !output.stdout.is_empty() || !output.stderr.is_empty()));

    let crawl = WaitingCrawl::start(&web, "data", &[]);
    let beside = read_all(&web, "data");
    let status = web.lodeward(&["status", "--data", "data"]);
    crawl.kill();
    assert!(web.path("data/crawls.sock").exists(), "a killed process leaves its socket");
    let after = read_all(&web, "data");

    assert!(status.status.success(), "{}", errors(&status));
    for ((alone, beside), after) in alone.iter().zip(&beside).zip(&after) {
        assert_eq!(beside, alone);
        assert_eq!(after, alone);
    }
}

#[test]
fn commands_that_read_give_the_same_beside_a_service() {
    let web = crawled();
    let alone = read_all(&web, "data");
    std::fs::write(web.path("service.toml"), "[service]\nrate_limit_per_minute = 100_000\n").unwrap();

    let mut service = RunningService::start(&web, "data", &["--no-auth"]);
    let beside = read_all(&web, "data");
    service.signal("TERM");

    assert_eq!(service.wait(), Some(0));
    assert!(!web.path("data/crawls.sock").exists());
    for (beside, alone) in beside.iter().zip(&alone) {
        assert_eq!(beside, alone);
    }
}

#[test]
fn a_query_beside_a_sparql_server_gives_the_same() {
    let web = crawled();
    let query = ["query", "SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 50", "--data", "data"];
    let alone = web.lodeward(&query);
    std::fs::write(web.path("service.toml"), "").unwrap();

    let _server = RunningService::start(&web, "data", &["--sparql-only"]);

    assert_eq!(web.lodeward(&query), alone);
    let explained = web.lodeward(&["explain", &web.world.seeds()[0], "--data", "data"]);
    assert!(explained.status.success(), "the server has not opened the crawl: {}", errors(&explained));
}

#[test]
fn the_path_of_a_data_directory_may_be_long() {
    let web = TestWeb::new("tiny", |_| {});
    let data = format!("{}/{}", "a".repeat(120), "b".repeat(120));
    succeed(web.crawl(&data, &["--max-documents", "3"]));
    let _crawl = WaitingCrawl::start(&web, &data, &[]);

    let output = web.lodeward(&["query", "ASK { ?s ?p ?o }", "--data", &data]);

    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"true\n"[..]), "{}", errors(&output));
}

#[test]
fn commands_that_write_are_refused_beside_a_crawl() {
    let web = crawled();
    std::fs::write(web.path("one.nt"), "<http://a.example/> <http://a.example/p> <http://a.example/> .\n").unwrap();
    let _crawl = WaitingCrawl::start(&web, "data", &[]);

    for writing in [
        &["import", "one.nt"][..],
        &["query", "--update", "CLEAR ALL"],
        &["archive", "rebuild", "--all"],
        &["archive", "drop", "default", "--yes"],
        &["rank"],
        &["export", "--to-archive"],
    ] {
        let refused = web.lodeward(&[writing, &["--data", "data"]].concat());
        assert_eq!(refused.status.code(), Some(2), "{writing:?}: {}", errors(&refused));
        assert!(errors(&refused).contains("hint: "), "{writing:?}: {}", errors(&refused));
    }
}

#[test]
fn a_reader_that_stops_reading_frees_the_slot_of_its_query() {
    let web = crawled();
    let _crawl = WaitingCrawl::start(&web, "data", &["--set", "service.max_concurrent_queries=1"]);
    let endless = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }";

    for _ in 0..3 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(web.directory.path()).env_clear().args(["query", endless, "--data", "data"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("?a\t"), "{line}");

        assert_eq!(child.wait().unwrap().code(), Some(0), "a closed pipe is not an error");
    }

    let next = web.lodeward(&["query", "ASK {}", "--data", "data"]);
    assert_eq!(next.status.code(), Some(0), "{}", errors(&next));
}

#[test]
fn ctrl_c_stops_a_query_that_runs_in_another_process() {
    let web = crawled();
    let _crawl = WaitingCrawl::start(&web, "data", &["--set", "service.max_concurrent_queries=1"]);
    let endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";
    let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
    command.current_dir(web.directory.path()).env_clear().args(["query", endless, "--data", "data"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Polls, for at most a minute, whether the command handles the signal.
    let status = format!("/proc/{}/status", child.id());
    let handles_interrupts = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(caught, 16).unwrap() & 2 != 0
    };
    for _ in 0..3_000 {
        if handles_interrupts() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }

    send(child.id(), "INT");

    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(3), "{}", errors(&stopped));
    assert!(errors(&stopped).starts_with("error: query stopped: "), "{}", errors(&stopped));
    let next = web.lodeward(&["query", "ASK {}", "--data", "data"]);
    assert_eq!(next.status.code(), Some(0), "{}", errors(&next));
}

#[test]
fn the_process_of_another_user_is_not_asked() {
    let web = crawled();
    let _crawl = WaitingCrawl::start(&web, "data", &[]);
    let socket = web.path("data/crawls.sock");
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
    command.current_dir(web.directory.path()).env_clear().args(["query", "ASK {}", "--data", "data"]);
    // Root may connect to every socket, so the command runs as another user.
    let is_root = std::fs::read_to_string("/proc/self/status").unwrap().contains("Uid:\t0\t");
    if is_root {
        std::fs::set_permissions(web.directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        command.uid(65_534).gid(65_534);
    } else {
        std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o000)).unwrap();
    }

    let refused = command.output().unwrap();

    let message = errors(&refused);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot connect to the process that uses data: permission denied"), "{message}");
    assert!(message.contains("hint: run the command as the user who runs that process"), "{message}");
}
