//! Flags of the logs that a crawl writes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::crawl::OUTPUT_HEADING;

/// Files that are written while a crawl runs. A resumed crawl appends to them.
#[derive(Args, Debug, Default)]
pub(crate) struct RequestLogArgs {
    /// Write a line for every request; .gz and .zst are compressed
    #[arg(long, value_name = "FILE", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) access_log: Option<PathBuf>,
    /// Format of the access log
    #[arg(long, value_name = "FORMAT", default_value = "squid", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) access_log_format: AccessLogFormat,
    /// Write every redirect, as rows of <from> <to>
    #[arg(long, value_name = "FILE", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) redirect_log: Option<PathBuf>,
    /// Write status and header fields of responses, as N-Quads
    #[arg(long, value_name = "FILE", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) header_log: Option<PathBuf>,
    /// Write the logs and --output as one file for each hop: out.nq.gz as
    /// out.hop-0.nq.gz and so on
    #[arg(long, help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) split_hops: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AccessLogFormat {
    /// The format of the Squid proxy, which LDSpider writes
    #[default]
    Squid,
    /// The combined log format of web servers
    Combined,
    /// A JSON object for each request
    Json,
}
