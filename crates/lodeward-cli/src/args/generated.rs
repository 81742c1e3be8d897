//! `lodeward completions` and `lodeward man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell. For bash: `lodeward completions bash > /etc/bash_completion.d/lodeward`
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Directory for the pages, one per command; created if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}
