//! Limits the cost of unpacking a dump.
//!
//! A few kilobytes can be unpacked to terabytes, and nested layers multiply. So the output of all layers is counted
//! against one total, and that total is compared with the bytes received.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;

use super::peek_reader::fault_error;
use crate::extract::ExtractOptions;
use crate::fetch::content_coding::{ContentDecoder, DecodingReader};
use crate::model::{Fault, FaultKind};

/// Maximum number of unpacked bytes per packed byte, in each layer and in all together. Dumps reach 30, repetitive ones
/// 100, a decompression bomb 1000.
const MAX_RATIO: u64 = 200;
/// Output up to this size is not checked for its ratio: it is harmless.
const MIN_BOMB_BYTES: u64 = 8 << 20;
/// Maximum number of files in all archives of a dump.
const MAX_FILES: u64 = 1_000_000;

/// The limits and the consumption of a dump.
pub(super) struct UnpackBudget {
    /// Bytes received from the web.
    received: Rc<Cell<u64>>,
    /// Bytes produced by all layers.
    unpacked: Cell<u64>,
    files: Cell<u64>,
    quads: Cell<u64>,
    /// The first fault that ended unpacking.
    spent: RefCell<Option<Fault>>,
    max_bytes: u64,
    max_bytes_without_rdf: u64,
}

impl UnpackBudget {
    /// Creates a budget. `received` is a shared counter of the bytes of the body read so far.
    pub(super) fn new(received: Rc<Cell<u64>>, options: &ExtractOptions) -> Self {
        Self {
            received,
            unpacked: Cell::new(0),
            files: Cell::new(0),
            quads: Cell::new(0),
            spent: RefCell::new(None),
            max_bytes: options.max_dump_bytes,
            max_bytes_without_rdf: options.max_bytes_without_rdf,
        }
    }

    /// Whether unpacking has ended.
    pub(super) fn is_exhausted(&self) -> bool {
        self.spent.borrow().is_some()
    }

    /// Counts `bytes` produced by a layer with these totals of input and output.
    pub(super) fn charge(&self, bytes: usize, layer_in: u64, layer_out: u64) -> io::Result<()> {
        let unpacked = self.unpacked.get() + bytes as u64;
        self.unpacked.set(unpacked);
        let is_bomb =
            |consumed: u64, produced: u64| produced > MIN_BOMB_BYTES.saturating_add(MAX_RATIO.saturating_mul(consumed));
        let received = self.received.get();
        if unpacked > self.max_bytes {
            self.fail(FaultKind::TooLarge, format!("unpacked size exceeds {} bytes", self.max_bytes))
        } else if is_bomb(received, unpacked) {
            self.fail(FaultKind::DecompressionBomb, format!("{received} bytes unpacked to more than {unpacked}"))
        } else if is_bomb(layer_in, layer_out) {
            self.fail(
                FaultKind::DecompressionBomb,
                format!("{layer_in} bytes of a nested file unpacked to more than {layer_out}"),
            )
        } else {
            Ok(())
        }
    }

    /// Counts a file of an archive.
    pub(super) fn charge_file(&self) -> io::Result<()> {
        self.files.set(self.files.get() + 1);
        if self.files.get() > MAX_FILES {
            return self.fail(FaultKind::DecompressionBomb, format!("more than {MAX_FILES} files"));
        }
        Ok(())
    }

    /// Sets the number of quads found so far.
    pub(super) fn set_quads(&self, quads: u64) {
        self.quads.set(quads);
    }

    /// Fails if too many bytes have been read and skipped without finding RDF: most archives on the web contain
    /// programs or images.
    pub(super) fn check_skip(&self, bytes: u64) -> io::Result<()> {
        let wasted = self.received.get().saturating_add(bytes);
        if self.quads.get() == 0 && wasted > self.max_bytes_without_rdf {
            return self.fail(FaultKind::Limit, format!("no RDF in the first {wasted} bytes; the rest is not read"));
        }
        Ok(())
    }

    fn fail(&self, kind: FaultKind, detail: String) -> io::Result<()> {
        let fault = Fault::new(kind, detail);
        self.spent.borrow_mut().get_or_insert_with(|| fault.clone());
        Err(fault_error(fault))
    }
}

/// A reader of the output of a decoder; fails if the budget is exceeded.
pub(super) struct UnpackedReader<R> {
    decoding: DecodingReader<ByteCounter<R>>,
    consumed: Rc<Cell<u64>>,
    produced: u64,
    budget: Rc<UnpackBudget>,
}

impl<R: Read> UnpackedReader<R> {
    pub(super) fn new(packed: R, decoder: ContentDecoder, budget: Rc<UnpackBudget>) -> Self {
        let consumed = Rc::new(Cell::new(0));
        let decoding = DecodingReader::new(ByteCounter { inner: packed, count: Rc::clone(&consumed) }, decoder);
        Self { decoding, consumed, produced: 0, budget }
    }
}

impl<R: Read> Read for UnpackedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.decoding.read(into)?;
        self.produced += len as u64;
        self.budget.charge(len, self.consumed.get(), self.produced)?;
        Ok(len)
    }
}

/// A reader that counts the bytes read.
pub(in crate::extract) struct ByteCounter<R> {
    pub(in crate::extract) inner: R,
    pub(in crate::extract) count: Rc<Cell<u64>>,
}

impl<R: Read> Read for ByteCounter<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(into)?;
        self.count.set(self.count.get() + len as u64);
        Ok(len)
    }
}
