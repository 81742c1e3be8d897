//! The crawler as an HTTP service: jobs, users, gateway, REST API, and SPARQL over HTTP.
//!
//! ```text
//!   request ─▶ gateway ──────▶ api ─────┬─▶ jobs ─▶ lodeward (crawls, shared politeness)
//!              (authenticates, duraark ─┤     └──▶ events ─▶ SSE
//!               authorizes,    sparql ──┴─▶ archive
//!               limits)
//! ```
//!
//! | module | responsibility |
//! |---|---|
//! | `users` | user database: passwords, tokens, sessions |
//! | `gateway` | checks every request: host, origin, authentication, role, rate, body |
//! | `jobs` | crawls that run in this process, and their orders on disk |
//! | `api` | the resources below `/api/v1`, and their OpenAPI document |
//! | `duraark` | `/CrawlAPI/{method}`, as published in DURAARK D3.6 §4 |
//! | `enrichment` | imported instance data, and the rules that start crawls for it |
//! | `sparql` | the archive over HTTP: queries, updates, graphs; also alone (`serve --sparql-only`) |
//! | `metrics` | metrics for Prometheus |
//!
//! The permissions and limits of a request are defined once, where its route is registered
//! (`route_rules`). They are part of the OpenAPI document, and the gateway reads them from there. A
//! route that is not in the document cannot be called.
mod role;
mod problem;
mod public_path;
mod error;
mod live_settings;
mod client_address;
mod data_dir_lock;
mod host_header;
mod json_store;
mod route_rules;
mod limits;
mod blocking;
mod json_encoding;
pub mod users;
mod audit;
mod jobs;
mod enrichment;
mod entity_jobs;
mod running_rankings;
mod backups;
mod saved_query;
mod sparql;
mod metrics;
mod readiness;
mod archive_recovery;
mod state;
mod timed_cache;
mod gateway;
mod api;
mod duraark;
mod server;

pub use data_dir_lock::{ServiceInfo, ServicePresence};
pub use error::ServiceError;
pub use role::Role;
pub use server::{ReservedListener, ServiceServer};
pub use sparql::SparqlOnlyOptions;
pub use state::{Service, ServiceOptions};
