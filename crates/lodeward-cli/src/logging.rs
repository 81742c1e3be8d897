//! What is said while working, on standard error.

use tracing_subscriber::EnvFilter;

use crate::arguments::{Arguments, Command, LogFormat};

/// Begins to log: warnings, or what `LODEWARD_LOG` says, or what `-v` and
/// `--quiet` say. A service, which nobody watches, says more by itself.
pub(crate) fn begin(arguments: &Arguments) {
    let (format, more) = match &arguments.command {
        Command::Serve(serve) => (serve.log_format, 1),
        _ => (LogFormat::Text, 0),
    };
    let filter = match (arguments.loudness.quiet, arguments.loudness.verbose.saturating_add(more)) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "lodeward=info,warn",
        (false, 2) => "lodeward=debug,info",
        (false, _) => "lodeward=trace,debug",
    };
    let named = std::env::var("LODEWARD_LOG").ok().and_then(|filter| EnvFilter::try_new(filter).ok());
    let log = tracing_subscriber::fmt()
        .with_env_filter(named.unwrap_or_else(|| EnvFilter::new(filter)))
        .with_writer(std::io::stderr)
        // Colours need a feature of the subscriber that we do not take; asked
        // for without it, they are a panic.
        .with_ansi(false);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}
