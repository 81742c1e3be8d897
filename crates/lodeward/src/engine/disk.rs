//! Pauses a crawl while there is little space on the disk.
//!
//! A paused crawl starts no errands; those in flight complete and are stored. It continues when
//! there is room again.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::CrawlError;
use super::conductor::Conductor;
use crate::model::CrawlTime;

/// Time between two checks of the disk.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Reports whether there is room for the harvest.
pub trait DiskSpace: Send + Sync {
    /// How much space is missing; `None` if there is enough.
    fn shortage(&self) -> Option<DiskShortage>;
}

/// There is less space than there should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskShortage {
    /// Free space, in bytes.
    pub free_bytes: u64,
    /// Free space below which crawls pause, in bytes.
    pub min_free_bytes: u64,
}

/// Whether a crawl is paused, and when the disk is checked next.
#[derive(Default)]
pub(super) struct DiskGate {
    shortage: Option<DiskShortage>,
    next_check: CrawlTime,
}

impl DiskGate {
    /// Why the crawl is paused; `None` if it is not.
    pub(super) fn shortage(&self) -> Option<DiskShortage> {
        self.shortage
    }
}

impl Conductor {
    /// Checks the disk if that is due. Returns when to check again if the crawl is paused.
    pub(super) async fn check_disk(&mut self) -> Result<Option<CrawlTime>, CrawlError> {
        let Some(space) = self.crawl.disk_space.as_ref().map(Arc::clone) else { return Ok(None) };
        let now = self.now();
        if now >= self.disk.next_check {
            self.disk.next_check = now + CHECK_INTERVAL;
            let before = std::mem::replace(&mut self.disk.shortage, space.shortage());
            match (before, self.disk.shortage) {
                (None, Some(DiskShortage { free_bytes, min_free_bytes })) => {
                    tracing::warn!(free_bytes, min_free_bytes, "crawl paused: the disk is nearly full");
                    self.publish_progress().await?;
                }
                (Some(_), None) => {
                    tracing::info!("crawl continues: there is room on the disk again");
                    self.publish_progress().await?;
                }
                _ => {}
            }
        }
        Ok(self.disk.shortage.map(|_| self.disk.next_check))
    }
}
