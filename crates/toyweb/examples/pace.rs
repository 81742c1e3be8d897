//! How many requests per second does one thread answer, in process?
//!
//! `cargo run --release --example pace -- tiny 200000`
//!
//! Baseline: the server must not be what a crawl waits for, which means 20,000
//! tiny documents per CPU-second, and as many of any world once cached.

use std::time::Instant;

use toyweb::cached::Cached;
use toyweb::truth::{Mode, truth};
use toyweb::world::{Parameters, World};
use toyweb::{Body, Request, Web};

#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a bench measures time and says so")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let preset = arguments.next().unwrap_or_else(|| "tiny".to_owned());
    let requests: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(50_000);
    let parameters = Parameters::preset(&preset).expect("a preset");
    let world = World::new(Parameters { hosts: parameters.hosts.min(50), ..parameters }).expect("sound");

    let began = Instant::now();
    let mut urls = Vec::new();
    let mut quads = 0;
    truth(&world, Mode::All, &mut |document| {
        quads += document.quads.len();
        if document.kind != toyweb::world::Kind::Page {
            urls.push(document.url);
        }
    });
    println!("truth: {} documents, {quads} quads, {:.2?}", urls.len(), began.elapsed());

    let requests: Vec<Request> = urls.iter().cycle().take(requests).map(|url| Request::get(url)).collect();
    measure("plain", &world, &requests);
    let cached = Cached::new(world, 1 << 30);
    measure("filling", &cached, &requests);
    measure("cached", &cached, &requests);
}

#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a bench measures time and says so")]
#[expect(clippy::cast_precision_loss, reason = "a rate needs no more")]
fn measure(name: &str, web: &impl Web, requests: &[Request]) {
    let began = Instant::now();
    let mut bytes = 0;
    for request in requests {
        if let Body::Whole(body) = web.respond(request).body {
            bytes += body.len();
        }
    }
    let rate = requests.len() as f64 / began.elapsed().as_secs_f64();
    println!("{name}: {rate:.0} requests/s, mean {} bytes", bytes / requests.len());
}
