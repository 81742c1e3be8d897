//! Evaluation of crawl strategies and rankers on recorded webs.
//!
//! A recorded web is loaded once into a [`RecordedWeb`]: every page with its label and with its links as
//! the extractor of the crawler finds them. A [`trial`] runs the *real* engine on it with any strategy,
//! and records every request in a [`Ledger`]. [`metrics`] computes figures from ledgers, [`report`]
//! formats them. The [`oracle`] knows the labels; strategies are compared with it.
//!
//! The labels come with the recording and are independent of the crawler.

pub mod campaign;
pub mod contender;
pub mod focus;
pub mod fold;
pub mod graph;
pub mod ledger;
pub mod links_protocol;
pub mod metrics;
pub mod offline;
pub mod oracle;
mod numbers;
mod parallel;
pub mod prior;
pub mod report;
pub mod search;
pub mod table2;
pub mod trial;
pub mod web;

pub use campaign::{Campaign, ContenderResult, EvalBudget};
pub use contender::Contender;
pub use fold::Fold;
pub use graph::{ReachablePages, WebGraph};
pub use ledger::{Ledger, LedgerEntry, LedgerEntryKind};
pub use metrics::EvalBaseline;
pub use trial::{Trial, TrialError, TrialPace, TrialStart, run};
pub use web::{GoldClass, GoldLabel, PageId, RecordedWeb, WebError, WebPage};
