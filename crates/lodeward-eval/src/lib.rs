//! Crawl strategies compared on recorded webs.
//!
//! A recorded web is read once into a [`Web`]: every page with its label, and
//! with its links as the crawler's own extractor reads them. A [`trial`] then
//! runs the *real* engine on it, with any strategy, and keeps a [`Ledger`] of
//! every request in order. What is learned from ledgers is in [`metrics`], and
//! how it is told in [`report`]. The [`oracle`] knows the labels, and is what
//! strategies are measured against.
//!
//! What is ours is the protocol, not the labels: those come with the
//! recording, and no code of the crawler has a say in them.

pub mod campaign;
pub mod contender;
pub mod focus;
pub mod fold;
pub mod graph;
pub mod ground;
pub mod ledger;
pub mod links_protocol;
pub mod metrics;
pub mod offline;
pub mod oracle;
mod parallel;
pub mod prior;
pub mod report;
pub mod table2;
pub mod trial;
pub mod web;

pub use campaign::{Budget, Campaign, Entry};
pub use contender::Contender;
pub use fold::Fold;
pub use graph::{Graph, Reach};
pub use ground::Ground;
pub use ledger::{Kind, Ledger, Step};
pub use trial::{Pace, Start, Trial, TrialError, run};
pub use web::{Class, Label, Page, PageId, Web, WebError};
