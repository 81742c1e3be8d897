//! Serving from the command line, until told to stop.

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
use toyweb::cached::Cached;
use toyweb::serve::{Options, Server};

/// How to serve.
#[derive(Debug, Args)]
#[command(next_help_heading = "Serving")]
pub(super) struct ServingArguments {
    /// A loopback address to listen on; repeat for several. Port 0 takes any
    /// free port. `listening on ADDRESS` is printed for each.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: Vec<SocketAddr>,
    /// Write the certificate to trust for https URLs here, as PEM.
    #[arg(long, value_name = "FILE")]
    ca_out: Option<PathBuf>,
    /// Write the access log here, one tab-separated line per request.
    #[arg(long, value_name = "FILE", conflicts_with = "no_log")]
    log: Option<PathBuf>,
    /// Write no access log, which is also what happens without `--log`.
    #[arg(long)]
    no_log: bool,
    /// Write URLs to start from here, one per line.
    #[arg(long, value_name = "FILE")]
    seeds_out: Option<PathBuf>,
    /// Stop by itself after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    max_seconds: u64,
    /// Stop when standard input ends, as it does when the parent process does.
    #[arg(long)]
    until_eof: bool,
    /// How many connections are attended to at once; more wait.
    #[arg(long, value_name = "COUNT", default_value_t = 4096)]
    connections_max: usize,
    /// How many answers to keep ready, in mebibytes; 0 for none.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    cache_mib: usize,
    /// How many threads answer.
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
}

/// Serves `web` until it is told to stop.
pub(super) fn serve(web: impl Web + 'static, seeds: &[String], arguments: &ServingArguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.seeds_out {
        write_file(path, |file| seeds.iter().try_for_each(|seed| writeln!(file, "{seed}")))?;
    }
    let web = Arc::new(Cached::new(web, arguments.cache_mib << 20));
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(usize::from(arguments.threads)).enable_all().build()?;
    runtime.block_on(async {
        let options = Options {
            listen: arguments.listen.clone(),
            log: arguments.log.clone(),
            connections_max: arguments.connections_max,
            ..Options::default()
        };
        let server = Server::bind(web, options).await?;
        if let Some(path) = &arguments.ca_out {
            write_file(path, |file| file.write_all(server.authority().pem().as_bytes()))?;
        }
        // Printed last: whoever waits for this line finds the files complete.
        let mut stdout = io::stdout();
        for address in &server.addresses {
            writeln!(stdout, "listening on {address}")?;
        }
        stdout.flush()?;
        server.run(told_to_stop(arguments)).await;
        anyhow::Ok(())
    })
}

async fn told_to_stop(arguments: &ServingArguments) {
    let eof = async {
        if arguments.until_eof {
            end_of_input().await;
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
    let _ = tokio::time::timeout(Duration::from_secs(arguments.max_seconds), waiting).await;
}

/// Resolves when nothing more can come from standard input.
async fn end_of_input() {
    let (end, ended) = oneshot::channel();
    // A thread of its own: a runtime waits for its blocking tasks, and this
    // one may never end.
    std::thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = end.send(());
    });
    let _ = ended.await;
}

/// Writes a file, or says which one it could not write.
pub(super) fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let written = std::fs::File::create(path).and_then(|file| {
        let mut file = io::BufWriter::new(file);
        write(&mut file)?;
        file.flush()
    });
    written.with_context(|| format!("cannot write {} (hint: does its folder exist?)", path.display()))
}
