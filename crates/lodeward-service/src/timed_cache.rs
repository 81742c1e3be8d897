//! Values that take long to read, read again only after a time.

use std::sync::Arc;

use lodeward_app::crawl_dir::NowMs;
use tokio::sync::Mutex;

/// The minimum time between two reads, in milliseconds, and the time between them as a multiple of the duration of a
/// read: reading takes at most a tenth of a processor.
const MIN_AGE_MS: u64 = 1_000;
const AGE_FACTOR: u64 = 10;

/// The last value that was read. The lock is held during a read, so that one read serves all requests that wait.
pub(crate) struct TimedCache<T>(Mutex<Option<TimedValue<T>>>);

struct TimedValue<T> {
    value: Arc<T>,
    read_at_ms: u64,
    took_ms: u64,
}

impl<T> Default for TimedCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Send + Sync + 'static> TimedCache<T> {
    /// The last value, or a new one, which is read on a thread for blocking work.
    pub(crate) async fn get_or_read<E: Send + 'static>(
        &self,
        now: NowMs,
        read: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<Arc<T>, E> {
        let mut cached = self.0.lock().await;
        let is_current = |known: &&TimedValue<T>| {
            now().saturating_sub(known.read_at_ms) < MIN_AGE_MS.max(AGE_FACTOR.saturating_mul(known.took_ms))
        };
        if let Some(known) = cached.as_ref().filter(is_current) {
            return Ok(Arc::clone(&known.value));
        }
        let read_at_ms = now();
        let value = Arc::new(tokio::task::spawn_blocking(read).await.expect("reading does not panic")?);
        let took_ms = now().saturating_sub(read_at_ms);
        *cached = Some(TimedValue { value: Arc::clone(&value), read_at_ms, took_ms });
        Ok(value)
    }

    /// Forgets the last value, after a change.
    pub(crate) async fn clear(&self) {
        *self.0.lock().await = None;
    }
}
