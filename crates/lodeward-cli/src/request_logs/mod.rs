//! Logs that a crawl writes while it runs: access log, redirects, header fields. Each is an observer of
//! the crawl with a file. A write error does not stop the crawl; it is reported at the end.

use std::path::Path;
use std::sync::Arc;

use lodeward::engine::Observer;

use self::access_log::AccessLog;
use self::file::RequestLogFile;
use self::header_triples::HeaderTriples;
use self::redirects::RedirectLog;
use crate::args::RequestLogArgs;
use crate::errors::UsageError;
use crate::output_target::require_writable;

mod access_log;
mod file;
mod header_triples;
mod redirects;

/// The log files of a crawl.
#[derive(Default)]
pub(crate) struct RequestLogs {
    files: Vec<Arc<RequestLogFile>>,
    observers: Vec<Box<dyn Observer>>,
}

impl RequestLogs {
    /// Opens the requested logs; those of a resumed crawl are appended to.
    pub(crate) fn open(args: &RequestLogArgs, user_agent: &str, is_resumed: bool) -> anyhow::Result<Self> {
        let mut logs = Self::default();
        if let Some(path) = &args.access_log {
            let file = logs.open_file(path, args.split_hops, is_resumed)?;
            let (format, user_agent) = (args.access_log_format, user_agent.to_owned());
            logs.observers.push(Box::new(AccessLog { file, format, user_agent }));
        }
        if let Some(path) = &args.redirect_log {
            let file = logs.open_file(path, args.split_hops, is_resumed)?;
            logs.observers.push(Box::new(RedirectLog { file }));
        }
        if let Some(path) = &args.header_log {
            let file = logs.open_file(path, args.split_hops, is_resumed)?;
            logs.observers.push(Box::new(HeaderTriples { file }));
        }
        Ok(logs)
    }

    fn open_file(&mut self, path: &Path, is_split: bool, is_resumed: bool) -> anyhow::Result<Arc<RequestLogFile>> {
        let file = Arc::new(RequestLogFile::open(path, is_split, is_resumed)?);
        self.files.push(Arc::clone(&file));
        Ok(file)
    }

    /// The observers to pass to the crawl.
    pub(crate) fn take_observers(&mut self) -> Vec<Box<dyn Observer>> {
        std::mem::take(&mut self.observers)
    }

    /// Completes all files; returns the first error.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        let finished: Vec<anyhow::Result<()>> = self.files.iter().map(|file| file.finish()).collect();
        finished.into_iter().collect()
    }
}

/// Checks that the files can be written, before the crawl starts.
pub(crate) fn require_writable_logs(args: &RequestLogArgs) -> Result<(), UsageError> {
    for path in [&args.access_log, &args.redirect_log, &args.header_log].into_iter().flatten() {
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
