//! Running one test of the W3C suites.

use std::collections::HashMap;
use std::sync::Arc;

use lodeward_archive::sparql::{QueryOptions, ResultFormat, ServiceCallError, ServiceCallResponse, ServiceHandler};
use oxrdf::{Graph, NamedNode, Term};
use spargebra::SparqlParser;

use super::compare::{self, Expected};
use super::manifest::{Suite, Test};
use crate::engine::{ArchiveEngine, Engine, Failure, Outcome};

/// Runs a test on a new engine.
pub(super) fn run<E: Engine>(suite: &Suite, test: &Test, new: impl Fn() -> E) -> Result<(), Failure> {
    match test.kind.as_str() {
        "PositiveSyntaxTest" | "PositiveSyntaxTest11" => parse(suite, test).map(drop),
        "NegativeSyntaxTest" | "NegativeSyntaxTest11" => match parse(suite, test) {
            Ok(_) => Err("invalid SPARQL was accepted".into()),
            Err(_) => Ok(()),
        },
        "PositiveUpdateSyntaxTest11" => new().update(&suite.text(&test.request), &test.request).or_else(not_syntax),
        "NegativeUpdateSyntaxTest11" => match new().update(&suite.text(&test.request), &test.request) {
            Err(error) => match not_syntax(error) {
                Err(_) => Ok(()),
                Ok(()) => Err("invalid SPARQL was accepted".into()),
            },
            Ok(()) => Err("invalid SPARQL was accepted".into()),
        },
        "QueryEvaluationTest" | "CSVResultFormatTest" => evaluate(suite, test, new()),
        "UpdateEvaluationTest" => update(suite, test, new()),
        other => Err(format!("unknown kind of test: {other}").into()),
    }
}

fn parse(suite: &Suite, test: &Test) -> Result<spargebra::Query, Failure> {
    Ok(SparqlParser::new().with_base_iri(&test.request)?.parse_query(&suite.text(&test.request))?)
}

/// Accepts errors other than syntax errors: a syntax test can refer to missing graphs.
fn not_syntax(error: Failure) -> Result<(), Failure> {
    match error.downcast_ref::<lodeward_archive::sparql::UpdateError>() {
        Some(lodeward_archive::sparql::UpdateError::Syntax(_)) => Err(error),
        None if error.is::<spargebra::SparqlSyntaxError>() => Err(error),
        Some(_) | None => Ok(()),
    }
}

fn evaluate<E: Engine>(suite: &Suite, test: &Test, mut engine: E) -> Result<(), Failure> {
    let text = suite.text(&test.request);
    let mut graphs = test.graphs.clone();
    // FROM refers to files, which are the graphs with these names.
    let query = parse(suite, test)?;
    if let Some(dataset) = query.dataset() {
        for name in dataset.default.iter().chain(dataset.named.iter().flatten()) {
            let file = (name.as_str().to_owned(), name.as_str().to_owned());
            if suite.has(name.as_str()) && !graphs.contains(&file) {
                graphs.push(file);
            }
        }
    }
    engine.load(&suite.quads(&test.data, &graphs))?;
    let outcome = engine.query(&text, &test.request, Some(services(suite, test)))?;
    let result = test.result.as_deref().ok_or("the test has no result")?;
    let expected = Expected::read(suite, result, matches!(outcome, Outcome::Graph(_)))?;
    compare::check(&round_trip(&outcome, result)?, &expected, test.lax)
}

/// Writes rows in the format of the expected result and parses them again, because CSV omits types.
fn round_trip(outcome: &Outcome, result: &str) -> Result<Outcome, Failure> {
    let Outcome::Rows { variables, rows } = outcome else { return Ok(outcome.clone()) };
    let format = result.rsplit_once('.').and_then(|(_, extension)| ResultFormat::from_name(extension));
    let Some(format) = format.filter(|format| !format.is_rdf()) else { return Ok(outcome.clone()) };
    let bytes = compare::write(variables, rows, format)?;
    compare::parse(&bytes, format)
}

fn services(suite: &Suite, test: &Test) -> Arc<dyn ServiceHandler> {
    let mut endpoints = HashMap::new();
    for (endpoint, files) in &test.services {
        let mut engine = ArchiveEngine::new();
        engine.load(&suite.quads(files, &[])).expect("the data of a service");
        endpoints.insert(endpoint.clone(), engine);
    }
    Arc::new(Endpoints(Arc::new(endpoints)))
}

#[derive(Clone)]
struct Endpoints(Arc<HashMap<String, ArchiveEngine>>);

impl ServiceHandler for Endpoints {
    fn query(&self, endpoint: &str, query: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        let engine =
            self.0.get(endpoint).ok_or_else(|| ServiceCallError(format!("no such endpoint: {endpoint}").into()))?;
        // An endpoint can call another one.
        let options = QueryOptions { services: Some(Arc::new(self.clone())), ..QueryOptions::default() };
        let output = engine.archive.snapshot().query(query, &options);
        let mut body = Vec::new();
        output.and_then(|output| output.write(ResultFormat::Xml, &mut body)).map_err(|e| ServiceCallError(e.into()))?;
        let media_type = Some(ResultFormat::Xml.media_type().to_owned());
        Ok(ServiceCallResponse { media_type, body: Box::new(std::io::Cursor::new(body)) })
    }

    fn load(&self, url: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        Err(ServiceCallError(format!("no such document: {url}").into()))
    }
}

fn update<E: Engine>(suite: &Suite, test: &Test, mut engine: E) -> Result<(), Failure> {
    engine.load(&suite.quads(&test.data, &test.graphs))?;
    engine.update(&suite.text(&test.request), &test.request)?;
    let (quads, graphs) = engine.content()?;
    let mut found: oxrdf::Dataset = quads.iter().collect();
    let (data, named) = &test.after;
    let mut expected: oxrdf::Dataset = suite.quads(data, named).iter().collect();
    found.canonicalize(oxrdf::dataset::CanonicalizationAlgorithm::Unstable);
    expected.canonicalize(oxrdf::dataset::CanonicalizationAlgorithm::Unstable);
    if found != expected {
        return Err(format!("after the update, found\n{found}expected\n{expected}").into());
    }
    for (name, _) in named {
        let name = Term::from(NamedNode::new(name)?);
        let is_empty = !expected.iter().any(|quad| quad.graph_name.to_string() == name.to_string());
        if is_empty && !graphs.contains(&name) {
            return Err(format!("graph {name} is missing").into());
        }
    }
    Ok(())
}

/// Whether two graphs are isomorphic.
pub(super) fn same_graph(one: &Graph, other: &Graph) -> bool {
    let (mut one, mut other) = (one.clone(), other.clone());
    one.canonicalize(oxrdf::graph::CanonicalizationAlgorithm::Unstable);
    other.canonicalize(oxrdf::graph::CanonicalizationAlgorithm::Unstable);
    one == other
}
