//! Wall-clock time.

/// Milliseconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "the binary is the only place that reads the wall clock")]
pub(crate) fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
