//! What is said while working, on standard error.

use tracing_subscriber::EnvFilter;

use crate::arguments::Loudness;

/// Begins to log: warnings, or what `LODEWARD_LOG` says, or what `-v` and
/// `--quiet` say.
pub(crate) fn begin(loudness: &Loudness) {
    let filter = match (loudness.quiet, loudness.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "lodeward=info,warn",
        (false, 2) => "lodeward=debug,info",
        (false, _) => "lodeward=trace,debug",
    };
    let named = std::env::var("LODEWARD_LOG").ok().and_then(|filter| EnvFilter::try_new(filter).ok());
    tracing_subscriber::fmt()
        .with_env_filter(named.unwrap_or_else(|| EnvFilter::new(filter)))
        .with_writer(std::io::stderr)
        // Colours need a feature of the subscriber that we do not take; asked
        // for without it, they are a panic.
        .with_ansi(false)
        .init();
}
