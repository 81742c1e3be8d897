//! Code shared by the measurements: a counting sink, and a clock of CPU time, which other processes
//! do not affect.

use std::fs;

use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageSink};
use oxrdf::QuadRef;

/// Counts quads and faults.
#[derive(Default)]
pub(crate) struct Count {
    pub(crate) quads: usize,
    pub(crate) faults: usize,
}

impl PageSink for Count {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        std::hint::black_box(quad);
        self.quads += 1;
    }

    fn fault(&mut self, _: MarkupFault) {
        self.faults += 1;
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

/// The CPU time of this thread, user and system.
pub(crate) fn cpu_seconds() -> f64 {
    // The kernel updates the number when the thread yields.
    std::thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("schedstat needs Linux");
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("the first field is a number")
        / 1e9
}
