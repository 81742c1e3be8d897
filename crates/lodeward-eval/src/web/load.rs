//! Loading of a recorded web, with all cores.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bytes::Bytes;
use foldhash::fast::RandomState;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, ExtractSummary, Extractor as _};
use lodeward::fetch::warc::WarcReplay;
use lodeward::fetch::{FetchOutcome, FetchPurpose, FetchRequest, Fetcher as _, ResponseBody};
use lodeward::model::rdf_likelihood::is_non_rdf_extension;
use lodeward::model::{Fault, FetchFailure, Link, Uri};
use lodeward_rdf::json_ld::ContextLoader;
use oxrdf::{Quad, QuadRef};
use tokio::runtime::{Builder, Runtime};

use super::manifest::{self, ManifestEntry};
use super::packed::{LinkPacker, PackedLink};
use super::statements::PackedStatement;
use super::{GoldClass, GoldLabel, NOT_RECORDED_STATUS, PageId, RecordedWeb, WebError, WebPage, contexts};

/// Options of loading.
#[derive(Clone, Debug)]
pub struct WebLoadOptions {
    /// Options of the extractor; by default those of the crawler.
    pub options: ExtractOptions,
    /// Whether JSON-LD contexts that are not bundled are read from the recording. A crawl reads them
    /// from a directory only.
    pub recorded_contexts: bool,
    /// Whether the statements of pages are stored, for strategies that use them.
    pub keeps_statements: bool,
    /// The hosts to load; all if `None`.
    pub hosts: Option<HashSet<String>>,
    /// Number of threads; the number of cores if `None`.
    pub jobs: Option<NonZero<usize>>,
}

impl Default for WebLoadOptions {
    fn default() -> Self {
        let options = lodeward_app::settings::extract_options(&lodeward_app::settings::Config::default());
        Self { options, recorded_contexts: false, keeps_statements: false, hosts: None, jobs: None }
    }
}

/// A loaded page; `None` if it is not recorded.
type PageReadResult = Option<LoadedPage>;

/// A page with its links and statements, packed.
struct LoadedPage {
    page: WebPage,
    links: Box<[PackedLink]>,
    statements: Box<[PackedStatement]>,
}

impl From<WebPage> for LoadedPage {
    fn from(page: WebPage) -> Self {
        Self { page, links: Box::default(), statements: Box::default() }
    }
}

impl RecordedWeb {
    /// Loads the recorded web in a directory.
    pub fn load_with(directory: &Path, options: &WebLoadOptions) -> Result<Self, WebError> {
        let file = |name: &'static str| {
            let path = directory.join(name);
            let missing = || WebError::NotAWeb { directory: directory.to_owned(), missing: name };
            path.exists().then_some(path).ok_or_else(missing)
        };
        let mut rows = manifest::read_rows(&file("manifest.tsv.gz")?)?;
        rows.retain(|row| options.hosts.as_ref().is_none_or(|hosts| hosts.contains(row.uri.host())));
        let seeds = manifest::read_uri_list(&file("seeds.txt")?)?;
        let entries = match file("entry-pages.tsv") {
            Ok(path) => manifest::read_entry_pages(&path)?,
            Err(_) => Vec::new(),
        };
        let replay = Arc::new(WarcReplay::open(recording_files(directory)?)?);
        let robots = read_robots(&replay, &rows);
        let mut web = read_all(&replay, &rows, options);
        web.robots = robots;
        let recorded = |uris: Vec<Uri>, web: &Self| {
            let mut known = HashSet::new();
            uris.into_iter().filter(|uri| web.find(uri).is_some() && known.insert(uri.clone())).collect::<Vec<_>>()
        };
        web.seeds = recorded(seeds, &web);
        web.entries = recorded(entries, &web);
        if web.seeds.is_empty() {
            return Err(WebError::NoSeeds(directory.to_owned()));
        }
        Ok(web)
    }
}

/// The recordings of a directory, sorted by name.
fn recording_files(directory: &Path) -> Result<Vec<PathBuf>, WebError> {
    let unreadable = |source| WebError::File { path: directory.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".warc.gz") || name.ends_with(".warc") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(WebError::NotAWeb { directory: directory.to_owned(), missing: "*.warc.gz" });
    }
    Ok(files)
}

/// The robots.txt files of all origins that have one.
fn read_robots(replay: &WarcReplay, rows: &[ManifestEntry]) -> HashMap<String, Bytes, RandomState> {
    let runtime = runtime();
    let origins: HashSet<&str> = rows.iter().map(|row| row.uri.origin()).collect();
    let mut robots = HashMap::default();
    for origin in origins {
        let Ok(location) = Uri::parse(&format!("{origin}/robots.txt")) else { continue };
        let request = FetchRequest::new(&location, FetchPurpose::Robots);
        if let Ok(FetchOutcome::Representation(file)) = runtime.block_on(replay.fetch(request)).result
            && let ResponseBody::Buffered { bytes, truncation: None } = file.body
        {
            robots.insert(origin.to_owned(), bytes);
        }
    }
    robots
}

