//! Unpacks dumps: archives and compressed files in any nesting.
//!
//! Data is unpacked while it arrives; only the windows of the decoders are held in memory. Each file inside is a
//! document with its own name and blank nodes. Its base IRI and graph name are the URL of the dump. Files without RDF
//! are skipped.
//!
//! The packing is detected by the first bytes (`packing`). A [`PeekReader`] is the input of one unpacking step; `tar`
//! and `zip` are containers whose files are such inputs again; `budget` limits the cost of all layers together.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use lodeward_rdf::{MediaType, RdfFormat, sniff};

use super::document_reader::{DocumentHints, DocumentReader};
use super::extraction::Extraction;
use crate::fetch::content_coding::{ContentDecoder, FileCompression, MemoryAllowance};
use crate::model::rdf_likelihood::is_non_rdf_extension;
use crate::model::{Fault, FaultKind, Uri, stream_fault};

mod budget;
mod local;
mod peek_reader;
mod packing;
mod tar;
mod zip;

use budget::{UnpackBudget, UnpackedReader};
use packing::{PackingKind, detect_packing, file_name, inner_name};

pub use local::unpack_file;

pub(super) use budget::ByteCounter;
pub(super) use peek_reader::PeekReader;

/// Maximum nesting depth. A compressed tar archive has two layers.
const MAX_DEPTH: usize = 5;

/// Whether a document with this beginning is a dump.
pub(super) fn is_packed(head: &[u8], uri: &Uri, declared: Option<&MediaType>) -> bool {
    detect_packing(head, &file_name(uri.path()), declared.map(|declared| declared.essence.as_str())).is_some()
}

/// Reads a dump and returns the format of its documents, or `archive` if there are several formats. `received` counts
/// the bytes of the body as they are read.
pub(super) fn read(
    reader: &DocumentReader,
    about: &DocumentHints<'_>,
    layer: &mut PeekReader<'_>,
    received: Rc<Cell<u64>>,
    harvest: &mut Extraction<'_>,
) -> &'static str {
    let budget = Rc::new(UnpackBudget::new(received, harvest.options));
    let mut unpacking = Unpacker { reader, about, budget, harvest, syntax: None };
    unpacking.open(&PackedFile::root(about), layer);
    unpacking.syntax.unwrap_or("other")
}

/// A file that may be packed.
struct PackedFile {
    /// Last segment of its path, in lower case.
    name: String,
    /// Number of enclosing layers.
    depth: usize,
    /// Whether the file is one of several, so that the declared media type does not apply.
    is_inside: bool,
    allowance: MemoryAllowance,
}

/// A sequence of files; reading returns the content of the current one.
trait FileContainer: Read {
    /// Advances to the next file, whether or not the current one was read. An error ends the container; it has not been
    /// reported before.
    fn next_file(&mut self) -> io::Result<Option<ContainerEntry>>;
}

/// The name and content of a file in a container.
struct ContainerEntry {
    name: String,
    content: EntryContent,
}

enum EntryContent {
    File,
    /// Not a file, such as a directory.
    NotAFile,
    /// A file of an unsupported kind.
    Unsupported(&'static str),
}

struct Unpacker<'r, 'h, 's> {
    reader: &'r DocumentReader,
    about: &'r DocumentHints<'r>,
    budget: Rc<UnpackBudget>,
    harvest: &'h mut Extraction<'s>,
    /// The format of all documents so far.
    syntax: Option<&'static str>,
}

