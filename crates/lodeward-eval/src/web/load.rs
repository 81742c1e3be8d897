//! Reading a recorded web, once, with all cores.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bytes::Bytes;
use foldhash::fast::RandomState;
use lodeward::extract::{Extracted, Extractor as _, Options, Reader, Sink};
use lodeward::fetch::warc::Replay;
use lodeward::fetch::{Body, Fetched, Fetcher as _, Purpose, Refusal};
use lodeward::model::media_type::is_barren_extension;
use lodeward::model::{Fault, Link, Uri};
use lodeward_markup::json_ld::Contexts;
use oxrdf::{Quad, QuadRef};
use tokio::runtime::{Builder, Runtime};

use super::contexts;
use super::manifest::{self, Row};
use super::packed::{PackedLink, Packer};
use super::statements::PackedStatement;
use super::{Class, Label, NOT_RECORDED, Page, PageId, Web, WebError};

/// How a recorded web is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// How the extractor reads: as the crawler's does.
    pub options: Options,
    /// Whether JSON-LD contexts that are not bundled are looked for in the
    /// recording. A crawl looks for them in a folder only, if it has one.
    pub recorded_contexts: bool,
    /// Whether it is kept what pages say, for strategies that want to read it.
    pub keeps_statements: bool,
    /// The only hosts that are read, if not all.
    pub hosts: Option<HashSet<String>>,
    /// How many threads read; as many as there are cores if `None`.
    pub jobs: Option<NonZero<usize>>,
}

impl Default for Reading {
    fn default() -> Self {
        let options = lodeward::open::extract_options(&lodeward::config::Config::default());
        Self { options, recorded_contexts: false, keeps_statements: false, hosts: None, jobs: None }
    }
}

/// A page that has been read; `None` if it was not recorded.
type Read = Option<ReadPage>;

/// A page, its links and what it says, packed.
struct ReadPage {
    page: Page,
    links: Box<[PackedLink]>,
    statements: Box<[PackedStatement]>,
}

impl From<Page> for ReadPage {
    fn from(page: Page) -> Self {
        Self { page, links: Box::default(), statements: Box::default() }
    }
}

impl Web {
    /// Reads a folder.
    pub fn load_with(directory: &Path, reading: &Reading) -> Result<Self, WebError> {
        let file = |name: &'static str| {
            let path = directory.join(name);
            let missing = || WebError::NotAWeb { directory: directory.to_owned(), missing: name };
            path.exists().then_some(path).ok_or_else(missing)
        };
        let mut rows = manifest::rows(&file("manifest.tsv.gz")?)?;
        rows.retain(|row| reading.hosts.as_ref().is_none_or(|hosts| hosts.contains(row.uri.host())));
        let seeds = manifest::list(&file("seeds.txt")?)?;
        let entries = match file("entry-pages.tsv") {
            Ok(path) => manifest::entries(&path)?,
            Err(_) => Vec::new(),
        };
        let replay = Arc::new(Replay::open(recordings(directory)?)?);
        let robots = robots(&replay, &rows);
        let mut web = read_all(&replay, &rows, reading);
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

/// The recordings of a folder, in the order of their names.
fn recordings(directory: &Path) -> Result<Vec<PathBuf>, WebError> {
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
fn robots(replay: &Replay, rows: &[Row]) -> HashMap<String, Bytes, RandomState> {
    let runtime = runtime();
    let origins: HashSet<&str> = rows.iter().map(|row| row.uri.origin()).collect();
    let mut robots = HashMap::default();
    for origin in origins {
        let Ok(location) = Uri::parse(&format!("{origin}/robots.txt")) else { continue };
        if let Ok(Fetched::Representation(file)) = runtime.block_on(replay.fetch(&location, Purpose::Robots))
            && let Body::Whole { bytes, cut: None } = file.body
        {
            robots.insert(origin.to_owned(), bytes);
        }
    }
    robots
}

/// A replay does not wait for anybody, but is asked as if it might.
pub(super) fn runtime() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime without drivers needs nothing")
}

fn read_all(replay: &Arc<Replay>, rows: &[Row], reading: &Reading) -> Web {
    // First without what was not recorded, so that pages have their numbers
    // before the first link is packed.
    let packer = Mutex::new(Packer::new(rows.iter().map(|row| row.uri.clone())));
    let next = AtomicUsize::new(0);
    let contexts: Arc<dyn Contexts> =
        if reading.recorded_contexts { contexts::recorded(replay) } else { lodeward::extract::contexts(None) };
    let work = || {
        let reader = Reader::with_contexts(reading.options.clone(), Arc::clone(&contexts));
        let keeps_statements = reading.keeps_statements;
        let reader = PageReader { replay, reader, keeps_statements, runtime: runtime() };
        let mut read = Vec::new();
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            read.push((row.uri.clone(), reader.read(row, &packer)));
        }
        read
    };
    let jobs = reading.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let mut read: HashMap<Uri, Read, RandomState> = thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a reader catches its panics")).collect()
    });
    let (strings, addresses) = packer.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
    let (mut pages, mut links, mut statements, mut places) = (Vec::new(), Vec::new(), Vec::new(), HashMap::default());
    for (number, row) in (0..).map(PageId).zip(rows) {
        let known = read.remove(&row.uri).flatten();
        let is_recorded = known.is_some();
        let read = known.unwrap_or_else(|| page(row, NOT_RECORDED, &Extracted::default()).into());
        pages.push(read.page);
        links.push(read.links);
        statements.push(read.statements);
        if is_recorded {
            places.insert(row.uri.clone(), number);
        }
    }
    Web {
        pages,
        seeds: Vec::new(),
        entries: Vec::new(),
        addresses,
        places,
        links,
        statements,
        strings,
        robots: HashMap::default(),
    }
}

