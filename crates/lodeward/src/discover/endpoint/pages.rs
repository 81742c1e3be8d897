//! Reads pages of statements and decides where the next one begins.
//!
//! A page ordered by subject may end in the middle of a subject. The last subject is therefore held back and comes
//! first on the next page, so that no statement is stored twice and none is lost, however many rows a server returns:
//! some return fewer than requested without saying so. A chain of pages ends with an empty one, or when as many rows
//! were received as counted.

use std::mem;

use oxrdf::{Quad, Term};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::fallback::{self, QuestionRejection};
use super::question::{
    EndpointQuestion, ExpectedRows, NodeKinds, PagePosition, StatementPage, complete_result_threshold,
};
use super::results::{self, MAX_HELD_BYTES, ResultsEnd, RowSink, SolutionRow};
use super::row_key::RowKey;
use super::{EndpointStep, HarvestSelection, statement};
use crate::discover::{ServiceResponse, StatementRules, StepSink};
use crate::model::{Fault, FaultKind};

/// Maximum number of missing rows per thousand counted at the end of a chain. If more are missing, everything is
/// requested again in another way. Some may be missing because data changes while it is read.
const MAX_MISSING_PER_THOUSAND: u64 = 1;

/// Reads a page.
pub(super) fn read(
    step: &EndpointStep,
    page: &StatementPage,
    response: ServiceResponse<'_>,
    findings: &mut dyn StepSink,
) -> &'static str {
    let HarvestSelection { keeps_graph_names, follows_links, .. } = step.selection;
    findings.set_rules(StatementRules { keeps_graph_names, has_links: follows_links });
    let mut reading = StatementPageReader::new(page, findings);
    let results = results::read(response.body, &mut reading);
    let is_complete = results.ending == ResultsEnd::Complete && results.boolean.is_none();
    if let ResultsEnd::Truncated(fault) | ResultsEnd::NotResults(fault) = results.ending {
        reading.findings.fault(fault);
    }
    if results.boolean.is_some() {
        reading.findings.fault(Fault::new(FaultKind::Syntax, "the result is a boolean instead of rows"));
    }
    if reading.malformed > 0 {
        let detail = format!("{} of {} rows are not statements", reading.malformed, reading.rows);
        reading.findings.fault(Fault::new(FaultKind::Syntax, detail));
    }
    let is_usable = reading.rows > reading.malformed || (is_complete && reading.rows == 0);
    let questions = if is_usable {
        reading.finish(step, is_complete)
    } else {
        fallback::fallback_questions(step, QuestionRejection::ServerError)
    };
    step.add_questions(questions, findings);
    results.syntax
}

/// A page being read.
struct StatementPageReader<'p, 'f> {
    page: &'p StatementPage,
    findings: &'f mut dyn StepSink,
    /// Number of rows received.
    rows: u64,
    /// Number of received rows that are not statements.
    malformed: u64,
    /// Number of rows whose statements were passed to the sink.
    passed: u64,
    /// Statements of the current group. A group is all rows of a subject, or of an object, if pages are ordered by
    /// these.
    held: Vec<Quad>,
    /// Number of rows of the current group.
    held_rows: u64,
    /// The size of these rows.
    held_bytes: usize,
    /// Key of the current group.
    key: Option<RowKey>,
    /// The key of the previous group.
    key_before: Option<RowKey>,
    /// The hash of all rows of this page, if it has an offset.
    hash: u64,
}

impl RowSink for StatementPageReader<'_, '_> {
    fn begin_syntax(&mut self, syntax: &'static str) {
        self.findings.begin_syntax(syntax);
    }

    fn row(&mut self, row: SolutionRow) -> bool {
        self.rows += 1;
        let key = self.row_key(&row);
        if key.is_some() && key != self.key {
            self.release();
            self.key_before = mem::replace(&mut self.key, key);
        }
        let size = row.size();
        let quad = statement::row_to_quad(self.page, row);
        match &quad {
            None => self.malformed += 1,
            Some(quad) if self.has_offset() => self.hash = xxh3_64_with_seed(quad.to_string().as_bytes(), self.hash),
            Some(_) => {}
        }
        if self.must_hold(quad.as_ref()) {
            self.held_rows += 1;
            self.held_bytes += size;
            self.held.extend(quad);
        } else {
            self.passed += 1;
            self.emit_quad(quad);
        }
        // A server may return more rows than requested, but the rows held in memory are limited.
        self.held_rows <= u64::from(self.page.limit) && self.held_bytes <= MAX_HELD_BYTES
    }
}

