//! Writing the harvest to one file per hop.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::output_file::OutputFile;
use lodeward::frontier::Journal;
use lodeward::model::Uri;
use lodeward::store::{DocumentRouter, ExportSummary};
use lodeward_rdf::RdfFormat;

use super::FileExportError;
use super::harvest::HarvestWriter;
use crate::crawl_dir::OpenCrawl;

/// Maximum number of files open at a time. A harvest with more hops is read several times.
const MAX_OPEN_FILES: u32 = 64;

/// The file of one hop: `out.hop-0.nq.gz` for `out.nq.gz`.
#[must_use]
pub fn hop_path(file: &Path, hop: u16) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (bare, compression) = match name.rsplit_once('.') {
        Some((bare, "gz" | "zst")) => name.split_at(bare.len()),
        _ => (&*name, ""),
    };
    // A name that begins with a dot has no extension.
    let (stem, extension) = match bare.rfind('.') {
        None | Some(0) => (bare, ""),
        Some(dot) => bare.split_at(dot),
    };
    file.with_file_name(format!("{stem}.hop-{hop}{extension}{compression}"))
}

/// Writes the harvest of a crawl to one file per hop and returns the number of files. A file gets its
/// name when it is complete.
pub fn write_hops(
    crawl: &OpenCrawl,
    path: &Path,
    format: RdfFormat,
) -> Result<(ExportSummary, usize), FileExportError> {
    let mut exported = ExportSummary::default();
    let mut files = 0;
    let failed = |source| FileExportError::Write { path: path.to_owned(), source };
    let mut hops = 0..MAX_OPEN_FILES;
    loop {
        let mut splitter = HopSplitter::new(&*crawl.frontier, path, format, hops.clone()).map_err(failed)?;
        let written = crawl.segments.export_by_document(&mut splitter);
        let written = written.map_err(|source| FileExportError::Harvest { path: path.to_owned(), source })?;
        exported.documents += written.documents;
        exported.quads += written.quads;
        files += splitter.files.len();
        for file in splitter.files.into_values() {
            file.finish().and_then(OutputFile::finish).map_err(failed)?;
        }
        if u32::from(splitter.deepest) < hops.end {
            return Ok((exported, files));
        }
        hops = hops.end..hops.end + MAX_OPEN_FILES;
    }
}

/// Routes documents to the file of their hop.
struct HopSplitter<'a> {
    journal: &'a dyn Journal,
    runtime: tokio::runtime::Runtime,
    path: PathBuf,
    /// The hops that are written in this pass.
    hops: Range<u32>,
    format: RdfFormat,
    files: BTreeMap<u16, HarvestWriter<OutputFile>>,
    current: u16,
    /// The largest hop of all documents, including hops that this pass does not write.
    deepest: u16,
}

impl<'a> HopSplitter<'a> {
    fn new(journal: &'a dyn Journal, path: &Path, format: RdfFormat, hops: Range<u32>) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let (path, files) = (path.to_owned(), BTreeMap::new());
        Ok(Self { journal, runtime, path, hops, format, files, current: 0, deepest: 0 })
    }
}

impl DocumentRouter for HopSplitter<'_> {
    fn start_document(&mut self, document: &Uri) -> io::Result<bool> {
        let record = self.runtime.block_on(self.journal.uri_record(document)).map_err(io::Error::other)?;
        self.current = record.map_or(0, |record| record.depth);
        self.deepest = self.deepest.max(self.current);
        if !self.hops.contains(&u32::from(self.current)) {
            return Ok(false);
        }
        if !self.files.contains_key(&self.current) {
            let file = OutputFile::create(&hop_path(&self.path, self.current))?;
            self.files.insert(self.current, HarvestWriter::new(self.format, file)?);
        }
        Ok(true)
    }
}

impl Write for HopSplitter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.files.get_mut(&self.current) {
            Some(file) => file.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.files.values_mut().try_for_each(Write::flush)
    }
}

#[cfg(test)]
mod tests {
    use lodeward::frontier::{FeatureVector, LeaseRequest, Offer, Settlement, SettlementKind, lease_scored};
    use lodeward::model::outcome::DocumentSummary;
    use lodeward::model::{CrawlTime, Link, LinkKind, Outcome, Relevance, StoreReceipt};
    use lodeward::select::LinkContext;
    use lodeward::select::breadth_first::queue_entry;
    use oxrdf::{NamedNode, Quad};

    use super::*;
    use crate::crawl_dir;
    use crate::data_dir::CrawlDir;
    use crate::settings::Config;

    fn uri(depth: u16) -> Uri {
        Uri::parse(&format!("http://a.example/{depth}")).unwrap()
    }

    /// A crawl with one document of one statement at each depth.
    async fn build_crawl(directory: &Path, depths: Range<u16>) -> OpenCrawl {
        let crawl = crawl_dir::open_crawl(&Config::default(), &CrawlDir::new(directory, 1), || 0).unwrap();
        for depth in depths {
            let target = uri(depth);
            let node = NamedNode::new(target.as_str()).unwrap();
            let mut draft = crawl.store.draft(&target);
            draft.append(Quad::new(node.clone(), node.clone(), node.clone(), node).as_ref());
            crawl.store.put(draft.finish()).await.unwrap();
            let relevance = Relevance::Rdf;
            let found = LinkContext { source: None, lease: None, format: "", relevance, depth, redirects: 0 };
            let candidate = queue_entry(&found, Link { target, via: LinkKind::Seed }, 0.0, FeatureVector::default());
            crawl.frontier.offer(vec![Offer::Queue(candidate)]).await.unwrap();
            let now = CrawlTime::from_hours(1);
            let lease =
                lease_scored(&*crawl.frontier, LeaseRequest::new(now, 1), |_| {}).await.unwrap().leases.remove(0);
            let kind = SettlementKind::Settled(Outcome::Document(DocumentSummary::default()));
            let settlement = Settlement::new(kind, CrawlTime::ZERO);
            crawl.frontier.settle(vec![(lease, settlement)]).await.unwrap();
        }
        crawl.store.commit().await.unwrap();
        crawl.frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
        crawl
    }

    #[test]
    fn more_hops_than_open_files_are_written_in_several_passes() {
        let directory = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let hops = u16::try_from(2 * MAX_OPEN_FILES + 3).unwrap();
        let crawl = runtime.block_on(build_crawl(&directory.path().join("crawl"), 0..hops));

        let path = directory.path().join("out.nq");
        let (exported, files) = write_hops(&crawl, &path, RdfFormat::NQuads).unwrap();

        assert_eq!(exported, ExportSummary { documents: u64::from(hops), quads: u64::from(hops) });
        assert_eq!(files, usize::from(hops));
        for hop in 0..hops {
            let text = std::fs::read_to_string(hop_path(&path, hop)).unwrap();
            assert!(text.starts_with(&format!("<{}> ", uri(hop))) && text.lines().count() == 1, "{hop}: {text}");
        }
    }

    #[test]
    fn the_file_of_a_hop_keeps_its_extensions() {
        let check = |name: &str, of_hop_2: &str| assert_eq!(hop_path(Path::new(name), 2), Path::new(of_hop_2));

        check("out.nq.gz", "out.hop-2.nq.gz");
        check("some.where/out.nq", "some.where/out.hop-2.nq");
        check("access.2026-11.log.zst", "access.2026-11.hop-2.log.zst");
        check("out", "out.hop-2");
        check("out.gz", "out.hop-2.gz");
        check(".hidden", ".hidden.hop-2");
    }
}
