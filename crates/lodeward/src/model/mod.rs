//! Data types shared by all modules: URIs, links, outcomes, histories, media types. Plain data: no I/O, no clock.

pub mod uri;
pub mod link;
pub mod outcome;
pub mod fetch_facts;
pub mod history;
pub mod format;

pub use fetch_facts::{FetchFacts, Validators};
pub use history::{ChangeKind, FetchHistory, RefreshIntervals, Revisit};
pub use link::{FeatureVector, FoundBy, Lease, Link, LinkKind, LinkListKind, ProbeResult, QueueEntry};
pub use outcome::{DropReason, Fault, FaultKind, Outcome, Relevance};
pub use uri::{Pld, Uri, UriError};

/// Time since the start of the crawl. Modules take the time as a parameter and never read a clock, so that a simulated
/// crawl can run faster than real time.
pub type CrawlTime = std::time::Duration;
