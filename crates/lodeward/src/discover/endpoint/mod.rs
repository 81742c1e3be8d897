//! Harvests SPARQL endpoints page by page.
//!
//! The harvest tests first whether the URL is an endpoint, then lists its graphs, then their predicates with counts,
//! and then reads the statements in pages that real servers can deliver: no page sorts more than one predicate, no page
//! is found by a large offset if that can be avoided, and a page that is too expensive is requested again in smaller
//! parts. A chain of pages is complete when as many rows as counted were received.
//!
//! An [`EndpointStep`] is one question with its position in the harvest. `question` defines the questions, `query`
//! writes them in SPARQL, `results` reads the results. `graphs`, `predicates` and `pages` decide what follows from a
//! result, `fallback` what follows from a failure.

mod predicates;
mod description;
mod fallback;
mod graphs;
mod json;
mod row_key;
mod listing;
mod pages;
mod display;
mod query;
mod question;
mod results;
mod statement;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{DiscoverPolicy, EndpointPolicy, NextStep, ServiceResponse, StepSink};
use crate::model::{AcceptProfile, Fault, FaultKind, FetchFailure, Uri, UriError};
use fallback::QuestionRejection;
use question::{CensusExtent, EndpointQuestion, GraphsQuery, ListQuestion, ListSpan, StatementSource};
use results::{ResultsEnd, RowSink, SolutionRow};

/// Minimum size of a page, in rows.
const MIN_ROWS: u32 = 100;

/// One request to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EndpointStep {
    /// The URL of the endpoint, without a query.
    endpoint: Uri,
    /// Whether all statements of the endpoint are harvested. Otherwise the endpoint is only described.
    harvests: bool,
    /// Number of rows per request.
    rows: u32,
    /// Whether the default graph of the endpoint contains statements.
    has_default: bool,
    question: EndpointQuestion,
    /// The URL of the endpoint before it was redirected, if it was.
    service: Option<Uri>,
    selection: HarvestSelection,
}

/// What is harvested from an endpoint, and how it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct HarvestSelection {
    /// Whether statements stay in the graphs of the endpoint. Only the user decides which endpoint may write into
    /// graphs of other names, so this is true for seeds.
    keeps_graph_names: bool,
    /// Whether the IRIs in statements are links to follow.
    follows_links: bool,
    /// The only graph; all if `None`.
    graph: Option<String>,
    /// The class of the subjects; any if `None`.
    class: Option<String>,
}

impl EndpointStep {
    /// The first step, which requests the URL of the endpoint itself.
    #[must_use]
    pub(crate) fn first(endpoint: &Uri, is_seed: bool, policy: &DiscoverPolicy) -> Self {
        let valid = |iri: &Option<String>| iri.clone().filter(|iri| row_key::is_valid_iri(iri));
        Self {
            endpoint: query::strip_query(endpoint),
            harvests: policy.sparql_endpoints == EndpointPolicy::Harvest,
            rows: policy.page_rows.max(1),
            has_default: true,
            question: EndpointQuestion::Describe { referrer: None },
            service: None,
            selection: HarvestSelection {
                keeps_graph_names: is_seed,
                follows_links: policy.follow_harvested,
                graph: valid(&policy.endpoint_graph),
                class: valid(&policy.endpoint_class),
            },
        }
    }

    /// Forgets how many rows were counted. A page that is requested again has the current rows from its position on,
    /// and the page after it is known, or follows from them; so all pages together have all rows, some of them twice.
    pub(super) fn forget_predictions(&mut self) {
        if let EndpointQuestion::Page(page) = &mut self.question {
            page.forget_count();
        }
    }

    pub(super) fn service(&self) -> &str {
        self.service.as_ref().unwrap_or(&self.endpoint).as_str()
    }

    pub(super) fn accept_profile(&self) -> AcceptProfile {
        if self.reads_document() { AcceptProfile::Document } else { AcceptProfile::SparqlResults }
    }

    pub(super) fn reads_document(&self) -> bool {
        matches!(self.question, EndpointQuestion::Describe { .. })
    }