/// Creates a runtime for one thread. A replay never waits, but its interface is asynchronous.
pub(super) fn runtime() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime without drivers can be built")
}

fn read_all(replay: &Arc<WarcReplay>, rows: &[ManifestEntry], options: &WebLoadOptions) -> RecordedWeb {
    // The pages of the manifest are numbered before any link is packed, so the number of a page is its index.
    let packer = Mutex::new(LinkPacker::new(rows.iter().map(|row| row.uri.clone())));
    let next = AtomicUsize::new(0);
    let contexts: Arc<dyn ContextLoader> =
        if options.recorded_contexts { contexts::context_loader(replay) } else { lodeward::extract::contexts(None) };
    let work = || {
        let reader = DocumentReader::with_contexts(options.options.clone(), Arc::clone(&contexts));
        let keeps_statements = options.keeps_statements;
        let reader = RecordedPageReader { replay, reader, keeps_statements, runtime: runtime() };
        let mut read = Vec::new();
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            read.push((row.uri.clone(), reader.read(row, &packer)));
        }
        read
    };
    let jobs = options.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let mut read: HashMap<Uri, PageReadResult, RandomState> = thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a reader thread does not panic")).collect()
    });
    let (strings, uris) = packer.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
    let (mut pages, mut links, mut statements, mut ids) = (Vec::new(), Vec::new(), Vec::new(), HashMap::default());
    for (number, row) in (0..).map(PageId).zip(rows) {
        let known = read.remove(&row.uri).flatten();
        let is_recorded = known.is_some();
        let read = known.unwrap_or_else(|| page_from_row(row, NOT_RECORDED_STATUS, &ExtractSummary::default()).into());
        pages.push(read.page);
        links.push(read.links);
        statements.push(read.statements);
        if is_recorded {
            ids.insert(row.uri.clone(), number);
        }
    }
    RecordedWeb {
        pages,
        seeds: Vec::new(),
        entries: Vec::new(),
        uris,
        ids,
        links,
        statements,
        strings,
        robots: HashMap::default(),
    }
}

fn page_from_row(row: &ManifestEntry, status: u16, extracted: &ExtractSummary) -> WebPage {
    let is_expected = status == row.status;
    WebPage {
        uri: row.uri.clone(),
        status,
        label: if is_expected { row.label } else { GoldLabel::None },
        is_hard: is_expected && row.is_hard,
        class: if is_expected { row.class } else { GoldClass::Other },
        redirect: None,
        media_type: None,
        relevance: extracted.relevance,
        format: extracted.format,
        digest: extracted.digest,
        bytes: extracted.bytes,
    }
}

/// Reads pages from a recording.
struct RecordedPageReader<'a> {
    replay: &'a WarcReplay,
    reader: DocumentReader,
    keeps_statements: bool,
    runtime: Runtime,
}

impl RecordedPageReader<'_> {
    fn read(&self, row: &ManifestEntry, packer: &Mutex<LinkPacker>) -> PageReadResult {
        match self.runtime.block_on(self.replay.fetch(FetchRequest::harvest(&row.uri))).result {
            Ok(FetchOutcome::Representation(representation)) => {
                let media_type = representation.fetch.declared_media_type.clone();
                let mut sink = PageLinkSink { keeps_statements: self.keeps_statements, ..PageLinkSink::default() };
                let extracted = self.reader.extract(*representation, &mut sink);
                let mut packer = packer.lock().unwrap_or_else(PoisonError::into_inner);
                let links = sink.links.into_iter().filter_map(|link| packer.pack(link)).collect();
                let statements = sink.quads.iter().map(|quad| PackedStatement::pack(quad, &mut packer)).collect();
                Some(LoadedPage {
                    page: WebPage { media_type, ..page_from_row(row, 200, &extracted) },
                    links,
                    statements,
                })
            }
            Ok(FetchOutcome::Redirect { status, target, .. }) => {
                let redirect = target.ok();
                Some(WebPage { redirect, ..page_from_row(row, status, &ExtractSummary::default()) }.into())
            }
            Ok(FetchOutcome::Unchanged) => Some(page_from_row(row, 304, &ExtractSummary::default()).into()),
            Err(FetchFailure { status: Some(status), .. }) if status == row.status => {
                Some(page_from_row(row, status, &ExtractSummary::default()).into())
            }
            Err(_) => None,
        }
    }
}

/// Collects links whose targets may have RDF, and optionally statements.
#[derive(Default)]
struct PageLinkSink {
    keeps_statements: bool,
    links: Vec<Link>,
    quads: Vec<Quad>,
}

impl ExtractSink for PageLinkSink {
    fn quad(&mut self, quad: QuadRef<'_>) {
        if self.keeps_statements {
            self.quads.push(quad.into_owned());
        }
    }

    fn link(&mut self, link: Link) {
        if !link.target.extension().is_some_and(|extension| is_non_rdf_extension(&extension)) {
            self.links.push(link);
        }
    }

    fn fault(&mut self, _: Fault) {}
}