impl Unpacker<'_, '_, '_> {
    fn open(&mut self, file: &PackedFile, layer: &mut PeekReader<'_>) {
        let declared = self.about.declared.as_ref().filter(|_| file.depth == 0);
        let declared = declared.map(|declared| declared.essence.as_str());
        match detect_packing(layer.peek(sniff::HEAD_BYTES), &file.name, declared) {
            None => self.read_document(file, layer),
            Some(PackingKind::Unsupported(detail)) => self.fault(Fault::new(FaultKind::Encoding, detail)),
            Some(_) if file.depth == MAX_DEPTH => {
                let detail = format!("more than {MAX_DEPTH} layers of packing, not read: {}", file.name);
                self.fault(Fault::new(FaultKind::DecompressionBomb, detail));
            }
            Some(PackingKind::Compressed(compression)) => self.open_compressed(file, compression, layer),
            Some(PackingKind::Tar) => {
                self.open_container(file, &mut tar::TarReader::new(layer, Rc::clone(&self.budget)));
            }
            Some(PackingKind::Zip) => {
                let mut zip = zip::ZipReader::new(layer, Rc::clone(&self.budget));
                self.open_container(file, &mut zip);
            }
        }
        // If the stream failed after the last byte that was used, the error is reported here.
        if let Some(error) = layer.take_error() {
            self.fault(stream_fault(&error));
        }
    }

    fn open_compressed(&mut self, file: &PackedFile, compression: FileCompression, layer: &mut PeekReader<'_>) {
        let decoder = match ContentDecoder::for_file(compression, file.allowance) {
            Ok(decoder) => decoder,
            Err(fault) => return self.fault(fault),
        };
        let unpacked = UnpackedReader::new(layer, decoder, Rc::clone(&self.budget));
        self.open(&file.decompressed(compression), &mut PeekReader::new(Box::new(unpacked)));
    }

    fn open_container(&mut self, file: &PackedFile, container: &mut dyn FileContainer) {
        while !self.budget.is_exhausted() {
            self.budget.set_quads(self.harvest.quads());
            let opened = match container.next_file() {
                Ok(None) => return,
                Ok(Some(entry)) => self.budget.charge_file().map(|()| self.open_entry(file, &entry, container)),
                Err(error) => Err(error),
            };
            if let Err(error) = opened {
                return self.fault(stream_fault(&error));
            }
        }
    }

    fn open_entry(&mut self, container_file: &PackedFile, entry: &ContainerEntry, container: &mut dyn FileContainer) {
        let file = container_file.entry(&entry.name);
        match entry.content {
            EntryContent::NotAFile => {}
            EntryContent::Unsupported(what) => {
                self.fault(Fault::new(FaultKind::Encoding, format!("{what} skipped: {}", entry.name)));
            }
            EntryContent::File if file.extension().is_some_and(is_non_rdf_extension) => {}
            EntryContent::File => self.open(&file, &mut PeekReader::new(Box::new(container))),
        }
    }

    fn read_document(&mut self, file: &PackedFile, layer: &mut PeekReader<'_>) {
        // The declared media type applies to a single file only, and only if it does not name the packing.
        let is_of_file =
            |declared: &&MediaType| RdfFormat::from_media_type(&declared.essence).is_some_and(RdfFormat::is_rdf);
        let declared = self.about.declared.as_ref().filter(|_| !file.is_inside).filter(is_of_file).cloned();
        let about = DocumentHints { uri: self.about.uri, declared, extension: file.extension().map(str::to_owned) };
        self.harvest.begin_file(file.is_inside);
        let syntax = self.reader.read_document(&about, layer, self.harvest);
        self.harvest.end_file();
        if let Some(name) = syntax {
            self.syntax = Some(if self.syntax.is_none_or(|known| known == name) { name } else { "archive" });
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.harvest.fault(fault);
    }
}

impl PackedFile {
    /// Describes the dump itself.
    fn root(about: &DocumentHints<'_>) -> Self {
        Self { name: file_name(about.uri.path()), depth: 0, is_inside: false, allowance: MemoryAllowance::Large }
    }

    /// Describes the decompressed content of this file.
    fn decompressed(&self, compression: FileCompression) -> Self {
        // The other formats have small windows. As at most one layer has a large window, no decoder waits for a slot
        // while it holds one.
        let is_heavy = matches!(compression, FileCompression::Xz | FileCompression::Zstd);
        let allowance = if is_heavy { MemoryAllowance::Small } else { self.allowance };
        Self { name: inner_name(&self.name), depth: self.depth + 1, is_inside: self.is_inside, allowance }
    }

    /// Describes a file in this container.
    fn entry(&self, path: &str) -> Self {
        Self { name: file_name(path), depth: self.depth + 1, is_inside: true, allowance: self.allowance }
    }

    fn extension(&self) -> Option<&str> {
        self.name.rsplit_once('.').map(|(_, extension)| extension)
    }
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod test_archives;
#[cfg(test)]
mod tests;
