//! Those who want the same.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Those who do something with a crawl, or wait for their turn to: only so many.
/// What they do goes on when whoever asked for it has gone, and so would pile up
/// behind somebody who asks again and again.
pub(crate) struct Crowd {
    max: usize,
    inside: Arc<Inside>,
}

type Inside = Mutex<BTreeMap<u32, usize>>;

fn counts(inside: &Inside) -> MutexGuard<'_, BTreeMap<u32, usize>> {
    inside.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A place among them, for as long as this lives.
pub(crate) struct Place {
    crawl: u32,
    inside: Arc<Inside>,
}

impl Crowd {
    /// One who does it, and one who waits: what is asked for now may be another
    /// thing than what is being done, and whoever comes third wants what the second
    /// waits for.
    pub(crate) fn of_two() -> Self {
        Self { max: 2, inside: Arc::default() }
    }

    /// A place at this crawl, if there is one left.
    pub(crate) fn join(&self, crawl: u32) -> Option<Place> {
        let mut counts = counts(&self.inside);
        let count = counts.entry(crawl).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(Place { crawl, inside: Arc::clone(&self.inside) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = counts(&self.inside);
        if let Some(count) = counts.get_mut(&self.crawl) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.crawl);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_works_one_waits_and_the_third_is_sent_away() {
        let crowd = Crowd::of_two();

        let first = crowd.join(1);
        let second = crowd.join(1);
        assert!(first.is_some() && second.is_some());
        assert!(crowd.join(1).is_none());
        assert!(crowd.join(2).is_some(), "another crawl is another matter");

        drop(first);
        let third = crowd.join(1);
        assert!(third.is_some());
        drop((second, third));
        assert!(counts(&crowd.inside).is_empty(), "nothing is left of those who have gone");
    }
}
