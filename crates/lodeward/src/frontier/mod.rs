//! The queue of URIs: decides which URI is requested next, and when.
//!
//! A URI is *unknown*, then *waiting*, then *leased*, then *settled*. It returns from *leased*
//! to *waiting* if its request is to be retried, and from *settled* to *waiting* if a
//! [`RefreshRound`] queues it again. A frontier knows every URI it was ever offered. It leases
//! at most one URI per domain at a time, and only after the delay of that domain.
//!
//! "Domain" here and below means pay-level domain ([`Pld`]): the registered part of a host
//! name, such as `example.co.uk`.
//!
//! Calls take effect at once, and survive the end of the process from the next
//! [`Queue::commit`] on. Leases do not survive it: leased URIs wait again. A conductor that
//! stores a document and offers its links before it settles the lease, and commits in that
//! order, therefore repeats at most one request per lease, and neither loses nor duplicates
//! anything.
//!
//! A frontier has three parts, each a small trait: the [`Queue`] of waiting URIs, the [`Journal`] of what is known of
//! every URI, and the [`Rounds`] that queue settled URIs again.

mod error;
mod journal;
mod lease;
mod queue;
mod rounds;
mod uri_record;
pub(crate) mod schedule;
pub(crate) mod sieve;
pub mod memory;
pub mod embedded;
#[cfg(any(test, feature = "test-util"))]
pub mod contract;
#[cfg(test)]
mod contract_tests;
#[cfg(test)]
mod hops_tests;
#[cfg(test)]
mod stored_enum_tests;

pub use embedded::EmbeddedFrontier;
pub use error::FrontierError;
pub use journal::{Census, CurrentHop, DomainQueueState, HopShare, Journal, RobotsCopy, SettledRecords};
pub use lease::{FeatureVector, Lease, LeaseToken, QueueEntry};
pub use memory::MemoryFrontier;
pub use queue::{
    DomainOrder, LeaseBatch, LeaseReply, LeaseRequest, Offer, OfferSummary, Queue, QueueStart, ScoreBatch,
    SettleSummary, Settlement, SettlementKind, lease_scored,
};
pub use rounds::{REVISIT_PRIORITY, RefreshRound, RefreshSelection, Rounds};
pub use schedule::{HeadEntry, QueueKey};
pub use uri_record::UriRecord;

#[cfg(doc)]
use crate::model::Pld;

/// A frontier: queue, journal and refresh rounds over the same URIs.
pub trait Frontier: Queue + Journal + Rounds {}

impl<T: Queue + Journal + Rounds + ?Sized> Frontier for T {}
