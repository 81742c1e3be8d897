//! Assembles a crawl from the settings.
//!
//! Together with [`crawl_dir`](crate::crawl_dir), this is the only module that names concrete
//! backends: all others use the traits [`Frontier`](lodeward::frontier::Frontier) and
//! [`Store`](lodeward::store::Store).

mod candidate_search;
mod contact;
mod focus;
mod strategy;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::quarantine::QuarantineExtractor;
use lodeward::crawl::CrawlBuilder;
use lodeward::extract::{self, DocumentReader};
use lodeward::fetch::warc::{ReplayError, WarcOptions, WarcRecorder, WarcReplay};
use lodeward::fetch::{FetchOptions, FetchOptionsError, Fetcher, HttpFetcher};
use lodeward::model::Uri;
use lodeward::select::StrategyError;
use lodeward::store::StoreError;
use lodeward_rdf::json_ld::ContextLoader;

pub use candidate_search::FoundCandidatesError;
pub(crate) use candidate_search::find_candidates;
pub use contact::has_required_contact;
pub(crate) use contact::limit_to_loopback;
pub use strategy::{saved_strategy, strategy};

use crate::crawl_dir::{CrawlOpenError, NowMs, OpenCrawl};
use crate::data_dir::DataDirError;
use crate::disk_space::FreeSpaceFloor;
use crate::followers::TargetError;
use crate::model_store::FileModelStore;
use crate::removal_list::RemovalListError;
use crate::review::{MarksError, ReferenceError};
use crate::settings::{self, Config, discover_policy, engine_options, extract_options, fetch_options, scope};

/// A crawl cannot be assembled from its settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssembleError {
    /// Documents that were lost in a power cut cannot be queued again.
    #[error(transparent)]
    Open(#[from] CrawlOpenError),
    /// The harvest cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The options of HTTP requests are invalid.
    #[error(transparent)]
    Fetch(#[from] FetchOptionsError),
    /// A target that the crawl requires cannot be opened, such as a remote store with invalid
    /// settings.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A WARC file cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// WARC files cannot be written.
    #[error("cannot record into {path}")]
    Record {
        /// The path of the directory.
        path: PathBuf,
        /// Why the operation on the directory failed.
        #[source]
        source: std::io::Error,
    },
    /// The log of documents being read, or the list of quarantined ones, cannot be read or written.
    #[error("cannot open reading.log and quarantine.txt in {path}")]
    Quarantine {
        /// The path of the directory.
        path: PathBuf,
        /// Why the operation on the directory failed.
        #[source]
        source: std::io::Error,
    },
    /// The directory of JSON-LD contexts does not exist.
    #[error("extract.contexts: no such directory: {}", .0.display())]
    Contexts(PathBuf),
    /// The strategy cannot be created.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// A file of the crawl cannot be read.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The reference graph cannot be loaded.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// The marks of candidates cannot be read.
    #[error(transparent)]
    Marks(#[from] MarksError),
    /// An earlier run has used the opened crawl.
    #[error("cannot run crawl {}: an earlier run has used it since it was opened", .0.display())]
    EarlierRun(PathBuf),
    /// The words of a focused crawl cannot be searched.
    #[error(transparent)]
    Found(#[from] FoundCandidatesError),
    /// The list of removed documents cannot be read.
    #[error(transparent)]
    Removal(#[from] RemovalListError),
    /// A pattern is not a regular expression.
    #[error("invalid regular expression")]
    Pattern(#[from] regex::Error),
}

/// A crawl that is ready to run, and its recorder.
pub struct AssembledCrawl {
    /// The crawl. The caller may add observers and share politeness.
    pub crawl: CrawlBuilder,
    /// The WARC recorder, if requests are recorded. It reports its errors at the end.
    pub recorder: Option<Arc<WarcRecorder<HttpFetcher>>>,
}

/// Assembles a crawl. `seeds` are all of its seeds, from all runs.
pub fn assemble_crawl(
    config: &Config,
    open: &OpenCrawl,
    seeds: &[Uri],
    now: NowMs,
) -> Result<AssembledCrawl, AssembleError> {
    let options = fetch_options(config)?;
    let product_token = options.product_token();
    let (fetcher, recorder) = fetcher(config, options, seeds, now)?;
    let model_store = FileModelStore::for_crawl(open.dir.path());
    let strategy = match config.crawl.strategy {
        // The strategy is created before the followers start: both may open the archive, which
        // cannot be opened twice.
        settings::StrategyKind::Focus => Box::new(focus::resume(config, open, seeds)?),
        _ => strategy(config, model_store.read().as_deref())?,
    };
    // The harvest is recovered before followers read it.
    let requeued = open.requeue_lost()?;
    let followers = open.targets.start(config, &open.dir, open.segments.log(), seeds)?;
    let reader = DocumentReader::with_contexts(extract_options(config), contexts(config)?);
    let path = open.dir.path();
    let reader = QuarantineExtractor::open(reader, path)
        .map_err(|source| AssembleError::Quarantine { path: path.to_owned(), source })?;
    let crawl = CrawlBuilder {
        scope: scope(config, seeds)?,
        discover: discover_policy(config),
        options: engine_options(config, product_token, now),
        model_store: Some(Arc::new(model_store)),
        followers,
        requeued,
        wait_reasons: Arc::clone(&open.wait_reasons),
        disk_space: Some(Arc::new(FreeSpaceFloor::new(path, config.store.min_free_space.0))),
        ..CrawlBuilder::new(Arc::clone(&open.frontier), strategy, fetcher, Arc::new(reader), Arc::clone(&open.store))
    };
    Ok(AssembledCrawl { crawl, recorder })
}

/// The available JSON-LD contexts.
fn contexts(config: &Config) -> Result<Arc<dyn ContextLoader>, AssembleError> {
    let contexts = config.extract.contexts.as_str();
    let directory = (contexts != settings::BUNDLED_CONTEXTS).then(|| Path::new(contexts));
    match directory.filter(|directory| !directory.is_dir()) {
        Some(missing) => Err(AssembleError::Contexts(missing.to_owned())),
        None => Ok(extract::contexts(directory)),
    }
}

type FetcherAndRecorder = (Arc<dyn Fetcher>, Option<Arc<WarcRecorder<HttpFetcher>>>);

fn fetcher(
    config: &Config,
    options: FetchOptions,
    seeds: &[Uri],
    now: NowMs,
) -> Result<FetcherAndRecorder, AssembleError> {
    let recordings: Vec<PathBuf> = config.fetch.replay.iter().map(PathBuf::from).collect();
    if !recordings.is_empty() {
        return Ok((Arc::new(WarcReplay::open(recordings)?), None));
    }
    let fetcher = HttpFetcher::new(options)?;
    // Without its proxy, a crawl would retry every seed for minutes and then abandon all domains.
    fetcher.require_proxy(seeds)?;
    let Some(directory) = config.fetch.warc_dir.as_ref().map(PathBuf::from) else {
        return Ok((Arc::new(fetcher), None));
    };
    let options = WarcOptions { dir: directory.clone(), ..WarcOptions::default() };
    let recorder =
        WarcRecorder::new(fetcher, options, now).map_err(|source| AssembleError::Record { path: directory, source })?;
    let recorder = Arc::new(recorder);
    Ok((Arc::clone(&recorder) as Arc<dyn Fetcher>, Some(recorder)))
}
