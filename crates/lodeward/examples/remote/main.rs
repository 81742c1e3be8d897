//! Does everything arrive, exactly once, at a store in another process, when
//! the way there is bad?
//!
//! Writes a harvest into segments: documents of about 40 statements, a third of
//! them about blank nodes; a tenth is replaced by a new version, a twentieth is
//! removed, one in a thousand is far larger than a request. A follower sends it
//! through a proxy that injects faults. Then the store is read directly, and
//! compared graph by graph, blank nodes by canonical form.
//!
//! `cargo run --release --example remote -- NAME UPDATE_URL STORE_URL [DOCUMENTS] [FAULTS_PERCENT] [updates|streams]`
//!
//! Prints a row of a table, and fails if a quad is missing or too many.

mod harvest;
mod proxy;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use http::header::{ACCEPT, HeaderMap, HeaderValue};
use lodeward::fetch::service::{Call, CallBody, ServiceClient};
use lodeward::fetch::{self, Body};
use lodeward::model::Uri;
use lodeward::store::follow::{FollowError, feed_now};
use lodeward::store::segments::Bounds;
use lodeward::store::sparql::{Options, SparqlFollower};
use oxrdf::Dataset;
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxttl::NQuadsParser;

use harvest::Harvest;
use proxy::Proxy;

#[expect(clippy::print_stdout, reason = "a row of a table is what it is for")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, update, store, rest @ ..] = &arguments[..] else {
        eprintln!("usage: remote NAME UPDATE_URL STORE_URL [DOCUMENTS] [FAULTS_PERCENT] [updates|streams]");
        return ExitCode::from(2);
    };
    let number =
        |index: usize, otherwise: u64| rest.get(index).map_or(otherwise, |text| text.parse().expect("a number"));
    let (documents, percent) = (number(0, 5_000), number(1, 30));
    let streams = rest.get(2).is_none_or(|way| way == "streams");
    let folder = tempfile::tempdir().expect("a folder");
    let harvest = Harvest::write(folder.path(), documents);
    let proxy = Proxy::start(update, percent);
    let options = Options {
        update: Some(proxy.url(update)),
        graph_store: streams.then(|| proxy.url(store)),
        // Small, so that there are many requests for faults to meet.
        batch_documents: 32,
        batch_bytes: 256 << 10,
        timeout_s: 60,
        // Chance alone must not have a document refused.
        server_errors_max: u32::MAX,
        ..Options::default()
    };
    let fetch = fetch::Options { allow_private: true, proxy_from_environment: false, ..fetch::Options::default() };
    let mut follower =
        SparqlFollower::open(options, fetch.clone(), &folder.path().join("remote"), None).expect("a follower");

    #[expect(clippy::disallowed_methods, reason = "a bench measures time")]
    let start = Instant::now();
    let waits = follow(&harvest, &mut follower);
    let seconds = start.elapsed().as_secs_f64();

    let arrived = arrived(&fetch, store);
    let (missing, extra) = compare(&harvest.expected, &arrived);
    let quads: usize = harvest.expected.values().map(Vec::len).sum();
    let way = if streams { "updates, large ones as streams" } else { "updates" };
    println!(
        "| {name} | {way} | {} | {quads} | {} | {} | {waits} | {seconds:.1} | {:.0} | {missing} | {extra} |",
        harvest.records,
        proxy.requests(),
        proxy.faults(),
        lossy(harvest.records) / seconds,
    );
    if missing + extra + follower.refused() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn lossy(number: u64) -> f64 {
    number as f64
}

/// Feeds the follower as the crawl does, but with short waits.
fn follow(harvest: &Harvest, follower: &mut SparqlFollower) -> u64 {
    let log = harvest.store.log();
    let mut waits = 0;
    loop {
        match feed_now(&log, follower, Bounds::default(), &mut |_| ()) {
            Ok(()) => return waits,
            Err(FollowError::Retry { .. }) => waits += 1,
            Err(error) => panic!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What the store holds, by graph.
fn arrived(fetch: &fetch::Options, store: &str) -> HashMap<String, Vec<String>> {
    let client = ServiceClient::new(fetch.clone()).expect("a client");
    let call = Call {
        method: http::Method::GET,
        uri: Uri::parse(store).expect("an address"),
        headers: HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/n-quads"))]),
        body: CallBody::Whole(bytes::Bytes::new()),
        time_max: Duration::from_mins(10),
        answer_bytes_max: u64::MAX,
    };
    let body: Box<dyn Read> = match client.call(call).expect("an answer").body {
        Body::Whole { bytes, .. } => Box::new(Cursor::new(bytes)),
        Body::Stream(reader) => reader,
    };
    let mut graphs: HashMap<String, Vec<String>> = HashMap::new();
    for line in BufReader::new(body).lines() {
        let line = line.expect("a whole answer");
        let graph =
            line.trim_end_matches(" .").rsplit(" <").next().unwrap_or_default().trim_end_matches('>').to_owned();
        graphs.entry(graph).or_default().push(line);
    }
    graphs
}

/// How many quads are missing, and how many should not be there.
fn compare(expected: &HashMap<String, Vec<String>>, arrived: &HashMap<String, Vec<String>>) -> (usize, usize) {
    let (mut missing, mut extra) = (0, 0);
    let nothing = Vec::new();
    let mut graphs: Vec<_> = expected.keys().chain(arrived.keys()).collect();
    graphs.sort();
    graphs.dedup();
    for graph in graphs {
        let expected = canonical(expected.get(graph).unwrap_or(&nothing));
        let arrived = canonical(arrived.get(graph).unwrap_or(&nothing));
        missing += expected.iter().filter(|quad| !arrived.contains(*quad)).count();
        extra += arrived.iter().filter(|quad| !expected.contains(*quad)).count();
    }
    (missing, extra)
}

fn canonical(lines: &[String]) -> Dataset {
    let quads = lines.iter().flat_map(|line| NQuadsParser::new().for_slice(line.as_bytes()));
    let mut dataset: Dataset = quads.map(|quad| quad.expect("N-Quads")).collect();
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    dataset
}
