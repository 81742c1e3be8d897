//! Free space on the disk of a data directory, and the floor below which crawls pause.

use std::io;
use std::path::{Path, PathBuf};

use lodeward::engine::{DiskShortage, DiskSpace};

use crate::settings::units::format_size;

/// The floor is at most this share of a disk, so that crawls run on small disks, too.
const MAX_FLOOR_DIVISOR: u64 = 10;

/// Space on a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskUsage {
    /// Space that this process can use, in bytes.
    pub free_bytes: u64,
    /// Size of the file system, in bytes.
    pub total_bytes: u64,
}

impl DiskUsage {
    /// The space on the disk with this path.
    #[cfg(unix)]
    pub fn read(path: &Path) -> io::Result<Self> {
        let found = rustix::fs::statvfs(path)?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Ok(Self { free_bytes: bytes(found.f_bavail), total_bytes: bytes(found.f_blocks) })
    }

    /// The space on the disk with this path.
    #[cfg(not(unix))]
    pub fn read(_: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The free space below which crawls pause: the setting, but at most a tenth of the disk.
    #[must_use]
    pub fn floor_bytes(self, min_free_bytes: u64) -> u64 {
        min_free_bytes.min(self.total_bytes / MAX_FLOOR_DIVISOR)
    }

    /// How much space is missing; `None` if there is enough.
    #[must_use]
    pub fn shortage(self, min_free_bytes: u64) -> Option<DiskShortage> {
        let min_free_bytes = self.floor_bytes(min_free_bytes);
        let Self { free_bytes, .. } = self;
        (free_bytes < min_free_bytes).then_some(DiskShortage { free_bytes, min_free_bytes })
    }
}

/// Pauses crawls while the free space is below a floor.
pub(crate) struct FreeSpaceFloor {
    path: PathBuf,
    min_free_bytes: u64,
}

impl FreeSpaceFloor {
    pub(crate) fn new(path: &Path, min_free_bytes: u64) -> Self {
        Self { path: path.to_owned(), min_free_bytes }
    }
}

impl DiskSpace for FreeSpaceFloor {
    fn shortage(&self) -> Option<DiskShortage> {
        // If the space is unknown, as on an unusual file system, the crawl runs until a write fails.
        DiskUsage::read(&self.path).ok()?.shortage(self.min_free_bytes)
    }
}

/// Why a crawl is paused, as a sentence without a period.
#[must_use]
pub fn describe_shortage(shortage: DiskShortage) -> String {
    const MEGABYTE: u64 = 1_000_000;
    let rounded = |bytes: u64| format_size(if bytes < MEGABYTE { bytes } else { bytes / MEGABYTE * MEGABYTE });
    let (free, floor) = (rounded(shortage.free_bytes), rounded(shortage.min_free_bytes));
    format!("paused: {free} of disk space are free, less than {floor} (`store.min_free_space`)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_the_setting_but_at_most_a_tenth_of_the_disk() {
        let check = |free_bytes, total_bytes, min_free_bytes, expected: Option<u64>| {
            let usage = DiskUsage { free_bytes, total_bytes };
            let shortage = usage.shortage(min_free_bytes);
            assert_eq!(shortage.map(|shortage| shortage.min_free_bytes), expected, "{usage:?}");
        };

        check(499, 10_000, 500, Some(500));
        check(500, 10_000, 500, None);
        check(99, 1_000, 500, Some(100));
        check(100, 1_000, 500, None);
        check(0, 1_000, 0, None);
    }

    #[test]
    fn the_space_of_this_disk_is_known() {
        let usage = DiskUsage::read(&std::env::temp_dir()).unwrap();

        assert!(usage.total_bytes > 0 && usage.free_bytes <= usage.total_bytes, "{usage:?}");
    }

    #[test]
    fn a_shortage_is_described_with_both_sizes() {
        let shortage = DiskShortage { free_bytes: 123_456_789, min_free_bytes: 500_000_000 };

        let text = describe_shortage(shortage);

        assert_eq!(text, "paused: 123MB of disk space are free, less than 500MB (`store.min_free_space`)");
    }
}
