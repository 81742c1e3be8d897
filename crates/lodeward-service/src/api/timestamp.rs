//! Timestamps in responses.

use lodeward::time::format_iso8601;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Time in UTC (RFC 3339).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String, format = DateTime, examples("2026-11-16T15:57:00Z"))]
pub(crate) struct Timestamp(String);

impl Timestamp {
    /// A timestamp from milliseconds since the Unix epoch.
    pub(crate) fn from_ms(epoch_ms: u64) -> Self {
        Self(format_iso8601(epoch_ms))
    }
}
