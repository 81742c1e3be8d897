//! Measures how many documents the client fetches per CPU-second, compared with its HTTP
//! library alone.
//!
//! A keep-alive server in another process responds with 12 KB to every request. 32 tasks
//! request 32 hosts, each one request at a time. Only the user and system time of this process
//! counts.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};

use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use lodeward::fetch::{FetchOptions, FetchOutcome, FetchRequest, Fetcher, HttpFetcher, ResponseBody};
use lodeward::model::Uri;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const TASKS: usize = 32;
const BODY_BYTES: usize = 12_000;
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(coding) = arguments.get(1).filter(|first| first.starts_with("serve")) {
        return serve(coding.ends_with("gzip"));
    }
    let requests: usize = arguments.get(1).map_or(20_000, |count| count.parse().expect("a number of requests"));
    let (mut plain, plain_port) = server("serve");
    let (mut zipped, zipped_port) = server("serve-gzip");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let options = FetchOptions { proxy_from_environment: false, ..FetchOptions::default() };
    let direct = |port: u16| FetchOptions {
        resolve: vec![format!("*:127.0.0.1:{port}").parse().expect("a rule")],
        ..options.clone()
    };
    let proxied = FetchOptions { proxy: Some(format!("http://127.0.0.1:{plain_port}")), ..options.clone() };
    let mut report = String::from("round  bare hyper  direct  by proxy  direct, gzip   (documents per CPU-second)\n");
    for round in 1..=ROUNDS {
        let bare = runtime.block_on(hyper_speed(plain_port, requests));
        let lodeward = [direct(plain_port), proxied.clone(), direct(zipped_port)]
            .map(|options| runtime.block_on(lodeward_speed(options, requests)));
        writeln!(report, "{round:5}  {bare:10}  {:6}  {:8}  {:12}", lodeward[0], lodeward[1], lodeward[2])
            .expect("a string");
    }
    for server in [&mut plain, &mut zipped] {
        server.kill().expect("a running server");
        server.wait().expect("a running server");
    }
    std::io::stdout().write_all(report.as_bytes()).expect("standard output");
}

async fn lodeward_speed(options: FetchOptions, requests: usize) -> u64 {
    let fetcher = std::sync::Arc::new(HttpFetcher::new(options).expect("good options"));
    let start = cpu_ms();
    let mut tasks = tokio::task::JoinSet::new();
    for host in 0..TASKS {
        let fetcher = std::sync::Arc::clone(&fetcher);
        tasks.spawn(async move {
            for number in 0..requests / TASKS {
                let uri = Uri::parse(&format!("http://h{host}.example/document/{number}")).expect("a URI");
                fetcher.locate(&uri).await.expect("an address");
                let fetched = fetcher.fetch(FetchRequest::harvest(&uri)).await.result.expect("a response");
                let FetchOutcome::Representation(found) = fetched else { panic!("a redirect") };
                assert!(matches!(&found.body, ResponseBody::Buffered { bytes, truncation: None } if bytes.len() == BODY_BYTES));
            }
        });
    }
    tasks.join_all().await;
    requests as u64 * 1_000 / (cpu_ms() - start).max(1)
}

async fn hyper_speed(port: u16, requests: usize) -> u64 {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Client<_, Empty<bytes::Bytes>> =
        Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector);
    let start = cpu_ms();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..TASKS {
        let client = client.clone();
        tasks.spawn(async move {
            for number in 0..requests / TASKS {
                let request = http::Request::get(format!("http://127.0.0.1:{port}/document/{number}"))
                    .header("user-agent", "lodeward/0")
                    .header("accept", lodeward_rdf::accept::rdf_accept_field())
                    .header("accept-encoding", "gzip, br, zstd, deflate")
                    .body(Empty::new())
                    .expect("a request");
                let body = client.request(request).await.expect("a response").into_body();
                assert_eq!(body.collect().await.expect("a body").to_bytes().len(), BODY_BYTES);
            }
        });
    }
    tasks.join_all().await;
    requests as u64 * 1_000 / (cpu_ms() - start).max(1)
}

/// User and system time of this process.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().expect("ticks")).sum();
    ticks * 10
}

fn server(mode: &str) -> (std::process::Child, u16) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let mut child = command.arg(mode).stdout(Stdio::piped()).spawn().expect("a second process");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a port");
    (child, line.trim().parse().expect("a port"))
}

fn serve(gzip: bool) {
    let text: Vec<u8> = (0..)
        .flat_map(|n: u32| format!("<http://e.org/{n}> <http://e.org/p> \"{n}\" .\n").into_bytes())
        .take(BODY_BYTES)
        .collect();
    let (coding, body) = if gzip {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&text).expect("a vector");
        ("Content-Encoding: gzip\r\n", encoder.finish().expect("a vector"))
    } else {
        ("", text)
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/turtle\r\nServer: x\r\n{coding}Content-Length: {}\r\n\r\n",
        body.len()
    );
    let response: &'static [u8] = Vec::leak([head.as_bytes(), &body].concat());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("a port").port();
        writeln!(std::io::stdout(), "{port}").expect("standard output");
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = vec![0; 8_192];
                while socket.read(&mut head).await.is_ok_and(|length| length > 0) {
                    if socket.write_all(response).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
}
