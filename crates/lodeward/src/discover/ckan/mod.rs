//! The API of CKAN catalogues.
//!
//! A catalogue is read with `package_search`, a page of packages at a time, in
//! the order of their ids, so that nothing is missed while others come and go;
//! where that is refused, with `package_list` and a `package_show` for each. What
//! it says is written down as DCAT ([`dcat`]), whose `dcat:downloadURL` and
//! `void:sparqlEndpoint` then are links like those of any document.
//!
//! Servers stumble over single packages, and over pages that are too long for
//! them. A page that failed is asked for again in two halves, down to the one
//! package that cannot be had; pages grow again after that.

mod dcat;
mod package;
mod place;
mod read;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use place::recognised;

use super::{Answer, Findings, Next};
use crate::fetch::Refusal;
use crate::model::{FaultKind, Uri};

/// Packages asked for at a time.
const ROWS: u32 = 100;
/// Names asked for at a time.
const NAMES: u32 = 1_000;

/// One request to a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The front page: an address that ends in a slash.
    pub root: Uri,
    /// What to ask.
    pub ask: Ask,
}

/// What is asked of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// Whatever a link leads to. It shows that there is an API.
    Linked,
    /// Packages.
    Search(Page),
    /// Names of packages.
    List {
        /// How many come before these.
        offset: u64,
        /// The first name of the page before: some servers send the same page
        /// again and again.
        first: Option<String>,
    },
    /// One package.
    Show {
        /// Its name.
        name: String,
    },
}

/// A page of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// How many come before it.
    pub start: u64,
    /// How many it has.
    pub rows: u32,
    /// Where to stop; `None` at the end of the catalogue.
    pub end: Option<u64>,
    /// How many there are in all, if the catalogue has answered before.
    pub count: Option<u64>,
}

impl Page {
    const FIRST: Self = Self { start: 0, rows: ROWS, end: None, count: None };

    /// The page after this one, which turned out to have `read` packages.
    fn after(self, read: u64, count: u64) -> Option<Self> {
        let start = self.start + read;
        let end = self.end.unwrap_or(u64::MAX).min(count);
        if read == 0 || start >= end {
            return None;
        }
        // Who sends fewer than was asked for has a bound of their own.
        let is_short = read < u64::from(self.rows);
        let rows = if is_short { u32::try_from(read).unwrap_or(ROWS) } else { self.rows.saturating_mul(2) };
        Some(Self { start, rows: rows.clamp(1, ROWS), count: Some(count), ..self })
    }

    /// The two halves of this page; what comes after it is left to the second.
    fn halves(self) -> [Self; 2] {
        let half = self.rows / 2;
        let middle = self.start + u64::from(half);
        [Self { rows: half, end: Some(middle), ..self }, Self { start: middle, rows: self.rows - half, ..self }]
    }

    /// What to ask for instead of this page, when it cannot be had.
    fn instead(self) -> Vec<Self> {
        match self.count {
            // Perhaps it is just too much for the server.
            None if self.rows > 1 => vec![Self { rows: self.rows / 10, ..self }],
            None => Vec::new(),
            Some(_) if self.rows > 1 => self.halves().into(),
            Some(count) => self.after(1, count).into_iter().collect(),
        }
    }
}

impl Step {
    /// The first step, taken at `target`, which somebody linked to; `None` if that
    /// is no address of an API.
    #[must_use]
    pub fn first(target: &Uri) -> Option<Self> {
        Some(Self { root: place::root_of_api(target)?, ask: Ask::Linked })
    }

    pub(super) fn service(&self) -> &str {
        self.root.as_str()
    }

    pub(super) fn read(&self, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
        let nexts = read::read(self, answer, findings);
        for next in nexts {
            findings.step(next);
        }
        "ckan"
    }

    pub(super) fn after_failure(&self, refusal: &Refusal) -> Vec<Next> {
        let is_out_of_reach =
            matches!(refusal.fault.kind, FaultKind::Dns | FaultKind::Forbidden | FaultKind::Tls | FaultKind::Busy);
        if is_out_of_reach {
            return Vec::new();
        }
        match &self.ask {
            Ask::Linked => self.nexts([Ask::Search(Page::FIRST)]),
            Ask::Search(page) if refusal.status.is_some_and(is_refused) => match page.count {
                None => self.nexts([Ask::LIST]),
                Some(_) => Vec::new(),
            },
            Ask::Search(page) => self.instead_of(*page),
            Ask::List { .. } | Ask::Show { .. } => Vec::new(),
        }
    }

    /// The same step where the API has moved to. A catalogue that has answered
    /// stays where it is: one that moved with every page would have no end, and
    /// no quota.
    pub(super) fn redirected(&self, target: &Uri) -> Option<Self> {
        let has_answered = matches!(&self.ask, Ask::Search(Page { count: Some(_), .. }) | Ask::Show { .. });
        let root = if has_answered { self.root.clone() } else { place::root_of_api(target)? };
        Some(Self { root, ask: self.ask.clone() })
    }

    /// What to ask instead of a page that cannot be had, or not be read.
    fn instead_of(&self, page: Page) -> Vec<Next> {
        let pages = page.instead();
        if pages.is_empty() && page.count.is_none() {
            return self.nexts([Ask::LIST]);
        }
        self.nexts(pages.into_iter().map(Ask::Search))
    }

    fn nexts(&self, asks: impl IntoIterator<Item = Ask>) -> Vec<Next> {
        asks.into_iter().filter_map(|ask| place::next(&self.root, ask)).collect()
    }
}

impl Ask {
    const LIST: Self = Self::List { offset: 0, first: None };
}

/// Whether a server says that it will not answer such a question at all, rather
/// than that it stumbled over it.
fn is_refused(status: u16) -> bool {
    (400..500).contains(&status) && status != 408 || status == 501
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CKAN catalogue {}", self.root)?;
        match &self.ask {
            Ask::Linked => Ok(()),
            Ask::Search(page) => write!(formatter, ", {} packages from {}", page.rows, page.start),
            Ask::List { offset, .. } => write!(formatter, ", names from {offset}"),
            Ask::Show { name } => write!(formatter, ", package {name}"),
        }
    }
}

#[cfg(test)]
pub(in crate::discover) mod tests;
