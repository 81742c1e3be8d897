//! Opens the archive of a data directory and brings it up to date with the crawls.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use lodeward::error_chain;
use lodeward_app::catch_up::{self, CatchUpError, FeedProgress};
use lodeward_app::crawl_dir::CrawlOpenError;
use lodeward_app::damage_record::DamageRecord;
use lodeward_app::data_dir::{DamagedCrawl, DataDir};
use lodeward_app::display_text::counted;
use lodeward_app::followers::{FollowerRegistry, FollowerTargets, TargetError};
use lodeward_app::settings::Config;
use lodeward_archive::{Archive, ArchiveError};

use crate::errors::{DataInUseError, EXIT_DAMAGED, EXIT_INTERRUPTED, HintedError, UsageError, explain_damage};
use crate::interrupt::Interrupt;
use crate::progress::{ProgressMode, TaskBar, TaskUnit, print_stderr};
use crate::service_guard::require_unserved;

/// Opens the archive of a data directory and feeds it with the documents of its crawls.
pub(crate) struct ArchiveOpener<'a> {
    pub(crate) config: &'a Config,
    pub(crate) data: &'a Path,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) quiet: bool,
    pub(crate) progress: ProgressMode,
}

impl ArchiveOpener<'_> {
    /// Opens an existing archive, or creates it if there are crawls to fill it from.
    pub(crate) fn open(&self) -> anyhow::Result<(FollowerTargets, Archive)> {
        let data = self.data;
        if !data.is_dir() {
            return Err(anyhow::Error::new(UsageError {
                message: format!("data directory {} does not exist", data.display()),
                hint: Some("set --data; `lodeward crawl` and `lodeward import` create a data directory".to_owned()),
            }));
        }
        let has_crawls = data.join("crawls").is_dir() && !DataDir::open(data)?.list()?.is_empty();
        if !data.join("archive").is_dir() && !has_crawls {
            return Err(anyhow::Error::new(UsageError {
                message: format!("{} contains neither an archive nor a crawl", data.display()),
                hint: Some("run `lodeward crawl` or `lodeward import` first".to_owned()),
            }));
        }
        self.open_or_create()
    }

    /// Opens the archive; creates it and its data directory if necessary.
    pub(crate) fn open_or_create(&self) -> anyhow::Result<(FollowerTargets, Archive)> {
        require_unserved(self.data)?;
        FollowerTargets::open(FollowerRegistry::default(), self.config, self.data).map_err(explain_target)
    }

    /// Adds the documents that crawls have stored since the last catch-up.
    pub(crate) fn catch_up(&self, targets: &FollowerTargets) -> anyhow::Result<HarvestState> {
        // `DataDir::open` would create the directory `crawls`.
        if !self.data.join("crawls").is_dir() {
            return Ok(HarvestState::Complete);
        }
        let bar = TaskBar::new(self.progress, TaskUnit::Bytes);
        let fed = catch_up::catch_up(self.config, self.data, targets, &mut |feeding| self.show_progress(&bar, feeding));
        drop(bar);
        let fed = fed.map_err(explain_feed)?;
        for feeding in &fed {
            self.report(feeding, "added");
        }
        self.report_damaged()?;
        Ok(harvest_state(&fed))
    }

    /// Reports the crawls that cannot be read.
    fn report_damaged(&self) -> anyhow::Result<()> {
        for DamagedCrawl { id, error } in DataDir::open(self.data)?.scan()?.damaged {
            if !self.quiet {
                let what = error_chain::with_causes(&error);
                print_stderr(&format!("note: skipped the crawl in crawls/{id}: {what}\n"));
            }
        }
        Ok(())
    }

    /// Rebuilds the graphs of some or all crawls from their segments.
    pub(crate) fn rebuild(&self, targets: &FollowerTargets, crawls: &[u32]) -> anyhow::Result<HarvestState> {
        let bar = TaskBar::new(self.progress, TaskUnit::Bytes);
        let fed = catch_up::rebuild(self.config, self.data, targets, crawls, &mut |feeding| {
            self.show_progress(&bar, feeding);
        });
        drop(bar);
        let fed = fed.map_err(explain_feed)?;
        if fed.is_empty() && !self.quiet {
            print_stderr(&format!("no crawl in {}; imported statements are unchanged\n", self.data.display()));
        }
        for feeding in &fed {
            if feeding.documents == 0 && !feeding.in_use && !self.quiet {
                print_stderr(&format!("crawl `{}` has no documents\n", feeding.name));
            }
            self.report(feeding, "rebuilt");
        }
        self.report_damaged()?;
        if fed.iter().any(|feeding| feeding.in_use) {
            let hint = Some("wait until the crawl ends or stop it, then run this command again".to_owned());
            return Err(UsageError { message: "cannot rebuild a running crawl".to_owned(), hint }.into());
        }
        Ok(harvest_state(&fed))
    }

    fn report(&self, feeding: &FeedProgress, verb: &str) {
        if !feeding.damage.is_empty() {
            print_stderr(&damage_text(&feeding.name, &feeding.damage));
        }
        if self.quiet {
            return;
        }
        let FeedProgress { name, documents, in_use, .. } = feeding;
        if *in_use {
            print_stderr(&format!("note: crawl `{name}` is running; its new documents are not in the archive yet\n"));
        } else if *documents > 0 {
            print_stderr(&format!("{verb} {} of crawl `{name}`\n", counted(*documents, "document")));
        }
    }

    /// Updates the progress bar. Every committed batch is kept, so it is safe to exit here on Ctrl-C.
    fn show_progress(&self, bar: &TaskBar, feeding: &FeedProgress) {
        if self.interrupt.token.is_cancelled() {
            bar.clear();
            print_stderr("error: stopped by Ctrl-C\nhint: progress is saved; the next query or export continues\n");
            std::process::exit(i32::from(EXIT_INTERRUPTED));
        }
        let documents = counted(feeding.documents, "document");
        bar.show(feeding.bytes, Some(feeding.bytes_total), &format!("crawl `{}`: {documents}", feeding.name));
    }
}

