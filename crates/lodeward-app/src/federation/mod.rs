//! `SERVICE` and `LOAD` of queries, and queries of the program itself to configured endpoints.

mod guarded;
mod paced;
mod rows;
mod service_handler;
#[cfg(test)]
mod tests;

pub use guarded::{FederationOptions, GuardedFederation};
pub(crate) use paced::{PacedClient, blocking_delay};
pub(crate) use rows::rows;
pub(crate) use service_handler::paced_service_handler;
pub use service_handler::service_handler;
