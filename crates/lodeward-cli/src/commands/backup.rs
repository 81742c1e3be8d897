//! `lodeward backup` and `lodeward restore`.

use std::process::ExitCode;

use lodeward::backup::{self, Alone, BackupError, Crawls, Manifest};
use lodeward::open::{self, Shelf};

use crate::archive::explained;
use crate::arguments::{Backup, Loudness, Restore};
use crate::failure::{CutShort, Hinted, Usage};
use crate::interrupt::Interrupt;
use crate::progress::say;
use crate::unserved::require_unserved_or;
use crate::{clock, settings};

pub(crate) fn run(arguments: &Backup, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let (data, to) = (&arguments.data.data, &arguments.to);
    if !data.is_dir() {
        return Err(anyhow::Error::new(Usage {
            message: format!("there is no folder {}", data.display()),
            hint: Some("say with --data what is to be copied".to_owned()),
        }));
    }
    let config = settings::of(&arguments.data)?;
    let interrupt = Interrupt::listen()?;
    require_unserved_or(data, |service| {
        format!("it can do this while it runs: POST {service}/api/v1/backups (docs/runbook.md)")
    })?;
    let archive = open::archive(&config, data).map_err(explained)?;
    let crawls = Stoppable { alone: Alone { config: &config, data, now: clock::now_ms }, interrupt: &interrupt };
    let manifest = backup::write(data, &archive, &crawls, to, clock::now_ms()).map_err(told)?;
    if !loudness.quiet {
        say(&format!("wrote {} to {}\n", summary(&manifest), to.display()));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn restore(arguments: &Restore, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let (manifest, did) = match &arguments.data {
        Some(data) => {
            let manifest = backup::restore(&arguments.backup, data).map_err(told)?;
            (manifest, format!("restored to {}", data.display()))
        }
        None => (backup::verify(&arguments.backup).map_err(told)?, "whole".to_owned()),
    };
    if !loudness.quiet {
        say(&format!("{}: {did}\n", summary(&manifest)));
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(manifest: &Manifest) -> String {
    format!("{} crawls, {} files, {} bytes", manifest.crawls(), manifest.files.len(), manifest.bytes())
}

/// Tells what to do about it.
fn told(error: BackupError) -> anyhow::Error {
    let hint = match &error {
        BackupError::CutShort => return CutShort::new("stopped by Ctrl-C").with_hint("remove what was written").into(),
        BackupError::NotEmpty(_) => "name a folder that is empty or not there",
        BackupError::Inside(_) => "name a folder outside of it",
        BackupError::Unfinished(_) => "name the folder of a backup; one without that file cannot be restored",
        BackupError::Open(open::OpenError::InUse(_)) => "wait for it or stop it",
        BackupError::Damaged { .. } => {
            let hint = "take another backup; what is not damaged in this one can be copied by hand".to_owned();
            return anyhow::Error::new(Hinted { error: error.into(), hint });
        }
        _ => return error.into(),
    };
    anyhow::Error::new(Usage { message: error.to_string(), hint: Some(hint.to_owned()) })
}

/// Crawls that are copied until somebody wants it to end.
struct Stoppable<'a> {
    alone: Alone<'a>,
    interrupt: &'a Interrupt,
}

impl Crawls for Stoppable<'_> {
    fn hold(&self, id: u32) -> Result<Option<Box<dyn AsRef<Shelf> + '_>>, BackupError> {
        self.alone.hold(id)
    }

    fn is_cut_short(&self) -> bool {
        self.interrupt.token.is_cancelled()
    }
}
