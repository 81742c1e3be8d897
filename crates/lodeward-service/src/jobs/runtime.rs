//! The threads of crawls.

use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Builder, Handle, Runtime};

/// The threads of crawls, separate from those of the API, so that crawls do not delay requests.
/// `None` after shutdown. Running crawls hold the job table, so it cannot own their threads.
pub(crate) struct JobRuntime(Mutex<Option<Runtime>>, Handle);

impl JobRuntime {
    pub(super) fn new() -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread().thread_name("crawl").enable_all().build()?;
        let handle = runtime.handle().clone();
        Ok(Self(Mutex::new(Some(runtime)), handle))
    }

    pub(crate) fn handle(&self) -> Handle {
        self.1.clone()
    }

    /// Stops all threads, without waiting for them.
    pub(crate) fn shut_down(&self) {
        let runtime = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

impl Drop for JobRuntime {
    fn drop(&mut self) {
        // Dropping a runtime blocks, which is not allowed in an async context.
        self.shut_down();
    }
}
