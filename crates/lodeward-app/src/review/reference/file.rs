//! Loads a file as a reference graph.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxrdf::QuadRef;

use super::{ReferenceError, ReferenceLoader};
use crate::local_file::file_representation;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, Extractor as _, contexts};
use lodeward::fetch::ResponseBody;
use lodeward::model::{Fault, Link};

/// Reads a file in any RDF format, also compressed. Returns notes for the user.
pub(super) fn read(path: &Path, loader: &mut ReferenceLoader) -> Result<Vec<String>, ReferenceError> {
    let failed = |source| ReferenceError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    let is_full = Arc::new(AtomicBool::new(false));
    let body = ResponseBody::Stream(Box::new(CancelReader { inner: file, is_ended: Arc::clone(&is_full) }));
    let mut sink = ReferenceLinkSink { loader, is_full, fault: None };
    // No size limit applies to files of the user.
    let options =
        ExtractOptions { max_dump_bytes: u64::MAX, max_bytes_without_rdf: u64::MAX, ..ExtractOptions::default() };
    let file = file_representation(&path.to_string_lossy(), None, body);
    DocumentReader::with_contexts(options, contexts(None)).extract(file, &mut sink);
    let ReferenceLinkSink { loader, fault, .. } = sink;
    loader.flush();
    if loader.facts.is_empty() {
        return Err(ReferenceError::NoLinks { path: path.to_owned(), fault });
    }
    // If reading stopped because the limits were reached, the fault is only the end of the input.
    let fault = fault.filter(|_| !loader.is_full());
    Ok(fault.map(|fault| format!("{} was read only partly: {fault}", path.display())).into_iter().collect())
}

struct ReferenceLinkSink<'f> {
    loader: &'f mut ReferenceLoader,
    is_full: Arc<AtomicBool>,
    fault: Option<Fault>,
}

impl ExtractSink for ReferenceLinkSink<'_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        if self.loader.is_full() {
            self.is_full.store(true, Ordering::Relaxed);
        } else {
            self.loader.quad(quad);
        }
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }
}

/// A reader that ends when the limits are reached.
struct CancelReader<R> {
    inner: R,
    is_ended: Arc<AtomicBool>,
}

impl<R: Read> Read for CancelReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_ended.load(Ordering::Relaxed) { Ok(0) } else { self.inner.read(into) }
    }
}
