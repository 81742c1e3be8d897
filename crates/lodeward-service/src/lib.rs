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
//! | `sparql` | the archive over HTTP: queries, updates, graphs |
//! | `metrics` | metrics for Prometheus |
//! | `endpoint` | queries of an archive within limits; `lodeward endpoint`, a server for one archive |
//!
//! The permissions of a request are defined once, in the OpenAPI document: an operation
//! states the role it requires as the scope of its security requirement, and the gateway
//! reads it from there. A route that is not in the document cannot be called.
mod role;
mod problem;
mod error;
mod live_settings;
mod client_address;
mod data_dir_lock;
mod host_header;
mod json_store;
mod route_rules;
mod limits;
mod blocking;
pub mod users;
mod audit;
mod jobs;
mod enrichment;
mod backups;
mod sparql;
mod metrics;
mod readiness;
mod state;
mod gateway;
mod api;
mod duraark;
mod server;
pub mod endpoint;

pub use data_dir_lock::{ServiceInfo, ServicePresence};
pub use error::ServiceError;
pub use role::Role;
pub use server::{ReservedListener, ServiceServer};
pub use state::{Service, ServiceOptions};
