//! Pages of statements, and where the next one begins.
//!
//! A page that is ordered by subject may end in the middle of one. Its last
//! subject is therefore held back and comes first on the next page, so that no
//! statement is taken twice and none is lost, however many rows a server gives:
//! some give fewer than they were asked for and do not say so. A chain of pages
//! ends with an empty one, or when as many rows came as were counted.

use std::mem;

use oxrdf::{GraphName, NamedNode, NamedOrBlankNode, Quad, Term};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::failure::{self, Refused};
use super::question::{Counted, Expected, Key, Nodes, Page, Place, Question, Source, rows_of, surely_whole_below};
use super::results::{self, Ending, Row, Taker};
use super::{Step, lists};
use crate::discover::{Answer, Findings};
use crate::model::{Fault, FaultKind};

/// Of a thousand rows that were counted, how many may be missing at the end of a
/// chain before everything is asked for again in another way: data changes while
/// it is read.
const MISSING_PER_THOUSAND_MAX: u64 = 1;

/// Reads a page.
pub(super) fn read(step: &Step, page: &Page, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
    let mut reading = Reading::new(page, findings);
    let results = results::read(answer.body, &mut reading);
    let is_whole = results.ending == Ending::Whole && results.boolean.is_none();
    if let Ending::Cut(fault) | Ending::NotResults(fault) = results.ending {
        reading.findings.fault(fault);
    }
    if results.boolean.is_some() {
        reading.findings.fault(Fault::new(FaultKind::Syntax, "the answer is yes or no, and rows were asked for"));
    }
    if reading.malformed > 0 {
        let detail = format!("{} of {} rows are no statements", reading.malformed, reading.rows);
        reading.findings.fault(Fault::new(FaultKind::Syntax, detail));
    }
    let is_usable = reading.rows > reading.malformed || (is_whole && reading.rows == 0);
    let questions = if is_usable { reading.finish(step, is_whole) } else { failure::instead(step, Refused::Broken) };
    step.go_on(questions, findings);
    results.syntax
}

/// A page while it is read.
struct Reading<'p, 'f> {
    page: &'p Page,
    findings: &'f mut dyn Findings,
    /// Rows that came.
    rows: u64,
    /// Of those, how many are no statements.
    malformed: u64,
    /// Rows whose statements were passed on.
    taken: u64,
    /// What has come of the group that is being read. A group is all rows of a
    /// subject, or of an object, when pages are ordered by these.
    held: Vec<Quad>,
    /// Rows of it.
    held_rows: u64,
    /// Its key.
    key: Option<Key>,
    /// The key of the group before it.
    key_before: Option<Key>,
    /// The hash of all rows of a page that is numbered.
    hash: u64,
}

impl Taker for Reading<'_, '_> {
    fn begin(&mut self, syntax: &'static str) {
        self.findings.begin(syntax);
    }

    fn row(&mut self, row: Row) -> bool {
        self.rows += 1;
        let key = self.key_of(&row);
        if key.is_some() && key != self.key {
            self.release();
            self.key_before = mem::replace(&mut self.key, key);
        }
        let quad = quad(self.page, row);
        match &quad {
            None => self.malformed += 1,
            Some(quad) if self.is_numbered() => self.hash = xxh3_64_with_seed(quad.to_string().as_bytes(), self.hash),
            Some(_) => {}
        }
        if self.holds(quad.as_ref()) {
            self.held_rows += 1;
            self.held.extend(quad);
        } else {
            self.taken += 1;
            self.pass_on(quad);
        }
        // A server that gives more than was asked for is listened to, but what is
        // kept in memory has its bound.
        self.held_rows <= u64::from(self.page.limit)
    }
}

impl<'p, 'f> Reading<'p, 'f> {
    fn new(page: &'p Page, findings: &'f mut dyn Findings) -> Self {
        Self {
            page,
            findings,
            rows: 0,
            malformed: 0,
            taken: 0,
            held: Vec::new(),
            held_rows: 0,
            key: None,
            key_before: None,
            hash: 0,
        }
    }

    fn is_numbered(&self) -> bool {
        matches!(self.page.place, Place::Alike { .. } | Place::Offset { .. })
    }

