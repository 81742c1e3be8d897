//! Requests to services: SPARQL endpoints, and documents loaded by a query.
//!
//! The fetcher of a crawl requests documents and sends no bodies; a service receives queries and updates. Both use the
//! same resolver, guard against private addresses, TLS configuration, proxies and limits. A call blocks its thread and
//! may be made from any thread: the callers are query evaluators and followers, which have their own threads.
//!
//! The robots.txt of a service is not checked, because the user named the service. It applies to URLs that a crawler
//! finds by itself.

mod client;
mod upload;

pub use client::{SparqlClient, SparqlRequest, SparqlRequestBody, SparqlResponse, error_excerpt};
