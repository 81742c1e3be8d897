//! What ledgers tell (SELECTION-STUDY §1).

pub mod harvest;

pub use harvest::{Counts, Harvest, Harvested};
