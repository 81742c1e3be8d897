//! Room for large bodies: only so much of what was sent is in memory at a time.

use std::sync::Arc;

use http::HeaderValue;
use http::header::RETRY_AFTER;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::SOME_BYTES_MAX;
use super::arrival::Bounds;
use crate::problem::{Code, Problem};

/// What is counted at a time.
const UNIT_BYTES: u64 = 1 << 20;

/// The room that there is. One body of any size fits in, however large.
const UNITS_MAX: u32 = 256;

/// Room for large bodies.
pub(super) struct Luggage(Arc<Semaphore>);

impl Default for Luggage {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(UNITS_MAX as usize)))
    }
}

impl Luggage {
    /// Waits until there is room for a body of this size, if it says how large it is;
    /// small ones need none. Others may become as large as they may be.
    pub(super) async fn room(
        &self,
        told: Option<u64>,
        bounds: Bounds,
    ) -> Result<Option<OwnedSemaphorePermit>, Problem> {
        let bytes = told.unwrap_or(bounds.bytes).min(bounds.bytes);
        if bytes <= SOME_BYTES_MAX {
            return Ok(None);
        }
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(UNITS_MAX).min(UNITS_MAX);
        let room = Arc::clone(&self.0).acquire_many_owned(units);
        match tokio::time::timeout(bounds.time, room).await {
            Ok(room) => Ok(Some(room.expect("it is never closed"))),
            Err(_) => Err(Problem::new(Code::Unavailable, "too many send much at a time")
                .hint("send it again in a while")
                .with(RETRY_AFTER, HeaderValue::from_static("30"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn large_bodies_wait_until_there_is_room() {
        let luggage = Luggage::default();
        let bounds = Bounds { bytes: 200 * UNIT_BYTES, time: Duration::ZERO };

        let first = luggage.room(None, bounds).await.unwrap();
        assert_eq!(first.as_ref().map(OwnedSemaphorePermit::num_permits), Some(200));
        assert!(luggage.room(Some(5), bounds).await.unwrap().is_none());
        let refused = luggage.room(Some(60 * UNIT_BYTES), bounds).await.err().map(|problem| problem.code());
        assert_eq!(refused, Some(Code::Unavailable));
        drop(first);
        assert!(luggage.room(None, bounds).await.unwrap().is_some());
        let huge = Bounds { bytes: u64::MAX, ..bounds };
        assert!(luggage.room(None, huge).await.unwrap().is_some(), "one fits in, however large");
    }
}
