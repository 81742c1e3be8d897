//! Chooses the next query after a query has failed permanently.
//!
//! A smaller part is queried first, then the same part with a query that is cheaper for the server. If no cheaper query
//! is left, the part is not harvested; it is named in the record of the failed request.

use super::question::{
    CensusExtent, CountedName, EndpointQuestion, ExpectedRows, GraphsQuery, ListQuestion, ListSpan, PagePosition,
    PredicateCensus, PredicatesQuery, StatementPage, StatementSource, total_rows,
};
use super::{EndpointStep, graphs, predicates};
use crate::model::FetchFailure;

/// How a query was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionRejection {
    /// The endpoint cannot be reached or denies access, so no other query is sent.
    Permanent,
    /// The query took too long or was too expensive.
    Overload,
    /// The server failed, or its response is not a SPARQL result.
    ServerError,
    /// The server does not support the query.
    Unsupported,
}

impl QuestionRejection {
    /// Classifies a failure.
    pub(super) fn from_failure(failure: &FetchFailure) -> Self {
        if failure.fault.kind.is_server_unreachable() {
            return Self::Permanent;
        }
        match failure.status {
            Some(401 | 403 | 404 | 407 | 410 | 451) => Self::Permanent,
            None | Some(408 | 429 | 502..=504) => Self::Overload,
            Some(413 | 500) => Self::ServerError,
            Some(_) => Self::Unsupported,
        }
    }
}

/// The queries to send instead of the query of a step.
pub(super) fn fallback_questions(step: &EndpointStep, rejection: QuestionRejection) -> Vec<EndpointQuestion> {
    if rejection == QuestionRejection::Permanent {
        return Vec::new();
    }
    match &step.question {
        // Most endpoints return nothing without a query.
        EndpointQuestion::Describe { .. } => vec![EndpointQuestion::Probe],
        EndpointQuestion::Probe | EndpointQuestion::Total => Vec::new(),
        EndpointQuestion::Graphs(list) => graphs_fallback(step, list, rejection),
        EndpointQuestion::Differs(CensusExtent::All) => vec![EndpointQuestion::Differs(CensusExtent::Sample)],
        EndpointQuestion::Exceeds(CensusExtent::All) => vec![EndpointQuestion::Exceeds(CensusExtent::Sample)],
        // If the graphs cannot be compared, the default graph is read completely: duplicates are better than missing
        // statements.
        EndpointQuestion::Differs(CensusExtent::Sample) | EndpointQuestion::Exceeds(CensusExtent::Sample) => {
            vec![predicates::first_question(StatementSource::Default)]
        }
        EndpointQuestion::Census(census) => census_fallback(step, census, rejection),
        EndpointQuestion::Page(page) => page_fallback(step, page, rejection),
    }
}

fn graphs_fallback(
    step: &EndpointStep,
    list: &ListQuestion<GraphsQuery>,
    rejection: QuestionRejection,
) -> Vec<EndpointQuestion> {
    if let Some(span) = smaller_span(step, &list.span, rejection) {
        return vec![EndpointQuestion::Graphs(ListQuestion { form: list.form, span })];
    }
    match list.form {
        GraphsQuery::Counted => {
            vec![EndpointQuestion::Graphs(ListQuestion { form: GraphsQuery::Plain, span: list.span.clone() })]
        }
        // The remaining graphs cannot be listed and are not harvested. Continues with the default graph.
        GraphsQuery::Plain if list.span != ListSpan::Complete => graphs::remaining_questions(step, true),
        GraphsQuery::Plain if step.harvests => vec![predicates::first_question(StatementSource::Merged)],
        GraphsQuery::Plain => graphs::remaining_questions(step, false),
    }
}

/// A smaller or unordered part of a list, if that may help.
fn smaller_span(step: &EndpointStep, span: &ListSpan, rejection: QuestionRejection) -> Option<ListSpan> {
    let may_shrink = |limit: u32| limit > step.min_rows() && rejection != QuestionRejection::Unsupported;
    let less = |limit: u32| (limit / 4).max(step.min_rows());
    match span {
        ListSpan::Sorted { after, limit } if may_shrink(*limit) => {
            Some(ListSpan::Sorted { after: after.clone(), limit: less(*limit) })
        }
        ListSpan::Sorted { limit, .. } => Some(ListSpan::Offset { offset: 0, limit: *limit, last: None }),
        ListSpan::Offset { offset, limit, last } if may_shrink(*limit) => {
            Some(ListSpan::Offset { offset: *offset, limit: less(*limit), last: last.clone() })
        }
        ListSpan::Offset { .. } | ListSpan::Complete => None,
    }
}

