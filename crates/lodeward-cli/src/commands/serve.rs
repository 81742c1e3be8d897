//! `lodeward serve`: crawls as a service.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use lodeward::config::Config;
use lodeward::told::with_causes;
use lodeward_service::{Options, Reserved, Running, Server, Service, ServiceError};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::user;
use crate::archive::explained;
use crate::arguments::{Data, LogFormat, Loudness, Serve};
use crate::failure::{CUT_SHORT, Usage, listen_hint};
use crate::notify::{self, State};
use crate::progress::say;
use crate::summary::quoted;
use crate::unserved::require_unserved;
use crate::{clock, settings};

/// How long threads may take to notice that it is over.
const LAST_TIME: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &Serve, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let sources = settings::sources(&arguments.data)?;
    let config = lodeward::config::resolve(&sources)?.config;
    let listen = listen(arguments, &config)?;
    let data = arguments.data.data.clone();
    // Before there is a folder: where nobody can be heard, none is needed.
    let place = reserved(listen, &data)?;
    let options = Options { data, sources, now: clock::now_ms, no_auth: arguments.no_auth };
    raise_file_limit();
    let service = Service::open(options).map_err(told)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_name("api").enable_all().build()?;
    let served = runtime.block_on(serve(&service, place, arguments, loudness));
    // Also if it could not listen: crawls run already.
    runtime.block_on(service.close());
    tracing::info!("the service has ended");
    // Queries that nobody waits for any more are no reason to wait.
    runtime.shutdown_timeout(LAST_TIME);
    served?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(service: &Arc<Service>, place: Reserved, arguments: &Serve, loudness: &Loudness) -> anyhow::Result<()> {
    // Before anything is told: whoever hears that we are there may send signals.
    let signals = Signals::new()?;
    let server = Server::listen(Arc::clone(service), place).context("cannot listen")?;
    service.announce(server.address)?;
    tell(&server, arguments, loudness.quiet);
    tell_first_password(service, arguments, loudness.quiet);
    notify::tell(State::Ready);
    let (service, data) = (Arc::clone(service), arguments.data.clone());
    let stop = async move {
        signals.wait(|| reload(&service, &data)).await;
        notify::tell(State::Stopping);
    };
    Ok(server.run(stop).await?)
}

/// Where to listen: not where everybody is let in who should not be.
fn listen(arguments: &Serve, config: &Config) -> anyhow::Result<SocketAddr> {
    let configured = &config.service.listen;
    let listen = match arguments.listen {
        Some(listen) => listen,
        None => configured.parse().expect("settings have been checked"),
    };
    if arguments.no_auth && !listen.ip().is_loopback() {
        return Err(anyhow::Error::new(Usage {
            message: format!("--no-auth would let everybody in who can reach {listen}"),
            hint: Some("listen on 127.0.0.1, or leave out --no-auth".to_owned()),
        }));
    }
    Ok(listen)
}

/// Takes the place to listen at. If a service has it that serves this very folder, that
/// is what has to be told.
fn reserved(listen: SocketAddr, data: &Path) -> anyhow::Result<Reserved> {
    Reserved::at(listen).map_err(|error| match require_unserved(data) {
        Err(served) => served.into(),
        Ok(()) => {
            let hint = Some(listen_hint(&error).to_owned());
            Usage { message: format!("cannot listen on {listen}: {error}"), hint }.into()
        }
    })
}

/// Connections and databases need many files; shells give few.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}

/// Tells what to do about a service that cannot begin.
fn told(error: ServiceError) -> anyhow::Error {
    match error {
        ServiceError::Config(problems) => problems.into(),
        ServiceError::Archive(error) => explained(error),
        ServiceError::People(error) => user::explained(error),
        ServiceError::Served { ref running, .. } => {
            let whose = |running: &Running| format!("it is process {} at http://{}", running.pid, running.address);
            let who = running.as_ref().map_or_else(|| "it has just begun".to_owned(), whose);
            let hint = Some(format!("{who}: stop it first, or serve another folder with --data"));
            Usage { message: error.to_string(), hint }.into()
        }
        ServiceError::Data { ref source, .. } => {
            let hint = match source.kind() {
                ErrorKind::AlreadyExists | ErrorKind::NotADirectory => "it is no folder: name one with --data",
                ErrorKind::PermissionDenied => {
                    "run this as the user whose folder it is, or give it to this one (chown -R); or name another with --data"
                }
                _ => "name another folder with --data",
            };
            Usage { message: with_causes(&error), hint: Some(hint.to_owned()) }.into()
        }
        ServiceError::Restoring(_) => {
            let hint = "if nobody does it now, empty the folder and run `lodeward restore` again".to_owned();
            Usage { message: error.to_string(), hint: Some(hint) }.into()
        }
        error => error.into(),
    }
}

#[expect(clippy::print_stdout, reason = "whoever starts this reads where it is")]
fn tell(server: &Server, arguments: &Serve, quiet: bool) {
    println!("listening on http://{}", server.address);
    tracing::info!(address = %server.address, no_auth = arguments.no_auth, "the service is there");
    // Whoever reads JSON wants nothing else.
    if quiet || arguments.log_format == LogFormat::Json {
        return;
    }
    say("Ctrl-C stops it; crawls go on when it is started again\n");
    if arguments.no_auth {
        say("note: everybody on this machine is let in as an admin (--no-auth)\n");
    } else if !server.address.ip().is_loopback() {
        say("note: passwords are sent as they are: let others in through a proxy with TLS only (docs/runbook.md)\n");
    }
}

/// Says where the password of the first admin is, until they have changed it. What
/// it is, is not for logs.
fn tell_first_password(service: &Service, arguments: &Serve, quiet: bool) {
    let Some(path) = service.people().first_password_file().filter(|_| !arguments.no_auth) else { return };
    tracing::info!(path = %path.display(), "the password of `admin` is in a file");
    if !quiet && arguments.log_format != LogFormat::Json {
        let (path, data) = (path.display(), quoted(&arguments.data.data.to_string_lossy()));
        say(&format!(
            "sign in as `admin` with the password in {path}, and change it: lodeward user password admin --data {data}\n"
        ));
    }
}

/// Reads the settings again. If something is wrong with them, those of before hold.
fn reload(service: &Service, data: &Data) {
    notify::tell(State::Reloading);
    let taken = settings::sources(data).and_then(|sources| Ok(service.reload(sources)?));
    match taken {
        Ok(fixed) => {
            tracing::info!("the settings were read again");
            for key in fixed {
                tracing::warn!(key, "this setting holds when the service is started anew");
            }
        }
        Err(error) => {
            tracing::error!(problems = format!("{error:#}"), "the settings are wrong: those of before hold");
        }
    }
    notify::tell(State::Ready);
}

/// What a service is told from outside.
struct Signals {
    interrupted: Signal,
    terminated: Signal,
    hung_up: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        let (interrupted, terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupted, terminated, hung_up: signal(SignalKind::hangup())? })
    }

    /// Waits until it is to stop. Whoever says so a second time does not want to
    /// wait: crawls lose nothing by it.
    async fn wait(mut self, reload: impl Fn()) {
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
            std::process::exit(i32::from(CUT_SHORT));
        });
    }
}
