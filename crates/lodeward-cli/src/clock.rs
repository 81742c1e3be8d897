//! The time of day, for records of what happened when.

/// Milliseconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "the binary is where the time of day enters")]
pub(crate) fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
