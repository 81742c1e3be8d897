//! Crawls from a URI and prints the harvest as N-Quads: `crawl URI CONTACT [MAX_DOCUMENTS]`.
//!
//! It shows the parts of a crawl: a frontier, a strategy, a fetcher, an extractor and a store, here
//! all in memory. The crawl obeys robots.txt and waits one second between two requests to a domain.
#![expect(clippy::print_stderr, reason = "a tool that prints its errors")]

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{CrawlSnapshot, EngineOptions};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::fetch::{FetchOptions, HttpFetcher};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::{MemoryStore, Store as _};
use tokio::sync::{mpsc, watch};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, contact, rest @ ..] = &arguments[..] else {
        eprintln!("usage: crawl URI CONTACT [MAX_DOCUMENTS]");
        std::process::exit(2);
    };
    let max_documents = rest.first().map_or(Ok(10), |number| number.parse())?;

    let user_agent = format!("lodeward-example/{} (+{contact})", env!("CARGO_PKG_VERSION"));
    let fetch_options = FetchOptions { user_agent: Some(user_agent), ..FetchOptions::default() };
    let options = EngineOptions {
        product_token: fetch_options.product_token(),
        max_documents: Some(max_documents),
        now_ms,
        ..EngineOptions::default()
    };
    let store = Arc::new(MemoryStore::default());
    let crawl = CrawlBuilder {
        options,
        ..CrawlBuilder::new(
            Arc::new(MemoryFrontier::new(None)),
            Box::new(BreadthFirstStrategy),
            Arc::new(HttpFetcher::new(fetch_options)?),
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            store.clone(),
        )
    }
    .build();

    // This example neither sends commands to pause or stop the crawl nor reads its progress.
    let (_commands, receiver) = mpsc::channel(1);
    let (progress, _) = watch::channel(CrawlSnapshot::default());
    let (stop_reason, _) = crawl.run(vec![Uri::parse(seed)?], receiver, progress).await?;

    let summary = store.export(&mut std::io::stdout().lock())?;
    eprintln!("{stop_reason:?}: {} quads of {} documents", summary.quads, summary.documents);
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a program may read the clock; the library may not")]
fn now_ms() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}
