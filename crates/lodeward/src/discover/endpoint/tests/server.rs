//! An endpoint in memory, with the quirks of real ones.

use std::io::{Cursor, Read};

use oxigraph::model::{Dataset, Quad};
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;

use super::{Web, canonical, query_of, status};
use crate::model::{Fault, FaultKind, FetchFailure, StreamFault, Uri};

/// A server with data and quirks.
pub(super) struct Server {
    store: Store,
    pub(super) quirks: Quirks,
    requests: u64,
}

/// The quirks of a server.
#[derive(Debug)]
pub(super) struct Quirks {
    /// The default graph is the union of all graphs.
    pub(super) is_union: bool,
    /// Maximum number of rows in a result, applied silently.
    pub(super) max_rows: usize,
    /// Sorting more rows than this fails.
    pub(super) max_sorted: u64,
    /// A higher `LIMIT` fails.
    pub(super) max_limit: u64,
    /// Every n-th request fails.
    pub(super) fails_every: Option<u64>,
    /// Longer results are truncated.
    pub(super) max_bytes: usize,
    /// Unsupported keywords, with the status returned for them.
    pub(super) rejects: Vec<(&'static str, u16)>,
    pub(super) format: QueryResultsFormat,
}

impl Default for Quirks {
    fn default() -> Self {
        Self {
            is_union: false,
            max_rows: usize::MAX,
            max_sorted: u64::MAX,
            max_limit: u64::MAX,
            fails_every: None,
            max_bytes: usize::MAX,
            rejects: Vec::new(),
            format: QueryResultsFormat::Json,
        }
    }
}

impl Server {
    pub(super) fn new(quads: impl IntoIterator<Item = Quad>, quirks: Quirks) -> Self {
        let store = Store::new().unwrap();
        store.extend(quads).unwrap();
        Self { store, quirks, requests: 0 }
    }

    /// All its data.
    pub(super) fn dataset(&self) -> Dataset {
        canonical(&self.store.iter().map(Result::unwrap).collect::<Vec<_>>())
    }

    pub(super) fn len(&self) -> usize {
        self.store.len().unwrap()
    }

    fn evaluate(&self, query: &str) -> Vec<u8> {
        let mut prepared = SparqlEvaluator::new().parse_query(query).unwrap_or_else(|error| panic!("{error}: {query}"));
        if self.quirks.is_union {
            prepared.dataset_mut().set_default_graph_as_union();
        }
        let serializer = QueryResultsSerializer::from_format(self.quirks.format);
        match prepared.on_store(&self.store).execute().unwrap() {
            QueryResults::Boolean(boolean) => serializer.serialize_boolean_to_writer(Vec::new(), boolean).unwrap(),
            QueryResults::Solutions(solutions) => {
                let variables = solutions.variables().to_vec();
                let mut writer = serializer.serialize_solutions_to_writer(Vec::new(), variables).unwrap();
                for solution in solutions.take(self.quirks.max_rows) {
                    writer.serialize(&solution.unwrap()).unwrap();
                }
                writer.finish().unwrap()
            }
            QueryResults::Graph(_) => panic!("no query returns a graph"),
        }
    }
}

impl Web for Server {
    fn get(&mut self, uri: &Uri) -> Result<Box<dyn Read>, FetchFailure> {
        self.requests += 1;
        let quirks = &self.quirks;
        if quirks.fails_every.is_some_and(|every| self.requests.is_multiple_of(every)) {
            return Err(status(500));
        }
        let Some(query) = query_of(uri) else { return Err(status(400)) };
        if let Some((_, code)) = quirks.rejects.iter().find(|(keyword, _)| query.contains(keyword)) {
            return Err(status(*code));
        }
        let (limit, offset) = (number_after(&query, "LIMIT "), number_after(&query, "OFFSET ").unwrap_or(0));
        let rows = limit.unwrap_or(0).saturating_add(offset);
        if (query.contains("ORDER BY") && rows > quirks.max_sorted) || limit.unwrap_or(0) > quirks.max_limit {
            return Err(status(500));
        }
        let result = self.evaluate(&query);
        if result.len() > quirks.max_bytes {
            let cut = StreamFault(Fault::new(FaultKind::Truncated, "the connection broke"));
            return Ok(Box::new(Cursor::new(result[..quirks.max_bytes].to_vec()).chain(Broken(Some(cut)))));
        }
        Ok(Box::new(Cursor::new(result)))
    }
}

fn number_after(query: &str, keyword: &str) -> Option<u64> {
    let rest = &query[query.rfind(keyword)? + keyword.len()..];
    rest.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

struct Broken(Option<StreamFault>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), |cut| Err(std::io::Error::other(cut)))
    }
}
