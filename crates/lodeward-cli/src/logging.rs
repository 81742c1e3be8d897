//! Logging to standard error, without control characters of other sites.

use std::io::{self, Write};

use lodeward_app::display_text::{escape_json, single_line};
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer};

use crate::args::{Cli, Command, LogFormat};
use crate::progress::write_stderr;
use crate::request_logger;
use crate::warning_counts::{WarningLayer, warnings};

/// Starts logging. The level is `warn`, or as set by `LODEWARD_LOG`, or by `-v` and `--quiet`.
/// A service logs one level extra, because it runs unattended.
pub(crate) fn init(arguments: &Cli) {
    let (format, extra) = match &arguments.command {
        Command::Serve(serve) => (serve.log_format, 1),
        _ => (LogFormat::Text, 0),
    };
    let filter = match (arguments.verbosity.quiet, arguments.verbosity.verbose.saturating_add(extra)) {
        (true, _) => "error".to_owned(),
        (false, 0) => "warn".to_owned(),
        (false, 1) => format!("lodeward=info,{}=debug,warn", request_logger::TARGET),
        (false, 2) => "lodeward=debug,info".to_owned(),
        (false, _) => "lodeward=trace,debug".to_owned(),
    };
    let from_env = std::env::var("LODEWARD_LOG").ok().and_then(|filter| EnvFilter::try_new(filter).ok());
    warnings().set_verbose(arguments.verbosity.verbose > 0 || from_env.is_some());
    let filter = from_env.unwrap_or_else(|| EnvFilter::new(filter));
    let log = tracing_subscriber::fmt::layer()
        .with_writer(move || SafeLogWriter { format, out: StandardError })
        // Colours need the feature `ansi` of the subscriber, which is not enabled;
        // without it, they would panic.
        .with_ansi(false);
    let is_printed = dynamic_filter_fn(|event, _| warnings().is_printed(event));
    let log: Box<dyn Layer<_> + Send + Sync> = match format {
        LogFormat::Text => log.with_filter(is_printed).boxed(),
        LogFormat::Json => log.json().flatten_event(true).with_filter(is_printed).boxed(),
    };
    tracing_subscriber::registry().with(filter).with(WarningLayer(warnings())).with(log).init();
}

/// Standard error, above a view that is shown there.
struct StandardError;

impl Write for StandardError {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_stderr(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes log events. The subscriber passes each event as a whole, so a newline inside it comes from
/// a value, and would forge another event.
struct SafeLogWriter<W> {
    format: LogFormat,
    out: W,
}

impl<W: Write> Write for SafeLogWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let event = text.trim_end_matches('\n');
        let safe = match self.format {
            LogFormat::Text => single_line(event),
            LogFormat::Json => escape_json(event),
        };
        self.out.write_all(format!("{safe}\n").as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A log in memory.
    #[derive(Clone, Default)]
    struct LogBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for LogBuffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const HOSTILE: &str = "a\u{1b}[31m\u{202e}\u{9b}\nWARN forged";

    fn logged(format: LogFormat) -> String {
        let log = LogBuffer::default();
        let out = log.clone();
        let subscriber =
            tracing_subscriber::fmt().with_writer(move || SafeLogWriter { format, out: out.clone() }).with_ansi(false);
        let write = || tracing::warn!(label = HOSTILE, uri = %HOSTILE, "{HOSTILE}");
        match format {
            LogFormat::Text => tracing::subscriber::with_default(subscriber.finish(), write),
            LogFormat::Json => tracing::subscriber::with_default(subscriber.json().finish(), write),
        }
        let bytes = log.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn an_event_is_one_line_without_controls() {
        for format in [LogFormat::Text, LogFormat::Json] {
            let event = logged(format);

            assert_eq!(event.lines().count(), 1, "{event}");
            assert!(!event.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'), "{event:?}");
        }
        let event: serde_json::Value = serde_json::from_str(&logged(LogFormat::Json)).unwrap();
        assert_eq!(event["fields"]["message"], HOSTILE);
    }
}
