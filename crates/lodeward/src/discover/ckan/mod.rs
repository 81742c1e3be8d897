//! Harvests CKAN catalogues through their API.
//!
//! A catalogue is read with `package_search`, one page of packages at a time, ordered by id, so that nothing is missed
//! while packages are added and deleted; if that is rejected, with `package_list` and one `package_show` per package.
//! The packages are stored as DCAT (`dcat`), so that `dcat:downloadURL` and `void:sparqlEndpoint` are links like
//! those of any document.
//!
//! Servers fail on single packages and on pages that are too long. A failed page is requested again in two halves, down
//! to the one package that fails; then the page size grows again.

mod dcat;
mod package;
mod api_url;
mod response;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use api_url::detect_catalogue;

use super::{NextStep, ServiceResponse, StepSink};
use crate::model::{FaultKind, FetchFailure, Uri};

/// Number of packages per request.
const PAGE_ROWS: u32 = 100;
/// Number of names per request.
const PAGE_NAMES: u32 = 1_000;

/// One request to a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CkanStep {
    /// The root of the catalogue: a URL that ends in a slash.
    pub root: Uri,
    /// The request.
    pub request: CkanRequest,
}

/// A request to a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CkanRequest {
    /// Requests the target of a link, to find out whether there is an API.
    Linked,
    /// A page of packages.
    Search(CkanPage),
    /// A list of package names.
    List {
        /// Number of names before this list.
        offset: u64,
        /// The first name of the previous list: some servers return the same list repeatedly.
        first: Option<String>,
    },
    /// One package.
    Show {
        /// The name of the package.
        name: String,
    },
}

/// A page of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CkanPage {
    /// Number of packages before this page.
    pub start: u64,
    /// Number of packages requested for this page.
    pub rows: u32,
    /// Position at which to stop; `None` for the end of the catalogue.
    pub end: Option<u64>,
    /// Total number of packages, if a response has stated it.
    pub count: Option<u64>,
}

impl CkanPage {
    const FIRST: Self = Self { start: 0, rows: PAGE_ROWS, end: None, count: None };

    /// The page after this one, which had `read` packages.
    fn next_page(self, read: u64, count: u64) -> Option<Self> {
        let start = self.start + read;
        let end = self.end.unwrap_or(u64::MAX).min(count);
        if read == 0 || start >= end {
            return None;
        }
        // If a server returns fewer packages than requested, it has its own limit, which is used from now on.
        let is_short = read < u64::from(self.rows);
        let rows = if is_short { u32::try_from(read).unwrap_or(PAGE_ROWS) } else { self.rows.saturating_mul(2) };
        Some(Self { start, rows: rows.clamp(1, PAGE_ROWS), count: Some(count), ..self })
    }

    /// The two halves of this page; the second one continues with the rest.
    fn halves(self) -> [Self; 2] {
        let half = self.rows / 2;
        let middle = self.start + u64::from(half);
        [Self { rows: half, end: Some(middle), ..self }, Self { start: middle, rows: self.rows - half, ..self }]
    }

    /// The pages to request if this one fails.
    fn fallback_pages(self) -> Vec<Self> {
        match self.count {
            // The server may have failed because the page is too large.
            None if self.rows > 1 => vec![Self { rows: self.rows / 10, ..self }],
            None => Vec::new(),
            Some(_) if self.rows > 1 => self.halves().into(),
            Some(count) => self.next_page(1, count).into_iter().collect(),
        }
    }
}

impl CkanStep {
    /// The first step, at the target of a link; `None` if the target is not the URL of an API.
    #[must_use]
    pub(crate) fn first(target: &Uri) -> Option<Self> {
        Some(Self { root: api_url::root_of_api(target)?, request: CkanRequest::Linked })
    }

    pub(super) fn service(&self) -> &str {
        self.root.as_str()
    }

    pub(super) fn read(&self, response: ServiceResponse<'_>, findings: &mut dyn StepSink) -> &'static str {
        let next_steps = response::read(self, response, findings);
        for next in next_steps {
            findings.step(next);
        }
        "ckan"
    }

    pub(super) fn after_failure(&self, failure: &FetchFailure) -> Vec<NextStep> {
        let kind = failure.fault.kind;
        if kind.is_server_unreachable() || kind == FaultKind::Overloaded {
            return Vec::new();
        }
        match &self.request {
            CkanRequest::Linked => self.next_steps([CkanRequest::Search(CkanPage::FIRST)]),
            CkanRequest::Search(page) if failure.status.is_some_and(is_rejection) => match page.count {
                None => self.next_steps([CkanRequest::LIST]),
                Some(_) => Vec::new(),
            },
            CkanRequest::Search(page) => self.fallback_steps(*page),
            CkanRequest::List { .. } | CkanRequest::Show { .. } => Vec::new(),
        }
    }

    /// The same step after a redirect to `target`. The root of the catalogue changes only before its first response: if
    /// it changed with every page, the harvest would have no end and no quota.
    pub(super) fn redirect_to(&self, target: &Uri) -> Option<Self> {
        let has_responded =
            matches!(&self.request, CkanRequest::Search(CkanPage { count: Some(_), .. }) | CkanRequest::Show { .. });
        let root = if has_responded { self.root.clone() } else { api_url::root_of_api(target)? };
        Some(Self { root, request: self.request.clone() })
    }

    /// The steps to take instead of a page that failed or could not be read.
    fn fallback_steps(&self, page: CkanPage) -> Vec<NextStep> {
        let pages = page.fallback_pages();
        if pages.is_empty() && page.count.is_none() {
            return self.next_steps([CkanRequest::LIST]);
        }
        self.next_steps(pages.into_iter().map(CkanRequest::Search))
    }

    fn next_steps(&self, requests: impl IntoIterator<Item = CkanRequest>) -> Vec<NextStep> {
        requests.into_iter().filter_map(|ask| api_url::next(&self.root, ask)).collect()
    }
}

impl CkanRequest {
    const LIST: Self = Self::List { offset: 0, first: None };
}

/// Whether a status means that the server rejects all requests of this kind, rather than that this request failed.
fn is_rejection(status: u16) -> bool {
    (400..500).contains(&status) && status != 408 || status == 501
}

impl fmt::Display for CkanStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CKAN catalogue {}", self.root)?;
        match &self.request {
            CkanRequest::Linked => Ok(()),
            CkanRequest::Search(page) => write!(formatter, ", {} packages from {}", page.rows, page.start),
            CkanRequest::List { offset, .. } => write!(formatter, ", names from {offset}"),
            CkanRequest::Show { name } => write!(formatter, ", package {name}"),
        }
    }
}

#[cfg(test)]
pub(in crate::discover) mod tests;
