//! Running one test.

use std::collections::HashMap;
use std::sync::Arc;

use lodeward_archive::sparql::{AnswerFormat, Fetched, QueryOptions, ServiceError, Services};
use oxrdf::{Graph, NamedNode, Term};
use spargebra::SparqlParser;

use super::compare::{self, Expected};
use super::manifest::{Suite, Test};
use crate::engine::{Engine, Failure, Ours, Outcome};

/// Runs a test on a new engine.
pub(super) fn run<E: Engine>(suite: &Suite, test: &Test, new: impl Fn() -> E) -> Result<(), Failure> {
    match test.kind.as_str() {
        "PositiveSyntaxTest" | "PositiveSyntaxTest11" => parse(suite, test).map(drop),
        "NegativeSyntaxTest" | "NegativeSyntaxTest11" => match parse(suite, test) {
            Ok(_) => Err("it was taken for SPARQL".into()),
            Err(_) => Ok(()),
        },
        "PositiveUpdateSyntaxTest11" => new().update(&suite.text(&test.request), &test.request).or_else(not_syntax),
        "NegativeUpdateSyntaxTest11" => match new().update(&suite.text(&test.request), &test.request) {
            Err(error) => match not_syntax(error) {
                Err(_) => Ok(()),
                Ok(()) => Err("it was taken for SPARQL".into()),
            },
            Ok(()) => Err("it was taken for SPARQL".into()),
        },
        "QueryEvaluationTest" | "CSVResultFormatTest" => evaluate(suite, test, new()),
        "UpdateEvaluationTest" => update(suite, test, new()),
        other => Err(format!("{other} is not a kind of test").into()),
    }
}

fn parse(suite: &Suite, test: &Test) -> Result<spargebra::Query, Failure> {
    Ok(SparqlParser::new().with_base_iri(&test.request)?.parse_query(&suite.text(&test.request))?)
}

/// A syntax test may name graphs that there are not: that is no error of syntax.
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
    // FROM names files, which are the graphs of those names.
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
    let answer = engine.query(&text, &test.request, Some(services(suite, test)))?;
    let result = test.result.as_deref().ok_or("there is no result")?;
    let expected = Expected::read(suite, result, matches!(answer, Outcome::Graph(_)))?;
    compare::check(&written(&answer, result)?, &expected, test.lax)
}

/// Rows as they come back from the format of the result: CSV forgets the types.
fn written(answer: &Outcome, result: &str) -> Result<Outcome, Failure> {
    let Outcome::Rows { variables, rows } = answer else { return Ok(answer.clone()) };
    let format = result.rsplit_once('.').and_then(|(_, extension)| AnswerFormat::from_name(extension));
    let Some(format) = format.filter(|format| !format.is_rdf()) else { return Ok(answer.clone()) };
    let bytes = compare::write(variables, rows, format)?;
    compare::parse(&bytes, format)
}

fn services(suite: &Suite, test: &Test) -> Arc<dyn Services> {
    let mut endpoints = HashMap::new();
    for (endpoint, files) in &test.services {
        let mut engine = Ours::new();
        engine.load(&suite.quads(files, &[])).expect("the data of a service");
        endpoints.insert(endpoint.clone(), engine);
    }
    Arc::new(Endpoints(Arc::new(endpoints)))
}

#[derive(Clone)]
struct Endpoints(Arc<HashMap<String, Ours>>);

impl Services for Endpoints {
    fn query(&self, endpoint: &str, query: &str) -> Result<Fetched, ServiceError> {
        let engine = self.0.get(endpoint).ok_or_else(|| ServiceError(format!("nobody is at {endpoint}").into()))?;
        // An endpoint may ask another.
        let options = QueryOptions { services: Some(Arc::new(self.clone())), ..QueryOptions::default() };
        let answer = engine.archive.snapshot().query(query, &options);
        let mut body = Vec::new();
        answer.and_then(|answer| answer.write(AnswerFormat::Xml, &mut body)).map_err(|e| ServiceError(e.into()))?;
        let media_type = Some(AnswerFormat::Xml.media_type().to_owned());
        Ok(Fetched { media_type, body: Box::new(std::io::Cursor::new(body)) })
    }

    fn load(&self, url: &str) -> Result<Fetched, ServiceError> {
        Err(ServiceError(format!("nobody is at {url}").into()))
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
        return Err(format!("after it, there is\n{found}instead of\n{expected}").into());
    }
    for (name, _) in named {
        let name = Term::from(NamedNode::new(name)?);
        let is_empty = !expected.iter().any(|quad| quad.graph_name.to_string() == name.to_string());
        if is_empty && !graphs.contains(&name) {
            return Err(format!("there is no graph {name}").into());
        }
    }
    Ok(())
}

/// Whether two graphs say the same.
pub(super) fn same_graph(one: &Graph, other: &Graph) -> bool {
    let (mut one, mut other) = (one.clone(), other.clone());
    one.canonicalize(oxrdf::graph::CanonicalizationAlgorithm::Unstable);
    other.canonicalize(oxrdf::graph::CanonicalizationAlgorithm::Unstable);
    one == other
}
