//! `lodeward endpoint`: the archive on a socket, for anything that speaks SPARQL.

use std::process::ExitCode;
use std::time::Duration;

use lodeward::config::Config;
use lodeward::open;
use lodeward_archive::protocol::{self, Access};
use lodeward_archive::sparql::{QueryOptions, UpdateOptions};
use lodeward_service::endpoint::{EndpointOptions, EndpointServer, ListenError};
use tokio::signal::unix::{SignalKind, signal};

use crate::archive::Keeper;
use crate::arguments::{Endpoint, Loudness};
use crate::failure::{Usage, listen_hint};
use crate::interrupt::Interrupt;
use crate::progress::say;
use crate::settings;

pub(crate) fn run(arguments: &Endpoint, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let config = settings::of(&arguments.data)?;
    let options = options(arguments, &config)?;
    let interrupt = Interrupt::default();
    let keeper = Keeper { config: &config, data: &arguments.data.data, interrupt: &interrupt, quiet: loudness.quiet };
    // What may be written to need not be there yet.
    let archive = if arguments.update { keeper.open_or_make()? } else { keeper.open()? };
    if !arguments.no_catch_up {
        keeper.catch_up(&archive)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let path = options.protocol.sparql_path.clone();
        let (mut interrupted, mut terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let server = EndpointServer::bind(archive.clone(), options).await.map_err(|error| explained(&error))?;
        tell(&server, &path, loudness.quiet);
        server
            .run(async move {
                tokio::select! {
                    _ = interrupted.recv() => {}
                    _ = terminated.recv() => {}
                }
            })
            .await;
        anyhow::Ok(())
    })?;
    archive.sync()?;
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::print_stdout, reason = "whoever starts this reads where it is")]
fn tell(server: &EndpointServer, path: &str, quiet: bool) {
    println!("listening on http://{}{path}", server.address);
    if !quiet {
        say("Ctrl-C stops it\n");
    }
}

fn explained(error: &ListenError) -> Usage {
    let hint = match error {
        ListenError::Remote(_) => "say so with --allow-remote, or listen on 127.0.0.1 and put a proxy in front",
        ListenError::Io { source, .. } => listen_hint(source),
        _ => "--listen takes another address",
    };
    Usage { message: error.to_string(), hint: Some(hint.to_owned()) }
}

fn options(arguments: &Endpoint, config: &Config) -> anyhow::Result<EndpointOptions> {
    let services = open::services(config, arguments.allow_private)?;
    let timeout = Some(Duration::from_secs(arguments.timeout));
    let memory_bytes_max = Some(arguments.memory << 20);
    let query = QueryOptions {
        timeout,
        rows_max: arguments.rows,
        memory_bytes_max,
        default_graph: arguments.default_graph.into(),
        lenient: arguments.lenient,
        services: Some(services.clone()),
        ..QueryOptions::default()
    };
    let update = UpdateOptions {
        timeout,
        memory_bytes_max,
        default_graph: arguments.default_graph.into(),
        lenient: arguments.lenient,
        services: Some(services),
        ..UpdateOptions::default()
    };
    let mut protocol = protocol::Options::default();
    protocol.access = if arguments.update { Access::ReadWrite } else { Access::ReadOnly };
    protocol.public_url.clone_from(&arguments.public_url);
    protocol.allow_origin.clone_from(&arguments.allow_origin);
    (protocol.query, protocol.update) = (query, update);
    let Endpoint { listen, allow_remote, .. } = arguments;
    Ok(EndpointOptions { listen: *listen, allow_remote: *allow_remote, protocol, ..EndpointOptions::default() })
}
