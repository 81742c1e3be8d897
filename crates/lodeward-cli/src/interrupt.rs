//! Ctrl-C, for commands that are not crawls.

use lodeward_archive::sparql::CancellationToken;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::{CUT_SHORT, CutShort};

/// Tells whether somebody wants this to end.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    pub(crate) token: CancellationToken,
}

impl Interrupt {
    /// Listens from here on. The first signal asks whatever runs to end; the
    /// second ends the process.
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
                        std::process::exit(i32::from(CUT_SHORT));
                    }
                    token.cancel();
                }
            });
        })?;
        Ok(interrupt)
    }

    /// An error if somebody does.
    pub(crate) fn check(&self) -> Result<(), CutShort> {
        if self.token.is_cancelled() { Err(CutShort::new("stopped by Ctrl-C")) } else { Ok(()) }
    }
}
