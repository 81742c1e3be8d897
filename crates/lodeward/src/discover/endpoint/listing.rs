//! Reads lists of graphs and predicates, complete or in parts.

use oxrdf::Term;

use super::EndpointStep;
use super::question::{CountedName, ListSpan, complete_result_threshold};
use super::results::{self, MAX_HELD_BYTES, ResultsEnd, RowSink, SolutionRow};
use super::row_key::RowKey;
use crate::discover::{ServiceResponse, StepSink};

/// Maximum number of bytes of names in a request. The rest is for the URL of the endpoint and for keys.
const MAX_PACK_BYTES: usize = 4_000;

/// A part of a list.
pub(super) struct ListChunk {
    pub(super) syntax: &'static str,
    pub(super) rows: Vec<SolutionRow>,
    /// Whether this is the last part of the list.
    pub(super) is_last: bool,
}

/// Collects the rows of a list.
struct ListReader<'f> {
    findings: &'f mut dyn StepSink,
    rows: Vec<SolutionRow>,
    max_rows: usize,
    /// The size of the rows.
    bytes: usize,
}

impl RowSink for ListReader<'_> {
    fn begin_syntax(&mut self, syntax: &'static str) {
        self.findings.begin_syntax(syntax);
    }

    fn row(&mut self, row: SolutionRow) -> bool {
        self.bytes += row.size();
        self.rows.push(row);
        self.rows.len() < self.max_rows && self.bytes < MAX_HELD_BYTES
    }
}

/// Reads a list; `Err` with its format, if it is not a list.
pub(super) fn read(
    step: &EndpointStep,
    span: &ListSpan,
    response: ServiceResponse<'_>,
    findings: &mut dyn StepSink,
) -> Result<ListChunk, &'static str> {
    let max_rows = usize::try_from(span.limit(step.rows)).unwrap_or(usize::MAX);
    let mut listing = ListReader { findings: &mut *findings, rows: Vec::new(), max_rows, bytes: 0 };
    let results = results::read(response.body, &mut listing);
    let rows = listing.rows;
    let is_short = (rows.len() as u64) < complete_result_threshold(step.rows);
    let (is_last, fault) = match results.ending {
        ResultsEnd::Complete => (is_short && results.boolean.is_none(), None),
        ResultsEnd::Stopped => (false, None),
        ResultsEnd::Truncated(fault) | ResultsEnd::NotResults(fault) => (false, Some(fault)),
    };
    if let Some(fault) = fault {
        findings.fault(fault);
    }
    if rows.is_empty() && !is_last {
        Err(results.syntax)
    } else {
        Ok(ListChunk { syntax: results.syntax, rows, is_last })
    }
}

/// The next span of a list, if there is one, and whether the rows of this part are used.
pub(super) fn next_span(
    step: &EndpointStep,
    span: &ListSpan,
    listed: &ListChunk,
    name: impl Fn(&SolutionRow) -> Option<&Term>,
) -> (Option<ListSpan>, bool) {
    if listed.is_last {
        return (None, true);
    }
    let last = listed.rows.iter().rev().find_map(|row| match name(row) {
        Some(Term::NamedNode(name)) => Some(RowKey::from_iri(name.as_str())),
        _ => None,
    });
    match span {
        // The list is longer than one response and must be paged.
        ListSpan::Complete => (Some(ListSpan::Sorted { after: None, limit: step.rows }), false),
        // Reading stops if the server returns the same part again.
        ListSpan::Sorted { after: before, .. } | ListSpan::Offset { last: before, .. }
            if last.is_none() || last == *before =>
        {
            (None, true)
        }
        ListSpan::Sorted { limit, .. } => (Some(ListSpan::Sorted { after: last, limit: *limit }), true),
        ListSpan::Offset { offset, limit, .. } => {
            let offset = offset.saturating_add(listed.rows.len() as u64);
            (Some(ListSpan::Offset { offset, limit: *limit, last }), true)
        }
    }
}

/// Groups names so that each group has at most `max_rows` rows and fits into a request.
pub(super) fn pack_names(names: Vec<CountedName>, max_rows: u64, max_count: usize) -> Vec<Vec<CountedName>> {
    let mut packs: Vec<Vec<CountedName>> = Vec::new();
    let (mut rows, mut bytes) = (0_u64, 0);
    for name in names {
        let len = encoded_len(&name.name);
        let fits = |pack: &Vec<CountedName>| {
            pack.len() < max_count && rows.saturating_add(name.rows) <= max_rows && bytes + len <= MAX_PACK_BYTES
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

/// The length of a name in a URL.
fn encoded_len(name: &str) -> usize {
    let brackets_and_space = 7;
    let byte = |byte: u8| if byte.is_ascii_alphanumeric() || b"-._*".contains(&byte) { 1 } else { 3 };
    name.bytes().map(byte).sum::<usize>() + brackets_and_space
}
