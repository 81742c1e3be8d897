//! Where URIs wait, politely.
//!
//! A URI is *unknown*, then *waiting*, then *leased*, then *settled*; it goes
//! back only from *leased* to *waiting*, when its visit is to be tried again, and
//! from *settled* to *waiting*, when a [`Round`] of visits to the settled begins. A frontier knows every URI it was ever offered, hands out at most one
//! per pay-level domain at a time, and only when that domain has rested.
//!
//! What is said to a frontier takes effect at once, and survives the end of the
//! process from the next [`Frontier::commit`] on. Leases do not survive it:
//! whoever was being visited is waiting again. So a conductor that stores a
//! document and offers its links before it settles the visit, and commits in
//! that order, repeats a visit at worst, and loses or doubles nothing.

mod life;
mod round;
pub mod politeness;
pub mod schedule;
pub mod sieve;
pub mod memory;
pub mod embedded;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod hops_tests;

pub use embedded::EmbeddedFrontier;
pub use life::Life;
pub use memory::MemoryFrontier;
pub use round::{AGAIN_PRIORITY, Round, Which};

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::model::{Candidate, DropReason, Link, Moment, Outcome, Pld, Probe, Uri, Visit};
#[cfg(doc)]
use crate::select::Order;

/// Decides which URI may be visited next, and when.
#[async_trait]
pub trait Frontier: Send + Sync {
    /// Leaves of these links those whose targets are unknown.
    async fn sift(&self, links: Vec<Link>) -> Result<Vec<Link>, FrontierError>;

    /// Offers what was found in one document. A target that is known already
    /// is not queued again, and a dropped one is known from then on.
    async fn offer(&self, offers: Vec<Offer>) -> Result<Offered, FrontierError>;

    /// Leases at most `max` visits, each to a domain of its own that may
    /// politely be visited at `now`. The guide says how urgent those are by now
    /// who were queued some time ago.
    async fn lease(&self, now: Moment, max: usize, guide: &mut dyn Guide) -> Result<Leased, FrontierError>;

    /// Ends a lease. Every lease must be ended, also that of a visit which was
    /// never made. Returns how many waiting URIs that dropped, because the visit
    /// used up its domain's share.
    async fn settle(&self, visit: Visit, settlement: Settlement) -> Result<u64, FrontierError>;

    /// Says when moment zero of this process is, in milliseconds since the Unix
    /// epoch, so that rests can outlive it.
    async fn begin(&self, now_ms: u64) -> Result<(), FrontierError>;

    /// Says that the hosts of a domain ask for this delay. It holds after a
    /// restart, too, before anybody has asked them again.
    async fn slow_down(&self, pld: &Pld, delay: Duration) -> Result<(), FrontierError>;

    /// Gives up a domain: what waits there, and what will be offered, is
    /// dropped for this reason. Returns how many were waiting.
    async fn close(&self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError>;

    /// Makes everything said so far safe from the end of this process, together
    /// with a memo of the conductor's, replacing the one before.
    async fn commit(&self, memo: &[u8]) -> Result<(), FrontierError>;

    /// Makes everything committed so far safe from a power cut.
    async fn sync(&self) -> Result<(), FrontierError>;

    /// The memo of the last commit.
    async fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError>;

    /// What is known of a URI, as of the last commit.
    async fn recall(&self, uri: &Uri) -> Result<Option<Life>, FrontierError>;

    /// Counts.
    async fn census(&self) -> Result<Census, FrontierError>;

    /// The hop that is under way, if hops are strict ([`Order::Hops`]) and anybody
    /// is left.
    async fn hop(&self) -> Result<Option<Hop>, FrontierError>;

    /// How many wait in which domain, closed ones aside. Looks at every queue.
    async fn waiting_by_pld(&self) -> Result<Vec<(Pld, u64)>, FrontierError>;

    /// What domains have had of a hop, as of the last commit. Looks at every
    /// life: for a crawl that is resumed.
    async fn shares_of_hop(&self, depth: u16) -> Result<HashMap<Pld, Share>, FrontierError>;

    /// Some of the settled, from an age on, in the order of settling, each with
    /// its age. As of the last commit.
    async fn settled(&self, from: u64, max: usize) -> Result<Vec<(u64, Life)>, FrontierError>;

    /// Begins a round of visits to those who are settled by now, in place of one
    /// that is under way. Domains that were given up are opened again.
    async fn begin_round(&self, which: Which, now_ms: u64) -> Result<Round, FrontierError>;

    /// The round that is under way, if one is.
    async fn round(&self) -> Result<Option<Round>, FrontierError>;

    /// Queues these again, who are settled and of these ages, and notes that the
    /// round has come to the age `next`: both or neither survives the end of the
    /// process. Whoever is queued so is leased before anybody who never was
    /// visited. Returns the round as it is by then, if one is under way.
    async fn requeue(&self, candidates: Vec<(u64, Candidate)>, next: u64) -> Result<Option<Round>, FrontierError>;

    /// Says that the round is over.
    async fn end_round(&self) -> Result<(), FrontierError>;
}

/// Says how urgent those are who wait, so that the order follows what has been
/// learned since they were queued.
///
/// What it does not say leaves everything as it was queued.
pub trait Guide: Send {
    /// How urgent a candidate is by now.
    fn score(&mut self, candidate: &Candidate) -> f32 {
        candidate.priority
    }

