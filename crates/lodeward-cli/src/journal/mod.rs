//! What a crawl writes down while it runs, beside its harvest: access log,
//! redirects, header fields. Each is an observer of the crawl and a file that
//! grows; what goes wrong with one is told at the end, and stops nothing.

use std::path::Path;
use std::sync::Arc;

use lodeward::engine::Observer;

use self::access_log::AccessLog;
use self::file::JournalFile;
use self::header_triples::HeaderTriples;
use self::redirects::Redirects;
use crate::arguments::Journal;
use crate::failure::Usage;
use crate::target::require_writable;

mod access_log;
mod file;
mod header_triples;
mod redirects;

/// The files of a crawl.
#[derive(Default)]
pub(crate) struct Journals {
    files: Vec<Arc<JournalFile>>,
    observers: Vec<Box<dyn Observer>>,
}

impl Journals {
    /// Begins what was asked for, or goes on with it.
    pub(crate) fn open(asked: &Journal, user_agent: &str, is_resumed: bool) -> anyhow::Result<Self> {
        let mut journals = Self::default();
        if let Some(path) = &asked.access_log {
            let file = journals.file(path, asked.split_hops, is_resumed)?;
            let (format, user_agent) = (asked.access_log_format, user_agent.to_owned());
            journals.observers.push(Box::new(AccessLog { file, format, user_agent }));
        }
        if let Some(path) = &asked.redirects {
            let file = journals.file(path, asked.split_hops, is_resumed)?;
            journals.observers.push(Box::new(Redirects { file }));
        }
        if let Some(path) = &asked.header_triples {
            let file = journals.file(path, asked.split_hops, is_resumed)?;
            journals.observers.push(Box::new(HeaderTriples { file }));
        }
        Ok(journals)
    }

    fn file(&mut self, path: &Path, is_split: bool, is_resumed: bool) -> anyhow::Result<Arc<JournalFile>> {
        let file = Arc::new(JournalFile::open(path, is_split, is_resumed)?);
        self.files.push(Arc::clone(&file));
        Ok(file)
    }

    /// Whoever has to be told of every request.
    pub(crate) fn observers(&mut self) -> Vec<Box<dyn Observer>> {
        std::mem::take(&mut self.observers)
    }

    /// Completes all files, and tells of the first that is not complete.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        let finished: Vec<anyhow::Result<()>> = self.files.iter().map(|file| file.finish()).collect();
        finished.into_iter().collect()
    }
}

/// Refuses files that cannot be written, before anything begins.
pub(crate) fn require_files(asked: &Journal) -> Result<(), Usage> {
    for path in [&asked.access_log, &asked.redirects, &asked.header_triples].into_iter().flatten() {
        if path == Path::new("-") {
            return Err(Usage {
                message: "only --output can be written to standard output".to_owned(),
                hint: Some("name a file; it grows while the crawl runs, and `tail -f` shows how".to_owned()),
            });
        }
        require_writable(Some(path))?;
    }
    Ok(())
}
