//! Work on all cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Items that a thread takes at once.
const CHUNK: usize = 64;

/// Maps items in parallel. The results are in the order of the items.
pub(crate) fn parallel_map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    parallel_map_with(items, || (), |(), item| work(item))
}

/// The same; each thread has a state of its own.
pub(crate) fn parallel_map_with<T: Sync, R: Send, S>(
    items: &[T],
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let chunk = CHUNK.min(items.len().div_ceil(threads).max(1));
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = state();
        let mut done: Vec<(usize, Vec<R>)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(items) = items.chunks(chunk).nth(at) else { return done };
            done.push((at, items.iter().map(|item| work(&mut state, item)).collect()));
        }
    };
    let mut parts: Vec<(usize, Vec<R>)> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("the work does not panic")).collect()
    });
    parts.sort_unstable_by_key(|(at, _)| *at);
    parts.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1_000).collect();

        assert_eq!(parallel_map(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(parallel_map(&[] as &[u32], |item| *item).is_empty());
    }
}
