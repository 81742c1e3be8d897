//! A file as a reference graph.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxrdf::QuadRef;

use super::{Filling, ReferenceError};
use crate::extract::{Extractor as _, Options, Reader, Sink, contexts};
use crate::fetch::{Body, Representation};
use crate::model::{Fault, Link};

/// Reads a file in any syntax, packed or not. Returns what is to be known of it.
pub(super) fn read(path: &Path, filling: &mut Filling) -> Result<Vec<String>, ReferenceError> {
    let failed = |source| ReferenceError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    let is_full = Arc::new(AtomicBool::new(false));
    let body = Body::Stream(Box::new(Until { inner: file, is_over: Arc::clone(&is_full) }));
    let mut taker = Taker { filling, is_full, fault: None };
    // Whoever names a file of their own wants all of it.
    let options = Options { dump_bytes_max: u64::MAX, barren_bytes_max: u64::MAX, ..Options::default() };
    let file = Representation::of_file(&path.to_string_lossy(), None, body);
    Reader::with_contexts(options, contexts(None)).extract(file, &mut taker);
    let Taker { filling, fault, .. } = taker;
    filling.put();
    if filling.gathering.is_empty() {
        return Err(ReferenceError::NoLinks { path: path.to_owned(), fault });
    }
    // A file that was not read to its end ends in the middle of something.
    let fault = fault.filter(|_| !filling.is_full());
    Ok(fault.map(|fault| format!("{} could be read in part only: {fault}", path.display())).into_iter().collect())
}

struct Taker<'f> {
    filling: &'f mut Filling,
    is_full: Arc<AtomicBool>,
    fault: Option<Fault>,
}

impl Sink for Taker<'_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        if self.filling.is_full() {
            self.is_full.store(true, Ordering::Relaxed);
        } else {
            self.filling.quad(quad);
        }
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }
}

/// Ends when nobody wants any more of it.
struct Until<R> {
    inner: R,
    is_over: Arc<AtomicBool>,
}

impl<R: Read> Read for Until<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over.load(Ordering::Relaxed) { Ok(0) } else { self.inner.read(into) }
    }
}
