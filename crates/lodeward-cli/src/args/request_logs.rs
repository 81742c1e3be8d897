//! Flags of the logs that a crawl writes.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use lodeward_app::request_logs::{AccessLogFormat, RequestLogOptions};

use super::crawl::OUTPUT_HEADING;
use crate::errors::UsageError;
use crate::output_target::require_writable;

/// Files that are written while a crawl runs. A resumed crawl appends to them.
#[derive(Args, Debug, Default)]
pub(crate) struct RequestLogArgs {
    /// Write a line for every request; .gz and .zst are compressed
    #[arg(long, value_name = "FILE", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) access_log: Option<PathBuf>,
    /// Format of the access log
    #[arg(long, value_name = "FORMAT", default_value = "squid", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) access_log_format: AccessLogFormatArg,
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

impl RequestLogArgs {
    pub(crate) fn options(&self) -> RequestLogOptions {
        let Self { access_log, access_log_format, redirect_log, header_log, split_hops } = self;
        RequestLogOptions {
            access_log: access_log.clone(),
            access_log_format: access_log_format.0,
            redirect_log: redirect_log.clone(),
            header_log: header_log.clone(),
            split_hops: *split_hops,
        }
    }

    /// Checks that the files can be written, before the crawl starts.
    pub(crate) fn require_writable(&self) -> Result<(), UsageError> {
        for path in [&self.access_log, &self.redirect_log, &self.header_log].into_iter().flatten() {
            if path == Path::new("-") {
                return Err(UsageError {
                    message: "only --output can be written to standard output".to_owned(),
                    hint: Some("name a file; follow it with `tail -f`".to_owned()),
                });
            }
            require_writable(Some(path))?;
        }
        Ok(())
    }
}

/// A format of the access log, by its name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AccessLogFormatArg(AccessLogFormat);

impl ValueEnum for AccessLogFormatArg {
    fn value_variants<'a>() -> &'a [Self] {
        const { &[Self(AccessLogFormat::Squid), Self(AccessLogFormat::Combined), Self(AccessLogFormat::Json)] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self.0 {
            AccessLogFormat::Squid => ("squid", "The format of the Squid proxy, which LDSpider writes"),
            AccessLogFormat::Combined => ("combined", "The combined log format of web servers"),
            AccessLogFormat::Json => ("json", "A JSON object for each request"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}
