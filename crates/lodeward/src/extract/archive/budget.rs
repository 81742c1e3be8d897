//! What a dump may cost.
//!
//! A few kilobytes can be unpacked to a world full of nothing, and layers of
//! packing multiply. So everything that comes out of any layer is counted
//! against one sum, and that sum against what came in from the web.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;

use super::layer::broken;
use crate::extract::Options;
use crate::fetch::decode::{Decoder, DecodingReader};
use crate::model::{Fault, FaultKind};

/// How many bytes one packed byte may become, in any layer and in all of them
/// together. Dumps reach 30, and dull ones 100; a bomb has 1000.
const RATIO_MAX: u64 = 200;
/// So much may come out of next to nothing: that harms nobody.
const FREE_BYTES: u64 = 8 << 20;
/// Files in all archives of one dump.
const FILES_MAX: u64 = 1_000_000;

/// What one dump may cost, and what it has cost so far.
pub(super) struct Budget {
    /// Bytes that came from the web.
    received: Rc<Cell<u64>>,
    /// Bytes that came out of all layers.
    unpacked: Cell<u64>,
    files: Cell<u64>,
    quads: Cell<u64>,
    /// The first fault that ends everything.
    spent: RefCell<Option<Fault>>,
    bytes_max: u64,
    barren_bytes_max: u64,
}

impl Budget {
    /// `received` is what has been read of the body, and goes on counting.
    pub(super) fn new(received: Rc<Cell<u64>>, options: &Options) -> Self {
        Self {
            received,
            unpacked: Cell::new(0),
            files: Cell::new(0),
            quads: Cell::new(0),
            spent: RefCell::new(None),
            bytes_max: options.dump_bytes_max,
            barren_bytes_max: options.barren_bytes_max,
        }
    }

    /// Whether nothing more is to be read.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.borrow().is_some()
    }

    /// Counts bytes that came out of a layer which has taken and given so many.
    pub(super) fn admit(&self, bytes: usize, layer_in: u64, layer_out: u64) -> io::Result<()> {
        let unpacked = self.unpacked.get() + bytes as u64;
        self.unpacked.set(unpacked);
        let is_bomb = |taken: u64, given: u64| given > FREE_BYTES.saturating_add(RATIO_MAX.saturating_mul(taken));
        let received = self.received.get();
        if unpacked > self.bytes_max {
            self.end(FaultKind::TooLarge, format!("more than {} bytes when unpacked", self.bytes_max))
        } else if is_bomb(received, unpacked) {
            self.end(FaultKind::Bomb, format!("{received} bytes were unpacked to {unpacked} and more"))
        } else if is_bomb(layer_in, layer_out) {
            self.end(FaultKind::Bomb, format!("{layer_in} bytes inside were unpacked to {layer_out} and more"))
        } else {
            Ok(())
        }
    }

    /// Counts a file of an archive.
    pub(super) fn admit_file(&self) -> io::Result<()> {
        self.files.set(self.files.get() + 1);
        if self.files.get() > FILES_MAX {
            return self.end(FaultKind::Bomb, format!("more than {FILES_MAX} files"));
        }
        Ok(())
    }

    /// So many quads have been found so far.
    pub(super) fn note_yield(&self, quads: u64) {
        self.quads.set(quads);
    }

    /// Looks whether it is worth to go past so many bytes that nobody wants:
    /// most archives of the web hold programs or pictures.
    pub(super) fn admit_waste(&self, bytes: u64) -> io::Result<()> {
        let wasted = self.received.get().saturating_add(bytes);
        if self.quads.get() == 0 && wasted > self.barren_bytes_max {
            return self
                .end(FaultKind::Excess, format!("no RDF in the first {wasted} bytes, and the rest was not read"));
        }
        Ok(())
    }

    fn end(&self, kind: FaultKind, detail: String) -> io::Result<()> {
        let fault = Fault::new(kind, detail);
        self.spent.borrow_mut().get_or_insert_with(|| fault.clone());
        Err(broken(fault))
    }
}

/// What comes out of a decoder, within the budget.
pub(super) struct Unpacked<R> {
    decoding: DecodingReader<Counting<R>>,
    taken: Rc<Cell<u64>>,
    given: u64,
    budget: Rc<Budget>,
}

impl<R: Read> Unpacked<R> {
    pub(super) fn new(packed: R, decoder: Decoder, budget: Rc<Budget>) -> Self {
        let taken = Rc::new(Cell::new(0));
        let decoding = DecodingReader::new(Counting { inner: packed, count: Rc::clone(&taken) }, decoder);
        Self { decoding, taken, given: 0, budget }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.decoding.read(into)?;
        self.given += len as u64;
        self.budget.admit(len, self.taken.get(), self.given)?;
        Ok(len)
    }
}

/// Counts what is read.
pub(in crate::extract) struct Counting<R> {
    pub(in crate::extract) inner: R,
    pub(in crate::extract) count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(into)?;
        self.count.set(self.count.get() + len as u64);
        Ok(len)
    }
}
