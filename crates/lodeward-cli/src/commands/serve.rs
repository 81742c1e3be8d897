//! `lodeward serve`: crawls as a service.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use lodeward_service::{Options, Server, Service};
use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::{Loudness, Serve};
use crate::failure::Usage;
use crate::progress::say;
use crate::{clock, settings};

pub(crate) fn run(arguments: &Serve, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let sources = settings::sources(&arguments.data)?;
    let config = lodeward::config::resolve(&sources)?.config;
    let listen = listen(arguments, &config.service.listen)?;
    let data = arguments.data.data.clone();
    let service = Service::open(Options { data, sources, now: clock::now_ms, no_auth: arguments.no_auth })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (mut interrupted, mut terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let server = Server::bind(Arc::clone(&service), listen).await?;
        tell(&server, loudness.quiet);
        let stop = async move {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
        };
        server.run(stop).await?;
        service.close().await;
        anyhow::Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn listen(arguments: &Serve, configured: &str) -> anyhow::Result<SocketAddr> {
    let listen = match arguments.listen {
        Some(listen) => listen,
        None => configured.parse().map_err(|_| Usage {
            message: format!("service.listen: `{configured}` is no address and port"),
            hint: Some("write it as 127.0.0.1:7474".to_owned()),
        })?,
    };
    if arguments.no_auth && !listen.ip().is_loopback() {
        return Err(anyhow::Error::new(Usage {
            message: format!("--no-auth would let everybody in who can reach {listen}"),
            hint: Some("listen on 127.0.0.1, or leave out --no-auth".to_owned()),
        }));
    }
    Ok(listen)
}

#[expect(clippy::print_stdout, reason = "whoever starts this reads where it is")]
fn tell(server: &Server, quiet: bool) {
    println!("listening on http://{}", server.address);
    if !quiet {
        say("Ctrl-C stops it; crawls go on when it is started again\n");
    }
}
