//! Tells the service manager how we are doing, if there is one: `sd_notify(3)`.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// What it can be told.
#[derive(Clone, Copy)]
pub(crate) enum State {
    Ready,
    Reloading,
    Stopping,
}

/// Tells it. Nobody who does not listen is a reason not to go on.
pub(crate) fn tell(state: State) {
    let Some(name) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let message = match state {
        State::Ready => "READY=1",
        State::Reloading => "RELOADING=1",
        State::Stopping => "STOPPING=1",
    };
    let address = match name.as_bytes() {
        [b'@', hidden @ ..] => SocketAddr::from_abstract_name(hidden),
        _ => SocketAddr::from_pathname(&name),
    };
    let sent =
        address.and_then(|address| UnixDatagram::unbound()?.send_to_addr(message.as_bytes(), &address).map(drop));
    if let Err(error) = sent {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}
