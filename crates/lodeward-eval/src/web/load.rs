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
use oxrdf::QuadRef;
use tokio::runtime::{Builder, Runtime};

use super::contexts;
use super::manifest::{self, Row};
use super::packed::{PackedLink, Packer};
use super::{Class, Label, NOT_RECORDED, Page, PageId, Web, WebError};

/// How a recorded web is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// How the extractor reads: as the crawler's does.
    pub options: Options,
    /// Whether JSON-LD contexts that are not bundled are looked for in the
    /// recording. A crawl looks for them in a folder only, if it has one.
    pub recorded_contexts: bool,
    /// The only hosts that are read, if not all.
    pub hosts: Option<HashSet<String>>,
    /// How many threads read; as many as there are cores if `None`.
    pub jobs: Option<NonZero<usize>>,
}

impl Default for Reading {
    fn default() -> Self {
        let options = lodeward::open::extract_options(&lodeward::config::Config::default());
        Self { options, recorded_contexts: false, hosts: None, jobs: None }
    }
}

/// A page that has been read, its links packed; `None` if it was not recorded.
type Read = Option<(Page, Box<[PackedLink]>)>;

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
        let reader = PageReader { replay, reader, runtime: runtime() };
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
    let (mut pages, mut links, mut places) = (Vec::new(), Vec::new(), HashMap::default());
    for (number, row) in (0..).map(PageId).zip(rows) {
        let known = read.remove(&row.uri).flatten();
        let is_recorded = known.is_some();
        let (page, packed) = known.unwrap_or_else(|| (page(row, NOT_RECORDED, &Extracted::default()), Box::default()));
        pages.push(page);
        links.push(packed);
        if is_recorded {
            places.insert(row.uri.clone(), number);
        }
    }
    Web { pages, seeds: Vec::new(), entries: Vec::new(), addresses, places, links, strings, robots: HashMap::default() }
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
    runtime: Runtime,
}

impl PageReader<'_> {
    fn read(&self, row: &Row, packer: &Mutex<Packer>) -> Read {
        match self.runtime.block_on(self.replay.fetch(&row.uri, Purpose::Harvest)) {
            Ok(Fetched::Representation(representation)) => {
                let media_type = representation.content_type.clone();
                let mut basket = Basket::default();
                let extracted = self.reader.extract(*representation, &mut basket);
                let mut packer = packer.lock().unwrap_or_else(PoisonError::into_inner);
                let links = basket.0.into_iter().filter_map(|link| packer.pack(link)).collect();
                Some((Page { media_type, ..page(row, 200, &extracted) }, links))
            }
            Ok(Fetched::Redirect { status, target }) => {
                let redirect = target.ok();
                Some((Page { redirect, ..page(row, status, &Extracted::default()) }, Box::default()))
            }
            Ok(Fetched::Unchanged) => Some((page(row, 304, &Extracted::default()), Box::default())),
            Err(Refusal { status: Some(status), .. }) if status == row.status => {
                Some((page(row, status, &Extracted::default()), Box::default()))
            }
            Err(_) => None,
        }
    }
}

/// Takes links whose targets may hold RDF, and nothing else.
#[derive(Default)]
struct Basket(Vec<Link>);

impl Sink for Basket {
    fn quad(&mut self, _: QuadRef<'_>) {}

    fn link(&mut self, link: Link) {
        if !link.target.extension().is_some_and(|extension| is_barren_extension(&extension)) {
            self.0.push(link);
        }
    }

    fn fault(&mut self, _: Fault) {}
}