impl<'p, 'f> StatementPageReader<'p, 'f> {
    fn new(page: &'p StatementPage, findings: &'f mut dyn StepSink) -> Self {
        Self {
            page,
            findings,
            rows: 0,
            malformed: 0,
            passed: 0,
            held: Vec::new(),
            held_rows: 0,
            held_bytes: 0,
            key: None,
            key_before: None,
            hash: 0,
        }
    }

    fn has_offset(&self) -> bool {
        matches!(self.page.position, PagePosition::SameKey { .. } | PagePosition::Offset { .. })
    }

    fn row_key(&self, row: &SolutionRow) -> Option<RowKey> {
        match &self.page.position {
            PagePosition::Subjects(_) => match row.subject.as_ref()? {
                Term::NamedNode(node) => Some(RowKey::from_iri(node.as_str())),
                _ => None,
            },
            PagePosition::Objects { .. } => match row.object.as_ref()? {
                Term::NamedNode(node) => Some(RowKey::from_text(node.as_str())),
                Term::Literal(literal) => Some(RowKey::from_text(literal.value())),
                Term::BlankNode(_) => None,
            },
            PagePosition::Complete | PagePosition::SameKey { .. } | PagePosition::Offset { .. } => None,
        }
    }

    /// Whether a statement must be held back until its group or page is known to be complete.
    fn must_hold(&self, quad: Option<&Quad>) -> bool {
        match self.page.position {
            PagePosition::Subjects(_) | PagePosition::Objects { .. } => true,
            // If this page is incomplete, it is requested again, and its blank nodes then have other labels.
            PagePosition::Complete => quad.is_some_and(statement::has_blank_node),
            PagePosition::SameKey { .. } | PagePosition::Offset { .. } => false,
        }
    }

    fn emit_quad(&mut self, quad: Option<Quad>) {
        let Some(quad) = quad else { return };
        if let Err(detail) = self.findings.quad(quad.as_ref()) {
            self.findings.fault(Fault::new(FaultKind::Syntax, detail));
        }
    }

    /// Passes the held statements to the sink.
    fn release(&mut self) {
        self.passed += mem::take(&mut self.held_rows);
        self.held_bytes = 0;
        for quad in mem::take(&mut self.held) {
            self.emit_quad(Some(quad));
        }
    }

    /// The next questions, after a complete or a truncated page.
    fn finish(mut self, step: &EndpointStep, is_complete: bool) -> Vec<EndpointQuestion> {
        let page = self.page;
        if is_complete && page.expected.is_met_by(page.received.saturating_add(self.rows)) {
            self.release();
            return Vec::new();
        }
        match &page.position {
            PagePosition::Complete => self.finish_unordered(step, is_complete),
            PagePosition::Subjects(after) => {
                let is_last = is_complete && self.is_short();
                match self.last_group(is_last, after.as_ref()) {
                    GroupExtent::None => self.finish_chain(),
                    GroupExtent::Upto(key) => self.next(step, is_complete, PagePosition::Subjects(Some(key))),
                    GroupExtent::Larger(subject) => {
                        self.next(step, is_complete, PagePosition::Objects { subject, after: None })
                    }
                    GroupExtent::NoProgress => self.stop_repeating(),
                }
            }
            PagePosition::Objects { subject, after } => {
                let is_last = is_complete && self.is_short();
                let subject = subject.clone();
                match self.last_group(is_last, after.as_ref()) {
                    GroupExtent::None => self.next(step, is_complete, PagePosition::Subjects(Some(subject))),
                    GroupExtent::Upto(key) => {
                        self.next(step, is_complete, PagePosition::Objects { subject, after: Some(key) })
                    }
                    GroupExtent::Larger(object) => {
                        self.next(step, is_complete, PagePosition::SameKey { subject, object: Some(object), offset: 0 })
                    }
                    GroupExtent::NoProgress => self.stop_repeating(),
                }
            }
            PagePosition::SameKey { subject, object, offset } => {
                let (subject, object) = (subject.clone(), object.clone());
                if self.repeats_previous() {
                    return self.stop_repeating();
                }
                if self.rows > 0 && !(is_complete && self.is_short()) {
                    let offset = offset.saturating_add(self.rows);
                    return self.next(step, is_complete, PagePosition::SameKey { subject, object, offset });
                }
                match object {
                    Some(object) => {
                        self.next(step, is_complete, PagePosition::Objects { subject, after: Some(object) })
                    }
                    None => self.next(step, is_complete, PagePosition::Subjects(Some(subject))),
                }
            }
            PagePosition::Offset { .. } if self.repeats_previous() => self.stop_repeating(),
            PagePosition::Offset { after, offset } if self.rows > 0 => {
                let (after, offset) = (after.clone(), offset.saturating_add(self.rows));
                self.next(step, is_complete, PagePosition::Offset { after, offset })
            }
            PagePosition::Offset { .. } => self.finish_chain(),
        }
    }

