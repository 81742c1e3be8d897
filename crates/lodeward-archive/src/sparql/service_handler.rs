//! `SERVICE` and `LOAD`: calls to other servers.
//!
//! A service receives the whole pattern inside `SERVICE`, without the values that are already
//! bound: spareval does not provide them. If that matters, put a `VALUES` or constants inside.
//! `SERVICE ?endpoint` is called once for every value of `?endpoint` that the patterns before it
//! bind.

use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use oxiri::Iri;
use oxrdf::NamedNode;
use sparesults::{QueryResultsFormat, QueryResultsParser, QuerySolution, ReaderQueryResultsParserOutput};
use spareval::{DefaultServiceHandler, QueryEvaluationError, QuerySolutionIter};
use spargebra::Query;
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::NamedNodePattern;

use super::algebra::{self, AlgebraRewrite};
use super::error::{QueryError, QueryLimit};
use super::query_control::{QueryControl, StopCause};
use super::query_thread::{QueryThread, ThreadWork};

/// The client for other servers. The archive opens no connections by itself; the crawler provides a
/// client that rejects private IP addresses and limits size and time.
pub trait ServiceHandler: Send + Sync {
    /// Sends a query to an endpoint. The body is a result in JSON, XML, CSV or TSV.
    fn query(&self, endpoint: &str, query: &str) -> Result<ServiceCallResponse, ServiceCallError>;

    /// Fetches a document for `LOAD`.
    fn load(&self, url: &str) -> Result<ServiceCallResponse, ServiceCallError>;
}

/// A response.
pub struct ServiceCallResponse {
    /// The media type, with or without parameters.
    pub media_type: Option<String>,
    /// The body, read as it is needed.
    pub body: Box<dyn Read + Send>,
}

/// Why a call to another server failed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ServiceCallError(pub Box<dyn std::error::Error + Send + Sync>);

impl ServiceCallError {
    /// The call is not permitted, and was not sent.
    #[must_use]
    pub fn forbidden(why: impl Into<String>) -> Self {
        Self(Box::new(ForbiddenCall(why.into())))
    }

    /// Whether the call was not permitted.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.0.is::<ForbiddenCall>()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct ForbiddenCall(String);

/// Marks a `SERVICE SILENT` for [`RemoteService`], because spareval does not pass `SILENT` on.
const SILENT: &str = "urn:lodeward:service:silent";

/// Rewrites the services of a pattern for [`RemoteService`].
pub(super) fn rewrite(pattern: &mut GraphPattern) {
    algebra::rewrite(pattern, &mut RemoteRewrite);
}

struct RemoteRewrite;

impl AlgebraRewrite for RemoteRewrite {
    fn rewrite_pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Service { name, inner, silent: true } => {
                let mark = Function::Custom(NamedNode::new_unchecked(SILENT));
                let expr = Expression::FunctionCall(mark, Vec::new());
                let inner = Box::new(GraphPattern::Filter { expr, inner });
                GraphPattern::Service { name, inner, silent: true }
            }
            // In a join, both sides are evaluated independently, and the variable would be unbound.
            GraphPattern::Join { left, right } if is_variable_service(&right) => GraphPattern::Lateral { left, right },
            _ => pattern,
        }
    }
}

fn is_variable_service(pattern: &GraphPattern) -> bool {
    matches!(pattern, GraphPattern::Service { name: NamedNodePattern::Variable(_), .. })
}

/// Calls services for spareval.
pub(super) struct RemoteService {
    pub(super) services: Arc<dyn ServiceHandler>,
    pub(super) control: Arc<QueryControl>,
}

impl DefaultServiceHandler for RemoteService {
    type Error = QueryEvaluationError;

    fn handle(
        &self,
        service_name: &NamedNode,
        pattern: &GraphPattern,
        base_iri: Option<&Iri<String>>,
    ) -> Result<QuerySolutionIter<'static>, QueryEvaluationError> {
        let (pattern, silent) = strip_silent_mark(pattern);
        let endpoint = service_name.as_str();
        let rows = self.query_endpoint(endpoint, pattern, base_iri);
        if silent {
            // The rows are collected first: a failure at the end of the response discards all of
            // them.
            return rows
                .and_then(ServiceRows::into_solutions)
                .map_err(|error| QueryEvaluationError::Service(Box::new(error)));
        }
        let rows = rows.map_err(|error| fail_query(&self.control, endpoint, error))?;
        let (endpoint, control) = (endpoint.to_owned(), Arc::clone(&self.control));
        let variables = Arc::clone(&rows.variables);
        let rows = rows.inner.map(move |row| row.map_err(|error| fail_query(&control, &endpoint, error)));
        Ok(QuerySolutionIter::new(variables, rows))
    }
}

/// Stops the query: inside `MINUS` or `EXISTS`, an error alone would be dropped.
fn fail_query(control: &QueryControl, endpoint: &str, source: ServiceCallError) -> QueryEvaluationError {
    let aborted = control.fail(StopCause::Service { endpoint: endpoint.to_owned(), source });
    QueryEvaluationError::Service(Box::new(aborted))
}

