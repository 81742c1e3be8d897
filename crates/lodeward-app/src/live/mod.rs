//! Requests to the process that holds a data directory, over a Unix socket in that directory.
//!
//! The databases of a data directory can be open in one process only. While a crawl or a service
//! has them open, it listens on a socket ([`LiveServer`]); a command that only reads sends its
//! request there ([`ask`]) and prints what comes back. The transport knows nothing of the requests:
//! a request is one block of bytes, an answer is a stream of frames (output, notes, end).
//!
//! - The socket has mode 0600: only the user who runs the process, and root, can connect.
//! - A process that was killed leaves its socket behind. Connecting to it is refused, so it counts
//!   as absent; the next process replaces it.
//! - If the client disconnects or closes its side, the request is cancelled.
//! - The number of requests that run at a time is bounded; further ones wait, for a limited time.
//! - If the process ends before the answer is complete, the client can tell ([`LiveAnswer::Ended`]) and
//!   may run the request itself.

mod client;
mod frame;
mod server;
mod slots;
mod socket;
#[cfg(test)]
mod tests;

pub use client::{LiveAnswer, LiveError, LiveSink, ask};
pub use frame::{LiveEnd, LiveOutput};
pub use server::{LiveHandler, LiveLimits, LiveOutcome, LiveServer};
pub use socket::SocketKind;
