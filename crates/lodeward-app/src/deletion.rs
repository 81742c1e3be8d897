//! Deletes a crawl, with all that was made of it.

use lodeward::store::follow::{AfterDrop, FollowerError};
use lodeward_archive::Archive;

use crate::crawl_dir::delete_state;
use crate::data_dir::{DataDir, DataDirError};
use crate::followers::FollowerTargets;
use crate::graph_export::{self, ExportError};
use crate::settings::Config;

/// Why a crawl cannot be deleted.
#[derive(Debug, thiserror::Error)]
pub enum DeletionError {
    /// Its export cannot be removed from the archive.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Its documents cannot be removed from a follower.
    #[error(transparent)]
    Follower(#[from] FollowerError),
    /// Its files cannot be removed.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
}

/// Deletes a crawl: first what followers made of it, such as graphs in the archive, then its files, and the record
/// last. An interrupted deletion can be repeated. `targets` is `None` if the data directory has no archive.
pub fn delete_crawl(
    config: &Config,
    data_dir: &DataDir,
    targets: Option<(&FollowerTargets, &Archive)>,
    crawl: u32,
) -> Result<(), DeletionError> {
    if let Some((targets, archive)) = targets {
        graph_export::remove_export(config, data_dir, archive, crawl)?;
        targets.drop_crawl(crawl, AfterDrop::KeepPosition)?;
    }
    delete_state(&data_dir.crawl(crawl)).map_err(DataDirError::from)?;
    Ok(data_dir.crawl(crawl).remove()?)
}
