//! Reports of strategies: tables in Markdown, all figures as CSV, curves as SVG.

pub mod chart;
pub mod csv;
pub mod curves;
pub mod markdown;

use crate::campaign::{Campaign, ContenderResult};
use crate::metrics::EvalBaseline;

/// The data of a report.
pub struct SelectReport<'a> {
    /// The title of the report.
    pub title: String,
    /// The command line that produced the results.
    pub command: String,
    /// A note on how the web was loaded, with a leading space; empty by default.
    pub reading_note: &'static str,
    /// The compared strategies and the settings of the trials.
    pub campaign: &'a Campaign,
    /// The baseline of the trials.
    pub baseline: &'a EvalBaseline,
    /// The results, in the order of the strategies.
    pub entries: &'a [ContenderResult],
}
