//! The memory limit of a query.
//!
//! The memory of a query is measured as the growth of the process's resident set since the query
//! began, because an allocator that counts per query would slow everything down. Concurrent queries
//! therefore share the limit, and memory that the allocator had freed but retained before is not
//! counted.

/// The memory limit of one query.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryBound {
    pub(super) max_bytes: u64,
    stop_bytes: u64,
}

impl MemoryBound {
    /// Allows the process to grow by `max_bytes` from now on. `None` if memory cannot be measured.
    pub(super) fn from_now(max_bytes: u64) -> Option<Self> {
        let Some(resident) = resident_bytes() else {
            tracing::warn!("cannot measure the memory of this process: memory limits of queries are not enforced");
            return None;
        };
        Some(Self { max_bytes, stop_bytes: resident.saturating_add(max_bytes) })
    }

    /// Whether a process with this resident memory exceeds the limit.
    pub(super) fn is_exceeded_by(&self, resident: u64) -> bool {
        resident > self.stop_bytes
    }
}

/// The resident memory of this process. Only Linux provides it without unsafe code.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
