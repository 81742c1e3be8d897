//! What others answer: `SERVICE` and `LOAD`.
//!
//! A service is sent the whole pattern inside `SERVICE`, without the values that
//! are known here: spareval has no place for them. Put a `VALUES` or constants
//! inside where that matters. `SERVICE ?where` is asked once for every value of
//! `?where` that the patterns before it have found.

use std::io::Read;
use std::sync::Arc;

use oxiri::Iri;
use oxrdf::NamedNode;
use sparesults::{QueryResultsFormat, QueryResultsParser, QuerySolution, ReaderQueryResultsParserOutput};
use spareval::{DefaultServiceHandler, QueryEvaluationError, QuerySolutionIter};
use spargebra::Query;
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::NamedNodePattern;

use super::control::{Control, Reason};
use super::walk::{self, Rewrite};

/// Whoever reaches other machines. The archive does not by itself: the crawler
/// lends it a client that refuses private addresses and bounds size and time.
pub trait Services: Send + Sync {
    /// Sends a query to an endpoint. The body is a result in JSON, XML, CSV or TSV.
    fn query(&self, endpoint: &str, query: &str) -> Result<Fetched, ServiceError>;

    /// Fetches a document for `LOAD`.
    fn load(&self, url: &str) -> Result<Fetched, ServiceError>;
}

/// What came back.
pub struct Fetched {
    /// The media type, with or without parameters.
    pub media_type: Option<String>,
    /// The body, read as it is needed.
    pub body: Box<dyn Read + Send>,
}

/// Another machine did not answer, or not what was asked.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ServiceError(pub Box<dyn std::error::Error + Send + Sync>);

impl ServiceError {
    /// What was asked for may not be asked for: the other machine was not asked.
    #[must_use]
    pub fn forbidden(why: impl Into<String>) -> Self {
        Self(Box::new(Forbidden(why.into())))
    }

    /// Whether that is so.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.0.is::<Forbidden>()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Forbidden(String);

/// Marks a `SERVICE SILENT` for [`Remote`], which spareval does not tell.
const SILENT: &str = "urn:lodeward:service:silent";

/// Rewrites the services of a pattern for [`Remote`].
pub(super) fn rewrite(pattern: &mut GraphPattern) {
    walk::rewrite(pattern, &mut ForRemote);
}

struct ForRemote;

impl Rewrite for ForRemote {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Service { name, inner, silent: true } => {
                let mark = Function::Custom(NamedNode::new_unchecked(SILENT));
                let expr = Expression::FunctionCall(mark, Vec::new());
                let inner = Box::new(GraphPattern::Filter { expr, inner });
                GraphPattern::Service { name, inner, silent: true }
            }
            // In a join, each side is evaluated for itself, and the name would be unbound.
            GraphPattern::Join { left, right } if is_variable_service(&right) => GraphPattern::Lateral { left, right },
            _ => pattern,
        }
    }
}

fn is_variable_service(pattern: &GraphPattern) -> bool {
    matches!(pattern, GraphPattern::Service { name: NamedNodePattern::Variable(_), .. })
}

/// Answers `SERVICE` for spareval.
pub(super) struct Remote {
    pub(super) services: Arc<dyn Services>,
    pub(super) control: Arc<Control>,
}

impl DefaultServiceHandler for Remote {
    type Error = QueryEvaluationError;

    fn handle(
        &self,
        service_name: &NamedNode,
        pattern: &GraphPattern,
        base_iri: Option<&Iri<String>>,
    ) -> Result<QuerySolutionIter<'static>, QueryEvaluationError> {
        let (pattern, silent) = unmark(pattern);
        let endpoint = service_name.as_str();
        let answer = self.ask(endpoint, pattern, base_iri);
        if silent {
            // Only an answer that came to its end is one, so it is collected first.
            return answer.and_then(Rows::collected).map_err(|error| QueryEvaluationError::Service(Box::new(error)));
        }
        let rows = answer.map_err(|error| failed(&self.control, endpoint, error))?;
        let (endpoint, control) = (endpoint.to_owned(), Arc::clone(&self.control));
        let variables = Arc::clone(&rows.variables);
        let rows = rows.inner.map(move |row| row.map_err(|error| failed(&control, &endpoint, error)));
        Ok(QuerySolutionIter::new(variables, rows))
    }
}

/// Ends the query: inside `MINUS` or `EXISTS`, an error alone would be dropped.
fn failed(control: &Control, endpoint: &str, source: ServiceError) -> QueryEvaluationError {
    let left = control.fail(Reason::Service { endpoint: endpoint.to_owned(), source });
    QueryEvaluationError::Service(Box::new(left))
}

fn unmark(pattern: &GraphPattern) -> (&GraphPattern, bool) {
    match pattern {
        GraphPattern::Filter { expr: Expression::FunctionCall(Function::Custom(name), _), inner }
            if name.as_str() == SILENT =>
        {
            (inner, true)
        }
        _ => (pattern, false),
    }
}

struct Rows {
    variables: Arc<[oxrdf::Variable]>,
    inner: Box<dyn Iterator<Item = Result<QuerySolution, ServiceError>>>,
}

impl Rows {
    fn collected(self) -> Result<QuerySolutionIter<'static>, ServiceError> {
        let rows = self.inner.collect::<Result<Vec<_>, _>>()?;
        Ok(QuerySolutionIter::new(self.variables, rows.into_iter().map(Ok)))
    }
}

impl Remote {
    fn ask(
        &self,
        endpoint: &str,
        pattern: &GraphPattern,
        base_iri: Option<&Iri<String>>,
    ) -> Result<Rows, ServiceError> {
        let query = Query::Select { dataset: None, pattern: pattern.clone(), base_iri: base_iri.cloned() };
        let fetched = self.services.query(endpoint, &query.to_string())?;
        let media_type = fetched.media_type.as_deref().unwrap_or("application/sparql-results+json");
        let format = QueryResultsFormat::from_media_type(media_type).ok_or_else(|| {
            ServiceError(format!("it answered with `{media_type}`, which is not a SPARQL result").into())
        })?;
        let body = Stoppable { inner: fetched.body, control: Arc::clone(&self.control) };
        let parsed = QueryResultsParser::from_format(format).for_reader(body);
        match parsed.map_err(|error| ServiceError(error.into()))? {
            ReaderQueryResultsParserOutput::Solutions(rows) => Ok(Rows {
                variables: rows.variables().into(),
                inner: Box::new(rows.map(|row| row.map_err(|error| ServiceError(error.into())))),
            }),
            ReaderQueryResultsParserOutput::Boolean(_) => {
                Err(ServiceError("it answered a SELECT with yes or no".into()))
            }
        }
    }
}

/// A body that is not read on when the query has been stopped.
pub(super) struct Stoppable {
    pub(super) inner: Box<dyn Read + Send>,
    pub(super) control: Arc<Control>,
}

impl Read for Stoppable {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.control.is_stopped() {
            return Err(std::io::Error::other("stopped"));
        }
        self.inner.read(buffer)
    }
}
