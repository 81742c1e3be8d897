//! Tests that a remote store receives every quad exactly once over a faulty connection.
//!
//! Writes a harvest into segments: documents of about 40 statements, a third of them about blank
//! nodes. One document in ten is replaced by a new version, one in twenty is removed, and one in a
//! thousand is far larger than a request. A follower sends the harvest through a proxy that injects
//! faults. Then the store is read directly and compared graph by graph, with blank nodes in
//! canonical form.
//!
//! `cargo run --release --example remote -- NAME UPDATE_URL STORE_URL [DOCUMENTS]
//! [FAULTS_PERCENT] [updates|streams]`
//!
//! Prints a table row. Fails if a quad is missing or unexpected.

mod harvest;
mod proxy;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use http::header::{ACCEPT, HeaderMap, HeaderValue};
use lodeward::fetch::sparql_client::{SparqlClient, SparqlRequest, SparqlRequestBody};
use lodeward::fetch::{self, ResponseBody};
use lodeward::model::Uri;
use lodeward::store::follow::{FollowerError, feed_all};
use lodeward::store::segments::ReadBounds;
use lodeward_app::followers::remote_store::{RemoteStoreOptions, SparqlFollower};
use oxrdf::Dataset;
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxttl::NQuadsParser;

use harvest::Harvest;
use proxy::Proxy;

#[expect(clippy::print_stdout, reason = "it prints a table row")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, update, store, rest @ ..] = &arguments[..] else {
        eprintln!("usage: remote NAME UPDATE_URL STORE_URL [DOCUMENTS] [FAULTS_PERCENT] [updates|streams]");
        return ExitCode::from(2);
    };
    let number = |index: usize, default: u64| rest.get(index).map_or(default, |text| text.parse().expect("a number"));
    let (documents, percent) = (number(0, 5_000), number(1, 30));
    let streams = rest.get(2).is_none_or(|mode| mode == "streams");
    let dir = tempfile::tempdir().expect("a directory");
    let harvest = Harvest::write(dir.path(), documents);
    let proxy = Proxy::start(update, percent);
    let options = RemoteStoreOptions {
        update_url: Some(proxy.url(update)),
        graph_store_url: streams.then(|| proxy.url(store)),
        // Small, so that faults affect many requests.
        max_batch_documents: 32,
        max_batch_bytes: 256 << 10,
        timeout_s: 60,
        // Injected server errors must not cause a document to be rejected.
        max_server_errors: u32::MAX,
        ..RemoteStoreOptions::default()
    };
    let fetch = fetch::FetchOptions {
        allow_private_addresses: true,
        proxy_from_environment: false,
        ..fetch::FetchOptions::default()
    };
    let mut follower =
        SparqlFollower::open(options, fetch.clone(), &dir.path().join("remote"), None).expect("a follower");

    #[expect(clippy::disallowed_methods, reason = "a bench measures time")]
    let start = Instant::now();
    let waits = follow(&harvest, &mut follower);
    let seconds = start.elapsed().as_secs_f64();

    let stored = stored(&fetch, store);
    let (missing, extra) = compare(&harvest.expected, &stored);
    let quads: usize = harvest.expected.values().map(Vec::len).sum();
    let mode = if streams { "updates, large ones as streams" } else { "updates" };
    println!(
        "| {name} | {mode} | {} | {quads} | {} | {} | {waits} | {seconds:.1} | {:.0} | {missing} | {extra} |",
        harvest.records,
        proxy.requests(),
        proxy.faults(),
        lossy(harvest.records) / seconds,
    );
    if missing + extra + follower.rejected_count() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[expect(clippy::cast_precision_loss, reason = "figures for display")]
fn lossy(number: u64) -> f64 {
    number as f64
}

/// Feeds the follower as the crawl does, but with short waits.
fn follow(harvest: &Harvest, follower: &mut SparqlFollower) -> u64 {
    let log = harvest.store.log();
    let mut waits = 0;
    loop {
        match feed_all(&log, follower, ReadBounds::default(), &mut |_| ()) {
            Ok(()) => return waits,
            Err(FollowerError::Retry { .. }) => waits += 1,
            Err(error) => panic!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The quads of the store, by graph.
fn stored(fetch: &fetch::FetchOptions, store: &str) -> HashMap<String, Vec<String>> {
    let client = SparqlClient::new(fetch.clone()).expect("a client");
    let request = SparqlRequest {
        method: http::Method::GET,
        uri: Uri::parse(store).expect("a URL"),
        headers: HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/n-quads"))]),
        body: SparqlRequestBody::Buffered(bytes::Bytes::new()),
        timeout: Duration::from_mins(10),
        max_response_bytes: u64::MAX,
    };
    let body: Box<dyn Read> = match client.call(request).expect("a response").body {
        ResponseBody::Buffered { bytes, .. } => Box::new(Cursor::new(bytes)),
        ResponseBody::Stream(reader) => reader,
    };
    let mut graphs: HashMap<String, Vec<String>> = HashMap::new();
    for line in BufReader::new(body).lines() {
        let line = line.expect("a complete response");
        let graph =
            line.trim_end_matches(" .").rsplit(" <").next().unwrap_or_default().trim_end_matches('>').to_owned();
        graphs.entry(graph).or_default().push(line);
    }
    graphs
}

/// The number of missing and of unexpected quads.
fn compare(expected: &HashMap<String, Vec<String>>, stored: &HashMap<String, Vec<String>>) -> (usize, usize) {
    let (mut missing, mut extra) = (0, 0);
    let empty = Vec::new();
    let mut graphs: Vec<_> = expected.keys().chain(stored.keys()).collect();
    graphs.sort();
    graphs.dedup();
    for graph in graphs {
        let expected = canonical(expected.get(graph).unwrap_or(&empty));
        let stored = canonical(stored.get(graph).unwrap_or(&empty));
        missing += expected.iter().filter(|quad| !stored.contains(*quad)).count();
        extra += stored.iter().filter(|quad| !expected.contains(*quad)).count();
    }
    (missing, extra)
}

fn canonical(lines: &[String]) -> Dataset {
    let quads = lines.iter().flat_map(|line| NQuadsParser::new().for_slice(line.as_bytes()));
    let mut dataset: Dataset = quads.map(|quad| quad.expect("N-Quads")).collect();
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    dataset
}
