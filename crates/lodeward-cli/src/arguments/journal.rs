//! What a crawl writes down beside its harvest.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Files that grow while a crawl runs. A crawl that is gone on with appends.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Beside the harvest (.gz and .zst by name)")]
pub(crate) struct Journal {
    /// Write a line for every request
    #[arg(long, value_name = "FILE")]
    pub(crate) access_log: Option<PathBuf>,
    /// How those lines are written
    #[arg(long, value_name = "FORMAT", default_value = "squid")]
    pub(crate) access_log_format: AccessLogFormat,
    /// Write where redirects lead, as rows of <from> <to>
    #[arg(long, value_name = "FILE")]
    pub(crate) redirects: Option<PathBuf>,
    /// Write status and header fields of answers, as N-Quads
    #[arg(long, value_name = "FILE")]
    pub(crate) header_triples: Option<PathBuf>,
    /// Write all of these, and --output, as a file for each hop: out.nq.gz as
    /// out.hop-0.nq.gz and so on
    #[arg(long)]
    pub(crate) split_hops: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AccessLogFormat {
    /// That of the Squid proxy, which LDSpider writes
    #[default]
    Squid,
    /// That of web servers, NCSA's combined one
    Combined,
    /// An object for each request
    Json,
}
