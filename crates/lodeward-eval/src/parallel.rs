//! Work that is shared by threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does something with each of some things, so many at a time (as many as there
/// are cores if `None`). What comes out is in the order of what went in.
pub(crate) fn map<T: Sync, R: Send>(
    things: &[T],
    jobs: Option<NonZero<usize>>,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(things.len()));
    let one_after_the_other = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(place) else { return };
            let result = work(thing);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
        }
    };
    let jobs = jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..jobs.min(things.len()) {
            scope.spawn(one_after_the_other);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_things() {
        let things: Vec<u32> = (0..100).collect();

        let doubled = map(&things, NonZero::new(3), |thing| thing * 2);

        assert_eq!(doubled, things.iter().map(|thing| thing * 2).collect::<Vec<_>>());
        assert!(map(&[] as &[u32], None, |thing| *thing).is_empty());
    }
}
