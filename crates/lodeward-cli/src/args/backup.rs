//! `lodeward backup` and `lodeward restore`.

use std::path::PathBuf;

use clap::Args;

use super::EXIT_CODES;
use super::data_dir::DataDirArgs;

const BACKUP_EXAMPLES: &str = "\
Examples:
  lodeward backup --data ./lodeward-data --to /mnt/backups/monday
  lodeward restore /mnt/backups/monday --data ./lodeward-data";

/// Copy a data directory: crawls, archive, users, templates
///
/// While a service runs, send POST /api/v1/backups to it instead.
#[derive(Args, Debug)]
#[command(after_help = format!("{BACKUP_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Directory to write; must be empty or not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
}

/// Create a data directory from a backup, after checking it
#[derive(Args, Debug)]
#[command(after_help = format!("{BACKUP_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct RestoreArgs {
    /// Directory of the backup
    #[arg(value_name = "BACKUP")]
    pub(crate) backup: PathBuf,
    /// Data directory to create; must be empty or not exist
    #[arg(long, value_name = "DIR", required_unless_present = "check")]
    pub(crate) data: Option<PathBuf>,
    /// Only check that the backup is complete
    #[arg(long, conflicts_with = "data")]
    pub(crate) check: bool,
}
