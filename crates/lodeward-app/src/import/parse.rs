//! Detection of the format of a file, and parsing.

use std::borrow::Cow;
use std::io::{BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use lodeward::extract::{contexts, unpack_file};
use lodeward_markup::rdfa::HostLanguage;
use lodeward_rdf::blank_nodes::FileBlankNodes;
use lodeward_rdf::{QuadSink, RdfFault, RdfFormat, RdfInput, RdfReader, ReadEnd, charset, sniff};
use oxrdf::{Quad, QuadRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::blocks::{self, LineFile};
use super::feed::{FeedStopped, ImportFeed};
use super::source::{BUFFER_BYTES, ImportSource};
use super::{ImportOptions, MAX_ERRORS, pages};

/// Reads a file, and all files in it if it is an archive. Files of an archive that contain no RDF are skipped.
pub(super) fn read(
    source: &ImportSource,
    options: &ImportOptions,
    meter: &Arc<AtomicU64>,
    feed: &mut ImportFeed,
) -> Result<(), FeedStopped> {
    feed.begin_file(source, FileBlankNodes::numbered(source.identity()));
    let (mut has_rdf, mut is_stopped) = (false, false);
    let unpacked = source.open(meter).and_then(|content| {
        unpack_file(content, &source.name, &mut |path, name, content| {
            match read_unpacked(&UnpackedFile { source, path, name }, content, options, feed) {
                Ok(contains_rdf) => has_rdf |= contains_rdf,
                Err(FeedStopped) => is_stopped = true,
            }
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    match unpacked {
        _ if is_stopped => Err(FeedStopped),
        Err(error) => feed.record_fault(None, error.to_string()),
        Ok(()) if !has_rdf => feed.record_fault(None, "no RDF found, or the format is unknown"),
        Ok(()) => Ok(()),
    }
}

/// A file that is not packed.
struct UnpackedFile<'a> {
    source: &'a ImportSource,
    /// Its path in an archive.
    path: Option<&'a str>,
    /// Its name without the extension of a compression.
    name: &'a str,
}

/// Reads a file that is not packed. Returns whether it is in an RDF format.
fn read_unpacked(
    file: &UnpackedFile<'_>,
    content: &mut dyn Read,
    options: &ImportOptions,
    feed: &mut ImportFeed,
) -> Result<bool, FeedStopped> {
    let UnpackedFile { source, path, name } = file;
    let mut head = Vec::new();
    if let Err(error) = content.take(sniff::HEAD_BYTES as u64).read_to_end(&mut head) {
        return feed.record_fault(None, error.to_string()).map(|()| true);
    }
    let named = options.format.or_else(|| RdfFormat::from_path(Path::new(name)));
    let Some(syntax) = named.or_else(|| sniff::detect_format(None, None, &charset::decode_for_sniffing(&head))) else {
        return Ok(false);
    };
    let mut identity = source.identity();
    let mut source = Cow::Borrowed(*source);
    if let Some(path) = path {
        // Each file of an archive has its own blank nodes.
        identity = xxh3_64_with_seed(path.as_bytes(), identity);
        source = Cow::Owned(source.inner(path));
    }
    feed.begin_file(&source, FileBlankNodes::numbered(identity));
    let content = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(head).chain(content));
    if matches!(syntax, RdfFormat::NTriples | RdfFormat::NQuads) {
        let file = LineFile { name: source.name.clone(), identity, has_graphs: syntax == RdfFormat::NQuads };
        return blocks::split_into_blocks(content, file, feed).map(|()| true);
    }
    let base = options.base.clone().unwrap_or_else(|| source.base_iri());
    match HostLanguage::from_format(syntax) {
        Some(host) => pages::read_page(content, (syntax, host), &base, options.contexts.as_deref(), feed)?,
        None => read_rdf(content, syntax, &base, options, feed)?,
    }
    feed.finish_file().map(|()| true)
}

fn read_rdf(
    content: impl Read,
    format: RdfFormat,
    base: &str,
    options: &ImportOptions,
    feed: &mut ImportFeed,
) -> Result<(), FeedStopped> {
    let reader = RdfReader::new(format).base(base).contexts(contexts(options.contexts.as_deref()));
    let reader = reader.max_errors(MAX_ERRORS as usize).repair().raw();
    let reader = if options.lenient { reader.lenient() } else { reader };
    let mut sink = FeedSink { feed, is_stopped: false };
    let end = reader.read(RdfInput::Stream(Box::new(content)), &mut sink);
    match end {
        _ if sink.is_stopped => Err(FeedStopped),
        Ok(ReadEnd::TooManyErrors) => feed.record_fault(None, "too many errors; the rest of the file was not read"),
        Ok(_) => Ok(()),
        Err(error) => feed.record_fault(None, error.to_string()),
    }
}

/// Passes statements to the feed, until it has stopped.
struct FeedSink<'a> {
    feed: &'a mut ImportFeed,
    is_stopped: bool,
}

impl QuadSink for FeedSink<'_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.owned_quad(quad.into_owned());
    }

    fn owned_quad(&mut self, quad: Quad) {
        self.is_stopped = self.is_stopped || self.feed.push_quad(quad).is_err();
    }

    fn fault(&mut self, fault: RdfFault) {
        let location = fault.position.map(|at| (at.line, at.column));
        self.is_stopped = self.is_stopped || self.feed.record_fault(location, fault.detail).is_err();
    }

    fn begin_scope(&mut self) {
        self.feed.begin_scope();
    }

    fn is_open(&self) -> bool {
        !self.is_stopped
    }
}
