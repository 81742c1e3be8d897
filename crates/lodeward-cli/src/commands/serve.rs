//! `lodeward serve`: runs the service.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use lodeward::error_chain::with_causes;
use lodeward_app::live::SocketKind;
use lodeward_app::settings::Config;
use lodeward_service::{ReservedListener, Service, ServiceError, ServiceInfo, ServiceOptions, ServiceServer};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::read::{LiveReads, ServiceHolder};
use super::{sparql_only, user};
use crate::args::{DataDirArgs, LogFormat, ServeArgs, VerbosityArgs};
use crate::catch_up::explain_target;
use crate::errors::{EXIT_INTERRUPTED, UsageError, listen_hint};
use crate::progress::print_stderr;
use crate::report_text::shell_quote;
use crate::sd_notify::{self, ServiceManagerState};
use crate::service_guard::require_unserved;
use crate::{clock, settings};
use lodeward_app::crawl_lock::{CrawlLock, CrawlLockError};

/// How long to wait for the threads of queries on shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &ServeArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    if arguments.sparql.sparql_only {
        return sparql_only::run(arguments, verbosity);
    }
    let sources = settings::sources(&arguments.data.source)?;
    let config = lodeward_app::settings::resolve(&sources)?.config;
    let listen = listen_address(arguments, &config)?;
    let data_dir = arguments.data.data.clone();
    // The address is bound first: if this fails, no data directory is created.
    let listener = reserve(listen, &data_dir)?;
    require_no_crawl(&data_dir)?;
    let options = ServiceOptions { data_dir, sources, now: clock::now_ms, no_auth: arguments.no_auth };
    raise_file_limit();
    let service = Service::open(options).map_err(explain)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_name("api").enable_all().build()?;
    let reads = LiveReads::start(service.data_dir(), SocketKind::Crawls, &config, ServiceHolder(Arc::clone(&service)));
    let served = runtime.block_on(serve(&service, listener, arguments, verbosity));
    reads.close(Duration::ZERO);
    // Crawls are already running, so they are stopped even if `serve` has failed.
    runtime.block_on(service.close());
    tracing::info!("service stopped");
    // The clients of running queries have disconnected, so the queries need not be completed.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    served?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(
    service: &Arc<Service>,
    listener: ReservedListener,
    arguments: &ServeArgs,
    verbosity: &VerbosityArgs,
) -> anyhow::Result<()> {
    // Signals are handled before the address is printed, because scripts may send them as soon as
    // they read it.
    let signals = Signals::new()?;
    let server = ServiceServer::listen(service, listener).context("cannot listen")?;
    service.write_info(server.address)?;
    print_address(&server, arguments, verbosity.quiet);
    print_first_password_path(service, arguments, verbosity.quiet);
    if arguments.open {
        open_browser(server.address);
    }
    sd_notify::send_state(ServiceManagerState::Ready);
    let (service, data) = (Arc::clone(service), arguments.data.clone());
    let stop = async move {
        signals.wait_for_stop(|| reload(&service, &data)).await;
        sd_notify::send_state(ServiceManagerState::Stopping);
    };
    Ok(server.run(stop).await?)
}

/// The address to listen on. Without authentication only loopback is allowed, unless the user
/// insists.
pub(super) fn listen_address(arguments: &ServeArgs, config: &Config) -> anyhow::Result<SocketAddr> {
    let configured = &config.service.listen;
    let listen = match arguments.listen {
        Some(listen) => listen,
        None => configured.parse().expect("`service.listen` was validated"),
    };
    if arguments.no_auth && !listen.ip().is_loopback() {
        return Err(anyhow::Error::new(UsageError {
            message: format!("--no-auth is not allowed on {listen}: every client there would be an admin"),
            hint: Some("listen on 127.0.0.1, or remove --no-auth".to_owned()),
        }));
    }
    if arguments.sparql.sparql_only && !arguments.sparql.allow_remote && !listen.ip().is_loopback() {
        return Err(anyhow::Error::new(UsageError {
            message: format!("cannot listen on {listen}: not a loopback address"),
            hint: Some("pass --allow-remote, or listen on 127.0.0.1 and put a proxy in front".to_owned()),
        }));
    }
    Ok(listen)
}

/// Binds the address. If it is in use by a service of this data directory, the error names that
/// service.
pub(super) fn reserve(listen: SocketAddr, data: &Path) -> anyhow::Result<ReservedListener> {
    ReservedListener::bind(listen).map_err(|error| match require_unserved(data) {
        Err(served) => served.into(),
        Ok(()) => {
            let hint = Some(listen_hint(&error).to_owned());
            UsageError { message: format!("cannot listen on {listen}: {error}"), hint }.into()
        }
    })
}

/// Rejects a data directory in which a crawl of the command line runs: it would not share its delays
/// with the crawls of the service.
fn require_no_crawl(data: &Path) -> Result<(), UsageError> {
    // A data directory that does not exist has no crawl.
    match data.is_dir().then(|| CrawlLock::acquire(data, "of a starting service")) {
        Some(Err(error @ CrawlLockError::Held(_))) => {
            let hint = Some("wait until the crawl ends, or stop it".to_owned());
            Err(UsageError { message: error.to_string(), hint })
        }
        _ => Ok(()),
    }
}

