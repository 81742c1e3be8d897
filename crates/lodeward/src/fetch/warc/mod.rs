//! Records responses to WARC files and replays them (ISO 28500, WARC/1.1).
//!
//! A [`WarcRecorder`] wraps a fetcher and writes every response; a [`WarcReplay`] is a fetcher that returns the
//! responses in WARC files, from this program or others. The recorder writes what a crawl uses (status, header fields,
//! decoded bytes), not the bytes on the wire: content and transfer codings are removed before, and the record states
//! this. Digests are omitted, which the standard allows: gzip has its own checksum.

mod record;
mod recorder;
mod replay;
mod writer;

pub use recorder::WarcRecorder;
pub use replay::{ReplayError, WarcReplay};
pub use writer::WarcOptions;
