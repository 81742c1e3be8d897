//! The archive and oxigraph, behind one face.

use std::cell::RefCell;
use std::error::Error;
use std::sync::Arc;

use lodeward_archive::sparql::{Answer, QueryOptions, Services, UpdateOptions};
use lodeward_archive::{Archive, Options};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use oxrdf::{Quad, Term, Triple, Variable};
use tempfile::TempDir;

/// An answer that has been read to its end.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Rows { variables: Vec<Variable>, rows: Vec<Vec<Option<Term>>> },
    Boolean(bool),
    Graph(Vec<Triple>),
}

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// Something that answers SPARQL.
pub(crate) trait Engine {
    fn load(&mut self, quads: &[Quad]) -> Result<(), Failure>;
    fn query(&self, sparql: &str, base_iri: &str, services: Option<Arc<dyn Services>>) -> Result<Outcome, Failure>;
    fn update(&mut self, sparql: &str, base_iri: &str) -> Result<(), Failure>;
    /// All quads, and the names of all named graphs.
    fn content(&self) -> Result<(Vec<Quad>, Vec<Term>), Failure>;
}

/// An archive in a folder of its own.
pub(crate) struct Ours {
    pub(crate) archive: Archive,
    // The archive is closed first: fields are dropped in their order.
    folder: Option<TempDir>,
}

thread_local! {
    /// Archives that tests have done with, emptied: a new one costs more than most tests.
    static USED: RefCell<Vec<(Archive, TempDir)>> = const { RefCell::new(Vec::new()) };
}

impl Ours {
    pub(crate) fn new() -> Self {
        if let Some((archive, folder)) = USED.with_borrow_mut(Vec::pop) {
            return Self { archive, folder: Some(folder) };
        }
        let folder = tempfile::tempdir().expect("a folder");
        let archive = Archive::open(folder.path(), &Options::default()).expect("an archive");
        Self { archive, folder: Some(folder) }
    }

    /// Closes the archive and opens it again: what was committed must be there.
    pub(crate) fn reopened(mut self) -> Self {
        let folder = self.folder.take().expect("it has not been closed");
        drop(self);
        let archive = Archive::open(folder.path(), &Options::default()).expect("the same archive");
        Self { archive, folder: Some(folder) }
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        let Some(folder) = self.folder.take() else { return };
        if !std::thread::panicking() && self.archive.update("DROP ALL", &UpdateOptions::default()).is_ok() {
            USED.with_borrow_mut(|used| used.push((self.archive.clone(), folder)));
        }
    }
}

impl Engine for Ours {
    fn load(&mut self, quads: &[Quad]) -> Result<(), Failure> {
        let mut transaction = self.archive.begin();
        for quad in quads {
            transaction.insert(quad.as_ref())?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn query(&self, sparql: &str, base_iri: &str, services: Option<Arc<dyn Services>>) -> Result<Outcome, Failure> {
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
        assert_eq!(snapshot.len()?, quads.len() as u64, "what is counted is what is there");
        Ok((quads, graphs))
    }
}

/// Reads an answer of ours to its end.
pub(crate) fn read(answer: Answer) -> Result<Outcome, Failure> {
    Ok(match answer {
        Answer::Boolean(value) => Outcome::Boolean(value),
        Answer::Graph(triples) => Outcome::Graph(triples.collect::<Result<_, _>>()?),
        Answer::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let rows = solutions.map(|row| Ok(row?.values().to_vec())).collect::<Result<_, Failure>>()?;
            Outcome::Rows { variables, rows }
        }
    })
}

/// oxigraph in memory.
pub(crate) struct Theirs(pub(crate) Store);

impl Theirs {
    pub(crate) fn new() -> Self {
        Self(Store::new().expect("a store in memory"))
    }
}

impl Engine for Theirs {
    fn load(&mut self, quads: &[Quad]) -> Result<(), Failure> {
        self.0.extend(quads.iter().cloned())?;
        Ok(())
    }

    fn query(&self, sparql: &str, base_iri: &str, _: Option<Arc<dyn Services>>) -> Result<Outcome, Failure> {
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
