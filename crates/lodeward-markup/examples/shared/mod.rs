//! What the measurements share: a count, and a clock that other load does not
//! move.

use std::fs;

use lodeward_markup::{Fault, Sink, Syntax};
use oxrdf::QuadRef;

/// Counts what it is given.
#[derive(Default)]
pub(crate) struct Count {
    pub(crate) quads: usize,
    pub(crate) faults: usize,
}

impl Sink for Count {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        std::hint::black_box(quad);
        self.quads += 1;
    }

    fn fault(&mut self, _: Fault) {
        self.faults += 1;
    }

    fn begin(&mut self, _: Syntax) {}
}

/// What this thread has used of a processor, user and system.
pub(crate) fn cpu_seconds() -> f64 {
    // The kernel brings the figure up to date when the thread gives way.
    std::thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts CPU time");
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("a number comes first") / 1e9
}
