//! Tests of the archive's storage through its public interface.

mod bulk;
mod collections;
mod damage;
mod dump;
mod fixture;
mod formats;
mod model;
mod reclaim;
mod recovery;
mod runs;
mod snapshots;
mod survival;
