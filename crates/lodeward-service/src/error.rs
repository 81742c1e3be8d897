//! Errors of opening the service.

use std::path::PathBuf;

use lodeward_app::catch_up::CatchUpError;
use lodeward_app::data_dir::DataDirError;
use lodeward_app::followers::TargetError;
use lodeward_app::settings;

use crate::data_dir_lock::ServiceInfo;
use crate::users::UserError;

/// Why the service cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// Another service uses the data directory.
    #[error("cannot open data directory {}: in use by another service", .data.display())]
    InUse {
        /// The data directory.
        data: PathBuf,
        /// Process and address of the other service, if it has written them.
        running: Option<ServiceInfo>,
    },
    /// The data directory is being restored from a backup, or a restore was interrupted.
    #[error("cannot open data directory {}: restore incomplete", .0.display())]
    Restoring(PathBuf),
    /// The settings are invalid.
    #[error(transparent)]
    Config(#[from] settings::SettingProblems),
    /// The data directory cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The archive cannot be opened.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The archive cannot be brought up to date.
    #[error(transparent)]
    Feed(#[from] CatchUpError),
    /// The user database cannot be opened.
    #[error(transparent)]
    Users(#[from] UserError),
    /// An I/O error in the data directory.
    #[error("cannot use data directory {}", .data.display())]
    Data {
        /// The data directory.
        data: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// Another I/O error.
    #[error("cannot start the service")]
    Io(#[from] std::io::Error),
}
