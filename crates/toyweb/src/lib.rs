//! Generated and recorded webs, with ground truth, that test and score crawlers.
//!
//! A [`Web`] maps a request to a response. A *generated world* computes each response from its seed and the URI alone.
//! An *ORCA world* is the data web of the ORCA benchmark (dumps, endpoints, catalogues). A *replay* looks responses up
//! in WARC files. An *entity web* serves a graph as linked-data documents. A *file web* serves a fixed set of files.
//! All are pure functions without a clock or a socket, so that tests can call them in process. The `serve` module puts
//! any of them behind real sockets, as a forward proxy or as virtual hosts, and produces the faults of delivery.
//!
//! This crate does not depend on the crawler: every HTTP client can be scored.

mod accept;
pub mod access_log;
pub mod cached_web;
pub mod conditional;
mod unknown_hosts;
pub mod entities;
pub mod message;
pub mod orca;
pub mod ranges;
pub mod record;
pub mod replay;
pub mod score;
pub mod serve;
pub mod test_data;
pub mod sparql;
pub mod truth;
pub mod world;

pub use message::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};
pub use unknown_hosts::UnknownHosts;
