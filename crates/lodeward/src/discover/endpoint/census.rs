//! The predicates of some statements, and the pages that follow from them.

use oxrdf::Term;

use super::key::is_askable;
use super::lists::{self, next_span, packs};
use super::question::{
    Census, Counted, Expected, List, Nodes, Page, Part, Place, Predicates, Question, Source, Span, rows_of,
};
use super::results::{self, Row};
use super::{Step, failure};
use crate::discover::{Answer, Findings};
use crate::model::{Fault, FaultKind};

/// Predicates that are asked for together when nobody knows how much they have.
const UNCOUNTED_MAX: usize = 16;

/// The first question about the statements of a source.
pub(super) fn first(source: Source) -> Question {
    Question::Census(Census { source, list: List { form: Predicates::Split, span: Span::AtOnce }, blanks: 0 })
}

/// Reads a list of predicates.
pub(super) fn read(step: &Step, census: &Census, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
    let listed = match lists::read(step, &census.list.span, answer, findings) {
        Ok(listed) => listed,
        Err(syntax) => {
            step.go_on(failure::instead(step, failure::Refused::Broken), findings);
            return syntax;
        }
    };
    let (next, counts) = next_span(step, &census.list.span, &listed, |row| row.predicate.as_ref());
    let is_first = census.list.span == Span::AtOnce;
    let list = List { form: answered(&listed.rows, census.list.form), span: census.list.span.clone() };
    let mut census = Census { source: census.source.clone(), list, blanks: census.blanks };
    let mut questions = Vec::new();
    if counts {
        let predicates = predicates_of(&listed.rows, census.list.form, findings);
        let total = predicates.iter().map(|predicate| predicate.rows).fold(0, u64::saturating_add);
        census.blanks = predicates.iter().map(|predicate| predicate.blanks).fold(census.blanks, u64::saturating_add);
        let is_counted = census.list.form != Predicates::Plain;
        if is_first && next.is_none() && is_counted && (1..=u64::from(step.rows)).contains(&total) {
            let expected = if census.source.may_repeat() { Expected::AtMost(total) } else { Expected::Exactly(total) };
            step.go_on(vec![whole(step, census.source, expected)], findings);
            return listed.syntax;
        }
        questions.extend(pages_of_predicates(step, &census, predicates));
    }
    match next {
        Some(span) => {
            census.list.span = span;
            questions.push(Question::Census(census));
        }
        None if is_first && listed.rows.is_empty() => {}
        None => questions.extend(page_of_blanks(step, &census)),
    }
    step.go_on(questions, findings);
    listed.syntax
}

/// A predicate, and how many statements it has.
struct Weighed {
    name: String,
    rows: u64,
    /// Of these, how many have blank nodes.
    blanks: u64,
}

fn predicates_of(rows: &[Row], form: Predicates, findings: &mut dyn Findings) -> Vec<Weighed> {
    let mut predicates = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(Term::NamedNode(name)) = &row.predicate else { continue };
        let name = name.as_str();
        let rows = results::number(row.count.as_ref()).unwrap_or(0);
        if !is_askable(name) {
            let detail = format!("{rows} statements are left out: their predicate `{name}` is not an absolute IRI");
            findings.fault(Fault::new(FaultKind::Syntax, detail));
            continue;
        }
        let blanks = if form == Predicates::Split { results::number(row.blanks.as_ref()).unwrap_or(0) } else { 0 };
        predicates.push(Weighed { name: name.to_owned(), rows, blanks });
    }
    predicates
}

/// How a list was answered, which may be less than it was asked.
fn answered(rows: &[Row], asked: Predicates) -> Predicates {
    let has =
        |column: fn(&Row) -> &Option<Term>| rows.iter().all(|row| results::number(column(row).as_ref()).is_some());
    match asked {
        Predicates::Plain => Predicates::Plain,
        _ if !has(|row| &row.count) => Predicates::Plain,
        Predicates::Split if has(|row| &row.blanks) => Predicates::Split,
        Predicates::Split | Predicates::Counted => Predicates::Counted,
    }
}

/// The statements without blank nodes: a chain for each predicate that has many,
/// a page for several that have few.
fn pages_of_predicates(step: &Step, census: &Census, predicates: Vec<Weighed>) -> Vec<Question> {
    let named = predicates.into_iter().map(|predicate| {
        let rows = predicate.rows.saturating_sub(predicate.blanks);
        Counted { name: predicate.name, rows }
    });
    let page = |predicates: Vec<Counted>, place| {
        let rows = rows_of(&predicates);
        let expected = match census.list.form {
            Predicates::Plain => Expected::Unknown,
            Predicates::Split if !census.source.may_repeat() => Expected::Exactly(rows),
            Predicates::Split | Predicates::Counted => Expected::AtMost(rows),
        };
        let part = Part { source: census.source.clone(), predicates, nodes: Nodes::Named };
        Page::first(part, place, step.rows, expected)
    };
    if census.list.form == Predicates::Plain {
        let packs = packs(named.collect(), u64::MAX, UNCOUNTED_MAX);
        return packs.into_iter().map(|pack| page(pack, Place::Subjects(None))).collect();
    }
    let rows_max = u64::from(step.rows);
    let named = named.filter(|predicate| predicate.rows > 0);
    let (small, large): (Vec<_>, Vec<_>) = named.partition(|predicate| predicate.rows <= rows_max);
    let large = large.into_iter().map(|predicate| page(vec![predicate], Place::Subjects(None)));
    let small = packs(small, rows_max, usize::MAX).into_iter().map(|pack| page(pack, Place::Anywhere));
    large.chain(small).collect()
}

/// The statements with blank nodes: together, since blank nodes are the same
/// only within one answer.
fn page_of_blanks(step: &Step, census: &Census) -> Option<Question> {
    let blanks = census.blanks;
    let expected = match census.list.form {
        Predicates::Split if blanks == 0 => return None,
        Predicates::Split if census.source.may_repeat() => Expected::AtMost(blanks),
        Predicates::Split => Expected::Exactly(blanks),
        Predicates::Counted | Predicates::Plain => Expected::Unknown,
    };
    Some(blank_page(step, census.source.clone(), expected))
}

fn blank_page(step: &Step, source: Source, expected: Expected) -> Question {
    let part = Part { source, predicates: Vec::new(), nodes: Nodes::Blank };
    let place = Place::Offset { after: None, offset: 0 };
    Page::first(part, place, step.rows, expected)
}

/// All statements of a source in two chains, when nothing helps to divide them.
/// `rows` is how many there are, if that is known.
pub(super) fn two_chains(step: &Step, source: &Source, rows: Option<u64>, limit: u32) -> Vec<Question> {
    let part = Part { source: source.clone(), predicates: Vec::new(), nodes: Nodes::Named };
    let expected = rows.map_or(Expected::Unknown, Expected::AtMost);
    let named = Page::first(part, Place::Subjects(None), limit, expected);
    vec![named, blank_page(step, source.clone(), Expected::Unknown)]
}

/// All statements of a source on one page.
pub(super) fn whole(step: &Step, source: Source, expected: Expected) -> Question {
    let part = Part { source, predicates: Vec::new(), nodes: Nodes::Any };
    Page::first(part, Place::Anywhere, step.rows, expected)
}
