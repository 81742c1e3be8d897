//! Requests to services: SPARQL endpoints, and documents that a query asks for.
//!
//! A crawl's fetcher asks for documents and never sends anything; a service is
//! sent queries and updates. Both use the same resolver, the same guard against
//! private addresses, the same TLS, proxies and bounds on what comes back. A
//! call blocks its thread, for those who call are evaluators and followers,
//! which have threads of their own; it may be made from any thread.
//!
//! A service is asked because somebody has named it, so its robots.txt is not
//! asked before: that is for whoever comes upon an address by himself.

mod client;
mod federation;
mod paced;
mod rows;
mod upload;
#[cfg(test)]
mod tests;

pub use client::{Call, CallBody, Reply, ServiceClient};
pub(crate) use federation::said;
pub use federation::{GuardedServices, ServiceOptions};
pub(crate) use paced::{Paced, pause};
pub(crate) use rows::rows;