    fn key_of(&self, row: &Row) -> Option<Key> {
        match &self.page.place {
            Place::Subjects(_) => match row.subject.as_ref()? {
                Term::NamedNode(node) => Some(Key::of_iri(node.as_str())),
                _ => None,
            },
            Place::Objects { .. } => match row.object.as_ref()? {
                Term::NamedNode(node) => Some(Key::of_text(node.as_str())),
                Term::Literal(literal) => Some(Key::of_text(literal.value())),
                Term::BlankNode(_) => None,
            },
            Place::Anywhere | Place::Alike { .. } | Place::Offset { .. } => None,
        }
    }

    /// Whether a statement has to wait until more is known.
    fn holds(&self, quad: Option<&Quad>) -> bool {
        match self.page.place {
            Place::Subjects(_) | Place::Objects { .. } => true,
            // If this page is not all, blank nodes will come again as others.
            Place::Anywhere => quad.is_some_and(has_blank),
            Place::Alike { .. } | Place::Offset { .. } => false,
        }
    }

    fn pass_on(&mut self, quad: Option<Quad>) {
        let Some(quad) = quad else { return };
        if let Err(detail) = self.findings.quad(quad.as_ref()) {
            self.findings.fault(Fault::new(FaultKind::Syntax, detail));
        }
    }

    /// Passes on what was held back.
    fn release(&mut self) {
        self.taken += mem::take(&mut self.held_rows);
        for quad in mem::take(&mut self.held) {
            self.pass_on(Some(quad));
        }
    }

    /// What to ask next, after a page that had an end (`is_whole`) or broke off.
    fn finish(mut self, step: &Step, is_whole: bool) -> Vec<Question> {
        let page = self.page;
        if is_whole && page.expected.is_met_by(page.got.saturating_add(self.rows)) {
            self.release();
            return Vec::new();
        }
        match &page.place {
            Place::Anywhere => self.finish_anywhere(step, is_whole),
            Place::Subjects(after) => {
                let is_sure = is_whole && self.is_short();
                match self.last_group(is_sure, after.as_ref()) {
                    Group::None => self.end(),
                    Group::Upto(key) => self.next(Place::Subjects(Some(key))),
                    Group::Larger(subject) => self.next(Place::Objects { subject, after: None }),
                    Group::Again => self.give_up(),
                }
            }
            Place::Objects { subject, after } => {
                let is_sure = is_whole && self.is_short();
                let subject = subject.clone();
                match self.last_group(is_sure, after.as_ref()) {
                    Group::None => self.next(Place::Subjects(Some(subject))),
                    Group::Upto(key) => self.next(Place::Objects { subject, after: Some(key) }),
                    Group::Larger(object) => self.next(Place::Alike { subject, object: Some(object), offset: 0 }),
                    Group::Again => self.give_up(),
                }
            }
            Place::Alike { subject, object, offset } => {
                let (subject, object) = (subject.clone(), object.clone());
                if self.is_as_before() {
                    return self.give_up();
                }
                if self.rows > 0 && !(is_whole && self.is_short()) {
                    let offset = offset.saturating_add(self.rows);
                    return self.next(Place::Alike { subject, object, offset });
                }
                match object {
                    Some(object) => self.next(Place::Objects { subject, after: Some(object) }),
                    None => self.next(Place::Subjects(Some(subject))),
                }
            }
            Place::Offset { .. } if self.is_as_before() => self.give_up(),
            Place::Offset { after, offset } if self.rows > 0 => {
                let (after, offset) = (after.clone(), offset.saturating_add(self.rows));
                self.next(Place::Offset { after, offset })
            }
            Place::Offset { .. } => self.end(),
        }
    }

    /// Whether so few rows came that this is all there are.
    fn is_short(&self) -> bool {
        self.rows < surely_whole_below(self.page.limit)
    }

    /// Whether a numbered page is the one before it: then numbers mean nothing to
    /// this server.
    fn is_as_before(&self) -> bool {
        self.rows > 0 && self.hash == self.page.before
    }

