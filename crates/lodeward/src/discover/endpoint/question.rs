//! The questions to an endpoint, with their position in its data.
//!
//! A question is small and self-contained: with the endpoint it defines one request, and with the result it determines
//! the next questions. So a harvest can stop anywhere and resumes from the frontier.

use serde::{Deserialize, Serialize};

use super::row_key::RowKey;
use crate::model::Uri;

/// A question to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum EndpointQuestion {
    /// The document at the URL of the endpoint: a service description or a form. If a redirect led here, the `referrer`
    /// may still be the URL that accepts queries.
    Describe { referrer: Option<Uri> },
    /// Whether the endpoint answers queries.
    Probe,
    /// The list of named graphs.
    Graphs(ListQuestion<GraphsQuery>),
    /// Whether the named graphs contain statements that the default graph does not, so that it is a separate graph.
    Differs(CensusExtent),
    /// Whether the default graph, which contains all statements of the named graphs, has further statements.
    Exceeds(CensusExtent),
    /// The number of statements in the default graph.
    Total,
    /// The predicates of some statements, with counts.
    Census(PredicateCensus),
    /// A page of statements.
    Page(StatementPage),
}

/// A query for one part of a list; the parts are requested one after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListQuestion<Form> {
    /// The form of the query.
    pub(super) form: Form,
    /// The current part.
    pub(super) span: ListSpan,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ListSpan {
    /// The whole list, in any order: sufficient for short lists, and cheap.
    Complete,
    /// The part after this key, in order.
    Sorted { after: Option<RowKey>, limit: u32 },
    /// The part from this offset, in any order; `last` is the last key of the previous part.
    Offset { offset: u64, limit: u32, last: Option<RowKey> },
}

impl ListSpan {
    /// Number of rows to request for this part; `rows` is the page size of the endpoint.
    pub(super) fn limit(&self, rows: u32) -> u64 {
        match self {
            // A result with fewer rows than this limit is a complete list.
            Self::Complete => complete_result_threshold(rows),
            Self::Sorted { limit, .. } | Self::Offset { limit, .. } => u64::from(*limit),
        }
    }
}

/// The forms of the query for graphs, in order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum GraphsQuery {
    /// Names with their numbers of statements.
    Counted,
    /// Names only.
    Plain,
}

/// How many statements of a graph are compared with another graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CensusExtent {
    /// All statements.
    All,
    /// A thousand statements, if comparing all takes too long.
    Sample,
}

/// A list of predicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PredicateCensus {
    pub(super) source: StatementSource,
    pub(super) list: ListQuestion<PredicatesQuery>,
    /// Number of statements with blank nodes listed so far.
    pub(super) blanks: u64,
}

/// The forms of the query for predicates, in order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum PredicatesQuery {
    /// Names with their numbers of statements, and of statements with blank nodes.
    Split,
    /// Names with their numbers of statements.
    Counted,
    /// Names only.
    Plain,
}

/// The graphs from which statements are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum StatementSource {
    /// These named graphs.
    Graphs(Vec<CountedName>),
    /// All graphs named by blank nodes.
    Nameless,
    /// The default graph.
    Default,
    /// The statements of the default graph that are in no named graph.
    Remainder,
    /// The default graph if nothing is known about it: it may be a union of named graphs that repeats statements.
    Merged,
}

/// A name with its number of rows; 0 if unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CountedName {
    pub(super) name: String,
    pub(super) rows: u64,
}

/// The kinds of nodes in the statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum NodeKinds {
    /// Any.
    Any,
    /// No blank nodes. The terms of such statements are the same in every result.
    Named,
    /// At least one blank node.
    Blank,
}

/// A subset of the statements of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StatementPart {
    pub(super) source: StatementSource,
    /// The part contains only statements with one of these predicates; if the list is empty, with any predicate.
    pub(super) predicates: Vec<CountedName>,
    pub(super) nodes: NodeKinds,
}

