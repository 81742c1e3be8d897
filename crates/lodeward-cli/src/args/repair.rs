//! `lodeward repair`.

use clap::Args;

use super::{ConfigSourceArgs, CrawlSelectorArgs, EXIT_CODES};

const EXAMPLES: &str = "\
Examples:
  lodeward repair --dry-run       # read the whole harvest, list damaged documents
  lodeward repair                 # remove them, and queue them again
  lodeward crawl                  # fetch them";

/// Find and repair damage in the harvest of a crawl
///
/// Reads all segments and verifies their checksums. Damaged documents are removed from the harvest
/// and the archive, and queued again: the next `lodeward crawl` fetches them. Damaged bytes are kept
/// in files next to the segments (`000003.nq.zst.damaged-4711`). If you have a backup of a damaged
/// segment, copy it back instead.
#[derive(Args, Debug)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    /// Report the damage without changing anything. The exit code is 5 if there is any
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) source: ConfigSourceArgs,
}
