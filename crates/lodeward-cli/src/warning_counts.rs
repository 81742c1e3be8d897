//! Warnings that are counted instead of printed, while a live view is shown.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Maximum number of different warnings.
const MAX_KINDS: usize = 20;

static WARNINGS: WarningCounts = WarningCounts::new();

/// The warnings of this process that were counted instead of printed.
pub(crate) fn warnings() -> &'static WarningCounts {
    &WARNINGS
}

/// Counts warnings by their text.
#[derive(Debug, Default)]
pub(crate) struct WarningCounts {
    /// Whether each warning is printed in any case, as `-v` says.
    is_verbose: AtomicBool,
    is_summarised: AtomicBool,
    counts: Mutex<BTreeMap<String, u64>>,
}

impl WarningCounts {
    pub(crate) const fn new() -> Self {
        Self {
            is_verbose: AtomicBool::new(false),
            is_summarised: AtomicBool::new(false),
            counts: Mutex::new(BTreeMap::new()),
        }
    }

    pub(crate) fn set_verbose(&self, is_verbose: bool) {
        self.is_verbose.store(is_verbose, Ordering::Relaxed);
    }

    /// Sets whether warnings are counted instead of printed.
    pub(crate) fn set_summarised(&self, is_summarised: bool) {
        self.is_summarised.store(is_summarised, Ordering::Relaxed);
    }

    /// Whether an event is printed.
    pub(crate) fn is_printed(&self, event: &Metadata<'_>) -> bool {
        let is_counted = *event.level() == Level::WARN && self.is_summarised.load(Ordering::Relaxed);
        !is_counted || self.is_verbose.load(Ordering::Relaxed)
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, message: String) {
        let mut counts = self.counts();
        let is_new = !counts.contains_key(&message);
        let kind = if is_new && counts.len() >= MAX_KINDS { "other warnings".to_owned() } else { message };
        *counts.entry(kind).or_default() += 1;
    }

    /// Number of warnings so far.
    pub(crate) fn count(&self) -> u64 {
        self.counts().values().sum()
    }

    /// The warnings that were not printed, by their text; empty if each was printed.
    pub(crate) fn summary(&self) -> BTreeMap<String, u64> {
        if self.is_verbose.load(Ordering::Relaxed) { BTreeMap::new() } else { self.counts().clone() }
    }
}

/// Passes warnings to [`WarningCounts`] while they are summarised.
pub(crate) struct WarningLayer(pub(crate) &'static WarningCounts);

impl<S: Subscriber> Layer<S> for WarningLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN && self.0.is_summarised.load(Ordering::Relaxed) {
            let mut message = MessageVisitor(String::new());
            event.record(&mut message);
            self.0.record(message.0);
        }
    }
}

/// Reads the message of an event.
struct MessageVisitor(String);

impl Visit for MessageVisitor {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn warnings_are_counted_by_text_while_they_are_summarised() {
        static COUNTS: WarningCounts = WarningCounts::new();
        let subscriber = tracing_subscriber::registry().with(WarningLayer(&COUNTS));

        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!("before");
            COUNTS.set_summarised(true);
            tracing::warn!(host = "a.example", "host closed");
            tracing::warn!(host = "b.example", "host closed");
            tracing::info!("not a warning");
        });

        assert_eq!(COUNTS.summary(), BTreeMap::from([("host closed".to_owned(), 2)]));
        COUNTS.set_verbose(true);
        assert_eq!((COUNTS.count(), COUNTS.summary().len()), (2, 0));
    }

    #[test]
    fn the_number_of_different_warnings_is_bounded() {
        let counts = WarningCounts::new();

        (0..100).for_each(|number| counts.record(format!("warning {number}")));

        assert!(counts.counts().len() <= MAX_KINDS + 1);
        assert_eq!(counts.count(), 100);
    }
}
