//! Serves a web from the command line until a signal, the end of standard input, or a time limit.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use toyweb::Web;
use toyweb::cached_web::CachedWeb;
use toyweb::serve::{ServeOptions, WebServer};

use super::units::{parse_duration, parse_size};

/// How the web is served.
#[derive(Debug, Args)]
#[command(next_help_heading = "Serving")]
pub(super) struct ServingArguments {
    /// Loopback address to listen on; repeatable. Port 0 selects a free port. Prints `listening on ADDRESS` for each.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: Vec<SocketAddr>,
    /// Write the certificate to trust for https URLs to this file, as PEM.
    #[arg(long, value_name = "FILE")]
    ca_out: Option<PathBuf>,
    /// Write the access log to this file, one tab-separated line per request.
    #[arg(long, value_name = "FILE", conflicts_with = "no_log")]
    log: Option<PathBuf>,
    /// Write no access log; the default without `--log`.
    #[arg(long)]
    no_log: bool,
    /// Write the seed URLs to this file, one per line.
    #[arg(long, value_name = "FILE")]
    seeds_out: Option<PathBuf>,
    /// Stop after this time.
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = parse_duration)]
    stop_after: Duration,
    /// Stop at the end of standard input, which comes when the parent process exits.
    #[arg(long)]
    until_eof: bool,
    /// Maximum number of concurrent connections; further ones wait.
    #[arg(long, value_name = "COUNT", default_value_t = 4096)]
    max_connections: usize,
    /// Size of the response cache, 0 for none.
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_size)]
    cache: usize,
    /// Number of worker threads.
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
}

/// Serves `web` until it is stopped.
pub(super) fn serve(web: impl Web + 'static, seeds: &[String], arguments: &ServingArguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.seeds_out {
        write_file(path, |file| seeds.iter().try_for_each(|seed| writeln!(file, "{seed}")))?;
    }
    let web = Arc::new(CachedWeb::new(web, arguments.cache));
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(usize::from(arguments.threads)).enable_all().build()?;
    runtime.block_on(async {
        let options = ServeOptions {
            listen: arguments.listen.clone(),
            log: arguments.log.clone(),
            max_connections: arguments.max_connections,
            ..ServeOptions::default()
        };
        let server = WebServer::bind(web, options).await?;
        if let Some(path) = &arguments.ca_out {
            write_file(path, |file| file.write_all(server.authority().pem().as_bytes()))?;
        }
        // Printed last: when a parent process reads this line, the files are complete.
        let mut stdout = io::stdout();
        for address in &server.addresses {
            writeln!(stdout, "listening on {address}")?;
        }
        stdout.flush()?;
        server.run(wait_for_shutdown(arguments)).await;
        anyhow::Ok(())
    })
}

async fn wait_for_shutdown(arguments: &ServingArguments) {
    let eof = async {
        if arguments.until_eof {
            wait_for_eof().await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    let terminated = async {
        match signal(SignalKind::terminate()) {
            Ok(mut signals) => drop(signals.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    let waiting = async {
        tokio::select! {
            () = eof => {}
            () = terminated => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    };
    let _ = tokio::time::timeout(arguments.stop_after, waiting).await;
}

/// Resolves at the end of standard input.
async fn wait_for_eof() {
    let (end, ended) = oneshot::channel();
    // A separate thread, because a runtime waits for its blocking tasks, and this one may never end.
    std::thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = end.send(());
    });
    let _ = ended.await;
}

/// Writes a file. An error names the path.
pub(super) fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let written = std::fs::File::create(path).and_then(|file| {
        let mut file = io::BufWriter::new(file);
        write(&mut file)?;
        file.flush()
    });
    written.with_context(|| format!("cannot write `{}` (hint: check that its directory exists)", path.display()))
}
