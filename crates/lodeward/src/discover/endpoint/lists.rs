//! Lists of graphs and of predicates, in one piece or in many.

use oxrdf::Term;

use super::Step;
use super::key::Key;
use super::question::{Counted, Span, surely_whole_below};
use super::results::{self, Ending, Row, Taker};
use crate::discover::{Answer, Findings};

/// Bytes of a request that names may take together. The rest is for the address
/// of the endpoint, and for keys.
const PACK_BYTES_MAX: usize = 4_000;

/// Some of a list.
pub(super) struct Listed {
    pub(super) syntax: &'static str,
    pub(super) rows: Vec<Row>,
    /// Whether the list ends here.
    pub(super) is_last: bool,
}

/// Takes the rows of a list.
struct Listing<'f> {
    findings: &'f mut dyn Findings,
    rows: Vec<Row>,
    rows_max: usize,
}

impl Taker for Listing<'_> {
    fn begin(&mut self, syntax: &'static str) {
        self.findings.begin(syntax);
    }

    fn row(&mut self, row: Row) -> bool {
        self.rows.push(row);
        self.rows.len() < self.rows_max
    }
}

/// Reads a list; `Err` with its syntax, if it is none.
pub(super) fn read(
    step: &Step,
    span: &Span,
    answer: Answer<'_>,
    findings: &mut dyn Findings,
) -> Result<Listed, &'static str> {
    let rows_max = usize::try_from(span.limit(step.rows)).unwrap_or(usize::MAX);
    let mut listing = Listing { findings: &mut *findings, rows: Vec::new(), rows_max };
    let results = results::read(answer.body, &mut listing);
    let rows = listing.rows;
    let is_short = (rows.len() as u64) < surely_whole_below(step.rows);
    let (is_last, fault) = match results.ending {
        Ending::Whole => (is_short && results.boolean.is_none(), None),
        Ending::Enough => (false, None),
        Ending::Cut(fault) | Ending::NotResults(fault) => (false, Some(fault)),
    };
    if let Some(fault) = fault {
        findings.fault(fault);
    }
    if rows.is_empty() && !is_last { Err(results.syntax) } else { Ok(Listed { syntax: results.syntax, rows, is_last }) }
}

/// What comes after a part of a list: a span, unless there is no more; and
/// whether the rows of this part count.
pub(super) fn next_span(
    step: &Step,
    span: &Span,
    listed: &Listed,
    name: impl Fn(&Row) -> Option<&Term>,
) -> (Option<Span>, bool) {
    if listed.is_last {
        return (None, true);
    }
    let last = listed.rows.iter().rev().find_map(|row| match name(row) {
        Some(Term::NamedNode(name)) => Some(Key::of_iri(name.as_str())),
        _ => None,
    });
    match span {
        // It is longer than can be had at once, and has to be gone through.
        Span::AtOnce => (Some(Span::Sorted { after: None, limit: step.rows }), false),
        // A server that gives the same again would do so for ever.
        Span::Sorted { after: before, .. } | Span::Numbered { last: before, .. }
            if last.is_none() || last == *before =>
        {
            (None, true)
        }
        Span::Sorted { limit, .. } => (Some(Span::Sorted { after: last, limit: *limit }), true),
        Span::Numbered { offset, limit, .. } => {
            let offset = offset.saturating_add(listed.rows.len() as u64);
            (Some(Span::Numbered { offset, limit: *limit, last }), true)
        }
    }
}

/// Names in groups that together have no more rows than this, and are short
/// enough to be asked for.
pub(super) fn packs(names: Vec<Counted>, rows_max: u64, count_max: usize) -> Vec<Vec<Counted>> {
    let mut packs: Vec<Vec<Counted>> = Vec::new();
    let (mut rows, mut bytes) = (0_u64, 0);
    for name in names {
        let len = encoded_len(&name.name);
        let fits = |pack: &Vec<Counted>| {
            pack.len() < count_max && rows.saturating_add(name.rows) <= rows_max && bytes + len <= PACK_BYTES_MAX
        };
        match packs.last_mut().filter(|pack| fits(pack)) {
            Some(pack) => {
                rows += name.rows;
                bytes += len;
                pack.push(name);
            }
            None => {
                (rows, bytes) = (name.rows, len);
                packs.push(vec![name]);
            }
        }
    }
    packs
}

/// The length of a name in an address.
fn encoded_len(name: &str) -> usize {
    let brackets_and_space = 7;
    let byte = |byte: u8| if byte.is_ascii_alphanumeric() || b"-._*".contains(&byte) { 1 } else { 3 };
    name.bytes().map(byte).sum::<usize>() + brackets_and_space
}