    /// How far the groups of this page reach. The last may be incomplete; it is
    /// held back unless it surely is not.
    fn last_group(&mut self, is_sure: bool, after: Option<&Key>) -> Group {
        let Some(key) = self.key.clone() else { return Group::None };
        if Some(&key) == after {
            return Group::Again;
        }
        let reached = match self.key_before.clone() {
            _ if is_sure => {
                self.release();
                key
            }
            Some(before) => before,
            None => return Group::Larger(key),
        };
        if Some(&reached) == after { Group::Again } else { Group::Upto(reached) }
    }

    /// A page that should have had everything, and had not.
    fn finish_anywhere(mut self, step: &Step, is_whole: bool) -> Vec<Question> {
        let page = self.page;
        let counted = match page.expected {
            Expected::AtMost(rows) | Expected::Exactly(rows) => rows,
            Expected::Unknown => u64::MAX,
        };
        // More than were counted, and fewer than were asked for: data has grown.
        if is_whole && self.rows > counted && self.rows < u64::from(page.limit) {
            self.release();
            return Vec::new();
        }
        let limit = u32::try_from(self.rows).unwrap_or(page.limit).clamp(step.rows_min(), page.limit);
        if page.part.nodes == Nodes::Any {
            return divided(step, page, limit);
        }
        vec![Question::Page(Page { place: Place::Subjects(None), limit, ..page.clone() })]
    }

    /// The same chain at another place.
    fn next(&self, place: Place) -> Vec<Question> {
        let got = self.page.got.saturating_add(self.taken);
        vec![Question::Page(Page { place, got, before: self.hash, ..self.page.clone() })]
    }

    /// The end of a chain: it has everything, or it has not.
    fn end(self) -> Vec<Question> {
        let page = self.page;
        let got = page.got.saturating_add(self.taken);
        let Expected::Exactly(counted) = page.expected else { return Vec::new() };
        let missing = counted.saturating_sub(got);
        if missing == 0 {
            return Vec::new();
        }
        let is_ordered = matches!(page.place, Place::Subjects(_));
        if is_ordered && missing.saturating_mul(1_000) > counted.saturating_mul(MISSING_PER_THOUSAND_MAX) {
            // Not what orders do: perhaps the server's is another for filters.
            let place = Place::Offset { after: None, offset: 0 };
            return vec![Question::Page(Page { place, got: 0, ..page.clone() })];
        }
        let detail = format!("{missing} of {counted} rows did not come: {}", Question::Page(page.clone()));
        self.findings.fault(Fault::new(FaultKind::Truncated, detail));
        Vec::new()
    }

    /// The server gives the same page again and again.
    fn give_up(self) -> Vec<Question> {
        let detail = format!("the next page is the same as this one: {}", Question::Page(self.page.clone()));
        self.findings.fault(Fault::new(FaultKind::Protocol, detail));
        Vec::new()
    }
}

/// How far the groups of a page reach.
enum Group {
    /// There is none.
    None,
    /// All up to the one with this key are complete.
    Upto(Key),
    /// There is only this one, and it may have more than a page.
    Larger(Key),
    /// No further than those before.
    Again,
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
    lists::two_chains(step, &page.part.source, rows, limit)
}

fn has_blank(quad: &Quad) -> bool {
    matches!(quad.subject, NamedOrBlankNode::BlankNode(_)) || matches!(quad.object, Term::BlankNode(_))
}

/// The statement of a row; what a query named is not in its answer.
fn quad(page: &Page, row: Row) -> Option<Quad> {
    let subject = match page.place.subject() {
        Some(subject) => NamedNode::new_unchecked(subject).into(),
        None => match row.subject? {
            Term::NamedNode(node) => NamedOrBlankNode::from(node),
            Term::BlankNode(node) => node.into(),
            Term::Literal(_) => return None,
        },
    };
    let predicate = match page.part.predicate() {
        Some(predicate) => NamedNode::new_unchecked(predicate),
        None => match row.predicate? {
            Term::NamedNode(node) => node,
            _ => return None,
        },
    };
    let graph_name = match (page.part.source.graph(), &page.part.source) {
        (Some(graph), _) => NamedNode::new_unchecked(graph).into(),
        (None, Source::Graphs(_)) => match row.graph? {
            Term::NamedNode(node) => GraphName::from(node),
            _ => return None,
        },
        _ => GraphName::DefaultGraph,
    };
    Some(Quad { subject, predicate, object: row.object?, graph_name })
}
