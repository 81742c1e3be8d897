//! Work that may take long, where it holds up nobody.

use tokio::sync::Semaphore;

use crate::problem::Problem;

/// How many read much at a time. Whoever hangs up does not stop them, so without a
/// bound somebody who asks again and again would take all threads there are.
static READERS: Semaphore = Semaphore::const_new(8);

/// Does something that waits for the disk or takes long, on a thread for such. If it
/// breaks, that is a problem like any other.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|broken| Err(Problem::internal(&broken)))
}

/// The same for what may read a whole harvest, or the seeds of all crawls: only so many
/// at a time; others wait.
pub(crate) async fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let turn = READERS.acquire().await.expect("it is never closed");
    beside(move || {
        // Until the work is done, whether anybody still waits for it or not.
        let _turn = turn;
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
    async fn whoever_hangs_up_does_not_make_room_for_more_work() {
        let (begun, inside) = mpsc::channel();
        let (go, gate) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let most = Arc::new(AtomicUsize::new(0));
        let ask = || {
            let (begun, gate, most) = (begun.clone(), Arc::clone(&gate), Arc::clone(&most));
            in_turn(move || {
                most.fetch_add(1, Ordering::SeqCst);
                let _ = begun.send(());
                let _ = gate.lock().map(|gate| gate.recv());
                most.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        };
        let askers: Vec<_> = (0..8).map(|_| tokio::spawn(ask())).collect();
        tokio::task::spawn_blocking(move || (0..8).for_each(|_| inside.recv().unwrap())).await.unwrap();
        askers.iter().for_each(tokio::task::JoinHandle::abort);

        let waiting = tokio::spawn(ask());
        tokio::task::yield_now().await;
        assert_eq!(most.load(Ordering::SeqCst), 8, "those who have hung up are still at work");
        (0..9).for_each(|_| go.send(()).unwrap());
        assert!(waiting.await.unwrap().is_ok());
    }
}