fn page(row: &Row, status: u16, extracted: &Extracted) -> Page {
    let is_same = status == row.status;
    Page {
        uri: row.uri.clone(),
        status,
        label: if is_same { row.label } else { Label::None },
        is_hard: is_same && row.is_hard,
        class: if is_same { row.class } else { Class::Other },
        redirect: None,
        media_type: None,
        relevance: extracted.relevance,
        syntax: extracted.syntax,
        digest: extracted.digest,
        bytes: extracted.bytes,
    }
}

/// Reads one page after the other.
struct PageReader<'a> {
    replay: &'a Replay,
    reader: Reader,
    keeps_statements: bool,
    runtime: Runtime,
}

impl PageReader<'_> {
    fn read(&self, row: &Row, packer: &Mutex<Packer>) -> Read {
        match self.runtime.block_on(self.replay.fetch(&row.uri, Purpose::Harvest)) {
            Ok(Fetched::Representation(representation)) => {
                let media_type = representation.content_type.clone();
                let mut basket = Basket { keeps_statements: self.keeps_statements, ..Basket::default() };
                let extracted = self.reader.extract(*representation, &mut basket);
                let mut packer = packer.lock().unwrap_or_else(PoisonError::into_inner);
                let links = basket.links.into_iter().filter_map(|link| packer.pack(link)).collect();
                let statements = basket.quads.iter().map(|quad| PackedStatement::pack(quad, &mut packer)).collect();
                Some(ReadPage { page: Page { media_type, ..page(row, 200, &extracted) }, links, statements })
            }
            Ok(Fetched::Redirect { status, target }) => {
                let redirect = target.ok();
                Some(Page { redirect, ..page(row, status, &Extracted::default()) }.into())
            }
            Ok(Fetched::Unchanged) => Some(page(row, 304, &Extracted::default()).into()),
            Err(Refusal { status: Some(status), .. }) if status == row.status => {
                Some(page(row, status, &Extracted::default()).into())
            }
            Err(_) => None,
        }
    }
}

/// Takes links whose targets may hold RDF, and statements if they are to be kept.
#[derive(Default)]
struct Basket {
    keeps_statements: bool,
    links: Vec<Link>,
    quads: Vec<Quad>,
}

impl Sink for Basket {
    fn quad(&mut self, quad: QuadRef<'_>) {
        if self.keeps_statements {
            self.quads.push(quad.into_owned());
        }
    }

    fn link(&mut self, link: Link) {
        if !link.target.extension().is_some_and(|extension| is_barren_extension(&extension)) {
            self.links.push(link);
        }
    }

    fn fault(&mut self, _: Fault) {}
}
