//! Notifies the service manager of state changes, if there is one: `sd_notify(3)`.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The states that are sent to the service manager.
#[derive(Clone, Copy)]
pub(crate) enum ServiceManagerState {
    Ready,
    Reloading,
    Stopping,
}

/// Sends a state. A failure is logged.
pub(crate) fn send_state(state: ServiceManagerState) {
    let Some(name) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let message = match state {
        ServiceManagerState::Ready => "READY=1",
        ServiceManagerState::Reloading => "RELOADING=1",
        ServiceManagerState::Stopping => "STOPPING=1",
    };
    let address = match name.as_bytes() {
        [b'@', abstract_name @ ..] => SocketAddr::from_abstract_name(abstract_name),
        _ => SocketAddr::from_pathname(&name),
    };
    let sent =
        address.and_then(|address| UnixDatagram::unbound()?.send_to_addr(message.as_bytes(), &address).map(drop));
    if let Err(error) = sent {
        tracing::warn!(%error, "cannot notify the service manager");
    }
}
