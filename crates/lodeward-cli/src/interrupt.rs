//! Ctrl-C for commands other than `crawl`.

use lodeward_archive::sparql::CancellationToken;
use tokio::signal::unix::{SignalKind, signal};

use crate::errors::EXIT_INTERRUPTED;

/// Whether the user has interrupted the command.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    pub(crate) token: CancellationToken,
}

impl Interrupt {
    /// Starts to listen for SIGINT and SIGTERM. The first signal cancels the token; the second exits
    /// the process.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let token = interrupt.token.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let (mut interrupted, mut terminated) = {
            let _inside = runtime.enter();
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
        };
        std::thread::Builder::new().name("interrupt".to_owned()).spawn(move || {
            runtime.block_on(async {
                loop {
                    tokio::select! {
                        _ = interrupted.recv() => {}
                        _ = terminated.recv() => {}
                    }
                    if token.is_cancelled() {
                        std::process::exit(i32::from(EXIT_INTERRUPTED));
                    }
                    token.cancel();
                }
            });
        })?;
        Ok(interrupt)
    }
}
