//! Dumps: files that were packed, in any way and any nesting, for one download.
//!
//! Everything is unpacked while it arrives, and nothing is held but what the
//! decoders need to look back. Each file inside is a document of its own name,
//! with blank nodes of its own; the address of the dump is what its relative
//! IRIs are relative to, and the name of its graph. Files that hold no RDF are
//! passed over.
//!
//! How something is packed is known by its first bytes (`packing`). A `Layer` is
//! what one step of unpacking reads from; `tar` and `zip` are containers, whose
//! files are layers again; `budget` bounds what all layers together may cost.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use super::content_type::ContentType;
use super::harvest::Harvest;
use super::rdf::fault_of_stream;
use super::reader::{About, Reader};
use super::sniff;
use crate::fetch::decode::{Allowance, Compression, Decoder, DecodingReader};
use crate::model::media_type::{Syntax, is_barren_extension};
use crate::model::{Fault, FaultKind, Uri};

mod budget;
mod layer;
mod packing;
mod tar;
mod zip;

use budget::{Budget, Unpacked};
use packing::{Packing, file_name, inner_name, packing};

pub(super) use budget::Counting;
pub(super) use layer::Layer;

/// Ways of packing inside each other. A tar archive that is compressed has two.
const DEPTH_MAX: usize = 5;

/// Whether a document that begins like this is a dump.
pub(super) fn is_packed(head: &[u8], uri: &Uri, declared: Option<&ContentType>) -> bool {
    packing(head, &file_name(uri.path()), declared.map(|declared| declared.essence.as_str())).is_some()
}

/// Reads a dump, and tells what sort of documents are in it: the name of their
/// syntax, or `archive` if they are of several. `received` counts the bytes of
/// the body as they are read.
pub(super) fn read(
    reader: &Reader,
    about: &About<'_>,
    layer: &mut Layer<'_>,
    received: Rc<Cell<u64>>,
    harvest: &mut Harvest<'_>,
) -> &'static str {
    let budget = Rc::new(Budget::new(received, harvest.options));
    let mut unpacking = Unpacking { reader, about, budget, harvest, syntax: None };
    unpacking.open(&File::of(about), layer);
    unpacking.syntax.unwrap_or("other")
}

/// What is in a file of this name, decompressed if it is compressed. For files
/// of one's own: what comes out of them has no bound. Archives are left as they
/// are.
pub fn decompressed<'a>(file: Box<dyn Read + 'a>, name: &str) -> io::Result<Box<dyn Read + 'a>> {
    const HEAD_BYTES: usize = 64;
    let mut name = file_name(name);
    let mut layer = Layer::new(file);
    for _ in 0..DEPTH_MAX {
        let head = layer.peek(HEAD_BYTES);
        let Some(Packing::Compressed(compression)) = packing(head, &name, None) else { break };
        let decoder = Decoder::of_file(compression, Allowance::Own).map_err(layer::broken)?;
        layer = Layer::new(Box::new(DecodingReader::new(layer, decoder)));
        name = inner_name(&name);
    }
    Ok(Box::new(layer))
}

/// A file that may be packed.
struct File {
    /// Its last part only, in lower case.
    name: String,
    /// How many ways of packing are around it.
    depth: usize,
    /// Whether it is one of several, of which the server says nothing.
    is_inside: bool,
    allowance: Allowance,
}

/// Files one after the other, the present one to be read.
trait Container: Read {
    /// Goes to the next file, whatever was read of the present one. An error is
    /// one that nobody has been told of, and the end of the container.
    fn next_file(&mut self) -> io::Result<Option<Entry>>;
}

/// What a container says of a file.
struct Entry {
    name: String,
    content: Content,
}

enum Content {
    File,
    /// Not a file, as a folder.
    Nothing,
    /// A file of a sort that is not read.
    Unread(&'static str),
}

struct Unpacking<'r, 'h, 's> {
    reader: &'r Reader,
    about: &'r About<'r>,
    budget: Rc<Budget>,
    harvest: &'h mut Harvest<'s>,
    /// The syntax of all documents so far.
    syntax: Option<&'static str>,
}

