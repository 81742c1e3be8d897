//! Reads the predicates of a source and derives the pages to request.

use oxrdf::Term;

use super::listing::{self, next_span, pack_names};
use super::question::{
    CountedName, EndpointQuestion, ExpectedRows, ListQuestion, ListSpan, NodeKinds, PagePosition, PredicateCensus,
    PredicatesQuery, StatementPage, StatementPart, StatementSource, total_rows,
};
use super::results::{self, SolutionRow};
use super::row_key::is_valid_iri;
use super::{EndpointStep, fallback};
use crate::discover::{ServiceResponse, StepSink};
use crate::model::{Fault, FaultKind};

/// Maximum number of predicates per page if their counts are unknown.
const MAX_UNCOUNTED: usize = 16;

/// The first question about the statements of a source.
pub(super) fn first_question(source: StatementSource) -> EndpointQuestion {
    EndpointQuestion::Census(PredicateCensus {
        source,
        list: ListQuestion { form: PredicatesQuery::Split, span: ListSpan::Complete },
        blanks: 0,
    })
}

/// Reads a list of predicates.
pub(super) fn read(
    step: &EndpointStep,
    census: &PredicateCensus,
    response: ServiceResponse<'_>,
    findings: &mut dyn StepSink,
) -> &'static str {
    let listed = match listing::read(step, &census.list.span, response, findings) {
        Ok(listed) => listed,
        Err(syntax) => {
            step.add_questions(fallback::fallback_questions(step, fallback::QuestionRejection::ServerError), findings);
            return syntax;
        }
    };
    let (next, counts) = next_span(step, &census.list.span, &listed, |row| row.predicate.as_ref());
    let is_first = census.list.span == ListSpan::Complete;
    let list = ListQuestion { form: received_form(&listed.rows, census.list.form), span: census.list.span.clone() };
    let mut census = PredicateCensus { source: census.source.clone(), list, blanks: census.blanks };
    let mut questions = Vec::new();
    if counts {
        let predicates = read_predicates(&listed.rows, census.list.form, findings);
        let total = predicates.iter().map(|predicate| predicate.rows).fold(0, u64::saturating_add);
        census.blanks = predicates.iter().map(|predicate| predicate.blanks).fold(census.blanks, u64::saturating_add);
        let is_counted = census.list.form != PredicatesQuery::Plain;
        if is_first && next.is_none() && is_counted && (1..=u64::from(step.rows)).contains(&total) {
            let expected =
                if census.source.may_repeat() { ExpectedRows::AtMost(total) } else { ExpectedRows::Exactly(total) };
            step.add_questions(vec![single_page(step, census.source, expected)], findings);
            return listed.syntax;
        }
        questions.extend(predicate_pages(step, &census, predicates));
    }
    match next {
        Some(span) => {
            census.list.span = span;
            questions.push(EndpointQuestion::Census(census));
        }
        None if is_first && listed.rows.is_empty() => {}
        None => questions.extend(counted_blank_page(step, &census)),
    }
    step.add_questions(questions, findings);
    listed.syntax
}

/// A predicate with its number of statements.
struct PredicateCount {
    name: String,
    rows: u64,
    /// Number of these statements that contain blank nodes.
    blanks: u64,
}

fn read_predicates(rows: &[SolutionRow], form: PredicatesQuery, findings: &mut dyn StepSink) -> Vec<PredicateCount> {
    let mut predicates = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(Term::NamedNode(name)) = &row.predicate else { continue };
        let name = name.as_str();
        let rows = results::parse_count(row.count.as_ref()).unwrap_or(0);
        if !is_valid_iri(name) {
            let detail = format!("{rows} statements skipped: their predicate `{name}` is not an absolute IRI");
            findings.fault(Fault::new(FaultKind::Syntax, detail));
            continue;
        }
        let blanks =
            if form == PredicatesQuery::Split { results::parse_count(row.blanks.as_ref()).unwrap_or(0) } else { 0 };
        predicates.push(PredicateCount { name: name.to_owned(), rows, blanks });
    }
    predicates
}

