//! Unpacks local files, which the user trusts: without a limit of their size.

use std::cell::Cell;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use super::budget::UnpackBudget;
use super::packing::{PackingKind, detect_packing, file_name, inner_name};
use super::peek_reader::{self, PeekReader};
use super::{EntryContent, FileContainer, MAX_DEPTH, tar, zip};
use crate::extract::ExtractOptions;
use crate::fetch::content_coding::{ContentDecoder, DecodingReader, MemoryAllowance};
use crate::model::rdf_likelihood::is_non_rdf_extension;
use lodeward_rdf::sniff;

/// Receives the files of an archive: the path in the archive (`None` for a file that is not inside one), the name
/// without compression, and the content.
type FileVisitor<'a> = dyn FnMut(Option<&str>, &str, &mut dyn Read) -> ControlFlow<()> + 'a;

/// Reads a local file: decompresses it, and passes each file of an archive (tar, zip) to `visit`, in any nesting.
pub fn unpack_file(file: Box<dyn Read + '_>, name: &str, visit: &mut FileVisitor<'_>) -> io::Result<()> {
    let unlimited =
        ExtractOptions { max_dump_bytes: u64::MAX, max_bytes_without_rdf: u64::MAX, ..ExtractOptions::default() };
    let budget = Rc::new(UnpackBudget::new(Rc::new(Cell::new(u64::MAX)), &unlimited));
    let name = file_name(name);
    LocalUnpacker { budget, visit }.open(None, &name, 0, &mut PeekReader::new(file)).map(drop)
}

struct LocalUnpacker<'v, 'a> {
    budget: Rc<UnpackBudget>,
    visit: &'v mut FileVisitor<'a>,
}

impl LocalUnpacker<'_, '_> {
    /// Opens a file that may be packed. `path` is its path if it is inside an archive.
    fn open(
        &mut self,
        path: Option<&str>,
        name: &str,
        depth: usize,
        layer: &mut PeekReader<'_>,
    ) -> io::Result<ControlFlow<()>> {
        let budget = Rc::clone(&self.budget);
        let flow = match detect_packing(layer.peek(sniff::HEAD_BYTES), name, None) {
            None => (self.visit)(path, name, layer),
            Some(_) if depth == MAX_DEPTH => {
                return Err(io::Error::other(format!("more than {MAX_DEPTH} layers of packing: {name}")));
            }
            Some(PackingKind::Unsupported(detail)) => return Err(io::Error::other(detail)),
            Some(PackingKind::Compressed(compression)) => {
                let decoder = ContentDecoder::for_file(compression, MemoryAllowance::Local);
                let decoding = DecodingReader::new(&mut *layer, decoder.map_err(peek_reader::fault_error)?);
                self.open(path, &inner_name(name), depth + 1, &mut PeekReader::new(Box::new(decoding)))?
            }
            Some(PackingKind::Tar) => self.open_container(path, depth, &mut tar::TarReader::new(layer, budget))?,
            Some(PackingKind::Zip) => self.open_container(path, depth, &mut zip::ZipReader::new(layer, budget))?,
        };
        // If the stream failed after the last byte that was used, the error is reported here.
        layer.take_error().map_or(Ok(flow), Err)
    }

    fn open_container(
        &mut self,
        path: Option<&str>,
        depth: usize,
        container: &mut dyn FileContainer,
    ) -> io::Result<ControlFlow<()>> {
        while let Some(entry) = container.next_file()? {
            let name = file_name(&entry.name);
            let extension = name.rsplit_once('.').map(|(_, extension)| extension);
            let inner = path.map_or_else(|| entry.name.clone(), |path| format!("{path}/{}", entry.name));
            match entry.content {
                EntryContent::NotAFile => {}
                EntryContent::Unsupported(what) => return Err(io::Error::other(format!("{what}: {inner}"))),
                EntryContent::File if extension.is_some_and(is_non_rdf_extension) => {}
                EntryContent::File => {
                    let mut content = PeekReader::new(Box::new(&mut *container));
                    if self.open(Some(&inner), &name, depth + 1, &mut content)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