impl Unpacking<'_, '_, '_> {
    fn open(&mut self, file: &File, layer: &mut Layer<'_>) {
        let declared = self.about.declared.as_ref().filter(|_| file.depth == 0);
        let declared = declared.map(|declared| declared.essence.as_str());
        match packing(layer.peek(sniff::HEAD_BYTES), &file.name, declared) {
            None => self.read_document(file, layer),
            Some(Packing::Unread(why)) => self.fault(Fault::new(FaultKind::Encoding, why)),
            Some(_) if file.depth == DEPTH_MAX => {
                let detail = format!("packed more than {DEPTH_MAX} times over, and not read: {}", file.name);
                self.fault(Fault::new(FaultKind::Bomb, detail));
            }
            Some(Packing::Compressed(compression)) => self.open_compressed(file, compression, layer),
            Some(Packing::Tar) => self.open_container(file, &mut tar::Tar::new(layer, Rc::clone(&self.budget))),
            Some(Packing::Zip) => {
                let mut zip = zip::Zip::new(layer, Rc::clone(&self.budget));
                self.open_container(file, &mut zip);
            }
        }
        // It may have broken where nobody read.
        if let Some(error) = layer.failure() {
            self.fault(fault_of_stream(&error));
        }
    }

    fn open_compressed(&mut self, file: &File, compression: Compression, layer: &mut Layer<'_>) {
        let decoder = match Decoder::of_file(compression, file.allowance) {
            Ok(decoder) => decoder,
            Err(fault) => return self.fault(fault),
        };
        let unpacked = Unpacked::new(layer, decoder, Rc::clone(&self.budget));
        self.open(&file.unpacked(compression), &mut Layer::new(Box::new(unpacked)));
    }

    fn open_container(&mut self, file: &File, container: &mut dyn Container) {
        while !self.budget.is_spent() {
            self.budget.note_yield(self.harvest.quads());
            let opened = match container.next_file() {
                Ok(None) => return,
                Ok(Some(entry)) => self.budget.admit_file().map(|()| self.open_entry(file, &entry, container)),
                Err(error) => Err(error),
            };
            if let Err(error) = opened {
                return self.fault(fault_of_stream(&error));
            }
        }
    }

    fn open_entry(&mut self, container_file: &File, entry: &Entry, container: &mut dyn Container) {
        let file = container_file.inside(&entry.name);
        match entry.content {
            Content::Nothing => {}
            Content::Unread(what) => {
                self.fault(Fault::new(FaultKind::Encoding, format!("{what} was passed over: {}", entry.name)));
            }
            Content::File if file.extension().is_some_and(is_barren_extension) => {}
            Content::File => self.open(&file, &mut Layer::new(Box::new(container))),
        }
    }

    fn read_document(&mut self, file: &File, layer: &mut Layer<'_>) {
        // What the server says of the whole is true of one file at most, and
        // only if it is not about the packing.
        let is_of_file = |declared: &&ContentType| Syntax::of_media_type(&declared.essence).is_some_and(Syntax::is_rdf);
        let declared = self.about.declared.as_ref().filter(|_| !file.is_inside).filter(is_of_file).cloned();
        let about = About { uri: self.about.uri, declared, extension: file.extension().map(str::to_owned) };
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

impl File {
    /// The dump itself.
    fn of(about: &About<'_>) -> Self {
        Self { name: file_name(about.uri.path()), depth: 0, is_inside: false, allowance: Allowance::Full }
    }

    /// What comes out of this one.
    fn unpacked(&self, compression: Compression) -> Self {
        // The others look back a little way only. And as there is never more than
        // one who looks back far, nobody waits for a turn who has one.
        let is_heavy = matches!(compression, Compression::Xz | Compression::Zstd);
        let allowance = if is_heavy { Allowance::Little } else { self.allowance };
        Self { name: inner_name(&self.name), depth: self.depth + 1, is_inside: self.is_inside, allowance }
    }

    /// A file in this one.
    fn inside(&self, path: &str) -> Self {
        Self { name: file_name(path), depth: self.depth + 1, is_inside: true, allowance: self.allowance }
    }

    fn extension(&self) -> Option<&str> {
        self.name.rsplit_once('.').map(|(_, extension)| extension)
    }
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod packers;
#[cfg(test)]
mod tests;
