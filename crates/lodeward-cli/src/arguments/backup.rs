//! `lodeward backup` and `lodeward restore`.

use std::path::PathBuf;

use clap::Args;

use super::EXIT_CODES;
use super::archive::Data;

const BACKUP_EXAMPLES: &str = "\
Examples:
  lodeward backup --data ./lodeward-data --to /mnt/backups/monday
  lodeward restore /mnt/backups/monday --data ./lodeward-data";

/// Copy a data directory: crawls, archive, users, templates
///
/// A running service is asked for one at /api/v1/backups instead, and goes on
/// meanwhile.
#[derive(Args, Debug)]
#[command(after_help = format!("{BACKUP_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Backup {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The folder to write, which must be empty or not be there
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: PathBuf,
}

/// Make a data directory from a backup, after checking it
#[derive(Args, Debug)]
#[command(after_help = format!("{BACKUP_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Restore {
    /// The folder of the backup
    #[arg(value_name = "FOLDER")]
    pub(crate) backup: PathBuf,
    /// The data directory to make, which must be empty or not be there
    #[arg(long, value_name = "DIR", required_unless_present = "check")]
    pub(crate) data: Option<PathBuf>,
    /// Only check that the backup is whole
    #[arg(long, conflicts_with = "data")]
    pub(crate) check: bool,
}
