//! `lodeward remove`.

use clap::Args;

use super::{DataDirArgs, EXIT_CODES};

const REMOVE_EXAMPLES: &str = "\
Examples:
  lodeward remove https://example.org/data/alice --by 'owner of example.org'
  lodeward remove --domain example.org --by legal --reason 'letter of 1 May'
  lodeward remove --list";

/// Remove documents on request, from all crawls and the archive; no crawl fetches them again
#[derive(Args, Debug)]
#[command(after_help = format!("{REMOVE_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct RemoveArgs {
    /// URIs of documents
    #[arg(value_name = "URI", required_unless_present_any = ["domain", "list"])]
    pub(crate) uris: Vec<String>,
    /// Remove all documents of this domain and its subdomains; repeatable
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Vec<String>,
    /// Who requested the removal
    #[arg(long, value_name = "NAME", required_unless_present = "list")]
    pub(crate) by: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// List the removals so far
    #[arg(long, conflicts_with_all = ["uris", "domain", "by", "reason"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Skip the confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}
