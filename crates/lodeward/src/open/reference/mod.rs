//! The graph in which coherence and centrality of seeds are measured, if it is not
//! what was crawled.
//!
//! Only links count there, so only links are remembered, and no more than a crawl
//! may remember. What does not fit is passed over, and said.

mod endpoint;
mod file;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_archive::sparql::ServiceError;
use lodeward_archive::{Archive, ArchiveError};
use oxrdf::{NamedNode, QuadRef};

use super::services::paced_services;
use super::{OpenError, archive, empty_gathering};
use crate::config::Config;
use crate::model::Fault;
use crate::rank::facts::FactsReader;
use crate::rank::reference::{Reference, ReferenceProblem};
use crate::rank::{FactsOptions, Gathering};

/// Statements after which what was found is put with the rest.
const STATEMENTS_AT_ONCE: usize = 50_000;

/// A graph to measure seeds in.
pub struct ReferenceGraph {
    /// Its links.
    pub gathering: Gathering,
    /// What is to be known of it, in plain words: where it was cut, and why.
    pub notes: Vec<String>,
}

/// A reference graph cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The setting is none.
    #[error("focus.reference: {0}")]
    Setting(#[from] ReferenceProblem),
    /// There is no archive to have a graph.
    #[error("focus.reference: {} has no archive, so it has no graph {graph}: import one with `lodeward import`", .data.display())]
    NoArchive {
        /// Which data directory.
        data: PathBuf,
        /// Which graph.
        graph: NamedNode,
    },
    /// The archive does not have the graph.
    #[error("focus.reference: the archive has no graph {0}: import it with `lodeward import --graph`")]
    NoGraph(NamedNode),
    /// The archive cannot be read.
    #[error("focus.reference: the archive cannot be read")]
    Archive(#[from] ArchiveError),
    /// The file cannot be read.
    #[error("focus.reference: cannot read {}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: std::io::Error,
    },
    /// The file has no link in it.
    #[error("focus.reference: {} has no link between entities in it{}", .path.display(), because(.fault.as_ref()))]
    NoLinks {
        /// Which.
        path: PathBuf,
        /// What could not be read of it.
        fault: Option<Fault>,
    },
    /// The endpoint does not answer.
    #[error("focus.reference: endpoint {endpoint} does not answer as an endpoint does")]
    Endpoint {
        /// Which.
        endpoint: String,
        /// What is wrong.
        #[source]
        source: ServiceError,
    },
    /// Nobody can be asked at all.
    #[error(transparent)]
    Open(#[from] OpenError),
}

fn because(fault: Option<&Fault>) -> String {
    fault.map(|fault| format!(": {fault}")).unwrap_or_default()
}

/// The reference graph that a configuration names; `None` if that is what was
/// crawled. `data` is the data directory, whose archive must not be open: it is
/// opened, read and closed. An endpoint is asked for the neighbourhood of `seeds`.
///
/// Reads files and waits for answers, so it belongs on a thread that may block.
pub fn reference(
    config: &Config,
    data: &Path,
    opened: Option<&Archive>,
    seeds: &[impl AsRef<str>],
) -> Result<Option<ReferenceGraph>, ReferenceError> {
    let mut filling = Filling::new(config);
    let mut notes = match config.focus.reference.parse()? {
        Reference::Crawl => return Ok(None),
        Reference::Graph(name) => graph(config, data, opened, &name, &mut filling)?,
        Reference::File(path) => file::read(&path, &mut filling)?,
        Reference::Endpoint(address) => {
            let services = paced_services(config)?;
            endpoint::ask(&*services, address.as_str(), seeds, &mut filling)
                .map_err(|source| ReferenceError::Endpoint { endpoint: address.to_string(), source })?
        }
    };
    let gathering = filling.finish();
    if gathering.is_full() {
        notes.push(format!(
            "the reference graph is larger than focus.entities_max and focus.links_max allow: {} of its entities are \
             known",
            gathering.len()
        ));
    }
    Ok(Some(ReferenceGraph { gathering, notes }))
}

fn graph(
    config: &Config,
    data: &Path,
    opened: Option<&Archive>,
    name: &NamedNode,
    filling: &mut Filling,
) -> Result<Vec<String>, ReferenceError> {
    // Whoever opens an archive that is not there makes one.
    if opened.is_none() && !data.join("archive").is_dir() {
        return Err(ReferenceError::NoArchive { data: data.to_owned(), graph: name.clone() });
    }
    let snapshot = opened.cloned().map_or_else(|| archive(config, data), Ok)?.snapshot();
    if !snapshot.contains_named_graph(name.as_ref().into())? {
        return Err(ReferenceError::NoGraph(name.clone()));
    }
    for quad in snapshot.quads(None, None, None, Some(name.as_ref().into())) {
        filling.quad(quad?.as_ref());
        if filling.is_full() {
            break;
        }
    }
    Ok(Vec::new())
}

/// Puts links into a gathering, a few at a time.
struct Filling {
    gathering: Gathering,
    options: Arc<FactsOptions>,
    reader: FactsReader,
    statements: usize,
}

impl Filling {
    fn new(config: &Config) -> Self {
        let options = Arc::new(FactsOptions { text_properties: Vec::new(), ..FactsOptions::default() });
        let reader = FactsReader::new(Arc::clone(&options));
        Self { gathering: empty_gathering(config), options, reader, statements: 0 }
    }

    fn quad(&mut self, quad: QuadRef<'_>) {
        self.reader.quad(quad);
        self.statements += 1;
        if self.statements == STATEMENTS_AT_ONCE {
            self.put();
        }
    }

    fn put(&mut self) {
        self.statements = 0;
        let reader = std::mem::replace(&mut self.reader, FactsReader::new(Arc::clone(&self.options)));
        self.gathering.add(&reader.finish());
    }

    /// Whether anything more would be passed over.
    fn is_full(&self) -> bool {
        self.gathering.is_full()
    }

    fn finish(mut self) -> Gathering {
        self.put();
        self.gathering.tidy();
        self.gathering
    }
}