/// Whether all documents of the crawls can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HarvestState {
    Complete,
    Damaged,
}

impl HarvestState {
    /// The exit code of a command that has otherwise succeeded.
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(self.code())
    }

    /// The number of the exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::Damaged => EXIT_DAMAGED,
        }
    }
}

/// The state of the harvest after feeding these crawls.
pub(crate) fn harvest_state(fed: &[FeedProgress]) -> HarvestState {
    if fed.iter().all(|feeding| feeding.damage.is_empty()) { HarvestState::Complete } else { HarvestState::Damaged }
}

/// Describes the damage of a crawl whose other documents were read.
pub(crate) fn damage_text(crawl: &str, damage: &[DamageRecord]) -> String {
    let mut text = String::new();
    for DamageRecord { path, from_bytes, to_bytes, defect } in damage {
        let place = format!("{path}, bytes {from_bytes} to {to_bytes}");
        writeln!(text, "error: crawl `{crawl}` is damaged: {place}: {defect}").expect("a string accepts all text");
    }
    text + &format!(
        "hint: all other documents were read; `lodeward repair --name {crawl}` lists the damaged ones and queues \
         them again\n"
    )
}

/// Adds a hint to an error of opening the archive and other targets of followers.
pub(crate) fn explain_target(error: TargetError) -> anyhow::Error {
    match error {
        TargetError::Archive(error) => explain_archive(error),
        error => anyhow::Error::new(error),
    }
}

/// Adds a hint to an error of opening the archive.
fn explain_archive(error: ArchiveError) -> anyhow::Error {
    let hint = match &error {
        ArchiveError::InUse(_) => {
            let hint = "a crawl, a server or another command uses the archive: wait or stop it; commands that only \
                        read (`query`, `export`) work beside a crawl and a server";
            return anyhow::Error::new(DataInUseError { message: error.to_string(), hint: hint.to_owned() });
        }
        ArchiveError::Format { .. } => {
            "move the archive directory away and run `lodeward archive rebuild --all`; the crawls have all data"
        }
        ArchiveError::Database(_) | ArchiveError::Corrupted(_) => {
            let hint = "if the archive is damaged: move its directory away, run `lodeward archive rebuild --all`, and \
                        repeat the imports; the segments have the data of all crawls";
            return anyhow::Error::new(HintedError { error: error.into(), hint: hint.to_owned() });
        }
        _ => return anyhow::Error::new(error),
    };
    anyhow::Error::new(UsageError { message: error.to_string(), hint: Some(hint.to_owned()) })
}

/// Adds a hint to an error of updating the archive.
pub(crate) fn explain_feed(error: CatchUpError) -> anyhow::Error {
    match error {
        CatchUpError::Crawl(error @ CrawlOpenError::InUse(_)) => {
            let hint = Some("wait until the crawl ends, or stop it".to_owned());
            anyhow::Error::new(UsageError { message: error.to_string(), hint })
        }
        CatchUpError::Crawl(error) => explain_damage(error),
        error => anyhow::Error::new(error),
    }
}
