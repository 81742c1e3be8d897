//! `lodeward backup` and `lodeward restore`.

use std::process::ExitCode;

use lodeward_app::backup::{self, BackupError, BackupManifest, CrawlSource, ExclusiveCrawls};
use lodeward_app::crawl_dir;
use lodeward_app::crawl_dir::OpenCrawl;
use lodeward_app::display_text::counted;
use lodeward_app::followers::{FollowerRegistry, FollowerTargets};

use crate::args::{BackupArgs, RestoreArgs, VerbosityArgs};
use crate::catch_up::explain_target;
use crate::errors::{HintedError, InterruptedError, UsageError};
use crate::interrupt::Interrupt;
use crate::progress::{TaskBar, TaskUnit, print_stderr};
use crate::service_guard::require_unserved_with_hint;
use crate::{clock, settings};

pub(crate) fn run(arguments: &BackupArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let (data, to) = (&arguments.data.data, &arguments.to);
    if !data.is_dir() {
        return Err(anyhow::Error::new(UsageError {
            message: format!("data directory {} does not exist", data.display()),
            hint: Some("set the data directory with --data".to_owned()),
        }));
    }
    let config = settings::load_config(&arguments.data)?;
    let interrupt = Interrupt::listen()?;
    require_unserved_with_hint(data, |service| {
        format!("send POST {service}/api/v1/backups: a running service takes its own backups (docs/runbook.md)")
    })?;
    let (targets, _) = FollowerTargets::open(FollowerRegistry::default(), &config, data).map_err(explain_target)?;
    let crawls = StoppableCrawls {
        exclusive: ExclusiveCrawls { config: &config, data, now: clock::now_ms },
        interrupt: &interrupt,
        bar: TaskBar::new(verbosity.progress_mode(), TaskUnit::Bytes),
    };
    let manifest = backup::write(data, &targets, &crawls, to, clock::now_ms());
    drop(crawls);
    let manifest = manifest.map_err(explain)?;
    if !verbosity.quiet {
        print_stderr(&format!("wrote {} to {}\n", summary(&manifest), to.display()));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn restore(arguments: &RestoreArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let (manifest, result) = match &arguments.data {
        Some(data) => {
            let manifest = backup::restore(&arguments.backup, data, &FollowerRegistry::default()).map_err(explain)?;
            (manifest, format!("restored to {}", data.display()))
        }
        None => (backup::verify(&arguments.backup).map_err(explain)?, "intact".to_owned()),
    };
    if !verbosity.quiet {
        print_stderr(&format!("{}: {result}\n", summary(&manifest)));
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(manifest: &BackupManifest) -> String {
    let (crawls, files) = (counted(manifest.crawl_count(), "crawl"), counted(manifest.files.len(), "file"));
    format!("{crawls}, {files}, {}", counted(manifest.bytes(), "byte"))
}

/// Adds a hint to an error of a backup or restore.
fn explain(error: BackupError) -> anyhow::Error {
    let hint = match &error {
        BackupError::Cancelled => {
            return InterruptedError::ctrl_c().with_hint("delete the incomplete backup").into();
        }
        BackupError::NotEmpty(_) => "use a directory that is empty or does not exist",
        BackupError::Inside(_) => "use a directory outside of the data directory",
        BackupError::Unfinished(_) => "use the directory of a complete backup",
        BackupError::Open(crawl_dir::CrawlOpenError::InUse(_)) => "wait until the crawl ends, or stop it",
        BackupError::Damaged { .. } => {
            let hint = "take another backup; undamaged files of this one can be copied by hand".to_owned();
            return anyhow::Error::new(HintedError { error: error.into(), hint });
        }
        _ => return error.into(),
    };
    anyhow::Error::new(UsageError { message: error.to_string(), hint: Some(hint.to_owned()) })
}

/// The crawls to back up. Copying them stops if the command is interrupted.
struct StoppableCrawls<'a> {
    exclusive: ExclusiveCrawls<'a>,
    interrupt: &'a Interrupt,
    bar: TaskBar,
}

impl CrawlSource for StoppableCrawls<'_> {
    fn open_crawl(&self, id: u32) -> Result<Option<Box<dyn AsRef<OpenCrawl> + '_>>, BackupError> {
        self.exclusive.open_crawl(id)
    }

    fn is_cancelled(&self) -> bool {
        self.interrupt.token.is_cancelled()
    }

    fn progress(&self, copied_bytes: u64, total_bytes: u64) {
        self.bar.show(copied_bytes, Some(total_bytes), "");
    }
}