    /// Whether the order was made anew since this was last asked, so that nobody is
    /// as urgent as they were.
    fn has_new_order(&mut self) -> bool {
        false
    }

    /// How urgent a domain is whose best candidate is this urgent.
    fn draw(&mut self, _pld: &Pld, best: f32) -> f32 {
        best
    }

    /// What is less urgent than this is not leased while a domain rests whose
    /// best candidate is as urgent as `best`.
    fn floor(&self, _best: f32) -> f32 {
        f32::NEG_INFINITY
    }

    /// How many may be leased who never were visited, while all who are visited
    /// again rest.
    fn others_max(&self) -> usize {
        usize::MAX
    }
}

/// A guide that leaves everything as it was queued.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsQueued;

impl Guide for AsQueued {}

/// Something that was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    /// To be queued.
    Queue(Candidate),
    /// To be remembered as not worth a visit.
    Drop(Candidate, DropReason),
}

impl Offer {
    /// What was found.
    #[must_use]
    pub fn candidate(&self) -> &Candidate {
        match self {
            Self::Queue(candidate) | Self::Drop(candidate, _) => candidate,
        }
    }
}

/// What became of an offer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// Queued.
    pub queued: u64,
    /// Dropped, by reason: those offered as such, and those of closed domains.
    pub dropped: Vec<(DropReason, u64)>,
}

impl Offered {
    pub(crate) fn drop_one(&mut self, reason: DropReason) {
        match self.dropped.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, count)) => *count += 1,
            None => self.dropped.push((reason, 1)),
        }
    }
}

/// The answer to [`Frontier::lease`].
#[derive(Debug, Default)]
pub struct Leased {
    /// Go and visit these.
    pub visits: Vec<Visit>,
    /// When the next domain will have rested, if one is resting.
    pub not_before: Option<Moment>,
    /// Somebody could have been leased who is below the guide's floor.
    pub held: bool,
}

/// How a lease ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// What becomes of the URI.
    pub fate: Fate,
    /// Until when its domain is to be left alone. In the past for a visit that
    /// was never made: the slot is given back.
    pub rest_until: Moment,
}

/// What becomes of a URI whose lease ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It is done with.
    Done(Outcome),
    /// Its slot was needed for something else (robots.txt, a probe, another
    /// visit to the same server): it is due again as soon as is polite.
    Again(Option<Probe>),
    /// The visit failed, and is to be tried again, alone, after this time.
    Retry(Moment),
}

/// How many URIs are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Census {
    /// Ever offered.
    pub known: u64,
    /// Not yet leased.
    pub waiting: u64,
    /// Being visited.
    pub leased: u64,
    /// Domains ever seen.
    pub plds: u64,
    /// Of those who wait or are being visited, how many are visited again.
    #[serde(default)]
    pub again: u64,
}

/// A hop that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// How many hops from the seeds.
    pub depth: u16,
    /// Domains where somebody of it waits or is being visited.
    pub domains: u64,
}

/// What a domain has had of a hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// URIs that were visited, however that ended.
    pub visits: u64,
    /// Documents that were had.
    pub documents: u64,
}

impl Share {
    /// Counts a URI by how its life ended; none that was never asked for.
    pub(crate) fn count(&mut self, outcome: &Outcome) {
        self.visits += u64::from(!matches!(outcome, Outcome::Dropped(_)));
        self.documents += u64::from(matches!(outcome, Outcome::Document(_)));
    }
}

/// A frontier could not be read or written. Ends the crawl.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontierError {
    /// The storage engine failed.
    #[error("frontier storage failed")]
    Storage(#[from] fjall::Error),
    /// A record cannot be read.
    #[error("frontier holds a record that cannot be read")]
    Record(#[from] postcard::Error),
    /// The directory was written by another version of the format.
    #[error("frontier has format version {found}, and this program reads version {expected}")]
    Version {
        /// What the directory says.
        found: u32,
        /// What we read.
        expected: u32,
    },
}
