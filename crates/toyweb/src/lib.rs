//! A web in a box.
//!
//! A [`Web`] answers requests: a *generated world* computes each answer from
//! its seed and the URI alone, an *ORCA world* is the data web of a benchmark
//! (dumps, endpoints, catalogues), a *replay* looks answers up in WARC files,
//! an *entity web* turns a graph into linked-data documents, a *shelf* has
//! given files. All are plain functions without a clock or a socket, so that a
//! test can call them in process; the `serve` module puts any of them behind real sockets, as a forward
//! proxy or as virtual hosts, and is where misbehaviour becomes real.
//!
//! Nothing here knows which crawler visits: whoever speaks HTTP can be scored.

mod accept;
pub mod access_log;
pub mod cached;
pub mod conditional;
mod elsewhere;
pub mod entities;
pub mod message;
pub mod orca;
pub mod ranges;
pub mod record;
pub mod replay;
pub mod score;
pub mod serve;
pub mod shared;
pub mod shelf;
pub mod sparql;
pub mod truth;
pub mod world;

pub use elsewhere::Elsewhere;
pub use message::{Body, Conduct, Request, Response, Web};
