//! Limits the total memory of large request bodies.

use std::sync::Arc;

use http::HeaderValue;
use http::header::RETRY_AFTER;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::MAX_MEDIUM_BODY_BYTES;
use super::body_limits::BodyBounds;
use crate::problem::{Problem, ProblemCode};

/// The unit in which memory is reserved, in bytes.
const UNIT_BYTES: u64 = 1 << 20;

/// Maximum number of reserved units. A larger body is accepted only if no other large body is in
/// memory.
const MAX_UNITS: u32 = 256;

/// Permits for the memory of large bodies.
pub(super) struct BodyMemoryLimit(Arc<Semaphore>);

impl Default for BodyMemoryLimit {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_UNITS as usize)))
    }
}

impl BodyMemoryLimit {
    /// Waits until there is memory for a body of this size or, if the size is unknown, for a body
    /// of the maximum size. Small bodies are not limited.
    pub(super) async fn reserve(
        &self,
        length: Option<u64>,
        bounds: BodyBounds,
    ) -> Result<Option<OwnedSemaphorePermit>, Problem> {
        let bytes = length.unwrap_or(bounds.max_bytes).min(bounds.max_bytes);
        if bytes <= MAX_MEDIUM_BODY_BYTES {
            return Ok(None);
        }
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(MAX_UNITS).min(MAX_UNITS);
        let permits = Arc::clone(&self.0).acquire_many_owned(units);
        match tokio::time::timeout(bounds.timeout, permits).await {
            Ok(permits) => Ok(Some(permits.expect("the semaphore is never closed"))),
            Err(_) => Err(Problem::new(ProblemCode::Unavailable, "too many large requests are being processed")
                .hint("retry later")
                .with_header(RETRY_AFTER, HeaderValue::from_static("30"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn large_bodies_wait_for_memory() {
        let limit = BodyMemoryLimit::default();
        let bounds = BodyBounds { max_bytes: 200 * UNIT_BYTES, timeout: Duration::ZERO };

        let first = limit.reserve(None, bounds).await.unwrap();
        assert_eq!(first.as_ref().map(OwnedSemaphorePermit::num_permits), Some(200));
        assert!(limit.reserve(Some(5), bounds).await.unwrap().is_none());
        let rejected = limit.reserve(Some(60 * UNIT_BYTES), bounds).await.err().map(|problem| problem.code());
        assert_eq!(rejected, Some(ProblemCode::Unavailable));
        drop(first);
        assert!(limit.reserve(None, bounds).await.unwrap().is_some());
        let huge = BodyBounds { max_bytes: u64::MAX, ..bounds };
        assert!(limit.reserve(None, huge).await.unwrap().is_some(), "a body of any size may be held alone");
    }
}
