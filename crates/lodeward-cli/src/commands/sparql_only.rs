//! `lodeward serve --sparql-only`: serves the archive over the SPARQL protocol, and nothing else.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use lodeward_app::federation;
use lodeward_app::live::SocketKind;
use lodeward_app::prefixes;
use lodeward_app::search::SparqlSearch;
use lodeward_app::settings::Config;
use lodeward_archive::protocol::{ProtocolOptions, WriteAccess};
use lodeward_archive::sparql::{QueryOptions, UpdateOptions};
use lodeward_service::{ServiceServer, SparqlOnlyOptions};

use super::read::{LiveReads, ServedArchive};
use super::serve::{Signals, listen_address, raise_file_limit, reserve};
use crate::args::{ServeArgs, SparqlOnlyArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::interrupt::Interrupt;
use crate::progress::print_stderr;
use crate::settings;

pub(super) fn run(arguments: &ServeArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let config = settings::load_config(&arguments.data)?;
    let mut options = options(&arguments.sparql, &config)?;
    let listener = reserve(listen_address(arguments, &config)?, &arguments.data.data)?;
    let interrupt = Interrupt::default();
    let opener = ArchiveOpener {
        config: &config,
        data: &arguments.data.data,
        interrupt: &interrupt,
        quiet: verbosity.quiet,
        progress: verbosity.progress_mode(),
    };
    // With `--update`, the archive may be new.
    let (targets, archive) = if arguments.sparql.update { opener.open_or_create()? } else { opener.open()? };
    if !arguments.sparql.no_catch_up {
        opener.catch_up(&targets)?;
    }
    raise_file_limit();
    let search = targets.search();
    if let Some(index) = targets.index() {
        index.start();
    }
    let text_search = SparqlSearch::of(search.clone());
    options.protocol.query.search.clone_from(&text_search);
    options.protocol.update.search = text_search;
    let served = ServedArchive { data: arguments.data.data.clone(), archive: archive.clone(), search };
    let reads = LiveReads::start(&arguments.data.data, SocketKind::Archive, &config, served);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let signals = Signals::new()?;
        let server = ServiceServer::sparql_only(archive.clone(), options, listener).context("cannot listen")?;
        print_address(&server, verbosity.quiet);
        server.run(signals.wait_for_stop(|| ())).await?;
        anyhow::Ok(())
    })?;
    reads.close(Duration::ZERO);
    archive.sync()?;
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::print_stdout, reason = "scripts read the address from standard output")]
fn print_address(server: &ServiceServer, quiet: bool) {
    println!("listening on http://{}/sparql", server.address);
    if !quiet {
        print_stderr("press Ctrl-C to stop\n");
    }
}

fn options(arguments: &SparqlOnlyArgs, config: &Config) -> anyhow::Result<SparqlOnlyOptions> {
    let services = federation::service_handler(config, config.fetch.allow_private_addresses)?;
    let timeout = Some(config.service.query_timeout);
    let max_memory_bytes = Some(arguments.max_memory);
    let query = QueryOptions {
        usual_prefixes: Some(prefixes::namespace),
        timeout,
        max_rows: arguments.max_rows,
        max_memory_bytes,
        default_graph: arguments.default_graph.into(),
        lenient: arguments.lenient,
        services: Some(services.clone()),
        ..QueryOptions::default()
    };
    let update = UpdateOptions {
        usual_prefixes: Some(prefixes::namespace),
        timeout,
        max_memory_bytes,
        default_graph: arguments.default_graph.into(),
        lenient: arguments.lenient,
        services: Some(services),
        ..UpdateOptions::default()
    };
    let mut protocol = ProtocolOptions::default();
    protocol.access = if arguments.update { WriteAccess::ReadWrite } else { WriteAccess::ReadOnly };
    protocol.public_url.clone_from(&config.service.public_url);
    protocol.allow_origin.clone_from(&arguments.allow_origin);
    (protocol.query, protocol.update) = (query, update);
    Ok(SparqlOnlyOptions {
        protocol,
        max_concurrent_queries: config.service.max_concurrent_queries,
        max_body_bytes: config.service.max_body_size.to_usize(),
        request_timeout: config.service.request_timeout,
    })
}
