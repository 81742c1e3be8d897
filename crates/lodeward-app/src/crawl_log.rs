//! The log of a crawl: the outcomes of its URIs in the order of settling, the oldest or the newest first, by filter.

use lodeward::frontier::{FrontierError, UriRecord};
use lodeward::model::{DropReason, FaultKind, Outcome};
use serde::{Deserialize, Serialize};

use crate::crawl_dir::{OpenCrawl, wait};

/// Maximum number of records read at a time. The crawl waits while they are read.
const MAX_BATCH: usize = 256;

/// The kinds of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeKind {
    /// A document was fetched.
    Document,
    /// The server redirected the request.
    Redirected,
    /// The request failed.
    Failed,
    /// The URI was never requested.
    Dropped,
    /// The document was deleted on its server.
    Deleted,
}

impl OutcomeKind {
    /// The kind of an outcome.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Document(_) => Self::Document,
            Outcome::Redirected { .. } => Self::Redirected,
            Outcome::Failed(_) => Self::Failed,
            Outcome::Dropped(_) => Self::Dropped,
            Outcome::Deleted { .. } => Self::Deleted,
        }
    }

    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Redirected => "redirected",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
            Self::Deleted => "deleted",
        }
    }
}

/// Selects entries of a log. All conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// The kind of the outcome.
    pub kind: Option<OutcomeKind>,
    /// The domain, or a host of it.
    pub domain: Option<String>,
    /// The status code of the last response.
    pub status: Option<u16>,
    /// The kind of a fault: of the request, or found in the document.
    pub fault: Option<FaultKind>,
    /// Why the URI was not requested.
    pub reason: Option<DropReason>,
    /// Number of links from the nearest seed.
    pub depth: Option<u16>,
    /// Text in the URI.
    pub text: Option<String>,
    /// Whether the document has statements.
    pub has_quads: bool,
}

impl LogFilter {
    /// Whether a record is selected. A record without an outcome is not.
    #[must_use]
    pub fn matches(&self, record: &UriRecord) -> bool {
        let Some(outcome) = &record.outcome else { return false };
        let is_of_domain = |domain: &String| {
            let (host, domain) = (record.uri.host(), domain.to_lowercase());
            host == domain || record.uri.pld().as_str() == domain || host.ends_with(&format!(".{domain}"))
        };
        self.kind.is_none_or(|kind| OutcomeKind::of(outcome) == kind)
            && self.domain.as_ref().is_none_or(is_of_domain)
            && self.status.is_none_or(|status| status_of(outcome) == Some(status))
            && self.fault.is_none_or(|kind| has_fault(outcome, kind))
            && self.reason.is_none_or(|reason| *outcome == Outcome::Dropped(reason))
            && self.depth.is_none_or(|depth| record.depth == depth)
            && self.text.as_ref().is_none_or(|text| record.uri.as_str().contains(text.as_str()))
            && (!self.has_quads || matches!(outcome, Outcome::Document(document) if document.quads > 0))
    }
}

/// The status code of the last response to a URI.
#[must_use]
pub fn status_of(outcome: &Outcome) -> Option<u16> {
    match outcome {
        Outcome::Document(document) => Some(document.fetch.status),
        Outcome::Redirected { status, .. } => Some(*status),
        Outcome::Failed(fault) | Outcome::Deleted { fault, .. } => fault.status(),
        Outcome::Dropped(_) => None,
    }
}

fn has_fault(outcome: &Outcome, kind: FaultKind) -> bool {
    match outcome {
        Outcome::Document(document) => document.fetch.faults.iter().any(|fault| fault.kind == kind),
        Outcome::Failed(fault) | Outcome::Deleted { fault, .. } => fault.kind == kind,
        Outcome::Redirected { .. } | Outcome::Dropped(_) => false,
    }
}

/// Where a page begins, and in which direction the log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogPosition {
    /// From this number on, the oldest first.
    From(u64),
    /// Below this number, the newest first.
    Before(u64),
}

impl LogPosition {
    fn read(self, crawl: &OpenCrawl) -> Result<Vec<(u64, UriRecord)>, FrontierError> {
        match self {
            Self::From(from) => wait(crawl.frontier.settled_records(from, MAX_BATCH)),
            Self::Before(before) => wait(crawl.frontier.settled_records_before(before, MAX_BATCH)),
        }
    }

    /// The position after the record with this number.
    fn after(self, number: u64) -> Self {
        match self {
            Self::From(_) => Self::From(number.saturating_add(1)),
            Self::Before(_) => Self::Before(number),
        }
    }
}

/// A part of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogPart {
    /// The selected records, with their numbers.
    pub entries: Vec<(u64, UriRecord)>,
    /// The number of the last record that was examined; `None` if the end of the log was reached.
    pub last: Option<u64>,
}

/// Reads at most `max` selected records, as of the last commit, and examines at most about `max_examined` of them. Blocks.
pub fn read_log(
    crawl: &OpenCrawl,
    filter: &LogFilter,
    mut position: LogPosition,
    max: usize,
    max_examined: usize,
) -> Result<LogPart, FrontierError> {
    let (mut entries, mut last, mut examined) = (Vec::new(), None, 0);
    while examined < max_examined {
        let records = position.read(crawl)?;
        let is_end = records.len() < MAX_BATCH;
        examined += records.len();
        for (number, record) in records {
            if entries.len() == max {
                return Ok(LogPart { entries, last });
            }
            if filter.matches(&record) {
                entries.push((number, record));
            }
            (last, position) = (Some(number), position.after(number));
        }
        if is_end {
            return Ok(LogPart { entries, last: None });
        }
    }
    Ok(LogPart { entries, last })
}
