//! The contract of frontiers can be tested by other crates than `lodeward`.

use futures_util::FutureExt as _;
use lodeward::frontier::{DomainOrder, MemoryFrontier, Queue as _, QueueStart};

/// A frontier as another crate would make it.
fn make(order: DomainOrder, limit: Option<u32>) -> (MemoryFrontier, ()) {
    let frontier = MemoryFrontier::new(limit);
    frontier.start(QueueStart { started_at_ms: 0, order }).now_or_never().unwrap().unwrap();
    (frontier, ())
}

lodeward::frontier_contract!(memory, super::make);