/// A page of statements, with the progress of its chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StatementPage {
    pub(super) part: StatementPart,
    pub(super) position: PagePosition,
    /// Number of rows requested.
    pub(super) limit: u32,
    /// Upper bound of `limit`. If a page fails, it is set to 3/4 of the failed limit; after a success, `limit` doubles
    /// up to it.
    pub(super) max_limit: u32,
    /// Number of rows received before this page.
    pub(super) received: u64,
    /// Number of rows of the whole part.
    pub(super) expected: ExpectedRows,
    /// Hash of the previous page, if pages have offsets.
    pub(super) previous_hash: u64,
}

impl StatementPage {
    /// The first page of a chain.
    pub(super) fn first(
        part: StatementPart,
        position: PagePosition,
        limit: u32,
        expected: ExpectedRows,
    ) -> EndpointQuestion {
        EndpointQuestion::Page(Self {
            part,
            position,
            limit,
            max_limit: limit,
            received: 0,
            expected,
            previous_hash: 0,
        })
    }
}

/// The position of a page in its part.
///
/// A page begins after the last key of the previous one rather than at an offset: so a server need not sort everything
/// for every page, which it may reject. Offsets are used only where there is no such key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum PagePosition {
    /// All rows of the part, in any order.
    Complete,
    /// Rows ordered by subject, after this subject.
    Subjects(Option<RowKey>),
    /// Rows of one subject, ordered by object: used if the subject has more rows than a page.
    Objects { subject: RowKey, after: Option<RowKey> },
    /// Rows of one subject whose objects have the same key (all, if `None`), by offset.
    SameKey { subject: RowKey, object: Option<RowKey>, offset: u64 },
    /// Rows after this subject, in any order, by offset.
    Offset { after: Option<RowKey>, offset: u64 },
}

/// The expected number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ExpectedRows {
    Unknown,
    /// At most this many rows.
    AtMost(u64),
    Exactly(u64),
}

impl ExpectedRows {
    /// Whether `rows` is the expected number.
    pub(super) fn is_met_by(self, rows: u64) -> bool {
        match self {
            Self::Unknown => false,
            Self::AtMost(expected) | Self::Exactly(expected) => rows == expected,
        }
    }

    /// The same kind of expectation for another number of rows.
    pub(super) fn with_rows(self, rows: u64) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::AtMost(_) => Self::AtMost(rows),
            Self::Exactly(_) => Self::Exactly(rows),
        }
    }
}

impl StatementPage {
    /// Forgets how many rows were counted and received before.
    pub(super) fn forget_count(&mut self) {
        self.received = 0;
        self.expected = match self.position {
            // An unordered page is complete if it has more rows than counted, and fewer than requested.
            PagePosition::Complete => ExpectedRows::AtMost(0),
            _ => ExpectedRows::Unknown,
        };
    }
}

impl PagePosition {
    /// The subject shared by all rows, if a query can name it.
    pub(super) fn subject(&self) -> Option<&str> {
        match self {
            Self::Objects { subject, .. } | Self::SameKey { subject, .. } => subject.as_iri(),
            Self::Complete | Self::Subjects(_) | Self::Offset { .. } => None,
        }
    }
}

impl StatementPart {
    /// The predicate shared by all rows, if the part has exactly one predicate.
    pub(super) fn predicate(&self) -> Option<&str> {
        match &*self.predicates {
            [one] => Some(&one.name),
            _ => None,
        }
    }

    /// The same part with other predicates.
    pub(super) fn with_predicates(&self, predicates: &[CountedName]) -> Self {
        Self { source: self.source.clone(), predicates: predicates.to_vec(), nodes: self.nodes }
    }
}

impl StatementSource {
    /// The name of the graph, if the source is exactly one named graph.
    pub(super) fn graph(&self) -> Option<&str> {
        match self {
            Self::Graphs(graphs) if graphs.len() == 1 => Some(&graphs[0].name),
            _ => None,
        }
    }

    /// Whether a statement may occur more than once.
    pub(super) fn may_repeat(&self) -> bool {
        matches!(self, Self::Merged | Self::Nameless)
    }
}

/// The total number of rows of some names.
pub(super) fn total_rows(names: &[CountedName]) -> u64 {
    names.iter().map(|name| name.rows).fold(0, u64::saturating_add)
}

/// A result with fewer rows than this is complete: no server has a lower row limit.
pub(super) fn complete_result_threshold(limit: u32) -> u64 {
    u64::from(limit / 4).clamp(1, 100)
}
