//! The files that every run of a crawl writes, remembered with the crawl.
//!
//! They are no settings, because only the command line writes files: a service that resumes the crawl
//! must not. Paths are stored as absolute ones, so that a run in another directory replaces the same
//! files. Standard output, logs and patches belong to one run, and are not remembered.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use lodeward_app::data_dir::CrawlDir;
use serde::{Deserialize, Serialize};

const OUTPUTS_FILE: &str = "outputs.json";

/// The files of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OutputRecord {
    /// The harvest (`--output`).
    output: Option<PathBuf>,
    /// The report (`--report`).
    report: Option<PathBuf>,
}

/// The outputs of this run.
#[derive(Debug)]
pub(super) struct CrawlOutputs {
    pub(super) output: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    /// The outputs of earlier runs.
    before: OutputRecord,
}

impl OutputRecord {
    /// The remembered files of a crawl.
    pub(super) fn read(dir: &CrawlDir) -> anyhow::Result<Self> {
        Ok(dir.read_json(OUTPUTS_FILE)?.unwrap_or_default())
    }
}

impl CrawlOutputs {
    /// The requested outputs, and the remembered ones in place of those that were not requested.
    pub(super) fn new(output: Option<PathBuf>, report: Option<PathBuf>, before: OutputRecord) -> Self {
        Self {
            output: output.or_else(|| before.output.clone()),
            report: report.or_else(|| before.report.clone()),
            before,
        }
    }

    /// Stores the outputs with the crawl. Returns what the user should know about them.
    pub(super) fn store(&self, dir: &CrawlDir, name: &str) -> anyhow::Result<String> {
        let now =
            OutputRecord { output: remembered(self.output.as_deref())?, report: remembered(self.report.as_deref())? };
        // A run that writes to standard output does not change what the next one writes.
        let now = OutputRecord { output: now.output.or_else(|| self.before.output.clone()), ..now };
        if now != self.before {
            dir.write_json(OUTPUTS_FILE, &now)?;
        }
        let mut text = String::new();
        let pairs = [("output", &self.before.output, &now.output), ("report", &self.before.report, &now.report)];
        for (flag, before, now) in pairs {
            if let (Some(before), Some(now)) = (before, now) {
                let (before, now) = (before.display(), now.display());
                let _ = if before.to_string() == now.to_string() {
                    writeln!(text, "crawl `{name}` keeps its {flag} file: {now} (--reset-settings forgets it)")
                } else {
                    writeln!(text, "crawl `{name}`: {flag} file changed: {before} → {now}")
                };
            }
        }
        Ok(text)
    }

    /// Forgets the outputs of earlier runs.
    pub(super) fn forget(dir: &CrawlDir) -> anyhow::Result<()> {
        Ok(dir.remove_json(OUTPUTS_FILE)?)
    }
}

/// The path to store; `None` for standard output.
fn remembered(path: Option<&Path>) -> std::io::Result<Option<PathBuf>> {
    path.filter(|path| *path != Path::new("-")).map(std::path::absolute).transpose()
}
