//! How it is told: tables in Markdown, every figure as CSV, curves as SVG.

pub mod chart;
pub mod csv;
pub mod curves;
pub mod markdown;

use crate::campaign::{Campaign, Entry};
use crate::ground::Ground;

/// What there is to tell.
pub struct Report<'a> {
    /// A name for it: of the folder, or of the question.
    pub title: String,
    /// The command that made it.
    pub command: String,
    /// How the web was read, in a sentence with a space before it; empty if as a
    /// crawl does.
    pub reading: &'static str,
    /// What was compared, and how.
    pub campaign: &'a Campaign,
    /// What it is measured against.
    pub ground: &'a Ground,
    /// How everybody did, in the order in which they were named.
    pub entries: &'a [Entry],
}
