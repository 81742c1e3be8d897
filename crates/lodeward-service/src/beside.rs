//! Work that may take long, where it holds up nobody.

use crate::problem::Problem;

/// Does something that waits for the disk or takes long, on a thread for such. If it
/// breaks, that is a problem like any other.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|broken| Err(Problem::internal(&broken)))
}
