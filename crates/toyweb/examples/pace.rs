//! Measures how many requests per second one thread serves, in process.
//!
//! `cargo run --release --example pace -- tiny 200000`
//!
//! Baseline: the server must not limit a crawl, so it needs to serve 20,000 tiny documents per CPU-second, and as many
//! documents of any world once cached.

use std::time::Instant;

use toyweb::cached_web::CachedWeb;
use toyweb::truth::{TruthMode, for_each_document};
use toyweb::world::{World, WorldParameters};
use toyweb::{Web, WebBody, WebRequest};

#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark measures time and prints it")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let preset = arguments.next().unwrap_or_else(|| "tiny".to_owned());
    let requests: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(50_000);
    let parameters = WorldParameters::preset(&preset).expect("a preset");
    let world = World::new(WorldParameters { hosts: parameters.hosts.min(50), ..parameters }).expect("sound");

    let start = Instant::now();
    let mut urls = Vec::new();
    let mut quads = 0;
    for_each_document(&world, TruthMode::All, &mut |document| {
        quads += document.quads.len();
        if document.kind != toyweb::world::DocumentKind::Page {
            urls.push(document.url);
        }
    });
    println!("truth: {} documents, {quads} quads, {:.2?}", urls.len(), start.elapsed());

    let requests: Vec<WebRequest> = urls.iter().cycle().take(requests).map(|url| WebRequest::get(url)).collect();
    measure("plain", &world, &requests);
    let cached = CachedWeb::new(world, 1 << 30);
    measure("filling", &cached, &requests);
    measure("cached", &cached, &requests);
}

#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark measures time and prints it")]
#[expect(clippy::cast_precision_loss, reason = "the precision of a rate suffices")]
fn measure(name: &str, web: &impl Web, requests: &[WebRequest]) {
    let start = Instant::now();
    let mut bytes = 0;
    for request in requests {
        if let WebBody::Whole(body) = web.respond(request).body {
            bytes += body.len();
        }
    }
    let rate = requests.len() as f64 / start.elapsed().as_secs_f64();
    println!("{name}: {rate:.0} requests/s, mean {} bytes", bytes / requests.len());
}
