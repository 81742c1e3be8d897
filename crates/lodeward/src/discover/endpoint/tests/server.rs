//! An endpoint in memory, with the habits of real ones.

use std::io::{Cursor, Read};

use oxigraph::model::{Dataset, Quad};
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;

use super::{Web, canonical, query_of, status};
use crate::fetch::{CutShort, Refusal};
use crate::model::{Fault, FaultKind, Uri};

/// A server with some data, and its habits.
pub(super) struct Server {
    store: Store,
    pub(super) habits: Habits,
    asked: u64,
}

/// What a server does besides answering.
#[derive(Debug)]
pub(super) struct Habits {
    /// Its default graph is the union of all graphs.
    pub(super) is_union: bool,
    /// It gives no more rows than this, and does not say so.
    pub(super) rows_max: usize,
    /// It refuses to sort more rows than this.
    pub(super) sorted_max: u64,
    /// It breaks when it is asked for more rows than this.
    pub(super) limit_max: u64,
    /// It breaks at every so manyth request.
    pub(super) stumbles_at: Option<u64>,
    /// It breaks off every answer that is longer than this.
    pub(super) bytes_max: usize,
    /// What it does not understand, and says so with this status.
    pub(super) refuses: Vec<(&'static str, u16)>,
    pub(super) format: QueryResultsFormat,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            is_union: false,
            rows_max: usize::MAX,
            sorted_max: u64::MAX,
            limit_max: u64::MAX,
            stumbles_at: None,
            bytes_max: usize::MAX,
            refuses: Vec::new(),
            format: QueryResultsFormat::Json,
        }
    }
}

impl Server {
    pub(super) fn new(quads: impl IntoIterator<Item = Quad>, habits: Habits) -> Self {
        let store = Store::new().unwrap();
        store.extend(quads).unwrap();
        Self { store, habits, asked: 0 }
    }

    /// All it has.
    pub(super) fn dataset(&self) -> Dataset {
        canonical(&self.store.iter().map(Result::unwrap).collect::<Vec<_>>())
    }

    pub(super) fn len(&self) -> usize {
        self.store.len().unwrap()
    }

    fn evaluate(&self, query: &str) -> Vec<u8> {
        let mut prepared = SparqlEvaluator::new().parse_query(query).unwrap_or_else(|error| panic!("{error}: {query}"));
        if self.habits.is_union {
            prepared.dataset_mut().set_default_graph_as_union();
        }
        let serializer = QueryResultsSerializer::from_format(self.habits.format);
        match prepared.on_store(&self.store).execute().unwrap() {
            QueryResults::Boolean(boolean) => serializer.serialize_boolean_to_writer(Vec::new(), boolean).unwrap(),
            QueryResults::Solutions(solutions) => {
                let variables = solutions.variables().to_vec();
                let mut writer = serializer.serialize_solutions_to_writer(Vec::new(), variables).unwrap();
                for solution in solutions.take(self.habits.rows_max) {
                    writer.serialize(&solution.unwrap()).unwrap();
                }
                writer.finish().unwrap()
            }
            QueryResults::Graph(_) => panic!("nobody asks for graphs"),
        }
    }
}

impl Web for Server {
    fn get(&mut self, uri: &Uri) -> Result<Box<dyn Read>, Refusal> {
        self.asked += 1;
        let habits = &self.habits;
        if habits.stumbles_at.is_some_and(|every| self.asked.is_multiple_of(every)) {
            return Err(status(500));
        }
        let Some(query) = query_of(uri) else { return Err(status(400)) };
        if let Some((_, code)) = habits.refuses.iter().find(|(what, _)| query.contains(what)) {
            return Err(status(*code));
        }
        let (limit, offset) = (number_after(&query, "LIMIT "), number_after(&query, "OFFSET ").unwrap_or(0));
        let rows = limit.unwrap_or(0).saturating_add(offset);
        if (query.contains("ORDER BY") && rows > habits.sorted_max) || limit.unwrap_or(0) > habits.limit_max {
            return Err(status(500));
        }
        let answer = self.evaluate(&query);
        if answer.len() > habits.bytes_max {
            let cut = CutShort(Fault::new(FaultKind::Truncated, "the connection broke"));
            return Ok(Box::new(Cursor::new(answer[..habits.bytes_max].to_vec()).chain(Broken(Some(cut)))));
        }
        Ok(Box::new(Cursor::new(answer)))
    }
}

fn number_after(query: &str, word: &str) -> Option<u64> {
    let rest = &query[query.rfind(word)? + word.len()..];
    rest.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

struct Broken(Option<CutShort>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), |cut| Err(std::io::Error::other(cut)))
    }
}
