//! What to ask instead, when a question was refused for good.
//!
//! First less of the same, then the same in a way that is easier on the server,
//! and at last nothing: what is then missing is the failed request, which says
//! what it was for.

use super::question::{
    Census, Counted, Expected, Graphs, List, Page, Place, Predicates, Question, Reach, Source, Span, rows_of,
};
use super::{Step, census, graphs};
use crate::fetch::Refusal;
use crate::model::FaultKind;

/// How a question was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Whatever is asked there, it will not be answered.
    Always,
    /// It took too long, or too much.
    Slow,
    /// The server broke over it, or answered something else.
    Broken,
    /// The server does not understand it.
    Wrong,
}

impl Refused {
    /// What a refusal means.
    pub(super) fn of(refusal: &Refusal) -> Self {
        if matches!(refusal.fault.kind, FaultKind::Dns | FaultKind::Tls | FaultKind::Forbidden) {
            return Self::Always;
        }
        match refusal.status {
            Some(401 | 403 | 404 | 407 | 410 | 451) => Self::Always,
            None | Some(408 | 429 | 502..=504) => Self::Slow,
            Some(413 | 500) => Self::Broken,
            Some(_) => Self::Wrong,
        }
    }
}

/// What to ask instead of a step's question.
pub(super) fn instead(step: &Step, refused: Refused) -> Vec<Question> {
    if refused == Refused::Always {
        return Vec::new();
    }
    match &step.question {
        // Most endpoints have nothing to say to whoever asks nothing.
        Question::Describe { .. } => vec![Question::Probe],
        Question::Probe | Question::Total => Vec::new(),
        Question::Graphs(list) => instead_of_graphs(step, list, refused),
        Question::Differs(Reach::All) => vec![Question::Differs(Reach::Some)],
        Question::Exceeds(Reach::All) => vec![Question::Exceeds(Reach::Some)],
        // Rather twice than not at all.
        Question::Differs(Reach::Some) | Question::Exceeds(Reach::Some) => vec![census::first(Source::Default)],
        Question::Census(census) => instead_of_census(step, census, refused),
        Question::Page(page) => instead_of_page(step, page, refused),
    }
}

fn instead_of_graphs(step: &Step, list: &List<Graphs>, refused: Refused) -> Vec<Question> {
    if let Some(span) = easier(step, &list.span, refused) {
        return vec![Question::Graphs(List { form: list.form, span })];
    }
    match list.form {
        Graphs::Counted => vec![Question::Graphs(List { form: Graphs::Plain, span: list.span.clone() })],
        // The rest of the graphs is lost, but not the default graph.
        Graphs::Plain if list.span != Span::AtOnce => graphs::after(step, true),
        Graphs::Plain if step.harvests => vec![census::first(Source::Merged)],
        Graphs::Plain => graphs::after(step, false),
    }
}

/// A part of a list that is smaller or without order, if that may help.
fn easier(step: &Step, span: &Span, refused: Refused) -> Option<Span> {
    let may_shrink = |limit: u32| limit > step.rows_min() && refused != Refused::Wrong;
    let less = |limit: u32| (limit / 4).max(step.rows_min());
    match span {
        Span::Sorted { after, limit } if may_shrink(*limit) => {
            Some(Span::Sorted { after: after.clone(), limit: less(*limit) })
        }
        Span::Sorted { limit, .. } => Some(Span::Numbered { offset: 0, limit: *limit, last: None }),
        Span::Numbered { offset, limit, last } if may_shrink(*limit) => {
            Some(Span::Numbered { offset: *offset, limit: less(*limit), last: last.clone() })
        }
        Span::Numbered { .. } | Span::AtOnce => None,
    }
}

fn instead_of_census(step: &Step, census: &Census, refused: Refused) -> Vec<Question> {
    if let Some(span) = easier(step, &census.list.span, refused) {
        // Who begins again counts again.
        let begins_again = matches!(span, Span::Numbered { offset: 0, .. });
        let blanks = if begins_again { 0 } else { census.blanks };
        let list = List { form: census.list.form, span };
        return vec![Question::Census(Census { list, blanks, ..census.clone() })];
    }
    let form = match census.list.form {
        // What counts in two ways takes no longer than what counts in one.
        Predicates::Split if refused != Refused::Slow => Predicates::Counted,
        Predicates::Split | Predicates::Counted => Predicates::Plain,
        Predicates::Plain => return census::two_chains(step, &census.source, None, step.rows),
    };
    let list = List { form, span: census.list.span.clone() };
    vec![Question::Census(Census { list, ..census.clone() })]
}

fn instead_of_page(step: &Step, page: &Page, refused: Refused) -> Vec<Question> {
    let less = (page.limit / 4).max(step.rows_min());
    let again = |page: Page| vec![Question::Page(page)];
    if page.part.predicates.is_empty() && page.place == Place::Anywhere {
        return divided(step, page, less);
    }
    if page.part.predicates.len() > 1 {
        let (first, second) = page.part.predicates.split_at(page.part.predicates.len() / 2);
        return [first, second].into_iter().map(|half| Question::Page(with_predicates(page, half))).collect();
    }
    // To ask for less of everything at once makes no sense, and a server that
    // does not understand a question understands no smaller one.
    if page.limit > step.rows_min() && refused != Refused::Wrong && page.place != Place::Anywhere {
        let limit_max = (page.limit - page.limit / 4).max(step.rows_min());
        return again(Page { limit: less, limit_max, ..page.clone() });
    }
    let unsure = |place| Page { place, expected: Expected::Unknown, ..page.clone() };
    match &page.place {
        Place::Anywhere => again(Page { place: Place::Subjects(None), limit: less, ..page.clone() }),
        Place::Subjects(after) => {
            let limit = (step.rows / 4).max(step.rows_min());
            let place = Place::Offset { after: after.clone(), offset: 0 };
            again(Page { place, limit, ..page.clone() })
        }
        Place::Objects { subject, .. } => {
            again(unsure(Place::Alike { subject: subject.clone(), object: None, offset: 0 }))
        }
        // This subject is lost, but not the others.
        Place::Alike { subject, .. } => again(unsure(Place::Subjects(Some(subject.clone())))),
        Place::Offset { .. } => Vec::new(),
    }
}

/// The rest of a page for some of its predicates.
fn with_predicates(page: &Page, predicates: &[Counted]) -> Page {
    let part = page.part.with_predicates(predicates);
    let expected = if page.got == 0 { page.expected.of_share(rows_of(predicates)) } else { Expected::Unknown };
    Page { part, expected, got: 0, ..page.clone() }
}

/// Everything in a source, in smaller parts.
pub(super) fn divided(step: &Step, page: &Page, limit: u32) -> Vec<Question> {
    if let Source::Graphs(graphs) = &page.part.source
        && graphs.len() > 1
    {
        let half = |graphs: &[Counted]| {
            let mut half = page.clone();
            half.part.source = Source::Graphs(graphs.to_vec());
            half.expected = page.expected.of_share(rows_of(graphs));
            Question::Page(half)
        };
        let (first, second) = graphs.split_at(graphs.len() / 2);
        return vec![half(first), half(second)];
    }
    let rows = match page.expected {
        Expected::AtMost(rows) | Expected::Exactly(rows) => Some(rows),
        Expected::Unknown => None,
    };
    census::two_chains(step, &page.part.source, rows, limit)
}
