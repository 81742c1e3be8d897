//! Measures how many requests the server serves per second of its own CPU time.
//!
//! The clients run in another process, so that only the server's time counts. Baseline: 20,000 requests per CPU-second,
//! for small responses and for 12 KB.
//!
//! ```text
//! cargo run --release -p toyweb --example throughput [seconds] [connections]
//! ```

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use toyweb::serve::{ServeOptions, WebServer};
use toyweb::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};

const TICKS_PER_SECOND: f64 = 100.0;

/// A web with one response.
struct Fixed(Bytes);

impl Web for Fixed {
    fn respond(&self, _: &WebRequest) -> WebResponse {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("text/turtle"));
        WebResponse {
            status: StatusCode::OK,
            headers,
            body: WebBody::Whole(self.0.clone()),
            delivery: DeliveryFault::Plain,
        }
    }
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, address, seconds, connections] = arguments.as_slice()
        && role == "clients"
    {
        return run_clients(address.parse()?, seconds.parse()?, connections.parse()?);
    }
    let seconds = arguments.first().map_or("3", String::as_str);
    let connections = arguments.get(1).map_or("16", String::as_str);
    for bytes in [200, 12 * 1024] {
        for logged in [false, true] {
            let (requests, cpu) = measure(bytes, logged, seconds, connections)?;
            let rate = requests / cpu;
            let log = if logged { "with a log" } else { "no log" };
            writeln!(
                std::io::stdout(),
                "{bytes:>6} bytes, {log:<10}: {requests:>7} requests, {cpu:.2} CPU-seconds, {rate:>7.0} requests per CPU-second"
            )?;
        }
    }
    Ok(())
}

fn measure(bytes: usize, logged: bool, seconds: &str, connections: &str) -> anyhow::Result<(f64, f64)> {
    let directory = tempfile::tempdir()?;
    let log = logged.then(|| directory.path().join("access.tsv"));
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let web = Arc::new(Fixed(vec![b'x'; bytes].into()));
        let server = WebServer::bind(web, ServeOptions { log, ..ServeOptions::default() }).await?.spawn();
        let before = cpu_seconds()?;
        let clients = Command::new(std::env::current_exe()?)
            .args(["clients", &server.addresses[0].to_string(), seconds, connections])
            .stdout(Stdio::piped())
            .spawn()?;
        let output = tokio::task::spawn_blocking(|| clients.wait_with_output()).await??;
        let cpu = cpu_seconds()? - before;
        server.stop().await;
        ensure!(output.status.success(), "the clients failed");
        let requests: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
        Ok((requests, cpu))
    })
}

/// User and system time of this process, according to Linux.
fn cpu_seconds() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("this example needs Linux")?;
    let after_name = stat.rsplit_once(')').context("a process has a name")?.1;
    let times = after_name.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(times.sum::<Result<f64, _>>()? / TICKS_PER_SECOND)
}

/// Sends requests as fast as responses arrive, and prints their number.
fn run_clients(address: SocketAddr, seconds: u64, connections: usize) -> anyhow::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the measurement has a time limit")]
    let start = Instant::now();
    let clients: Vec<_> = (0..connections)
        .map(|_| std::thread::spawn(move || send_requests(address, start, Duration::from_secs(seconds))))
        .collect();
    let mut requests = 0;
    for client in clients {
        requests += client.join().expect("a client does not panic")?;
    }
    writeln!(std::io::stdout(), "{requests}")?;
    Ok(())
}

fn send_requests(address: SocketAddr, start: Instant, duration: Duration) -> anyhow::Result<u64> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let request = b"GET http://h17.example/data/document/123 HTTP/1.1\r\nHost: h17.example\r\n\
        User-Agent: throughput/0.1 (+http://localhost/)\r\nAccept: text/turtle, application/rdf+xml;q=0.9, */*;q=0.1\r\n\
        Accept-Encoding: gzip\r\n\r\n";
    let mut buffer = vec![0; 64 * 1024];
    let mut requests = 0;
    while start.elapsed() < duration {
        stream.write_all(request)?;
        let (mut filled, mut expected) = (0, usize::MAX);
        while filled < expected {
            let read = stream.read(&mut buffer[filled..])?;
            ensure!(read > 0, "truncated response");
            filled += read;
            if expected == usize::MAX {
                expected = response_bytes(&buffer[..filled]).unwrap_or(usize::MAX);
            }
        }
        ensure!(filled == expected && buffer.starts_with(b"HTTP/1.1 200 "), "unexpected response");
        requests += 1;
    }
    Ok(requests)
}

fn response_bytes(response: &[u8]) -> Option<usize> {
    let head = response.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&response[..head]).ok()?;
    let length = text.split_once("content-length: ")?.1.lines().next()?;
    Some(head + length.parse::<usize>().ok()?)
}
