//! The web as it was: recorded while it is visited, visited again from the
//! recording (ISO 28500, WARC/1.1).
//!
//! A [`Recorder`] stands in front of any fetcher and writes down every answer;
//! a [`Replay`] is a fetcher whose web is a set of such files, ours or
//! others'. What is recorded is what a crawl goes by — status, the fields we
//! keep, the bytes as decoded — not what was on the wire: content and transfer
//! codings are undone before we see them, and the record says so. Digests are
//! left out, which the standard allows: gzip has its own checksum.

mod record;
mod recorder;
mod replay;
mod writer;

pub use recorder::Recorder;
pub use replay::{Replay, ReplayError};
pub use writer::WriterOptions;
