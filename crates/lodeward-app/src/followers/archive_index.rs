//! An index that is derived from the archive and follows its changes.

use std::any::Any;
use std::error::Error;

/// An index that follows the archive, whatever writes to it. It reads no log of a crawl, and is not
/// part of a backup: it is built again from the archive.
pub trait ArchiveIndex: Any + Send + Sync {
    /// Updates the index in a thread of its own, from now on until it is dropped.
    fn start(&self);

    /// Whether a thread updates the index.
    fn is_running(&self) -> bool;

    /// Updates the index to the current state of the archive, unless that takes long: then the next
    /// search does it.
    fn update_if_small(&self) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// Builds the index from scratch.
    fn rebuild(&self) -> Result<(), Box<dyn Error + Send + Sync>>;
}
