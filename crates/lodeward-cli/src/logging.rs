//! Logging to standard error.

use tracing_subscriber::EnvFilter;

use crate::args::{Cli, Command, LogFormat};

/// Starts logging. The level is `warn`, or as set by `LODEWARD_LOG`, or by `-v` and `--quiet`.
/// A service logs one level extra, because it runs unattended.
pub(crate) fn init(arguments: &Cli) {
    let (format, extra) = match &arguments.command {
        Command::Serve(serve) => (serve.log_format, 1),
        _ => (LogFormat::Text, 0),
    };
    let filter = match (arguments.verbosity.quiet, arguments.verbosity.verbose.saturating_add(extra)) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "lodeward=info,warn",
        (false, 2) => "lodeward=debug,info",
        (false, _) => "lodeward=trace,debug",
    };
    let from_env = std::env::var("LODEWARD_LOG").ok().and_then(|filter| EnvFilter::try_new(filter).ok());
    let log = tracing_subscriber::fmt()
        .with_env_filter(from_env.unwrap_or_else(|| EnvFilter::new(filter)))
        .with_writer(std::io::stderr)
        // Colours need the feature `ansi` of the subscriber, which is not enabled;
        // without it, they would panic.
        .with_ansi(false);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}