fn census_fallback(
    step: &EndpointStep,
    census: &PredicateCensus,
    rejection: QuestionRejection,
) -> Vec<EndpointQuestion> {
    if let Some(span) = smaller_span(step, &census.list.span, rejection) {
        // If the list is read again from its start, the blank nodes are counted again, too.
        let restarts = matches!(span, ListSpan::Offset { offset: 0, .. });
        let blanks = if restarts { 0 } else { census.blanks };
        let list = ListQuestion { form: census.list.form, span };
        return vec![EndpointQuestion::Census(PredicateCensus { list, blanks, ..census.clone() })];
    }
    let form = match census.list.form {
        // A query with one count takes as long as a query with two, so it is sent only if the server is not overloaded.
        PredicatesQuery::Split if rejection != QuestionRejection::Overload => PredicatesQuery::Counted,
        PredicatesQuery::Split | PredicatesQuery::Counted => PredicatesQuery::Plain,
        PredicatesQuery::Plain => return predicates::split_pages(step, &census.source, None, step.rows),
    };
    let list = ListQuestion { form, span: census.list.span.clone() };
    vec![EndpointQuestion::Census(PredicateCensus { list, ..census.clone() })]
}

fn page_fallback(step: &EndpointStep, page: &StatementPage, rejection: QuestionRejection) -> Vec<EndpointQuestion> {
    let less = (page.limit / 4).max(step.min_rows());
    let retry = |page: StatementPage| vec![EndpointQuestion::Page(page)];
    if page.part.predicates.is_empty() && page.position == PagePosition::Complete {
        return divide_page(step, page, less);
    }
    if page.part.predicates.len() > 1 {
        let (first, second) = page.part.predicates.split_at(page.part.predicates.len() / 2);
        return [first, second].into_iter().map(|half| EndpointQuestion::Page(with_predicates(page, half))).collect();
    }
    // A smaller limit does not help if the page needs all rows at once, nor if the server does not support the query.
    if page.limit > step.min_rows()
        && rejection != QuestionRejection::Unsupported
        && page.position != PagePosition::Complete
    {
        let max_limit = (page.limit - page.limit / 4).max(step.min_rows());
        return retry(StatementPage { limit: less, max_limit, ..page.clone() });
    }
    let restarted = |position| StatementPage { position, expected: ExpectedRows::Unknown, ..page.clone() };
    match &page.position {
        PagePosition::Complete => {
            retry(StatementPage { position: PagePosition::Subjects(None), limit: less, ..page.clone() })
        }
        PagePosition::Subjects(after) => {
            let limit = (step.rows / 4).max(step.min_rows());
            let position = PagePosition::Offset { after: after.clone(), offset: 0 };
            retry(StatementPage { position, limit, ..page.clone() })
        }
        PagePosition::Objects { subject, .. } => {
            retry(restarted(PagePosition::SameKey { subject: subject.clone(), object: None, offset: 0 }))
        }
        // Skips this subject and continues with the next one.
        PagePosition::SameKey { subject, .. } => retry(restarted(PagePosition::Subjects(Some(subject.clone())))),
        PagePosition::Offset { .. } => Vec::new(),
    }
}

/// The same page restricted to these predicates.
fn with_predicates(page: &StatementPage, predicates: &[CountedName]) -> StatementPage {
    let part = page.part.with_predicates(predicates);
    let expected =
        if page.received == 0 { page.expected.with_rows(total_rows(predicates)) } else { ExpectedRows::Unknown };
    StatementPage { part, expected, received: 0, ..page.clone() }
}

/// Requests the statements of a page again, in smaller parts.
pub(super) fn divide_page(step: &EndpointStep, page: &StatementPage, limit: u32) -> Vec<EndpointQuestion> {
    if let StatementSource::Graphs(graphs) = &page.part.source
        && graphs.len() > 1
    {
        let half = |graphs: &[CountedName]| {
            let mut half = page.clone();
            half.part.source = StatementSource::Graphs(graphs.to_vec());
            half.expected = page.expected.with_rows(total_rows(graphs));
            EndpointQuestion::Page(half)
        };
        let (first, second) = graphs.split_at(graphs.len() / 2);
        return vec![half(first), half(second)];
    }
    let rows = match page.expected {
        ExpectedRows::AtMost(rows) | ExpectedRows::Exactly(rows) => Some(rows),
        ExpectedRows::Unknown => None,
    };
    predicates::split_pages(step, &page.part.source, rows, limit)
}