    /// Whether fewer rows were received than the lowest row limit of any server, so that no rows are left.
    fn is_short(&self) -> bool {
        self.rows < complete_result_threshold(self.page.limit)
    }

    /// The limit for further pages: the number of rows that the server returned for this one.
    fn page_rows(&self, step: &EndpointStep) -> u32 {
        let limit = self.page.limit;
        u32::try_from(self.rows).unwrap_or(limit).clamp(step.min_rows().min(limit), limit)
    }

    /// Whether a page with an offset repeats the previous page. If so, the server ignores offsets.
    fn repeats_previous(&self) -> bool {
        self.rows > 0 && self.hash == self.page.previous_hash
    }

    /// Finds the last complete group of this page. The final group may be incomplete, so it is held back unless
    /// `is_last`.
    fn last_group(&mut self, is_last: bool, after: Option<&RowKey>) -> GroupExtent {
        let Some(key) = self.key.clone() else { return GroupExtent::None };
        if Some(&key) == after {
            return GroupExtent::NoProgress;
        }
        let reached = match self.key_before.clone() {
            _ if is_last => {
                self.release();
                key
            }
            Some(before) => before,
            None => return GroupExtent::Larger(key),
        };
        if Some(&reached) == after { GroupExtent::NoProgress } else { GroupExtent::Upto(reached) }
    }

    /// Continues after an unordered page whose number of rows is not the expected one. The statements are requested
    /// again, in ordered pages or in smaller parts.
    fn finish_unordered(mut self, step: &EndpointStep, is_complete: bool) -> Vec<EndpointQuestion> {
        let page = self.page;
        let counted = match page.expected {
            ExpectedRows::AtMost(rows) | ExpectedRows::Exactly(rows) => rows,
            ExpectedRows::Unknown => u64::MAX,
        };
        // If there are more rows than counted but fewer than requested, the page is complete: data was added after the
        // count.
        if is_complete && self.rows > counted && self.rows < u64::from(page.limit) {
            self.release();
            return Vec::new();
        }
        let limit = self.page_rows(step);
        if page.part.nodes == NodeKinds::Any {
            return fallback::divide_page(step, page, limit);
        }
        vec![EndpointQuestion::Page(StatementPage {
            position: PagePosition::Subjects(None),
            limit,
            max_limit: limit,
            ..page.clone()
        })]
    }

    /// The next page of the chain, which begins at `position`.
    fn next(&self, step: &EndpointStep, is_complete: bool, position: PagePosition) -> Vec<EndpointQuestion> {
        let page = self.page;
        let received = page.received.saturating_add(self.passed);
        let max_limit = if is_complete { page.max_limit } else { self.page_rows(step) };
        let limit = page.limit.saturating_mul(2).min(max_limit);
        vec![EndpointQuestion::Page(StatementPage {
            position,
            limit,
            max_limit,
            received,
            previous_hash: self.hash,
            ..page.clone()
        })]
    }

    /// Ends a chain. If an ordered chain lacks too many rows, all are requested again by offset. Otherwise missing rows
    /// are reported as a fault.
    fn finish_chain(self) -> Vec<EndpointQuestion> {
        let page = self.page;
        let received = page.received.saturating_add(self.passed);
        let ExpectedRows::Exactly(counted) = page.expected else { return Vec::new() };
        let missing = counted.saturating_sub(received);
        if missing == 0 {
            return Vec::new();
        }
        let is_ordered = matches!(page.position, PagePosition::Subjects(_));
        if is_ordered && missing.saturating_mul(1_000) > counted.saturating_mul(MAX_MISSING_PER_THOUSAND) {
            // Rows are missing because the server may order texts differently than it compares them in filters.
            let position = PagePosition::Offset { after: None, offset: 0 };
            return vec![EndpointQuestion::Page(StatementPage { position, received: 0, ..page.clone() })];
        }
        let detail = format!("{missing} of {counted} rows are missing: {}", EndpointQuestion::Page(page.clone()));
        self.findings.fault(Fault::new(FaultKind::Truncated, detail));
        Vec::new()
    }

    /// Ends a chain because the server returns the same page repeatedly.
    fn stop_repeating(self) -> Vec<EndpointQuestion> {
        let detail = format!("the server repeats a page: {}", EndpointQuestion::Page(self.page.clone()));
        self.findings.fault(Fault::new(FaultKind::Protocol, detail));
        Vec::new()
    }
}

/// Which groups of a page are complete.
enum GroupExtent {
    /// The page has no group.
    None,
    /// All groups up to this key are complete.
    Upto(RowKey),
    /// The page has only one group, which may be larger than a page.
    Larger(RowKey),
    /// The page has no complete group beyond those of the previous page.
    NoProgress,
}
