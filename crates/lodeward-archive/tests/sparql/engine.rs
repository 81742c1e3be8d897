//! The archive and Oxigraph behind one trait.

use std::cell::RefCell;
use std::error::Error;
use std::sync::Arc;

use lodeward_archive::sparql::{QueryOptions, QueryOutput, ServiceHandler, UpdateOptions};
use lodeward_archive::{Archive, Options};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use oxrdf::{Quad, Term, Triple, Variable};
use tempfile::TempDir;

/// A query result that has been read completely.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Rows { variables: Vec<Variable>, rows: Vec<Vec<Option<Term>>> },
    Boolean(bool),
    Graph(Vec<Triple>),
}

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// A SPARQL engine.
pub(crate) trait Engine {
    fn load(&mut self, quads: &[Quad]) -> Result<(), Failure>;
    fn query(
        &self,
        sparql: &str,
        base_iri: &str,
        services: Option<Arc<dyn ServiceHandler>>,
    ) -> Result<Outcome, Failure>;
    fn update(&mut self, sparql: &str, base_iri: &str) -> Result<(), Failure>;
    /// All quads, and the names of all named graphs.
    fn content(&self) -> Result<(Vec<Quad>, Vec<Term>), Failure>;
}

/// An archive in its own directory.
pub(crate) struct ArchiveEngine {
    pub(crate) archive: Archive,
    // The archive must be closed first: fields are dropped in order.
    directory: Option<TempDir>,
}

thread_local! {
    /// Emptied archives for reuse: opening a new one takes longer than most tests.
    static USED: RefCell<Vec<(Archive, TempDir)>> = const { RefCell::new(Vec::new()) };
}

impl ArchiveEngine {
    pub(crate) fn new() -> Self {
        if let Some((archive, directory)) = USED.with_borrow_mut(Vec::pop) {
            return Self { archive, directory: Some(directory) };
        }
        let directory = tempfile::tempdir().expect("a directory");
        let archive = Archive::open(directory.path(), &Options::default()).expect("an archive");
        Self { archive, directory: Some(directory) }
    }

    /// Closes and reopens the archive: committed changes must exist.
    pub(crate) fn reopen(mut self) -> Self {
        let directory = self.directory.take().expect("the archive is open");
        drop(self);
        let archive = Archive::open(directory.path(), &Options::default()).expect("the same archive");
        Self { archive, directory: Some(directory) }
    }
}

impl Drop for ArchiveEngine {
    fn drop(&mut self) {
        let Some(directory) = self.directory.take() else { return };
        if !std::thread::panicking() && self.archive.update("DROP ALL", &UpdateOptions::default()).is_ok() {
            USED.with_borrow_mut(|used| used.push((self.archive.clone(), directory)));
        }
    }
}

impl Engine for ArchiveEngine {
    fn load(&mut self, quads: &[Quad]) -> Result<(), Failure> {
        let mut transaction = self.archive.begin();
        for quad in quads {
            transaction.insert(quad.as_ref())?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn query(
        &self,
        sparql: &str,
        base_iri: &str,
        services: Option<Arc<dyn ServiceHandler>>,
    ) -> Result<Outcome, Failure> {
        let options = QueryOptions { base_iri: Some(base_iri.to_owned()), services, ..QueryOptions::default() };
        read(self.archive.snapshot().query(sparql, &options)?)
    }

    fn update(&mut self, sparql: &str, base_iri: &str) -> Result<(), Failure> {
        let options = UpdateOptions { base_iri: Some(base_iri.to_owned()), ..UpdateOptions::default() };
        self.archive.update(sparql, &options)?;
        Ok(())
    }

    fn content(&self) -> Result<(Vec<Quad>, Vec<Term>), Failure> {
        let snapshot = self.archive.snapshot();
        let quads = snapshot.quads(None, None, None, None).collect::<Result<Vec<_>, _>>()?;
        let graphs = snapshot.named_graphs().map(|name| name.map(Term::from)).collect::<Result<_, _>>()?;
        assert_eq!(snapshot.len()?, quads.len() as u64, "the counter matches the quads");
        Ok((quads, graphs))
    }
}

/// Reads a result of the archive completely.
pub(crate) fn read(output: QueryOutput) -> Result<Outcome, Failure> {
    Ok(match output {
        QueryOutput::Boolean(value) => Outcome::Boolean(value),
        QueryOutput::Graph(triples) => Outcome::Graph(triples.collect::<Result<_, _>>()?),
        QueryOutput::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let rows = solutions.map(|row| Ok(row?.values().to_vec())).collect::<Result<_, Failure>>()?;
            Outcome::Rows { variables, rows }
        }
    })
}

/// Oxigraph in memory.
pub(crate) struct OxigraphEngine(pub(crate) Store);

impl OxigraphEngine {
    pub(crate) fn new() -> Self {
        Self(Store::new().expect("a store in memory"))
    }
}

impl Engine for OxigraphEngine {
    fn load(&mut self, quads: &[Quad]) -> Result<(), Failure> {
        self.0.extend(quads.iter().cloned())?;
        Ok(())
    }

    fn query(&self, sparql: &str, base_iri: &str, _: Option<Arc<dyn ServiceHandler>>) -> Result<Outcome, Failure> {
        let query = SparqlEvaluator::new().with_base_iri(base_iri)?.parse_query(sparql)?;
        Ok(match query.on_store(&self.0).execute()? {
            QueryResults::Boolean(value) => Outcome::Boolean(value),
            QueryResults::Graph(triples) => Outcome::Graph(triples.collect::<Result<_, _>>()?),
            QueryResults::Solutions(solutions) => {
                let variables = solutions.variables().to_vec();
                let rows = solutions.map(|row| Ok(row?.values().to_vec())).collect::<Result<_, Failure>>()?;
                Outcome::Rows { variables, rows }
            }
        })
    }

    fn update(&mut self, sparql: &str, base_iri: &str) -> Result<(), Failure> {
        let update = SparqlEvaluator::new().with_base_iri(base_iri)?.parse_update(sparql)?;
        Ok(update.on_store(&self.0).execute()?)
    }

    fn content(&self) -> Result<(Vec<Quad>, Vec<Term>), Failure> {
        let quads = self.0.iter().collect::<Result<Vec<_>, _>>()?;
        let graphs = self.0.named_graphs().map(|name| name.map(Term::from)).collect::<Result<_, _>>()?;
        Ok((quads, graphs))
    }
}
