//! The crawler library: from a URI to a stored document.
//!
//! ```text
//!                seed
//!                  │
//!                  ▼
//!     ┌──────── frontier ◀───────────── offer ────────────┐
//!     │ lease      ▲                                      │
//!     ▼            └──────── settle ────────┐             │
//!   judge ──────▶ fetch ─────▶ extract ─────┴─▶ offer_links
//!     ▲           └──── errand ────┘        │
//!     │                                     └──▶ store
//!     └──────────── learn ──────────────────┘
//! ```
//!
//! A [`Crawl`](crawl::Crawl) joins the parts. Three traits do I/O and have a version in memory and
//! one on disk or on the network: [`Frontier`](frontier::Frontier), [`Fetcher`](fetch::Fetcher) and
//! [`Store`](store::Store). Two compute: [`Strategy`](select::Strategy) and
//! [`Extractor`](extract::Extractor). The crate `lodeward-app` builds all of them from settings and
//! a data directory, as the program `lodeward` does.
//!
//! This crawl fetches one document of a server on loopback and prints its quads:
//!
//! ```
//! use std::sync::Arc;
//!
//! use lodeward::crawl::CrawlBuilder;
//! use lodeward::engine::CrawlSnapshot;
//! use lodeward::extract::{DocumentReader, ExtractOptions};
//! use lodeward::fetch::{FetchOptions, HttpFetcher};
//! use lodeward::frontier::MemoryFrontier;
//! use lodeward::model::Uri;
//! use lodeward::select::BreadthFirstStrategy;
//! use lodeward::store::{MemoryStore, Store as _};
//!
//! # fn respond(listener: &std::net::TcpListener) -> std::io::Result<()> {
//! #     use std::io::{Read as _, Write as _};
//! #     let (mut connection, _) = listener.accept()?;
//! #     let mut request = [0; 4096];
//! #     let length = connection.read(&mut request)?;
//! #     let (status, body) = match request[..length].starts_with(b"GET /ada ") {
//! #         true => ("200 OK", "<#me> <http://xmlns.com/foaf/0.1/name> 'Ada' ."),
//! #         false => ("404 Not Found", ""),
//! #     };
//! #     let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/turtle\r\nConnection: close");
//! #     write!(connection, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
//! # }
//! # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
//! # let url = format!("http://{}/ada", listener.local_addr()?);
//! # std::thread::spawn(move || while respond(&listener).is_ok() {});
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
//! let fetch = FetchOptions { allow_private_addresses: true, ..FetchOptions::default() };
//! let store = Arc::new(MemoryStore::default());
//! let mut crawl = CrawlBuilder::new(
//!     Arc::new(MemoryFrontier::new(None)),
//!     Box::new(BreadthFirstStrategy),
//!     Arc::new(HttpFetcher::new(fetch)?),
//!     Arc::new(DocumentReader::new(ExtractOptions::default())),
//!     store.clone(),
//! );
//! crawl.scope.max_depth = Some(0);
//! crawl.options.delay = std::time::Duration::ZERO;
//! let (_commands, receiver) = tokio::sync::mpsc::channel(1);
//! let (progress, _) = tokio::sync::watch::channel(CrawlSnapshot::default());
//! crawl.build().run(vec![Uri::parse(&url)?], receiver, progress).await?;
//!
//! let mut quads = Vec::new();
//! store.export(&mut quads)?;
//! let line = format!("<{url}#me> <http://xmlns.com/foaf/0.1/name> \"Ada\" <{url}> .\n");
//! assert_eq!(String::from_utf8(quads)?, line);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules are declared roughly in the order in which a URI passes through them.
//! `ARCHITECTURE.md` describes the guarantees of each.

pub mod model;

pub mod frontier;
pub mod select;
pub mod fetch;
pub mod extract;
pub mod discover;
pub mod store;

pub mod engine;
pub mod crawl;

pub mod error_chain;
pub mod time;
