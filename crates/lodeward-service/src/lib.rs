//! Crawls as a service.
//!
//! ```text
//!   request ─▶ door ─▶ api ────┬─▶ fleet ─▶ lodeward (crawls, shared manners)
//!              (who,   facade ─┤     └───▶ events ─▶ SSE
//!               may    sparql ─┴─▶ archive
//!               they?)
//! ```
//!
//! | room | what it is for |
//! |---|---|
//! | `people` | users, passwords, tokens, sessions: who somebody is |
//! | `door` | every request passes it: who asks, may they, how often, from where |
//! | `fleet` | crawls that run inside this process, and what is kept of their orders |
//! | `api` | the resources below `/api/v1`, and their OpenAPI document |
//! | `facade` | `/CrawlAPI/{method}`, as DURAARK D3.6 §4 has published it |
//! | `enrichment` | instance data that come in, and the rules by which they begin crawls |
//! | `sparql` | the archive behind HTTP: queries, updates, graphs |
//! | `metrics` | how the service is doing, in numbers |
//! | `endpoint` | how an archive is asked within bounds; and `lodeward endpoint`, an archive alone on a socket |
//!
//! What a request may do is said once, in the OpenAPI document: an operation names
//! the role that it takes as the scope of its security requirement, and the door
//! reads it from there. A route that is not in the document is not there.

mod role;
mod problem;
mod beside;
mod crowd;
mod accept;
mod host;
pub mod people;
mod fleet;
pub mod endpoint;
mod enrichment;
mod sparql;
mod metrics;
mod api;
mod facade;
mod door;
mod backups;
mod claim;
mod server;
mod service;

pub use claim::{Presence, Running};
pub use role::Role;
pub use server::{Reserved, Server};
pub use service::{Options, Service, ServiceError};
