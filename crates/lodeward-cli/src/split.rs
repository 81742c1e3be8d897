//! The harvest as a file for each hop.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use lodeward::frontier::Frontier;
use lodeward::model::Uri;
use lodeward::open::Shelf;
use lodeward::store::output::OutputFile;
use lodeward::store::{Exported, Sorter};

use crate::target::of_hop;

/// Files that are written at a time. A crawl with more hops is read several times.
const FILES_MAX: u32 = 64;

/// Writes the harvest of a crawl, each hop into a file of its own. The files appear
/// when all of them are complete. Tells how many there are.
pub(crate) fn write_hops(shelf: &Shelf, path: &Path) -> anyhow::Result<(Exported, usize)> {
    let mut exported = Exported::default();
    let mut complete = Vec::new();
    let mut hops = 0..FILES_MAX;
    loop {
        let mut hopwise = Hopwise::new(&*shelf.frontier, path, hops.clone())?;
        let written = shelf.segments.export_sorted(&mut hopwise);
        let written = written.with_context(|| format!("cannot write {}", path.display()))?;
        exported.documents += written.documents;
        exported.quads += written.quads;
        complete.extend(hopwise.files.into_values());
        if u32::from(hopwise.deepest) < hops.end {
            break;
        }
        hops = hops.end..hops.end + FILES_MAX;
    }
    let count = complete.len();
    for file in complete {
        file.finish().with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok((exported, count))
}

/// Sorts documents by the hop that they were found at.
struct Hopwise<'a> {
    frontier: &'a dyn Frontier,
    runtime: tokio::runtime::Runtime,
    path: PathBuf,
    /// The hops that are wanted.
    hops: Range<u32>,
    files: BTreeMap<u16, OutputFile>,
    current: u16,
    /// The furthest hop seen, wanted or not.
    deepest: u16,
}

impl<'a> Hopwise<'a> {
    fn new(frontier: &'a dyn Frontier, path: &Path, hops: Range<u32>) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        Ok(Self { frontier, runtime, path: path.to_owned(), hops, files: BTreeMap::new(), current: 0, deepest: 0 })
    }
}

impl Sorter for Hopwise<'_> {
    fn turn_to(&mut self, document: &Uri) -> io::Result<bool> {
        let life = self.runtime.block_on(self.frontier.recall(document)).map_err(io::Error::other)?;
        self.current = life.map_or(0, |life| life.depth);
        self.deepest = self.deepest.max(self.current);
        if !self.hops.contains(&u32::from(self.current)) {
            return Ok(false);
        }
        if !self.files.contains_key(&self.current) {
            self.files.insert(self.current, OutputFile::create(&of_hop(&self.path, self.current))?);
        }
        Ok(true)
    }
}

impl Write for Hopwise<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.files.get_mut(&self.current) {
            Some(file) => file.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.files.values_mut().try_for_each(OutputFile::flush)
    }
}
