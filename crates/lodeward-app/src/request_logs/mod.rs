//! Logs that a crawl writes while it runs: access log, redirects, header fields. Each is an observer of
//! the crawl with a file. A write error does not stop the crawl; it is reported at the end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward::engine::Observer;

use self::access_log::AccessLog;
use self::file::RequestLogFile;
use self::header_triples::HeaderTriples;
use self::redirects::RedirectLog;

mod access_log;
mod file;
mod header_triples;
mod redirects;

/// The logs that a crawl writes.
#[derive(Clone, Debug, Default)]
pub struct RequestLogOptions {
    /// The file of the access log: one line per request.
    pub access_log: Option<PathBuf>,
    /// The format of the access log.
    pub access_log_format: AccessLogFormat,
    /// The file of the redirect log.
    pub redirect_log: Option<PathBuf>,
    /// The file of status and header fields, as N-Quads.
    pub header_log: Option<PathBuf>,
    /// Whether each log is one file per hop.
    pub split_hops: bool,
}

/// The format of an access log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessLogFormat {
    /// The format of the Squid proxy, which LDSpider writes.
    #[default]
    Squid,
    /// The combined log format of web servers.
    Combined,
    /// A JSON object for each request.
    Json,
}

/// A log cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestLogError {
    /// The file cannot be created or opened.
    #[error("cannot write {}", .path.display())]
    Open {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// Some lines could not be written.
    #[error("{}: {lines} lines are missing", .path.display())]
    Lost {
        /// The path of the file.
        path: PathBuf,
        /// Number of lost lines.
        lines: u64,
        /// The first error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// The log files of a crawl.
#[derive(Default)]
pub struct RequestLogs {
    files: Vec<Arc<RequestLogFile>>,
    observers: Vec<Box<dyn Observer>>,
}

impl RequestLogs {
    /// Opens the requested logs; those of a resumed crawl are appended to.
    pub fn open(options: &RequestLogOptions, user_agent: &str, is_resumed: bool) -> Result<Self, RequestLogError> {
        let mut logs = Self::default();
        if let Some(path) = &options.access_log {
            let file = logs.open_file(path, options.split_hops, is_resumed)?;
            let (format, user_agent) = (options.access_log_format, user_agent.to_owned());
            logs.observers.push(Box::new(AccessLog { file, format, user_agent }));
        }
        if let Some(path) = &options.redirect_log {
            let file = logs.open_file(path, options.split_hops, is_resumed)?;
            logs.observers.push(Box::new(RedirectLog { file }));
        }
        if let Some(path) = &options.header_log {
            let file = logs.open_file(path, options.split_hops, is_resumed)?;
            logs.observers.push(Box::new(HeaderTriples { file }));
        }
        Ok(logs)
    }

    fn open_file(
        &mut self,
        path: &Path,
        is_split: bool,
        is_resumed: bool,
    ) -> Result<Arc<RequestLogFile>, RequestLogError> {
        let file = Arc::new(RequestLogFile::open(path, is_split, is_resumed)?);
        self.files.push(Arc::clone(&file));
        Ok(file)
    }

    /// The observers to pass to the crawl.
    pub fn take_observers(&mut self) -> Vec<Box<dyn Observer>> {
        std::mem::take(&mut self.observers)
    }

    /// Completes all files; returns the first error.
    pub fn finish(&self) -> Result<(), RequestLogError> {
        let finished: Vec<_> = self.files.iter().map(|file| file.finish()).collect();
        finished.into_iter().collect()
    }
}
