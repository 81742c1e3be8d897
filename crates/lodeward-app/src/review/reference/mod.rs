//! Loads the reference graph, in which coherence and centrality of seeds are measured.
//!
//! Only its links are loaded, up to the limits of a crawl. If it exceeds them, a note reports it.

mod endpoint;
mod file;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_archive::sparql::ServiceCallError;
use lodeward_archive::{Archive, ArchiveError};
use oxrdf::{NamedNode, QuadRef};

use super::load_facts::empty_fact_base;
use crate::crawl_dir::OpenCrawl;
use crate::federation::paced_service_handler;
use crate::followers::{ARCHIVE_DIR, open_archive};
use crate::settings::Config;
use crate::settings::{ReferenceSource, ReferenceSourceError};
use lodeward::fetch::FetchOptionsError;
use lodeward::model::{Fault, Uri};
use lodeward::select::FactsOptions;
use lodeward::select::facts::FactsReader;
use lodeward_focus::rank::FactBase;

/// Number of statements that are added to the fact base at once.
const STATEMENTS_PER_BATCH: usize = 50_000;

/// A graph in which coherence and centrality of seeds are measured.
pub struct ReferenceGraph {
    /// The links of the graph.
    pub facts: FactBase,
    /// Notes for the user: what is missing, and why.
    pub notes: Vec<String>,
}

/// A reference graph cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The setting is invalid.
    #[error("ranking.reference_graph: {0}")]
    Setting(#[from] ReferenceSourceError),
    /// The data directory has no archive.
    #[error("ranking.reference_graph: {} has no archive with graph {graph}; hint: import it with `lodeward import --graph`", .data.display())]
    NoArchive {
        /// The data directory.
        data: PathBuf,
        /// The name of the configured graph.
        graph: NamedNode,
    },
    /// The archive does not have the graph.
    #[error("ranking.reference_graph: the archive has no graph {0}; hint: import it with `lodeward import --graph`")]
    NoGraph(NamedNode),
    /// The archive cannot be read.
    #[error("ranking.reference_graph: cannot read the archive")]
    Archive(#[from] ArchiveError),
    /// The file cannot be read.
    #[error("ranking.reference_graph: cannot read {}", .path.display())]
    File {
        /// The path of the configured file.
        path: PathBuf,
        /// Why loading failed.
        #[source]
        source: std::io::Error,
    },
    /// The file has no links between entities.
    #[error("ranking.reference_graph: {} has no links between entities{}", .path.display(), fault_suffix(.fault.as_ref()))]
    NoLinks {
        /// The path of the configured file.
        path: PathBuf,
        /// The first fault in the file.
        fault: Option<Fault>,
    },
    /// The first query to the endpoint failed.
    #[error("ranking.reference_graph: query to endpoint {endpoint} failed")]
    Endpoint {
        /// The URL of the endpoint.
        endpoint: String,
        /// Why loading failed.
        #[source]
        source: ServiceCallError,
    },
    /// The options of requests are invalid.
    #[error(transparent)]
    Fetch(#[from] FetchOptionsError),
}

fn fault_suffix(fault: Option<&Fault>) -> String {
    fault.map(|fault| format!(": {fault}")).unwrap_or_default()
}

/// Returns the reference graph of a crawl, if it is not the crawl itself, and logs its notes.
pub fn load_crawl_reference(
    config: &Config,
    crawl: &OpenCrawl,
    seeds: &[Uri],
) -> Result<Option<ReferenceGraph>, ReferenceError> {
    let seeds: Vec<&str> = seeds.iter().map(Uri::as_str).collect();
    let found = load_reference(config, crawl.dir.data(), crawl.targets.archive(), &seeds)?;
    for note in found.iter().flat_map(|reference| &reference.notes) {
        tracing::warn!("{note}");
    }
    Ok(found)
}

/// Loads the configured reference graph; `None` if it is the crawl itself. `data` is the data
/// directory; its archive is opened, read and closed, unless `opened` is given. An endpoint is
/// queried for the neighbourhood of `seeds`. Blocks.
pub fn load_reference(
    config: &Config,
    data: &Path,
    opened: Option<&Archive>,
    seeds: &[impl AsRef<str>],
) -> Result<Option<ReferenceGraph>, ReferenceError> {
    let mut loader = ReferenceLoader::new(config);
    let mut notes = match config.ranking.reference_graph.parse()? {
        ReferenceSource::Crawl => return Ok(None),
        ReferenceSource::Graph(name) => load_graph(config, data, opened, &name, &mut loader)?,
        ReferenceSource::File(path) => file::read(&path, &mut loader)?,
        ReferenceSource::Endpoint(url) => {
            let services = paced_service_handler(config)?;
            endpoint::load_neighbourhood(&*services, url.as_str(), seeds, &mut loader)
                .map_err(|source| ReferenceError::Endpoint { endpoint: url.to_string(), source })?
        }
    };
    let facts = loader.finish();
    if facts.is_full() {
        notes.push(format!(
            "the reference graph exceeds the limit of {} entities and {} links: {} of its entities are loaded",
            config.ranking.limits.max_entities,
            config.ranking.limits.max_links,
            facts.len()
        ));
    }
    Ok(Some(ReferenceGraph { facts, notes }))
}

fn load_graph(
    config: &Config,
    data: &Path,
    opened: Option<&Archive>,
    name: &NamedNode,
    loader: &mut ReferenceLoader,
) -> Result<Vec<String>, ReferenceError> {
    // Checked first, because opening an archive would create it.
    if opened.is_none() && !data.join(ARCHIVE_DIR).is_dir() {
        return Err(ReferenceError::NoArchive { data: data.to_owned(), graph: name.clone() });
    }
    let snapshot = opened.cloned().map_or_else(|| open_archive(config, data), Ok)?.snapshot();
    if !snapshot.contains_named_graph(name.as_ref().into())? {
        return Err(ReferenceError::NoGraph(name.clone()));
    }
    for quad in snapshot.quads(None, None, None, Some(name.as_ref().into())) {
        loader.quad(quad?.as_ref());
        if loader.is_full() {
            break;
        }
    }
    Ok(Vec::new())
}

/// Adds links to a fact base, in batches.
pub(crate) struct ReferenceLoader {
    facts: FactBase,
    options: Arc<FactsOptions>,
    reader: FactsReader,
    statements: usize,
}

impl ReferenceLoader {
    pub(crate) fn new(config: &Config) -> Self {
        Self::with_texts(config, &[])
    }

    /// A loader that also reads the texts of these properties.
    pub(crate) fn with_texts(config: &Config, properties: &[&str]) -> Self {
        let text_properties = properties.iter().map(|property| (*property).to_owned()).collect();
        let options = Arc::new(FactsOptions { text_properties, ..FactsOptions::default() });
        let reader = FactsReader::new(Arc::clone(&options));
        Self { facts: empty_fact_base(config), options, reader, statements: 0 }
    }

    pub(crate) fn quad(&mut self, quad: QuadRef<'_>) {
        self.reader.add_quad(quad);
        self.statements += 1;
        if self.statements == STATEMENTS_PER_BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.statements = 0;
        let reader = std::mem::replace(&mut self.reader, FactsReader::new(Arc::clone(&self.options)));
        self.facts.add(&reader.finish());
    }

    /// Whether the limits are reached.
    fn is_full(&self) -> bool {
        self.facts.is_full()
    }

    pub(crate) fn finish(mut self) -> FactBase {
        self.flush();
        self.facts.dedup();
        self.facts
    }
}
