//! The nouns every room shares. Plain data: no I/O, no clock.

pub mod uri;
pub mod link;
pub mod outcome;
pub mod history;
pub mod media_type;

pub use history::{Again, History, Intervals, What};
pub use link::{Candidate, Features, How, Link, List, Probe, Via, Visit};
pub use outcome::{DropReason, Fault, FaultKind, Outcome, Relevance};
pub use uri::{Pld, Uri, UriError};

/// Time since the crawl began. Rooms are handed the time and never look at a
/// clock, so that a simulated crawl can run faster than the world.
pub type Moment = std::time::Duration;
