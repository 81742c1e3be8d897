//! Followers of the log of a harvest, and the registry that names them all.

pub mod archive;
pub mod archive_index;
mod archive_target;
mod provenance_expander;
pub mod registry;
pub mod remote_store;
#[cfg(feature = "search")]
pub mod search;

pub use archive::ArchiveFollower;
pub(crate) use archive_target::ARCHIVE_DIR;
pub use archive_target::{ArchiveTarget, archive_options, open_archive};
pub use registry::{FollowerRegistry, FollowerTargets, TargetError};
