//! Followers of the log of a harvest: the archive, and a remote store.

pub mod archive;
pub mod remote_store;

pub use archive::ArchiveFollower;
