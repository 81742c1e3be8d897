//! An extractor that survives documents that end the process.
//!
//! A panic of a reader is caught, but a stack overflow or a lack of memory ends the process, and the
//! resumed crawl would end at the same document again. So each document is recorded on disk before
//! it is read. A document that ended two processes is not read any more, and has a fault of the kind
//! [`FaultKind::Quarantined`].

mod ledger;

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use self::ledger::ReadLedger;
use lodeward::discover::Step;
use lodeward::extract::{ExtractSink, ExtractSummary, Extractor};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::{Fault, FaultKind, Uri};

/// Wraps an extractor, and records on disk what it reads.
pub(crate) struct QuarantineExtractor<E> {
    inner: E,
    ledger: ReadLedger,
    reads: AtomicUsize,
    is_abandoned: Arc<AtomicBool>,
}

impl<E: Extractor> QuarantineExtractor<E> {
    /// Opens the files `reading.log` and `quarantine.txt` in this directory.
    pub(crate) fn open(inner: E, directory: &Path) -> io::Result<Self> {
        let ledger = ReadLedger::open(directory)?;
        Ok(Self { inner, ledger, reads: AtomicUsize::new(0), is_abandoned: Arc::default() })
    }

    fn read(
        &self,
        mut representation: Representation,
        sink: &mut dyn ExtractSink,
        read: impl FnOnce(Representation, &mut dyn ExtractSink) -> ExtractSummary,
    ) -> ExtractSummary {
        if self.ledger.is_quarantined(&representation.uri) {
            let detail = "reading it ended the process twice; to read it again, remove its line from quarantine.txt \
                          in the directory of the crawl, and refresh the crawl";
            sink.fault(Fault::new(FaultKind::Quarantined, detail));
            return ExtractSummary { format: "other", ..ExtractSummary::default() };
        }
        let _count = ReadCount::new(&self.reads);
        let _reading = self.ledger.begin(&representation.uri);
        test_hook::run(&representation.uri);
        if let ResponseBody::Stream(inner) = representation.body {
            let is_abandoned = Arc::clone(&self.is_abandoned);
            representation.body = ResponseBody::Stream(Box::new(AbandonableBody { inner, is_abandoned }));
        }
        read(representation, sink)
    }
}

impl<E: Extractor> Extractor for QuarantineExtractor<E> {
    fn extract(&self, representation: Representation, sink: &mut dyn ExtractSink) -> ExtractSummary {
        self.read(representation, sink, |representation, sink| self.inner.extract(representation, sink))
    }

    /// A suspect may wait for others.
    fn may_block(&self, representation: &Representation) -> bool {
        let uri: &Uri = &representation.uri;
        self.ledger.is_suspect(uri) || test_hook::is_set() || self.inner.may_block(representation)
    }

    fn extract_step(&self, step: &Step, representation: Representation, sink: &mut dyn ExtractSink) -> ExtractSummary {
        self.read(representation, sink, |representation, sink| self.inner.extract_step(step, representation, sink))
    }

    fn reads_in_progress(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }

    fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
        self.ledger.close();
        self.inner.abandon();
    }
}

/// Counts a read in progress.
struct ReadCount<'a>(&'a AtomicUsize);

impl<'a> ReadCount<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for ReadCount<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A body whose reader fails when the crawl has ended.
struct AbandonableBody {
    inner: Box<dyn Read + Send>,
    is_abandoned: Arc<AtomicBool>,
}

impl Read for AbandonableBody {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_abandoned.load(Ordering::Relaxed) {
            return Err(io::Error::other("the crawl has ended"));
        }
        self.inner.read(into)
    }
}

/// In debug builds, `LODEWARD_TEST_READER` makes the reader of one document fail in ways that no
/// known document causes: `abort URI` ends the process, `stall URI` never returns.
mod test_hook {
    use std::time::Duration;

    use lodeward::model::Uri;

    const VARIABLE: &str = "LODEWARD_TEST_READER";

    pub(super) fn is_set() -> bool {
        cfg!(debug_assertions) && std::env::var_os(VARIABLE).is_some()
    }

    pub(super) fn run(uri: &Uri) {
        if !is_set() {
            return;
        }
        match std::env::var(VARIABLE).unwrap_or_default().split_once(' ') {
            Some(("abort", target)) if target == uri.as_str() => std::process::abort(),
            Some(("stall", target)) if target == uri.as_str() => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            _ => {}
        }
    }
}