/// Raises the limit of open files: connections and databases need many, and the default is low.
pub(super) fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
}

/// Adds a hint to an error of starting the service.
fn explain(error: ServiceError) -> anyhow::Error {
    match error {
        ServiceError::Config(problems) => problems.into(),
        ServiceError::Target(error) => explain_target(error),
        ServiceError::Users(error) => user::explain(error),
        ServiceError::InUse { ref running, .. } => {
            let describe = |running: &ServiceInfo| format!("process {} at http://{}", running.pid, running.address);
            let owner = running.as_ref().map_or_else(|| "a process that is starting".to_owned(), describe);
            let hint = Some(format!("{owner} uses the directory: stop it first, or set another directory with --data"));
            UsageError { message: error.to_string(), hint }.into()
        }
        ServiceError::Data { ref source, .. } => {
            let hint = match source.kind() {
                ErrorKind::AlreadyExists | ErrorKind::NotADirectory => "the path is not a directory: set --data",
                ErrorKind::PermissionDenied => {
                    "run the service as the owner of the directory, change its owner (chown -R), or set --data"
                }
                _ => "set another directory with --data",
            };
            UsageError { message: with_causes(&error), hint: Some(hint.to_owned()) }.into()
        }
        ServiceError::Restoring(_) => {
            let hint = "if no restore is running, empty the directory and run `lodeward restore` again".to_owned();
            UsageError { message: error.to_string(), hint: Some(hint) }.into()
        }
        error => error.into(),
    }
}

#[expect(clippy::print_stdout, reason = "scripts read the address from standard output")]
fn print_address(server: &ServiceServer, arguments: &ServeArgs, quiet: bool) {
    println!("listening on http://{}", server.address);
    tracing::info!(address = %server.address, no_auth = arguments.no_auth, "service started");
    // With JSON logs, standard error has nothing but JSON.
    if quiet || arguments.log_format == LogFormat::Json {
        return;
    }
    print_stderr(&format!("open {} in a browser\n", page_url(server.address)));
    print_stderr("press Ctrl-C to stop; running crawls resume at the next start\n");
    if arguments.no_auth {
        print_stderr("note: authentication is disabled (--no-auth): every client on this machine is an admin\n");
    } else if !server.address.ip().is_loopback() {
        print_stderr("note: passwords are sent in clear text: put a proxy with TLS in front (docs/runbook.md)\n");
    }
}

/// The URL of the browser interface, for a browser on this machine.
fn page_url(address: SocketAddr) -> String {
    let is_any = address.ip().is_unspecified();
    if is_any { format!("http://localhost:{}/", address.port()) } else { format!("http://{address}/") }
}

/// Opens the browser interface in a browser. If that fails, the service runs on.
fn open_browser(address: SocketAddr) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let url = page_url(address);
    let opened = std::process::Command::new(program)
        .arg(&url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = opened {
        print_stderr(&format!("warning: cannot open a browser ({program}: {error}): open {url} yourself\n"));
    }
}

/// Prints where the initial password of `admin` is, until it is changed. The password itself is never
/// logged.
fn print_first_password_path(service: &Service, arguments: &ServeArgs, quiet: bool) {
    let Some(path) = service.users().first_password_file().filter(|_| !arguments.no_auth) else { return };
    tracing::info!(path = %path.display(), "initial password of `admin` is in a file");
    if !quiet && arguments.log_format != LogFormat::Json {
        let (path, data) = (path.display(), shell_quote(&arguments.data.data.to_string_lossy()));
        print_stderr(&format!(
            "log in as `admin` with the password in {path}, then change it: lodeward user password admin --data {data}\n"
        ));
    }
}

/// Reloads the settings. If they are invalid, the current ones stay in effect.
fn reload(service: &Service, data: &DataDirArgs) {
    sd_notify::send_state(ServiceManagerState::Reloading);
    let reloaded = settings::sources(&data.source).and_then(|sources| Ok(service.reload(sources)?));
    match reloaded {
        Ok(fixed) => {
            tracing::info!("settings reloaded");
            for key in fixed {
                tracing::warn!(key, "setting takes effect after a restart");
            }
        }
        Err(error) => {
            tracing::error!(problems = format!("{error:#}"), "invalid settings: the current ones stay in effect");
        }
    }
    sd_notify::send_state(ServiceManagerState::Ready);
}

/// The signals that control a service.
pub(super) struct Signals {
    interrupted: Signal,
    terminated: Signal,
    hung_up: Signal,
}

impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        let (interrupted, terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupted, terminated, hung_up: signal(SignalKind::hangup())? })
    }

    /// Waits for SIGINT or SIGTERM; SIGHUP reloads the settings. After a second SIGINT or SIGTERM the
    /// process exits at once, which is as safe for crawls as a crash.
    pub(super) async fn wait_for_stop(mut self, reload: impl Fn()) {
        loop {
            tokio::select! {
                _ = self.interrupted.recv() => break,
                _ = self.terminated.recv() => break,
                _ = self.hung_up.recv() => reload(),
            }
        }
        tokio::spawn(async move {
            tokio::select! {
                _ = self.interrupted.recv() => {}
                _ = self.terminated.recv() => {}
            }
            std::process::exit(i32::from(EXIT_INTERRUPTED));
        });
    }
}
