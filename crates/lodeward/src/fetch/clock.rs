//! The clock of this machine, for a `Retry-After` date in a response without `Date`.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time in milliseconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "without the clock of the server, that of this machine counts")]
pub(super) fn now_ms() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}