fn strip_silent_mark(pattern: &GraphPattern) -> (&GraphPattern, bool) {
    match pattern {
        GraphPattern::Filter { expr: Expression::FunctionCall(Function::Custom(name), _), inner }
            if name.as_str() == SILENT =>
        {
            (inner, true)
        }
        _ => (pattern, false),
    }
}

struct ServiceRows {
    variables: Arc<[oxrdf::Variable]>,
    inner: Box<dyn Iterator<Item = Result<QuerySolution, ServiceCallError>>>,
}

impl ServiceRows {
    fn into_solutions(self) -> Result<QuerySolutionIter<'static>, ServiceCallError> {
        let rows = self.inner.collect::<Result<Vec<_>, _>>()?;
        Ok(QuerySolutionIter::new(self.variables, rows.into_iter().map(Ok)))
    }
}

impl RemoteService {
    fn query_endpoint(
        &self,
        endpoint: &str,
        pattern: &GraphPattern,
        base_iri: Option<&Iri<String>>,
    ) -> Result<ServiceRows, ServiceCallError> {
        let query = Query::Select { dataset: None, pattern: pattern.clone(), base_iri: base_iri.cloned() };
        let (endpoint, services) = (endpoint.to_owned(), Arc::clone(&self.services));
        let (media_type, body) =
            ThreadBody::open(&self.control, move || services.query(&endpoint, &query.to_string()))?;
        let media_type = media_type.as_deref().unwrap_or("application/sparql-results+json");
        let format = QueryResultsFormat::from_media_type(media_type)
            .ok_or_else(|| ServiceCallError(format!("the response is `{media_type}`, not a SPARQL result").into()))?;
        let body = StoppableBody { inner: Box::new(body), control: Arc::clone(&self.control) };
        let parsed = QueryResultsParser::from_format(format).for_reader(body);
        match parsed.map_err(|error| ServiceCallError(error.into()))? {
            ReaderQueryResultsParserOutput::Solutions(rows) => Ok(ServiceRows {
                variables: rows.variables().into(),
                inner: Box::new(rows.map(|row| row.map_err(|error| ServiceCallError(error.into())))),
            }),
            ReaderQueryResultsParserOutput::Boolean(_) => {
                Err(ServiceCallError("the response to a SELECT is a boolean".into()))
            }
        }
    }
}

/// The size of the chunks of a response, and how many of them are read ahead.
const CHUNK_BYTES: usize = 64 << 10;
const MAX_CHUNKS: usize = 4;

type ChunkResult = std::io::Result<Vec<u8>>;

/// The body of a response that a thread receives, because a slow server must not hold up a query
/// that was stopped.
struct ThreadBody {
    thread: QueryThread,
    chunks: Receiver<ChunkResult>,
    chunk: Cursor<Vec<u8>>,
}

impl ThreadBody {
    /// Calls a server. Returns the media type and the body.
    fn open(
        control: &Arc<QueryControl>,
        call: impl FnOnce() -> Result<ServiceCallResponse, ServiceCallError> + Send + 'static,
    ) -> Result<(Option<String>, Self), ServiceCallError> {
        let (send_head, head) = sync_channel(1);
        let (send_chunk, chunks) = sync_channel(MAX_CHUNKS);
        // If sending fails, the query was stopped and the response is not needed.
        let work = move || match call() {
            Ok(ServiceCallResponse { media_type, body }) => {
                drop(send_head.send(Ok(media_type)));
                send_chunks(body, &send_chunk);
            }
            Err(error) => drop(send_head.send(Err(error))),
        };
        let failed = |error: QueryError| ServiceCallError(error.into());
        let thread = QueryThread::spawn(control, ThreadWork::Call, 0, work);
        let mut thread = thread.map_err(|error| failed(QueryError::Thread(error)))?;
        let head = thread.receive(&head).map_err(failed)?;
        let media_type = head.unwrap_or_else(|| Err(failed(QueryError::Stopped(QueryLimit::Cancelled))))?;
        Ok((media_type, Self { thread, chunks, chunk: Cursor::default() }))
    }
}

fn send_chunks(mut body: Box<dyn Read + Send>, chunks: &SyncSender<ChunkResult>) {
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let read = body.read(&mut chunk).map(|length| {
            chunk.truncate(length);
            chunk
        });
        let is_last = read.as_ref().map_or(true, Vec::is_empty);
        if chunks.send(read).is_err() || is_last {
            return;
        }
    }
}

impl Read for ThreadBody {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.chunk.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        match self.thread.receive(&self.chunks).map_err(std::io::Error::other)? {
            Some(chunk) => self.chunk = Cursor::new(chunk?),
            None => return Ok(0),
        }
        self.chunk.read(buffer)
    }
}

/// A body that returns an error once the query is stopped.
pub(super) struct StoppableBody {
    pub(super) inner: Box<dyn Read + Send>,
    pub(super) control: Arc<QueryControl>,
}

impl Read for StoppableBody {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.control.is_stopped() {
            return Err(std::io::Error::other("stopped"));
        }
        let read = self.inner.read(buffer)?;
        // The parser may hold all of it: a value, or rows before their header.
        self.control.charge(read).map_err(std::io::Error::other)?;
        Ok(read)
    }
}
