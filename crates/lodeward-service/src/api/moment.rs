//! Moments, as answers tell them.

use lodeward::provenance::moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A moment in UTC (RFC 3339).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String, format = DateTime, examples("2026-11-16T15:57:00Z"))]
pub(crate) struct Moment(String);

impl Moment {
    /// A moment from milliseconds since the Unix epoch.
    pub(crate) fn of_ms(epoch_ms: u64) -> Self {
        Self(moment(epoch_ms))
    }
}
