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

/// Writes the harvest of a crawl, each hop into a file of its own, which appears
/// when it is complete. Tells how many there are.
pub(crate) fn write_hops(shelf: &Shelf, path: &Path) -> anyhow::Result<(Exported, usize)> {
    let mut exported = Exported::default();
    let mut files = 0;
    let failed = || format!("cannot write {}", path.display());
    let mut hops = 0..FILES_MAX;
    loop {
        let mut hopwise = Hopwise::new(&*shelf.frontier, path, hops.clone())?;
        let written = shelf.segments.export_sorted(&mut hopwise);
        let written = written.with_context(failed)?;
        exported.documents += written.documents;
        exported.quads += written.quads;
        files += hopwise.files.len();
        for file in hopwise.files.into_values() {
            file.finish().with_context(failed)?;
        }
        if u32::from(hopwise.deepest) < hops.end {
            return Ok((exported, files));
        }
        hops = hops.end..hops.end + FILES_MAX;
    }
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

#[cfg(test)]
mod tests {
    use lodeward::config::Config;
    use lodeward::frontier::{AsQueued, Fate, Offer, Settlement};
    use lodeward::model::outcome::Document;
    use lodeward::model::{Features, Link, Moment, Outcome, Relevance, Via};
    use lodeward::open;
    use lodeward::select::Found;
    use lodeward::select::breadth_first::candidate;
    use oxrdf::{NamedNode, Quad};

    use super::*;

    fn uri(depth: u16) -> Uri {
        Uri::parse(&format!("http://a.example/{depth}")).unwrap()
    }

    /// A crawl with one document of one statement at each depth.
    async fn crawled(folder: &Path, depths: Range<u16>) -> Shelf {
        let shelf = open::shelf(&Config::default(), folder, || 0).unwrap();
        for depth in depths {
            let target = uri(depth);
            let node = NamedNode::new(target.as_str()).unwrap();
            let mut draft = shelf.store.draft(&target);
            draft.append(Quad::new(node.clone(), node.clone(), node.clone(), node).as_ref());
            shelf.store.put(draft.finish()).await.unwrap();
            let relevance = Relevance::Rdf;
            let found = Found { source: None, visit: None, syntax: "", relevance, depth, redirects: 0 };
            let candidate = candidate(&found, Link { target, via: Via::Seed }, 0.0, Features::default());
            shelf.frontier.offer(vec![Offer::Queue(candidate)]).await.unwrap();
            let now = Moment::from_hours(1);
            let visit = shelf.frontier.lease(now, 1, &mut AsQueued).await.unwrap().visits.remove(0);
            let fate = Fate::Done(Outcome::Document(Document::default()));
            shelf.frontier.settle(visit, Settlement { fate, rest_until: Moment::ZERO }).await.unwrap();
        }
        shelf.store.commit().await.unwrap();
        shelf.frontier.commit(b"").await.unwrap();
        shelf
    }

    #[test]
    fn more_hops_than_files_are_open_at_a_time_are_written_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let hops = u16::try_from(2 * FILES_MAX + 3).unwrap();
        let shelf = runtime.block_on(crawled(&folder.path().join("crawl"), 0..hops));

        let path = folder.path().join("out.nq");
        let (exported, files) = write_hops(&shelf, &path).unwrap();

        assert_eq!(exported, Exported { documents: u64::from(hops), quads: u64::from(hops) });
        assert_eq!(files, usize::from(hops));
        for hop in 0..hops {
            let text = std::fs::read_to_string(of_hop(&path, hop)).unwrap();
            assert!(text.starts_with(&format!("<{}> ", uri(hop))) && text.lines().count() == 1, "{hop}: {text}");
        }
    }
}
