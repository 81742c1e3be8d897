//! Backups of the data directory, taken while it is served.
//!
//! One at a time, in a thread of its own; a folder each. One that could not be
//! finished leaves nothing but a word on why, for as long as the service runs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodeward::backup::{self, BackupError, Crawls, Manifest};
use lodeward::open::{OpenError, Shelf};
use lodeward::provenance::{Names, moment};
use lodeward::told;
use tokio::runtime::Handle;

use crate::fleet::Refused;
use crate::service::Service;

/// Failures that are remembered.
const FAILURES_MAX: usize = 32;

/// Why a backup is not begun or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Declined {
    #[error("a backup is being written: `{0}`")]
    Busy(String),
    #[error("there is a backup `{0}` already")]
    Taken(String),
    #[error("there is no backup `{0}`")]
    Unknown(String),
    #[error("the service is shutting down")]
    Closing,
    #[error("the folder of backups cannot be used")]
    Io(#[from] io::Error),
}

/// How a backup is doing.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// It is being written.
    Running,
    /// It can be restored.
    Complete(Box<Manifest>),
    /// It could not be finished, and why.
    Failed(String),
}

/// What there is to know besides what is on disk.
#[derive(Default)]
pub(crate) struct Backups(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    running: Option<String>,
    failures: BTreeMap<String, String>,
}

impl Backups {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether this can be the name of a backup, and so of a folder.
pub(crate) fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| is_letter(byte) || byte == b'-')
        && name.bytes().next().is_some_and(is_letter)
}

impl Service {
    /// Begins a backup. By itself it is called after the moment.
    pub(crate) fn begin_backup(self: &Arc<Self>, name: Option<String>) -> Result<String, Declined> {
        if *self.closing.borrow() {
            return Err(Declined::Closing);
        }
        let now_ms = (self.now)();
        let name = name.unwrap_or_else(|| {
            let digits = moment(now_ms).replace(':', "").replace('T', "-");
            digits.split('.').next().unwrap_or(&digits).to_owned()
        });
        let folder = self.backup_folder().join(&name);
        let mut inside = self.backups.inside();
        if let Some(running) = &inside.running {
            return Err(Declined::Busy(running.clone()));
        }
        if folder.exists() {
            return Err(Declined::Taken(name));
        }
        inside.running = Some(name.clone());
        inside.failures.remove(&name);
        drop(inside);
        let (service, handle, called) = (Arc::clone(self), Handle::current(), name.clone());
        tokio::task::spawn_blocking(move || service.back_up(&handle, &called, now_ms));
        Ok(name)
    }

    fn back_up(&self, handle: &Handle, name: &str, now_ms: u64) {
        let folder = self.backup_folder().join(name);
        let outcome = backup::write(&self.data, &self.archive, &Served { service: self, handle }, &folder, now_ms);
        let failure = match outcome {
            Ok(manifest) => {
                tracing::info!(name, bytes = manifest.bytes(), crawls = manifest.crawls(), "a backup was written");
                None
            }
            Err(error) => {
                tracing::error!(name, error = &error as &dyn std::error::Error, "a backup could not be written");
                // Disks that are full are a reason why backups fail.
                let _ = fs::remove_dir_all(&folder);
                Some(told::with_causes(&error))
            }
        };
        let mut inside = self.backups.inside();
        inside.running = None;
        if let Some(failure) = failure {
            if inside.failures.len() >= FAILURES_MAX {
                inside.failures.pop_first();
            }
            inside.failures.insert(name.to_owned(), failure);
        }
    }

    /// All backups, by name. Blocks.
    pub(crate) fn list_backups(&self) -> Result<Vec<(String, State)>, Declined> {
        let mut names: Vec<String> = self.backups.inside().failures.keys().cloned().collect();
        names.extend(self.backups.inside().running.clone());
        match fs::read_dir(self.backup_folder()) {
            Ok(entries) => {
                for entry in entries {
                    names.extend(entry?.file_name().into_string().ok().filter(|name| is_name(name)));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        names.sort_unstable();
        names.dedup();
        Ok(names.into_iter().filter_map(|name| Some((name.clone(), self.backup(&name).ok()?))).collect())
    }

    /// How a backup is doing. Blocks.
    pub(crate) fn backup(&self, name: &str) -> Result<State, Declined> {
        let unknown = || Declined::Unknown(name.to_owned());
        if !is_name(name) {
            return Err(unknown());
        }
        {
            let inside = self.backups.inside();
            if inside.running.as_deref() == Some(name) {
                return Ok(State::Running);
            }
            if let Some(failure) = inside.failures.get(name) {
                return Ok(State::Failed(failure.clone()));
            }
        }
        let folder = self.backup_folder().join(name);
        if !folder.is_dir() {
            return Err(unknown());
        }
        Ok(match Manifest::read(&folder) {
            Ok(manifest) => State::Complete(Box::new(manifest)),
            Err(BackupError::Unfinished(_)) => State::Failed("the service ended before it was finished".to_owned()),
            Err(error) => State::Failed(told::with_causes(&error)),
        })
    }

    /// Removes a backup. Blocks.
    pub(crate) fn remove_backup(&self, name: &str) -> Result<(), Declined> {
        if let State::Running = self.backup(name)? {
            return Err(Declined::Busy(name.to_owned()));
        }
        self.backups.inside().failures.remove(name);
        let folder = self.backup_folder().join(name);
        // Without its list it is none: whoever cuts this short leaves no half of it.
        for outcome in [fs::remove_file(folder.join("backup.json")), fs::remove_dir_all(&folder)] {
            match outcome {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Where backups are.
    pub(crate) fn backup_folder(&self) -> PathBuf {
        let configured = self.settings.now().config.service.backup_folder.clone();
        configured.map_or_else(|| self.data.join(backup::FOLDER), PathBuf::from)
    }
}

/// The crawls of a service, for whoever copies them in a thread that may wait.
struct Served<'a> {
    service: &'a Service,
    handle: &'a Handle,
}

impl Crawls for Served<'_> {
    fn hold(&self, id: u32) -> Result<Option<Box<dyn AsRef<Shelf> + '_>>, BackupError> {
        match self.handle.block_on(self.service.fleet.hold(id)) {
            Ok(held) => Ok(Some(Box::new(held))),
            Err(Refused::Unknown(_)) => Ok(None),
            Err(Refused::Open(error)) => Err(error.into()),
            Err(Refused::InUse(id)) => Err(OpenError::InUse(self.service.fleet.registry().directory_of(id)).into()),
            Err(other) => Err(BackupError::Io { path: self.service.data.clone(), source: io::Error::other(other) }),
        }
    }

    fn graph_of(&self, id: u32) -> Option<String> {
        let base = &self.service.settings.now().config.store.base;
        Some(Names::new(base, id).crawl().into_string())
    }

    fn is_cut_short(&self) -> bool {
        *self.service.closing.borrow()
    }
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_is_a_folder_and_leads_nowhere_else() {
        for name in ["a", "2026-11-16-080000", "before-upgrade"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "-a", "A", "a b", "a\0", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
