//! Runs blocking work on separate threads, with a limit for large reads.

use tokio::sync::Semaphore;

use crate::limits::MAX_BULK_READS;
use crate::problem::Problem;

/// Slots for concurrent large reads. A read continues after its client has disconnected, so without
/// a limit repeated requests would occupy all threads.
static BULK_READ_SLOTS: Semaphore = Semaphore::const_new(MAX_BULK_READS);

/// Runs work that blocks or takes long on a thread for blocking work. A panic becomes a
/// problem with code `internal`.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(Problem::internal(&error)))
}

/// Like [`run_blocking`], for work that may read a whole harvest or the seeds of all crawls. A
/// limited number of such reads run at a time; further ones wait.
pub(crate) async fn run_bulk_read<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let slot = BULK_READ_SLOTS.acquire().await.expect("the semaphore is never closed");
    run_blocking(move || {
        // The slot is held until the work is done, even if the client has disconnected.
        let _slot = slot;
        work()
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_disconnected_client_frees_no_slot_while_its_read_runs() {
        let (started, running) = mpsc::channel();
        let (go, gate) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let most = Arc::new(AtomicUsize::new(0));
        let read = || {
            let (started, gate, most) = (started.clone(), Arc::clone(&gate), Arc::clone(&most));
            run_bulk_read(move || {
                most.fetch_add(1, Ordering::SeqCst);
                let _ = started.send(());
                let _ = gate.lock().map(|gate| gate.recv());
                most.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        };
        let clients: Vec<_> = (0..8).map(|_| tokio::spawn(read())).collect();
        tokio::task::spawn_blocking(move || (0..8).for_each(|_| running.recv().unwrap())).await.unwrap();
        clients.iter().for_each(tokio::task::JoinHandle::abort);

        let waiting = tokio::spawn(read());
        tokio::task::yield_now().await;
        assert_eq!(most.load(Ordering::SeqCst), 8, "reads of disconnected clients still run");
        (0..9).for_each(|_| go.send(()).unwrap());
        assert!(waiting.await.unwrap().is_ok());
    }
}
