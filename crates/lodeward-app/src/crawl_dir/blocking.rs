//! Waits for a future on a thread that may block.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Wakes a thread.
struct ThreadWaker(Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a call of a frontier, in functions that block. The embedded frontier returns at once.
/// Unlike a runtime of tokio, this also works on a thread of another runtime.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(ThreadWaker(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_future_that_another_thread_completes_is_awaited_inside_a_runtime() {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let completing = thread::spawn(move || sender.send(7).unwrap());

        assert_eq!(wait(receiver).unwrap(), 7);
        completing.join().unwrap();
    }
}