    pub(super) fn read(&self, response: ServiceResponse<'_>, findings: &mut dyn StepSink) -> &'static str {
        match &self.question {
            EndpointQuestion::Describe { .. } => "other",
            EndpointQuestion::Probe => self.read_probe(response, findings),
            EndpointQuestion::Graphs(list) => graphs::read(self, list, response, findings),
            EndpointQuestion::Differs(_) | EndpointQuestion::Exceeds(_) => self.read_ask(response, findings),
            EndpointQuestion::Total => self.read_total(response, findings),
            EndpointQuestion::Census(census) => predicates::read(self, census, response, findings),
            EndpointQuestion::Page(page) => pages::read(self, page, response, findings),
        }
    }

    pub(super) fn next_steps(&self) -> Vec<NextStep> {
        self.steps_with_referrer(&[EndpointQuestion::Probe])
    }

    pub(super) fn after_failure(&self, failure: &FetchFailure) -> Vec<NextStep> {
        let rejection = match (&self.question, failure.status) {
            // Some endpoints return 404 without a query.
            (EndpointQuestion::Describe { .. }, Some(404)) => QuestionRejection::Unsupported,
            _ => QuestionRejection::from_failure(failure),
        };
        self.steps_with_referrer(&fallback::fallback_questions(self, rejection))
    }

    pub(super) fn redirect_to(&self, target: &Uri) -> Option<Self> {
        if let EndpointQuestion::Describe { referrer } = &self.question {
            let endpoint = query::strip_query(target);
            // If the path is the same, the endpoint has moved. Otherwise the target may be a page for users, and the
            // old URL may still accept queries.
            let has_moved = endpoint.path().trim_end_matches('/') == self.endpoint.path().trim_end_matches('/');
            let referrer = referrer.clone().or_else(|| (!has_moved).then(|| self.endpoint.clone()));
            return Some(Self { endpoint, question: EndpointQuestion::Describe { referrer }, ..self.clone() });
        }
        // The redirect is followed only if its target still contains the query.
        let endpoint = query::strip_own_query(target, &query::to_sparql(&self.question, self.rows, self.class())?)?;
        let service = Some(self.service.clone().unwrap_or_else(|| self.endpoint.clone()));
        Some(Self { endpoint, service, ..self.clone() })
    }

    /// Steps for this endpoint, and for the URL that referred to it.
    fn steps_with_referrer(&self, questions: &[EndpointQuestion]) -> Vec<NextStep> {
        let referrer = match &self.question {
            EndpointQuestion::Describe { referrer: Some(endpoint) } => {
                Some(Self { endpoint: endpoint.clone(), ..self.clone() })
            }
            _ => None,
        };
        let of = |step: &Self| questions.iter().filter_map(|question| step.next(question.clone()).ok()).collect();
        let own: Vec<NextStep> = of(self);
        own.into_iter().chain(referrer.as_ref().map(of).unwrap_or_default()).collect()
    }

    fn next(&self, question: EndpointQuestion) -> Result<NextStep, UriError> {
        let uri = query::question_uri(&self.endpoint, &question, self.rows, self.class())?;
        Ok(NextStep { uri, step: super::Step::from(Self { question, ..self.clone() }) })
    }

    /// Adds the next questions.
    fn add_questions(&self, questions: Vec<EndpointQuestion>, findings: &mut dyn StepSink) {
        for question in questions {
            let purpose = question.to_string();
            match self.next(question) {
                Ok(next) => findings.step(next),
                Err(error) => findings.fault(Fault::new(FaultKind::Limit, format!("{purpose}: {error}"))),
            }
        }
    }

    /// The class of the harvested subjects, if one was chosen.
    fn class(&self) -> Option<&str> {
        self.selection.class.as_deref()
    }

    /// The first question about the data of an endpoint.
    fn first_data_question(&self) -> EndpointQuestion {
        match &self.selection.graph {
            Some(graph) if self.harvests => {
                let graph = question::CountedName { name: graph.clone(), rows: 0 };
                predicates::first_question(StatementSource::Graphs(vec![graph]))
            }
            _ => EndpointQuestion::Graphs(ListQuestion { form: GraphsQuery::Counted, span: ListSpan::Complete }),
        }
    }

    /// Minimum number of rows per page. Smaller pages are not requested.
    fn min_rows(&self) -> u32 {
        MIN_ROWS.min(self.rows)
    }

    /// Reads the result of the probe. Only a URL that answers a query is an endpoint. Many URLs only look like
    /// endpoints, so a failed probe is not reported as a fault.
    fn read_probe(&self, response: ServiceResponse<'_>, findings: &mut dyn StepSink) -> &'static str {
        let mut first = FirstRow::default();
        let results = results::read(response.body, &mut first);
        if matches!(results.ending, ResultsEnd::Complete | ResultsEnd::Stopped) {
            let known = Self { has_default: first.0.is_some() || results.boolean.is_some(), ..self.clone() };
            known.add_questions(vec![known.first_data_question()], findings);
        }
        results.syntax
    }

    fn read_ask(&self, response: ServiceResponse<'_>, findings: &mut dyn StepSink) -> &'static str {
        let results = results::read(response.body, &mut FirstRow::default());
        let questions = match (&self.question, results.boolean) {
            (EndpointQuestion::Differs(_), Some(true)) => vec![predicates::first_question(StatementSource::Default)],
            (EndpointQuestion::Differs(_), Some(false)) => vec![EndpointQuestion::Exceeds(CensusExtent::All)],
            // The default graph contains statements that no named graph contains. Only these are read from the default
            // graph; all others are read from the named graphs.
            (_, Some(true)) => vec![predicates::first_question(StatementSource::Remainder)],
            (EndpointQuestion::Exceeds(CensusExtent::Sample), Some(false)) => {
                let detail = "default graph not harvested: all statements of a sample are in named graphs";
                findings.fault(Fault::new(FaultKind::Limit, detail));
                Vec::new()
            }
            (_, Some(false)) => Vec::new(),
            (_, None) => fallback::fallback_questions(self, QuestionRejection::ServerError),
        };
        self.add_questions(questions, findings);
        results.syntax
    }

    fn read_total(&self, response: ServiceResponse<'_>, findings: &mut dyn StepSink) -> &'static str {
        let mut first = FirstRow::default();
        let results = results::read(response.body, &mut first);
        if let Some(rows) = first.0.and_then(|row| results::parse_count(row.count.as_ref())) {
            findings.begin_syntax(results.syntax);
            description::describe_default_graph(self, rows, findings);
        }
        results.syntax
    }
}

/// A sink that stores the first row and then stops.
#[derive(Default)]
struct FirstRow(Option<SolutionRow>);

impl RowSink for FirstRow {
    fn begin_syntax(&mut self, _: &'static str) {}

    fn row(&mut self, row: SolutionRow) -> bool {
        self.0 = Some(row);
        false
    }
}

impl fmt::Display for EndpointStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SPARQL endpoint {}: {}", self.endpoint, self.question)
    }
}

#[cfg(test)]
mod tests;
