//! The record of damage that the archive has skipped, `damage.json` of a crawl.
//!
//! A follower reads each part of the log once. So that later queries report what is missing, too,
//! the damage is stored until `lodeward repair` removes it.

use lodeward::store::segments::DamagedRange;
use serde::{Deserialize, Serialize};

use crate::data_dir::{DataDir, DataDirError};

/// The file with the record, in the directory of a crawl.
const DAMAGE_FILE: &str = "damage.json";

/// A part of a segment that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DamageRecord {
    /// Path of the segment.
    pub path: String,
    /// Offset of the first damaged byte.
    pub from_bytes: u64,
    /// Offset after the last damaged byte.
    pub to_bytes: u64,
    /// The defect.
    pub defect: String,
}

impl From<&DamagedRange> for DamageRecord {
    fn from(range: &DamagedRange) -> Self {
        Self {
            path: range.path.display().to_string(),
            from_bytes: range.bytes.start,
            to_bytes: range.bytes.end,
            defect: range.what.to_owned(),
        }
    }
}

/// The damage of a crawl that the archive has skipped. An unreadable record is treated as missing:
/// `lodeward repair` finds the damage again.
#[must_use]
pub fn read(data_dir: &DataDir, crawl: u32) -> Vec<DamageRecord> {
    data_dir.crawl(crawl).read_json(DAMAGE_FILE).ok().flatten().unwrap_or_default()
}

/// Adds damage to the record of a crawl. Returns all of it. A damaged end is not stored, because it
/// is found whenever the crawl is opened, until the next run queues its documents again.
pub(crate) fn add(data_dir: &DataDir, crawl: u32, found: &[DamagedRange]) -> Result<Vec<DamageRecord>, DataDirError> {
    let mut all = read(data_dir, crawl);
    let known = all.len();
    let (end, middle): (Vec<_>, Vec<_>) = found.iter().partition(|range| range.is_end);
    for range in middle.into_iter().map(DamageRecord::from) {
        if !all.contains(&range) {
            all.push(range);
        }
    }
    if all.len() > known {
        data_dir.crawl(crawl).write_json(DAMAGE_FILE, &all)?;
    }
    all.extend(end.into_iter().map(DamageRecord::from));
    Ok(all)
}

/// Removes the record of a crawl, because its damage was repaired or the archive is rebuilt.
pub(crate) fn remove(data_dir: &DataDir, crawl: u32) -> Result<(), DataDirError> {
    data_dir.crawl(crawl).remove_json(DAMAGE_FILE)
}
