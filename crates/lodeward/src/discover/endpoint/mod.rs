//! SPARQL endpoints, harvested page by page.
//!
//! First it is seen whether there is an endpoint at all, then which graphs it
//! has, then which predicates their statements have and how often; and then the
//! statements come, in pages that real servers can give: no page needs more than
//! one predicate sorted, none is found by counting how much came before it, and
//! one that is too much for its server is asked for again in smaller parts. What
//! was counted tells when a chain of pages is complete.
//!
//! A [`Step`] is one question and its place in the whole; `question` has the
//! words, `query` says them in SPARQL, `results` reads the answers. `graphs`,
//! `census` and `pages` tell what follows from an answer, `failure` what follows from none.

mod census;
mod description;
mod failure;
mod graphs;
mod json;
mod key;
mod lists;
mod pages;
mod purpose;
mod query;
mod question;
mod results;
mod statement;
mod system_graphs;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Answer, Endpoints, Findings, Next, Policy, Wish};
use crate::fetch::Refusal;
use crate::model::{Fault, FaultKind, Uri, UriError};
use failure::Refused;
use question::{Graphs, List, Question, Reach, Source, Span};
use results::{Ending, Row, Taker};

/// Rows below which a page is not made smaller.
const ROWS_MIN: u32 = 100;

/// One request to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The endpoint's address, without a query.
    endpoint: Uri,
    /// Whether everything in it is taken, or it is only described.
    harvests: bool,
    /// Rows that are asked for at a time.
    rows: u32,
    /// Whether its default graph has anything.
    has_default: bool,
    question: Question,
    /// Where it was asked before its answers came from elsewhere.
    service: Option<Uri>,
}

impl Step {
    /// The first step: to see what it is. Its address is the endpoint's own.
    #[must_use]
    pub fn first(endpoint: &Uri, policy: &Policy) -> Option<Self> {
        Some(Self {
            endpoint: query::without_query(endpoint),
            harvests: policy.endpoints == Endpoints::Harvest,
            rows: policy.page_rows.max(1),
            has_default: true,
            question: Question::Describe { led_by: None },
            service: None,
        })
    }

    pub(super) fn service(&self) -> &str {
        self.service.as_ref().unwrap_or(&self.endpoint).as_str()
    }

    pub(super) fn wish(&self) -> Wish {
        if self.reads_document() { Wish::Document } else { Wish::Results }
    }

    pub(super) fn reads_document(&self) -> bool {
        matches!(self.question, Question::Describe { .. })
    }

    pub(super) fn read(&self, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
        match &self.question {
            Question::Describe { .. } => "other",
            Question::Probe => self.read_probe(answer, findings),
            Question::Graphs(list) => graphs::read(self, list, answer, findings),
            Question::Differs(_) | Question::Exceeds(_) => self.read_ask(answer, findings),
            Question::Total => self.read_total(answer, findings),
            Question::Census(census) => census::read(self, census, answer, findings),
            Question::Page(page) => pages::read(self, page, answer, findings),
        }
    }

    pub(super) fn after(&self) -> Vec<Next> {
        self.with_leader(&[Question::Probe])
    }

    pub(super) fn after_failure(&self, refusal: &Refusal) -> Vec<Next> {
        let refused = match (&self.question, refusal.status) {
            // Some have nothing there unless they are asked something.
            (Question::Describe { .. }, Some(404)) => Refused::Wrong,
            _ => Refused::of(refusal),
        };
        self.with_leader(&failure::instead(self, refused))
    }

    pub(super) fn redirected(&self, target: &Uri) -> Option<Self> {
        if let Question::Describe { led_by } = &self.question {
            let endpoint = query::without_query(target);
            // The same place on another server, or a page for people.
            let has_moved = endpoint.path().trim_end_matches('/') == self.endpoint.path().trim_end_matches('/');
            let led_by = led_by.clone().or_else(|| (!has_moved).then(|| self.endpoint.clone()));
            return Some(Self { endpoint, question: Question::Describe { led_by }, ..self.clone() });
        }
        // Who drops the query has no answer to it.
        let endpoint = query::base_of(target, &query::text(&self.question, self.rows)?)?;
        let service = Some(self.service.clone().unwrap_or_else(|| self.endpoint.clone()));
        Some(Self { endpoint, service, ..self.clone() })
    }

    /// Questions for this endpoint, and for the address that led to it.
    fn with_leader(&self, questions: &[Question]) -> Vec<Next> {
        let leader = match &self.question {
            Question::Describe { led_by: Some(endpoint) } => Some(Self { endpoint: endpoint.clone(), ..self.clone() }),
            _ => None,
        };
        let of = |step: &Self| questions.iter().filter_map(|question| step.next(question.clone()).ok()).collect();
        let own: Vec<Next> = of(self);
        own.into_iter().chain(leader.as_ref().map(of).unwrap_or_default()).collect()
    }

    fn next(&self, question: Question) -> Result<Next, UriError> {
        let uri = query::address(&self.endpoint, &question, self.rows)?;
        Ok(Next { uri, step: super::Step::Endpoint(Self { question, ..self.clone() }) })
    }

    /// Hands over what is to be asked next.
    fn go_on(&self, questions: Vec<Question>, findings: &mut dyn Findings) {
        for question in questions {
            let purpose = question.to_string();
            match self.next(question) {
                Ok(next) => findings.step(next),
                Err(error) => findings.fault(Fault::new(FaultKind::Excess, format!("{purpose}: {error}"))),
            }
        }
    }

    /// The fewest rows that are worth a request.
    fn rows_min(&self) -> u32 {
        ROWS_MIN.min(self.rows)
    }

    /// Only an answer to a query makes an endpoint: many addresses look like
    /// one, and that they are none is nobody's fault.
    fn read_probe(&self, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
        let mut first = First::default();
        let results = results::read(answer.body, &mut first);
        if matches!(results.ending, Ending::Whole | Ending::Enough) {
            let known = Self { has_default: first.0.is_some() || results.boolean.is_some(), ..self.clone() };
            known.go_on(vec![Question::Graphs(List { form: Graphs::Counted, span: Span::AtOnce })], findings);
        }
        results.syntax
    }

    fn read_ask(&self, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
        let results = results::read(answer.body, &mut First::default());
        let questions = match (&self.question, results.boolean) {
            (Question::Differs(_), Some(true)) => vec![census::first(Source::Default)],
            (Question::Differs(_), Some(false)) => vec![Question::Exceeds(Reach::All)],
            // What is in named graphs is read from there.
            (_, Some(true)) => vec![census::first(Source::Remainder)],
            (Question::Exceeds(Reach::Some), Some(false)) => {
                let detail = "only a part of the default graph was looked at: all of that is in named graphs, too";
                findings.fault(Fault::new(FaultKind::Excess, detail));
                Vec::new()
            }
            (_, Some(false)) => Vec::new(),
            (_, None) => failure::instead(self, Refused::Broken),
        };
        self.go_on(questions, findings);
        results.syntax
    }

    fn read_total(&self, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
        let mut first = First::default();
        let results = results::read(answer.body, &mut first);
        if let Some(rows) = first.0.and_then(|row| results::number(row.count.as_ref())) {
            findings.begin(results.syntax);
            description::default_graph(self, rows, findings);
        }
        results.syntax
    }
}

/// Takes the first row.
#[derive(Default)]
struct First(Option<Row>);

impl Taker for First {
    fn begin(&mut self, _: &'static str) {}

    fn row(&mut self, row: Row) -> bool {
        self.0 = Some(row);
        false
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SPARQL endpoint {}: {}", self.endpoint, self.question)
    }
}

#[cfg(test)]
mod tests;
