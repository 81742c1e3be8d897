//! Jobs over all entities of the archive: clusters and links. One runs at a time, because each needs
//! a core and memory for all entities.

use std::sync::{Arc, Mutex, PoisonError};

use lodeward_app::search::EntitySearchError;
use tokio::sync::watch;

/// The state of the last job of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntityJobState {
    /// When the job that runs was started, in milliseconds since the Unix epoch.
    pub(crate) running_since_ms: Option<u64>,
    /// Why the last job failed.
    pub(crate) error: Option<String>,
}

/// The kind of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntityJobKind {
    Clusters,
    Links,
}

/// The jobs of a service.
#[derive(Clone, Debug)]
pub(crate) struct EntityJobs {
    states: Arc<Mutex<[EntityJobState; 2]>>,
    closing: watch::Receiver<bool>,
}

impl EntityJobs {
    pub(crate) fn new(closing: watch::Receiver<bool>) -> Self {
        Self { states: Arc::default(), closing }
    }

    pub(crate) fn state(&self, kind: EntityJobKind) -> EntityJobState {
        self.lock()[kind as usize].clone()
    }

    /// Starts a job on a thread of its own. Returns `false` if another one runs. `work` gets a function
    /// that returns whether the service is shutting down.
    pub(crate) fn start(
        &self,
        kind: EntityJobKind,
        now_ms: u64,
        work: impl FnOnce(&dyn Fn() -> bool) -> Result<(), EntitySearchError> + Send + 'static,
    ) -> bool {
        let mut states = self.lock();
        if states.iter().any(|state| state.running_since_ms.is_some()) {
            return false;
        }
        states[kind as usize] = EntityJobState { running_since_ms: Some(now_ms), error: None };
        drop(states);
        let jobs = self.clone();
        tokio::task::spawn_blocking(move || {
            // Also ends the job if it panics.
            let mut end = JobEnd { jobs: &jobs, kind, error: Some("the job failed unexpectedly".to_owned()) };
            let done = work(&|| *jobs.closing.borrow());
            end.error = done.err().map(|error| {
                let text = lodeward::error_chain::with_causes(&error);
                tracing::warn!(?kind, error = text, "job over entities failed");
                text
            });
        });
        true
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, [EntityJobState; 2]> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records the end of a job when it is dropped.
struct JobEnd<'a> {
    jobs: &'a EntityJobs,
    kind: EntityJobKind,
    error: Option<String>,
}

impl Drop for JobEnd<'_> {
    fn drop(&mut self) {
        self.jobs.lock()[self.kind as usize] = EntityJobState { running_since_ms: None, error: self.error.take() };
    }
}