/// The form of a received list, which may be simpler than the requested one.
fn received_form(rows: &[SolutionRow], requested: PredicatesQuery) -> PredicatesQuery {
    let has = |column: fn(&SolutionRow) -> &Option<Term>| {
        rows.iter().all(|row| results::parse_count(column(row).as_ref()).is_some())
    };
    match requested {
        PredicatesQuery::Plain => PredicatesQuery::Plain,
        _ if !has(|row| &row.count) => PredicatesQuery::Plain,
        PredicatesQuery::Split if has(|row| &row.blanks) => PredicatesQuery::Split,
        PredicatesQuery::Split | PredicatesQuery::Counted => PredicatesQuery::Counted,
    }
}

/// Pages of the statements without blank nodes: a chain for each frequent predicate, one page for several rare ones.
fn predicate_pages(
    step: &EndpointStep,
    census: &PredicateCensus,
    predicates: Vec<PredicateCount>,
) -> Vec<EndpointQuestion> {
    let named = predicates.into_iter().map(|predicate| {
        let rows = predicate.rows.saturating_sub(predicate.blanks);
        CountedName { name: predicate.name, rows }
    });
    let page = |predicates: Vec<CountedName>, position| {
        let rows = total_rows(&predicates);
        let expected = match census.list.form {
            PredicatesQuery::Plain => ExpectedRows::Unknown,
            PredicatesQuery::Split if !census.source.may_repeat() => ExpectedRows::Exactly(rows),
            PredicatesQuery::Split | PredicatesQuery::Counted => ExpectedRows::AtMost(rows),
        };
        let part = StatementPart { source: census.source.clone(), predicates, nodes: NodeKinds::Named };
        StatementPage::first(part, position, step.rows, expected)
    };
    if census.list.form == PredicatesQuery::Plain {
        let packs = pack_names(named.collect(), u64::MAX, MAX_UNCOUNTED);
        return packs.into_iter().map(|pack| page(pack, PagePosition::Subjects(None))).collect();
    }
    let max_rows = u64::from(step.rows);
    let named = named.filter(|predicate| predicate.rows > 0);
    let (small, large): (Vec<_>, Vec<_>) = named.partition(|predicate| predicate.rows <= max_rows);
    let large = large.into_iter().map(|predicate| page(vec![predicate], PagePosition::Subjects(None)));
    let small = pack_names(small, max_rows, usize::MAX).into_iter().map(|pack| page(pack, PagePosition::Complete));
    large.chain(small).collect()
}

/// One page of all statements with blank nodes, because blank node labels are valid within one result only.
fn counted_blank_page(step: &EndpointStep, census: &PredicateCensus) -> Option<EndpointQuestion> {
    let blanks = census.blanks;
    let expected = match census.list.form {
        PredicatesQuery::Split if blanks == 0 => return None,
        PredicatesQuery::Split if census.source.may_repeat() => ExpectedRows::AtMost(blanks),
        PredicatesQuery::Split => ExpectedRows::Exactly(blanks),
        PredicatesQuery::Counted | PredicatesQuery::Plain => ExpectedRows::Unknown,
    };
    Some(blank_page(step, census.source.clone(), expected))
}

fn blank_page(step: &EndpointStep, source: StatementSource, expected: ExpectedRows) -> EndpointQuestion {
    let part = StatementPart { source, predicates: Vec::new(), nodes: NodeKinds::Blank };
    let position = PagePosition::Offset { after: None, offset: 0 };
    StatementPage::first(part, position, step.rows, expected)
}

/// All statements of a source in two chains, if nothing divides them. `rows` is their number, if known.
pub(super) fn split_pages(
    step: &EndpointStep,
    source: &StatementSource,
    rows: Option<u64>,
    limit: u32,
) -> Vec<EndpointQuestion> {
    let part = StatementPart { source: source.clone(), predicates: Vec::new(), nodes: NodeKinds::Named };
    let expected = rows.map_or(ExpectedRows::Unknown, ExpectedRows::AtMost);
    let named = StatementPage::first(part, PagePosition::Subjects(None), limit, expected);
    vec![named, blank_page(step, source.clone(), ExpectedRows::Unknown)]
}

/// All statements of a source on one page.
pub(super) fn single_page(step: &EndpointStep, source: StatementSource, expected: ExpectedRows) -> EndpointQuestion {
    let part = StatementPart { source, predicates: Vec::new(), nodes: NodeKinds::Any };
    StatementPage::first(part, PagePosition::Complete, step.rows, expected)
}
