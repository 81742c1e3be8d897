//! `lodeward endpoint`: serves the archive over the SPARQL protocol.

use std::process::ExitCode;

use lodeward_app::federation;
use lodeward_app::settings::Config;
use lodeward_archive::protocol::{self, WriteAccess};
use lodeward_archive::sparql::{QueryOptions, UpdateOptions};
use lodeward_service::endpoint::{EndpointOptions, EndpointServer, ListenError};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::{EndpointArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::errors::{UsageError, listen_hint};
use crate::interrupt::Interrupt;
use crate::progress::print_stderr;
use crate::settings;

pub(crate) fn run(arguments: &EndpointArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let config = settings::load_config(&arguments.data)?;
    let options = options(arguments, &config)?;
    let interrupt = Interrupt::default();
    let opener =
        ArchiveOpener { config: &config, data: &arguments.data.data, interrupt: &interrupt, quiet: verbosity.quiet };
    // A writable endpoint may start with a new archive.
    let archive = if arguments.update { opener.open_or_create()? } else { opener.open()? };
    if !arguments.no_catch_up {
        opener.catch_up(&archive)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let path = options.protocol.sparql_path.clone();
        let (mut interrupted, mut terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let server = EndpointServer::bind(archive.clone(), options).await.map_err(|error| explain(&error))?;
        print_address(&server, &path, verbosity.quiet);
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

#[expect(clippy::print_stdout, reason = "scripts read the address from standard output")]
fn print_address(server: &EndpointServer, path: &str, quiet: bool) {
    println!("listening on http://{}{path}", server.address);
    if !quiet {
        print_stderr("press Ctrl-C to stop\n");
    }
}

fn explain(error: &ListenError) -> UsageError {
    let hint = match error {
        ListenError::Remote(_) => "pass --allow-remote, or listen on 127.0.0.1 and put a proxy in front",
        ListenError::Io { source, .. } => listen_hint(source),
        _ => "set another address with --listen",
    };
    UsageError { message: error.to_string(), hint: Some(hint.to_owned()) }
}

fn options(arguments: &EndpointArgs, config: &Config) -> anyhow::Result<EndpointOptions> {
    let services = federation::service_handler(config, arguments.allow_private)?;
    let timeout = Some(arguments.timeout);
    let max_memory_bytes = Some(arguments.max_memory);
    let query = QueryOptions {
        timeout,
        max_rows: arguments.max_rows,
        max_memory_bytes,
        default_graph: arguments.default_graph.into(),
        lenient: arguments.lenient,
        services: Some(services.clone()),
        ..QueryOptions::default()
    };
    let update = UpdateOptions {
        timeout,
        max_memory_bytes,
        default_graph: arguments.default_graph.into(),
        lenient: arguments.lenient,
        services: Some(services),
        ..UpdateOptions::default()
    };
    let mut protocol = protocol::ProtocolOptions::default();
    protocol.access = if arguments.update { WriteAccess::ReadWrite } else { WriteAccess::ReadOnly };
    protocol.public_url.clone_from(&arguments.public_url);
    protocol.allow_origin.clone_from(&arguments.allow_origin);
    (protocol.query, protocol.update) = (query, update);
    let EndpointArgs { listen, allow_remote, .. } = arguments;
    Ok(EndpointOptions { listen: *listen, allow_remote: *allow_remote, protocol, ..EndpointOptions::default() })
}
