//! Data types shared by all modules: URIs, links, outcomes, faults, histories, media types. Plain data: no I/O, no clock.

mod stored_enum;

pub mod uri;
pub(crate) mod promise;
pub mod link;
mod store_receipt;
pub(crate) mod accept_profile;
pub(crate) mod fault;
pub(crate) mod failure;
pub mod outcome;
mod provenance;
pub(crate) mod fetch_facts;
pub mod history;
pub mod rdf_likelihood;
pub(crate) mod verdict;

pub use accept_profile::AcceptProfile;
pub(crate) use failure::stream_fault;
pub use failure::{FetchFailure, StreamFault};
pub use fault::{Fault, FaultKind};
pub use fetch_facts::{FetchFacts, UsageTerms, Validators};
pub use history::{ChangeKind, FetchHistory, RefreshIntervals, Revisit};
pub use link::{FoundBy, Link, LinkKind, LinkListKind, ProbeResult};
pub use outcome::{DropReason, Outcome, Relevance};
pub use promise::Promise;
pub use provenance::{Provenance, RedirectRecord};
pub use store_receipt::StoreReceipt;
pub use uri::{Pld, Uri, UriError};
pub use verdict::{Verdict, VerdictAction};

/// Default limit of the bytes of a dump, both as sent and unpacked.
pub(crate) const DEFAULT_MAX_DUMP_BYTES: u64 = 10_000_000_000;

/// Time since the start of the crawl. Modules take the time as a parameter and never read a clock, so that a simulated
/// crawl can run faster than real time.
pub type CrawlTime = std::time::Duration;
